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


@checked(ignore_warnings="over")
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


@checked(ignore_warnings="over invalid", number_format=one_of(*FORMATS))
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


#: Bits of the exponent and of the fraction, and the largest number.
SHORT = {"e4m3": (4, 3, 448), "e5m2": (5, 2, 57344), "e2m1": (2, 1, 6)}
#: How many numbers share a scale.
BLOCKS = {"mxfp4": 32, "nvfp4": 16}


@checked(ignore_warnings="over invalid", number_format=one_of(*SHORT))
def round_short(
    x: Float[np.ndarray, "*shape"], number_format: str
) -> Float[np.ndarray, "*shape"]:
    r"""Round to the nearest number of an 8-bit or 4-bit format; ties go to the even one.

    .. math:: \operatorname{round}(x) = s \operatorname{rint}(x / s), \qquad
       s = 2^{\max(\lfloor \log_2 |x| \rfloor,\; 2 - 2^{e-1}) - f}

    with e bits for the exponent and f for the fraction. e4m3 ends at 448 and e2m1 at 6, both
    without an infinity: what is larger becomes that. e5m2 ends at 57344, and then comes
    infinity. As in torch, a float64 passes through float32.

    Args:
        x: the numbers.
        number_format: "e4m3", "e5m2" (8 bits) or "e2m1" (4 bits).

    Returns:
        The rounded numbers, as float64.

    Source:
        Written for this course. torch's ``float8_e4m3fn`` and ``float8_e5m2`` agree to the bit;
        before torch 2.12 the first made NaN of what is too large.

    >>> round_short(np.array([0.3, 2.5, 5.0, 100.0]), "e2m1").tolist()
    [0.5, 2.0, 4.0, 6.0]
    """
    e, f, largest = SHORT[number_format]
    single = x.astype(np.float32).astype(np.float64)
    exponent = np.maximum(np.frexp(single)[1] - 1, 2 - 2 ** (e - 1))
    step = 2.0 ** (exponent - f)
    rounded = step * np.round(single / step)
    beyond = np.inf if number_format == "e5m2" else largest
    end = np.copysign(beyond, single)
    return np.where(np.abs(rounded) > largest, end, rounded)


@checked(number_format=one_of(*BLOCKS))
def round_in_blocks(
    x: Float[np.ndarray, "*batch d"], number_format: str
) -> Float[np.ndarray, "*batch d"]:
    r"""Round to e2m1, with a scale for each block of numbers along the last axis.

    .. math:: \hat x = s \operatorname{round}(x / s), \qquad
       s_\text{MX} = 2^{\lfloor \log_2 \max |x| \rfloor - 2}, \qquad
       s_\text{NV} = t \operatorname{round}_\text{e4m3}(\max |x| / 6t)

    The maximum is that of the block: 32 numbers in MXFP4, 16 in NVFP4. A scale of MXFP4 is a
    power of two, so numbers between 6s and 8s become 6s. One of NVFP4 is a number of e4m3,
    times one factor t for the whole array, with which the largest scale of all is 448.

    Args:
        x: the numbers.
        number_format: "mxfp4" (4.25 bits a number) or "nvfp4" (4.5 bits).

    Returns:
        The rounded numbers, as float64.

    Source:
        Open Compute Project, Microscaling Formats (MX) 1.0, for MXFP4; NVIDIA for NVFP4.

    >>> round_in_blocks(np.array([0.1, 0.7, 1.0, 7.0] * 8), "mxfp4")[:4].tolist()
    [0.0, 0.5, 1.0, 6.0]
    """
    size = BLOCKS[number_format]
    if x.shape[-1] % size or not np.isfinite(x).all():
        must = f"x must be finite numbers in blocks of {size}"
        raise ValueError(f"round_in_blocks: {must}, got shape {x.shape}")
    blocks = x.astype(np.float64).reshape(*x.shape[:-1], -1, size)
    top = np.abs(blocks).max(axis=-1, keepdims=True, initial=0.0)
    if number_format == "mxfp4":
        exponent = np.frexp(top)[1] - 1  # the floor of log2
        scale = 2.0 ** np.clip(exponent - 2, -127, 127)
    else:
        whole = np.max(top, initial=0.0) / (6 * 448) or 1.0
        scale = whole * round_short(top / 6 / whole, "e4m3")
    divided = blocks / np.where(scale > 0, scale, 1.0)
    return (scale * round_short(divided, "e2m1")).reshape(x.shape)
