"""What the public functions of ``numerics`` compute, without their checks."""

import numpy as np

from attention_course.reference._core import round_to
from attention_course.reference.labs.saturation import softmax_in_format


def log_sum_exp(x: np.ndarray) -> np.ndarray:
    """Logarithm of each row's sum of exponentials."""
    top = x.max(axis=-1, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    return top[..., 0] + np.log(np.exp(x - top).sum(axis=-1))


def softmax_with_sink(scores: np.ndarray, sink: float = 0.0) -> np.ndarray:
    """Softmax beside one more score, whose weight is thrown away."""
    top = np.maximum(scores.max(axis=-1, keepdims=True), sink)
    exps = np.exp(scores - top)
    return exps / (exps.sum(axis=-1, keepdims=True) + np.exp(sink - top))


def sum_one_by_one(x: np.ndarray, number_format: str) -> np.ndarray:
    """Add up each row, rounding after every addition."""
    total = np.zeros_like(x[..., :1])
    for j in range(x.shape[-1]):
        total = round_to(total + x[..., j : j + 1], number_format)
    return total[..., 0]


def sum_in_blocks(x: np.ndarray, number_format: str, block: int) -> np.ndarray:
    """Add up blocks of each row, then blocks of these sums, until one is left."""
    while x.shape[-1] > 1:
        zeros = np.zeros((*x.shape[:-1], -x.shape[-1] % block))
        x = np.concatenate([x, zeros], axis=-1)
        x = x.reshape(*x.shape[:-1], -1, block)
        x = sum_one_by_one(x, number_format)
    return x[..., 0]


def attention_in_format(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    number_format: str,
    scaled: str = "scores",
) -> np.ndarray:
    """Attention whose every intermediate result is stored in a format."""
    scale = q.shape[-1] ** -0.5
    q, k, v = (round_to(x, number_format) for x in (q, k, v))
    if scaled == "queries":
        q = round_to(scale * q, number_format)
    elif scaled == "both":
        q = round_to(scale**0.5 * q, number_format)
        k = round_to(scale**0.5 * k, number_format)
    with np.errstate(invalid="ignore"):  # inf - inf is NaN
        scores = round_to(q @ np.swapaxes(k, -1, -2), number_format)
        if scaled == "scores":
            scores = round_to(scale * scores, number_format)
        weights = softmax_in_format(scores, number_format)
        return round_to(weights @ v, number_format)


def fused_in_format(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, number_format: str
) -> np.ndarray:
    """Attention that rounds only its exponentials and its result."""
    q, k, v = (round_to(x, number_format) for x in (q, k, v))
    scores = q.shape[-1] ** -0.5 * q @ np.swapaxes(k, -1, -2)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    context = round_to(exps, number_format) @ v
    return round_to(context / exps.sum(axis=-1, keepdims=True), number_format)
