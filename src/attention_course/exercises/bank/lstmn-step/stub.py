def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return the new state, cell, summary, each (d,), weights (past,)."""
    raise NotImplementedError
