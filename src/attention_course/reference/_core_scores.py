"""The score functions without their checks, as the chapter on score functions writes them."""

import numpy as np


def dot_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the products."""
    return q @ k.mT


def scaled_dot_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the products over the root of the width; the query is divided first."""
    return (q / q.shape[-1] ** 0.5) @ k.mT


def general_scores(q: np.ndarray, k: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Return the products with a matrix between."""
    return q @ W @ k.mT


def unit(x: np.ndarray) -> np.ndarray:
    """Return vectors of length 1; zeros stay zeros."""
    length = np.sqrt(np.square(x).sum(axis=-1, keepdims=True))
    return x / np.where(length == 0, 1, length).astype(x.dtype)


def cosine_scores(q: np.ndarray, k: np.ndarray, beta: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the cosines, times the strength."""
    return beta * (unit(q) @ unit(k).mT)


def additive_scores(
    q: np.ndarray, k: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, w_v: np.ndarray
) -> np.ndarray:
    """Map queries and keys once each; add, bend and read every pair."""
    asked, there = q @ W_q, k @ W_k
    pairs = asked[..., :, None, :] + there[..., None, :, :]
    return np.tanh(pairs) @ w_v


def concat_scores(q: np.ndarray, k: np.ndarray, W: np.ndarray, w_v: np.ndarray) -> np.ndarray:
    """Join every pair; map, bend and read it."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    left = np.repeat(q[..., :, None, :], n_k, axis=-2)
    right = np.repeat(k[..., None, :, :], n_q, axis=-3)
    pairs = np.concatenate([left, right], axis=-1)
    return np.tanh(pairs @ W) @ w_v


def location_scores(q: np.ndarray, k: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Give each place its column; what has none gets minus infinity."""
    n_keys, places = k.shape[-2], W.shape[1]
    scores = np.full((*q.shape[:-1], n_keys), -np.inf, np.result_type(q, W))
    scores[..., :places] = (q @ W)[..., :n_keys]
    return scores


def positive(x: np.ndarray) -> np.ndarray:
    """Return elu(x) + 1, written as exp(x) below 0, where the sum would round to 0."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def kernel_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of products of positive features."""
    return np.log(positive(q) @ positive(k).mT)
