import numpy as np


def most_registers(warps, programs, registers):
    """Return the most registers that a thread may have, (cuts,)."""
    in_a_part = -(-warps * programs // 4)
    units = registers // 4 // in_a_part // 256
    return np.minimum(256 * units // 32, 255)
