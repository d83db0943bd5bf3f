def look_at_latents(q, q_rotated, c, k_rotated, W_k, W_v):
    """Return what is asked, (h, r), and the contexts, (h, d_v)."""
    raise NotImplementedError
