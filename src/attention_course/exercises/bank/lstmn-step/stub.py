def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return state, cell and summary after the step, each (d,), and the weights (past,)."""
    raise NotImplementedError
