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
    weights = softmax(dot(wide(q) * factor, k), mask)
    rounded = weights.astype(np.result_type(q, k), copy=False)
    context = (weights @ wide(v)).astype(np.result_type(rounded, v), copy=False)
    return context, rounded


def attention_in_blocks(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    block: int,
    factor: float,
    mask: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Take in one block of keys after the other; return contexts and log-sum-exps."""
    top = np.full(q.shape[:-1], np.finfo(q.dtype).min)  # no score is lower
    total = np.zeros_like(top)
    acc = np.zeros((*top.shape, v.shape[-1]), v.dtype)
    for j in range(0, k.shape[-2], block):
        part = slice(j, j + block)
        scores = factor * q @ k[..., part, :].swapaxes(-1, -2)
        if mask is not None:
            scores = np.where(mask[..., part], scores, -np.inf)
        new_top = np.maximum(top, scores.max(axis=-1))
        fade = np.exp(top - new_top)
        exps = np.exp(scores - new_top[..., None])
        total = fade * total + exps.sum(axis=-1)
        acc = fade[..., None] * acc + exps @ v[..., part, :]
        top = new_top
    # The largest score adds exp(0): a total is at least 1, or 0 of nothing.
    return acc / np.maximum(total, 1)[..., None], top + np.log(total)


def merge_partials(
    contexts: np.ndarray, log_sum_exps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Merge the parts along the first axis."""
    lowest = np.finfo(log_sum_exps.dtype).min
    top = np.maximum(log_sum_exps.max(axis=0), lowest)
    shares = np.exp(log_sum_exps - top)
    total = shares.sum(axis=0)
    merged = (shares[..., None] * contexts).sum(axis=0)
    return merged / np.maximum(total, 1)[..., None], top + np.log(total)


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
