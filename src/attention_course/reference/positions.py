"""Where a word stands, as a vector that can be added to the word's own."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import whole_number


def sinusoidal_positions(length: int, d_model: int) -> Float[np.ndarray, "length d_model"]:
    r"""Sines and cosines of the position, at wavelengths from short to long.

    .. math:: p_{t,2i} = \sin\frac{t}{10000^{2i/d}}, \qquad
       p_{t,2i+1} = \cos\frac{t}{10000^{2i/d}}

    Args:
        length: number of positions, at least 1; the first is position 0.
        d_model: width, at least 1; an odd width ends in a sine.

    Returns:
        One row for each position.

    Raises:
        ValueError: if one of the two is not a positive whole number.

    Source:
        Vaswani et al. (2017), section 3.5.

    >>> sinusoidal_positions(3, 4)[0].tolist()
    [0.0, 1.0, 0.0, 1.0]

    Taught in ``transformer/self-attention``.
    """
    length = whole_number("sinusoidal_positions", "length", length)
    d_model = whole_number("sinusoidal_positions", "d_model", d_model)
    column = np.arange(d_model)
    angles = np.arange(length)[:, None] / 10000.0 ** ((column - column % 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))
