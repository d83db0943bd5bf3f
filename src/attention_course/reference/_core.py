"""What the public functions compute, without their checks: arguments are checked once.

In float16 all of it is computed in float32; the public functions round what comes out, once.
"""

import numpy as np


def wide(x: np.ndarray) -> np.ndarray:
    """Return float16 as float32, in which sums are made; other numbers as they are."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """Round float32 to its upper half; see ``number_formats``."""
    bits = x.astype(np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    carried = bits + np.uint32(0x7FFF) + odd
    upper = (carried & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(x), np.float32(np.nan), upper)


def round_to(x: np.ndarray, number_format: str) -> np.ndarray:
    """Round to the nearest number of a format; see ``number_formats``."""
    with np.errstate(over="ignore", invalid="ignore"):  # infinities and NaN are results
        single = np.asarray(x, dtype=np.float32)
        if number_format == "float16":
            single = single.astype(np.float16)
    if number_format == "bfloat16":
        single = to_bfloat16(np.atleast_1d(single)).reshape(single.shape)
    return single.astype(np.float64)


def dot(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Dot product of every query with every key."""
    return wide(q) @ np.swapaxes(wide(k), -1, -2)


def softmax(x: np.ndarray, mask: np.ndarray | None = None, axis: int = -1) -> np.ndarray:
    """Softmax of what the mask leaves; a row of nothing is all zeros."""
    x = wide(x)
    if mask is not None:
        x = np.where(mask, x, -np.inf).astype(x.dtype, copy=False)
    top = x.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top).astype(x.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # -huge - huge; inf - inf
        exps = np.exp(x - top)
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total == 0, 1.0, total).astype(x.dtype)


def attend(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None, factor: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mix the values, each query with its own weights; both in the format of the inputs."""
    weights = softmax(dot(q, k) * factor, mask)
    rounded = weights.astype(np.result_type(q, k), copy=False)
    context = (weights @ wide(v)).astype(np.result_type(rounded, v), copy=False)
    return context, rounded


def softmax_jacobian(p: np.ndarray) -> np.ndarray:
    """Derivative of the softmax, written in its own output."""
    diagonal = p[..., None] * np.eye(p.shape[-1], dtype=p.dtype)
    return diagonal - p[..., :, None] * p[..., None, :]


def one_query_backward(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, g: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Carry the gradient of one query's context back to the query, the keys and the values."""
    scale = len(q) ** -0.5
    weights = softmax(scale * k @ q)
    weight_gradient = v @ g
    score_gradient = softmax_jacobian(weights) @ weight_gradient
    dq = scale * score_gradient @ k
    dk = scale * np.outer(score_gradient, q)
    dv = np.outer(weights, g)
    return dq, dk, dv


def split(x: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut the last axis into heads, and put them before the tokens."""
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)
    return np.swapaxes(pieces, -2, -3)


def merge(x: np.ndarray) -> np.ndarray:
    """Write the heads of a token side by side again."""
    x = np.swapaxes(x, -2, -3)
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
