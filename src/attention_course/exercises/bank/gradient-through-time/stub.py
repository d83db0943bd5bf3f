def gradient_through_time(x, W, U):
    """Return the norms (n,) of dh_n/dh_t, t = 1 to n; dh_n/dh_1 (d, d)."""
    raise NotImplementedError
