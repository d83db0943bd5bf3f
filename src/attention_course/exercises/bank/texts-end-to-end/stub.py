def attend_texts(q, k, v, cu_seqlens):
    """Return the contexts (n, d_v) of texts that lie end to end."""
    raise NotImplementedError
