"""Numbers as a page prints them: rounded, so that no digit is the noise of the arithmetic."""

import math
import re
from typing import Any

import numpy as np


def rounded(x: float, digits: int = 3) -> str:
    """Return a number with three significant digits, two where it is very small or large.

    Whole numbers keep all of theirs; zeros at the end are left out.

    >>> [rounded(x) for x in (492, 0.58123, 0.5, 1234.5678, 2.9123e-20, 0.0)]
    ['492', '0.581', '0.5', '1235', '2.9e-20', '0']
    """
    if not math.isfinite(x) or (float(x).is_integer() and abs(x) < 1e15):
        return f"{x:.0f}"
    size = math.floor(math.log10(abs(x)))
    if size < -3 or size > 5:
        return _short(f"{x:.1e}")
    text = f"{x:.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_given(x: float) -> str:
    """Return a number as an author would write it.

    >>> [as_given(x) for x in (0.1, 1e-9, 480.0, 2.5e-12)]
    ['0.1', '1e-9', '480', '2.5e-12']
    """
    return _short(f"{x:g}")


def _short(text: str) -> str:
    return re.sub(r"e([-+])0?", lambda found: "e" + found[1].strip("+"), text)


def as_array(where: str, value: Any) -> np.ndarray:
    """Return a number, an array or a tensor as a flat array of at least one number.

    Raises:
        ValueError: if it is not made of real numbers; ``where`` begins the message.
    """
    expected = f"{where} must be a number, an array of numbers or a dictionary of numbers"
    if hasattr(value, "detach"):  # a tensor, on any device and in any format
        value = value.detach().tolist()
    try:
        array = np.asarray(value).ravel()
    except (TypeError, ValueError):  # rows of different lengths
        raise ValueError(f"{expected}, got {value!r}") from None
    if array.dtype == bool:
        raise ValueError(f"{expected}, got {value!r}: give what was measured, not the verdict")
    if not array.size or array.dtype.kind not in "iuf":
        raise ValueError(f"{expected}, got {value!r}")
    return array
