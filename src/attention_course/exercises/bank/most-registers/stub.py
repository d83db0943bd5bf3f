def most_registers(warps, programs, registers):
    """Return the most registers that a thread may have, (cuts,)."""
    raise NotImplementedError
