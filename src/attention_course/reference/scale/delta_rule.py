"""Linear attention that can overwrite and forget: the delta rule, in steps and in chunks."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, whole
from attention_course.reference._checked import checked


def _shares(call: Call, argument: str, x: np.ndarray) -> np.ndarray:
    """Ask for numbers above 0 and at most 1."""
    if not np.all((x > 0) & (x <= 1)):  # False for NaN as well
        raise call.fail(argument, "above 0 and at most 1", f"range {x.min()} to {x.max()}")
    return x


@checked(non_empty_axes="n d_k", upcast_float16=True, decay=_shares)
def gated_delta_rule(
    q: Float[np.ndarray, "*batch n d_k"],
    k: Float[np.ndarray, "*batch n d_k"],
    v: Float[np.ndarray, "*batch n d_v"],
    beta: Float[np.ndarray, "*batch n"],
    decay: Float[np.ndarray, "*batch n"],
    erase: bool = True,
) -> Float[np.ndarray, "*batch n d_v"]:
    r"""Read from a matrix that forgets, erases and writes at every step.

    .. math:: S_t = \alpha_t S_{t-1} + \beta_t\, \mathbf k_t
       \bigl(\mathbf v_t - \alpha_t S_{t-1}^\top \mathbf k_t\bigr)^\top, \qquad
       \mathbf o_t = S_t^\top \mathbf q_t

    Args:
        q: queries.
        k: keys; of length 1 where a write with beta = 1 is to replace what was there.
        v: values, one for each key.
        beta: how much is written.
        decay: alpha, the share of the past that is kept; ones for the plain delta rule.
        erase: whether what the key held is subtracted from the value. Without, this is linear
            attention with neither features nor a divisor, or a state-space model.

    Returns:
        What each query reads, the value of its own step included.

    Source:
        Schlag et al. (2021); with the decay, Yang et al. (2025).

    >>> x, one = np.array([[1.0, 0.0]] * 2), np.ones(2)
    >>> gated_delta_rule(x, x, np.array([[3.0], [5.0]]), one, one).tolist()
    [[3.0], [5.0]]
    >>> gated_delta_rule(x, x, np.array([[3.0], [5.0]]), one, one, erase=False).tolist()
    [[3.0], [8.0]]
    """
    S = np.zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]), v.dtype)
    found = []
    for t in range(q.shape[-2]):
        S = decay[..., t, None, None] * S
        new = v[..., t, None, :]
        if erase:
            new = new - k[..., t, None, :] @ S  # what the key holds
        S = S + beta[..., t, None, None] * k[..., t, :, None] * new
        found.append(q[..., t, None, :] @ S)
    return np.concatenate(found, axis=-2)


@checked(non_empty_axes="n d_k", upcast_float16=True, decay=_shares, size=whole(1))
def gated_delta_in_chunks(
    q: Float[np.ndarray, "*batch n d_k"],
    k: Float[np.ndarray, "*batch n d_k"],
    v: Float[np.ndarray, "*batch n d_v"],
    beta: Float[np.ndarray, "*batch n"],
    decay: Float[np.ndarray, "*batch n"],
    erase: bool = True,
    size: int = 32,
) -> Float[np.ndarray, "*batch n d_v"]:
    r"""Compute the same with products of matrices, a chunk of steps at a time.

    .. math:: (I + L)\, U = \operatorname{diag}(\beta)
       \bigl(V - \operatorname{diag}(c)\, K S\bigr), \qquad
       L_{ij} = \beta_i \frac{c_i}{c_j}\, \mathbf k_i \cdot \mathbf k_j \quad (j < i)

    U holds what each step of the chunk writes, c the product of the decays since the chunk
    began, and S the matrix of everything before it.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        beta: how much is written.
        decay: the share of the past that is kept.
        erase: whether what the key held is subtracted from the value.
        size: steps in a chunk; the last chunk may have fewer.

    Returns:
        What :func:`gated_delta_rule` returns.

    Source:
        Yang et al. (2024), whose form of it this follows in substance.

    >>> x, one = np.array([[1.0, 0.0]] * 2), np.ones(2)
    >>> gated_delta_in_chunks(x, x, np.array([[3.0], [5.0]]), one, one).tolist()
    [[3.0], [5.0]]
    """
    S = np.zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]), v.dtype)
    found = []
    for start in range(0, q.shape[-2], size):
        here = slice(start, start + size)
        Q, K, V = (x[..., here, :] for x in (q, k, v))
        K_T, b = np.swapaxes(K, -1, -2), beta[..., here, None]
        log_c = np.cumsum(np.log(decay[..., here]), axis=-1)
        ratio = np.tril(log_c[..., :, None] - log_c[..., None, :])
        ratio, c = np.tril(np.exp(ratio)), np.exp(log_c)[..., None]
        U = b * V
        if erase:  # each write depends on those before it
            L = b * np.tril(ratio * (K @ K_T), -1)
            one = np.eye(L.shape[-1], dtype=L.dtype)
            U = np.linalg.solve(one + L, U - b * c * (K @ S))
        found.append(c * (Q @ S) + (ratio * (Q @ K_T)) @ U)
        left = ratio[..., -1, None, :]  # of each write, at the end
        S = c[..., -1:, :] * S + (left * K_T) @ U
    return np.concatenate(found, axis=-2)
