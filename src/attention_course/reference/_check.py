"""Argument checks shared by the reference functions: say what was expected and what came."""

import math
import operator
from typing import Any

import numpy as np

SUM_TOLERANCE = 0.01


def fail(function: str, argument: str, expected: str, got: object) -> ValueError:
    """Return the error that every public function raises for a bad argument."""
    return ValueError(f"{function}: {argument} must be {expected}, got {got}")


def as_float(
    function: str, argument: str, x: object, min_ndim: int = 0, ndim: int | None = None
) -> np.ndarray:
    """Return ``x`` as a floating array with the number of axes wanted, or raise.

    Integers and booleans are refused rather than converted: a softmax of integers is
    nearly always a slip.
    """
    if not isinstance(x, np.ndarray):
        raise fail(function, argument, "a NumPy array of floats", f"{type(x).__name__}")
    if not np.issubdtype(x.dtype, np.floating):
        raise fail(function, argument, "an array of floats", f"dtype {x.dtype}")
    if x.ndim < min_ndim or ndim not in (None, x.ndim):
        least = min_ndim if ndim is None else ndim
        expected = f"an array with {'at least' if ndim is None else 'exactly'} {least} "
        expected += "axis" if least == 1 else "axes"
        raise fail(function, argument, expected, f"shape {x.shape}")
    return x


def same_axis(
    function: str,
    name_a: str,
    a: np.ndarray,
    axis_a: int,
    name_b: str,
    b: np.ndarray,
    axis_b: int,
    what: str,
) -> None:
    """Raise unless the two axes have the same length."""
    if a.shape[axis_a] != b.shape[axis_b]:
        raise ValueError(
            f"{function}: {name_a} and {name_b} must agree in {what}, "
            f"got {name_a} of shape {a.shape} and {name_b} of shape {b.shape}"
        )


def same_batch(function: str, **arrays: np.ndarray) -> None:
    """Raise unless all arrays have the same axes in front of their last two."""
    if len({x.shape[:-2] for x in arrays.values()}) > 1:
        *first, last = arrays
        shapes = ", ".join(f"{name} of shape {x.shape}" for name, x in arrays.items())
        raise ValueError(
            f"{function}: {', '.join(first)} and {last} must agree in their batch axes, "
            f"got {shapes}"
        )


def not_empty(function: str, argument: str, x: np.ndarray, axis: int, what: str) -> None:
    """Raise if the axis has length 0."""
    if x.shape[axis] == 0:
        raise fail(function, argument, f"an array with {what}", f"shape {x.shape}")


def check_finite(function: str, argument: str, x: np.ndarray) -> np.ndarray:
    """Return the array if it holds neither NaN nor infinity, or raise."""
    if not np.isfinite(x).all():
        raise fail(function, argument, "finite numbers", f"{x[~np.isfinite(x)][0]} in it")
    return x


def check_weights(function: str, argument: str, p: np.ndarray) -> np.ndarray:
    """Return weights if each row of them sums to 1, or to 0 where nothing was seen, or raise.

    A hundredth is allowed: weights stored in bfloat16 have lost up to half of that.
    """
    if not np.all((p >= 0) & (p <= 1)):  # False for NaN as well
        raise fail(
            function, argument, "weights between 0 and 1", f"range {p.min()} to {p.max()}"
        )
    sums = p.sum(axis=-1, dtype=np.float64)
    off = (np.abs(sums - 1) > SUM_TOLERANCE) & (sums != 0)
    if off.any():
        expected = "weights that sum to 1 in each row (or to 0 where nothing is seen)"
        raise fail(function, argument, expected, f"a sum of {sums[off].flat[0]:.3g}")
    return p


def whole_number(function: str, argument: str, n: Any, least: int = 1) -> int:
    """Return ``n`` as an int if it is a whole number of at least ``least``, or raise."""
    expected = "a positive whole number" if least == 1 else f"a whole number from {least}"
    if isinstance(n, (bool, np.bool_)):
        raise fail(function, argument, expected, repr(n))
    try:
        n = operator.index(n)
    except TypeError:
        raise fail(function, argument, expected, repr(n)) from None
    if n < least:
        raise fail(function, argument, expected, repr(n))
    return n


def factor_or_default(function: str, scale: Any, d_k: int) -> float:
    """Return the factor for the dot products: ``scale``, or ``1 / sqrt(d_k)`` if None.

    A Python float, so that multiplying by it keeps float16 and float32 as they are.
    """
    if scale is None:
        return 1.0 / math.sqrt(d_k)
    number = isinstance(scale, (int, float, np.integer, np.floating))
    if not number or isinstance(scale, bool) or not np.isfinite(scale):
        raise fail(function, "scale", "a finite number", repr(scale))
    return float(scale)


def check_mask(
    function: str, mask: object, shape: tuple[int, ...], argument: str = "mask"
) -> np.ndarray:
    """Return the mask if it is boolean and broadcasts to ``shape``, or raise."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        got = f"dtype {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise fail(function, argument, "a boolean NumPy array (True = may attend)", got)
    try:
        fits = np.broadcast_shapes(mask.shape, shape) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        whose = "the scores'" if argument == "mask" else "the"
        raise fail(
            function,
            argument,
            f"broadcastable to {whose} shape {tuple(shape)}",
            f"shape {mask.shape}",
        )
    return mask
