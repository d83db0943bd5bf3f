def read_both_ways(x, W_f, U_f, b_f, W_b, U_b, b_b):
    """Return the annotations, (n, 2d): a row for each word."""
    raise NotImplementedError
