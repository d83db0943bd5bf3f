def gated_unit(drive, s, U):
    """Return the state after the step, (d,)."""
    raise NotImplementedError
