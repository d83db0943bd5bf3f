def rewrite_memory(S, q, k, v, beta, decay):
    """Return what is read, (n, d_v), and the last memory, (d_k, d_v)."""
    raise NotImplementedError
