"""Number formats: what is left of a number when it is stored in fewer bits."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import as_float, fail

FORMATS = ("float32", "bfloat16", "float16")


def round_to(x: Float[np.ndarray, "*shape"], number_format: str) -> Float[np.ndarray, "*shape"]:
    r"""Round to the nearest number that a format can hold; ties go to the even one.

    .. math:: |x - \operatorname{round}(x)| \le 2^{-p}\,|x|, \qquad
       p = 24, 8, 11 \text{ for float32, bfloat16, float16}

    (for numbers in the format's normal range). Too large becomes infinite: from 65520 on
    for float16, near :math:`3.4 \cdot 10^{38}` for the other two. As in torch, a float64
    passes through float32 on its way to the two short formats.

    Args:
        x: the numbers.
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The rounded numbers, as float64.

    Raises:
        ValueError: if ``x`` is not an array of floats or the format is unknown.

    Source:
        IEEE 754-2019 (binary32, binary16); bfloat16 is the upper half of binary32.

    >>> round_to(np.array([0.1, 2049.0, 70000.0]), "float16").tolist()
    [0.0999755859375, 2048.0, inf]

    Used in ``transformer/scaling``.
    """
    x = as_float("round_to", "x", x)
    if number_format not in FORMATS:
        raise fail("round_to", "number_format", f"one of {FORMATS}", repr(number_format))
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and NaN are results
        single = x.astype(np.float32)
        if number_format == "float16":
            return single.astype(np.float16).astype(np.float64)
    if number_format == "bfloat16":
        single = _upper_half(single)
    return single.astype(np.float64)


def _upper_half(single: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    # Adding just under half a unit of the upper half, and one more if that half is odd,
    # carries exactly when the lower half should round up. NaN must not carry.
    bits = np.atleast_1d(single).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded &= np.uint32(0xFFFF0000)
    upper = np.where(np.isnan(np.atleast_1d(single)), np.float32(np.nan), rounded.view("f4"))
    return upper.reshape(single.shape)
