"""Arrays in half precision as text, so that a recorded result can hold them."""

import base64
from typing import TypedDict

import numpy as np


class Halves(TypedDict):
    """An array as JSON can hold it: its shape, and its numbers in base 64."""

    shape: list[int]
    float16: str


def pack_halves(x: np.ndarray) -> Halves:
    """Write an array in half precision, which keeps three digits.

    Args:
        x: any array of numbers below 65,504.

    Returns:
        What JSON can hold.

    >>> pack_halves(np.ones(2))
    {'shape': [2], 'float16': 'ADwAPA=='}
    """
    half = np.asarray(x, np.float16)
    return {"shape": [*half.shape], "float16": base64.b64encode(half.tobytes()).decode()}


def unpack_halves(stored: Halves) -> np.ndarray:
    """Read what :func:`pack_halves` has written.

    Args:
        stored: shape and numbers.

    Returns:
        The array, in double precision.

    Raises:
        ValueError: if there are not as many numbers as the shape says.

    >>> unpack_halves(pack_halves(np.ones(2)))
    array([1., 1.])
    """
    numbers = np.frombuffer(base64.b64decode(stored["float16"]), np.float16)
    if numbers.size != int(np.prod(stored["shape"])):
        raise ValueError(
            f"unpack_halves: stored must hold {stored['shape']} numbers, got {numbers.size}"
        )
    return numbers.astype(float).reshape(stored["shape"])
