"""Number formats: what is left of a number when it is stored in fewer bits."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import one_of
from attention_course.reference._checked import checked

FORMATS = ("float32", "bfloat16", "float16")
#: Bits of the exponent, and of the fraction; one more is the sign.
LAYOUT = {"float32": (8, 23), "bfloat16": (8, 7), "float16": (5, 10)}


@checked(number_format=one_of(*FORMATS))
def format_limits(number_format: str) -> dict[str, float]:
    r"""Say what a format can hold, from its number of bits.

    .. math:: \text{largest} = (2 - 2^{-f})\, 2^{b}, \qquad
       \text{smallest} = 2^{1 - b - f}, \qquad b = 2^{e-1} - 1

    with e bits for the exponent and f for the fraction. Below the smallest *normal* number the
    steps no longer shrink, so numbers lose digits on their way to 0.

    Args:
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The number of bits, the largest number, the smallest normal one, the smallest above 0,
        and the step from 1 to the next number.

    Raises:
        ValueError: if the format is unknown.

    Source:
        IEEE 754-2019, table 3.5; bfloat16 has the exponent of float32.

    >>> format_limits("float16")["largest"], format_limits("bfloat16")["step at 1"]
    (65504.0, 0.0078125)
    """
    e, f = LAYOUT[number_format]
    bias = 2 ** (e - 1) - 1
    return {
        "bits": 1 + e + f,
        "largest": (2 - 2.0**-f) * 2.0**bias,
        "smallest normal": 2.0 ** (1 - bias),
        "smallest": 2.0 ** (1 - bias - f),
        "step at 1": 2.0**-f,
    }


@checked(number_format=one_of(*FORMATS))
def spacing(x: Float[np.ndarray, "*shape"], number_format: str) -> Float[np.ndarray, "*shape"]:
    r"""How far it is from one number of a format to the next, at the size of x.

    .. math:: 2^{\max(\lfloor \log_2 |x| \rfloor,\; 1 - b) - f}

    Args:
        x: where; the sign does not matter.
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The step; NaN where the format has no numbers any more.

    Raises:
        ValueError: if ``x`` is not an array of floats or the format is unknown.

    Source:
        IEEE 754-2019; for the formats that NumPy has, ``numpy.spacing``.

    >>> spacing(np.array([1.0, 1000.0, 60000.0]), "float16").tolist()
    [0.0009765625, 0.5, 32.0]
    """
    e, f = LAYOUT[number_format]
    lowest = 2 - 2 ** (e - 1)
    there = np.abs(x) <= format_limits(number_format)["largest"]
    exponent = np.frexp(np.where(there & (x != 0), x, 2.0**lowest))[1] - 1
    return np.where(there, 2.0 ** (np.maximum(exponent, lowest) - f), np.nan)


@checked(quiet="over")
def to_bfloat16(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """Round to bfloat16 by the bits of float32: keep the upper half.

    Just under half a unit of the upper half is added first, and one bit more if that half is
    odd. The sum carries into the upper half exactly when the lower half should round up, and
    a tie goes to the even neighbour. NaN must not carry, and stays.

    Args:
        x: the numbers; float64 is rounded to float32 on its way.

    Returns:
        The rounded numbers, as float32.

    Source:
        bfloat16 is the upper half of IEEE 754's binary32; the addition is common practice.

    >>> to_bfloat16(np.array([257.0, 259.0, 0.1])).tolist()
    [256.0, 260.0, 0.10009765625]
    """
    bits = x.astype(np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    carried = bits + np.uint32(0x7FFF) + odd
    upper = (carried & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), upper)


@checked(quiet="over invalid", number_format=one_of(*FORMATS))
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
    """
    single = x.astype(np.float32)
    if number_format == "float16":
        single = single.astype(np.float16)
    elif number_format == "bfloat16":
        single = to_bfloat16(single)
    return single.astype(np.float64)
