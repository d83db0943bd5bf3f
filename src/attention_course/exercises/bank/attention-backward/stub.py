def attention_backward(q, k, v, g):
    """Return the gradients of q, k and v, given g, that of the context."""
    raise NotImplementedError
