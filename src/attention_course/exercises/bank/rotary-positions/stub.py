def rotary_attention(q, k, v, offset=0):
    """Return the turned keys, the scores and the context."""
    raise NotImplementedError
