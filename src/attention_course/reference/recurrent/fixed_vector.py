"""A gated recurrent unit and the fixed-vector sequence-to-sequence model, as loops."""

from collections.abc import Sequence

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import as_float, fail

GRU = Sequence[np.ndarray]  # W_x (3d, inputs), W_h (3d, d), b_x (3d), b_h (3d)


def gru_step(
    x: Float[np.ndarray, " inputs"],
    h: Float[np.ndarray, " d"],
    W_x: Float[np.ndarray, "d3 inputs"],
    W_h: Float[np.ndarray, "d3 d"],
    b_x: Float[np.ndarray, " d3"],
    b_h: Float[np.ndarray, " d3"],
) -> Float[np.ndarray, " d"]:
    r"""One step of a gated recurrent unit, one number at a time.

    .. math:: r = \sigma(W_{xr} x + b_{xr} + W_{hr} h + b_{hr}), \quad
       z = \sigma(W_{xz} x + b_{xz} + W_{hz} h + b_{hz})

    .. math:: n = \tanh(W_{xn} x + b_{xn} + r \odot (W_{hn} h + b_{hn})), \quad
       h' = (1 - z) \odot n + z \odot h

    Args:
        x: the input of this step.
        h: the state before it.
        W_x: input matrices of r, z and n, one below the other.
        W_h: recurrent matrices, in the same order.
        b_x: biases beside ``W_x``.
        b_h: biases beside ``W_h``.

    Returns:
        The state after the step.

    Raises:
        ValueError: if an argument is not an array of floats or the shapes do not fit.

    Source:
        Cho et al. (2014), section 2.3, in the form torch computes: there the reset gate acts
        after the matrix (theirs: before it), and z keeps the old state (theirs too).

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.zeros(6), np.zeros(6)
    >>> gru_step(np.zeros(1), np.ones(2), *gru)
    array([0.5, 0.5])

    Taught in ``why/rnn-bottleneck``.
    """
    _check_gru("gru_step", x, h, W_x, W_h, b_x, b_h)
    d = len(h)
    from_x = [sum(W_x[i, j] * x[j] for j in range(len(x))) + b_x[i] for i in range(3 * d)]
    from_h = [sum(W_h[i, j] * h[j] for j in range(d)) + b_h[i] for i in range(3 * d)]
    after = np.empty_like(h)
    for i in range(d):
        r = 1 / (1 + np.exp(-(from_x[i] + from_h[i])))
        z = 1 / (1 + np.exp(-(from_x[d + i] + from_h[d + i])))
        n = np.tanh(from_x[2 * d + i] + r * from_h[2 * d + i])
        after[i] = (1 - z) * n + z * h[i]
    return after


def encode_by_loops(
    tokens: Sequence[int], embedding: Float[np.ndarray, "symbols inputs"], gru: GRU
) -> Float[np.ndarray, " d"]:
    r"""Read a sequence from left to right and keep only the last state.

    .. math:: h_t = \operatorname{GRU}(E_{x_t}, h_{t-1}), \qquad h_0 = 0, \qquad c = h_T

    Args:
        tokens: numbers of the symbols.
        embedding: one row for each symbol.
        gru: the four arrays of :func:`gru_step`.

    Returns:
        The fixed vector c: as wide for a long sequence as for a short one.

    Raises:
        ValueError: if there is no token, or one has no embedding.

    Source:
        Sutskever et al. (2014), section 2; Cho et al. (2014), section 2.2.

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6), np.zeros(6)
    >>> encode_by_loops([0, 0, 0], np.ones((1, 1)), gru).shape
    (2,)

    Taught in ``why/rnn-bottleneck``.
    """
    _check_tokens("encode_by_loops", tokens, embedding)
    h = np.zeros(gru[1].shape[1], dtype=embedding.dtype)
    for token in tokens:
        h = gru_step(embedding[token], h, *gru)
    return h


def decode_by_loops(
    context: Float[np.ndarray, " d"],
    targets: Sequence[int],
    embedding: Float[np.ndarray, "symbols inputs"],
    gru: GRU,
    W_out: Float[np.ndarray, "symbols d"],
    b_out: Float[np.ndarray, " symbols"],
) -> Float[np.ndarray, "steps symbols"]:
    r"""Score every symbol at every step, given the fixed vector and the symbols before.

    .. math:: s_0 = c, \qquad s_i = \operatorname{GRU}(E_{y_{i-1}}, s_{i-1}), \qquad
       \text{logits}_i = W_{out} s_i + b_{out}

    Args:
        context: the fixed vector c, used once, as the first state.
        targets: the symbol fed in at each step, the start mark first.
        embedding: one row for each target symbol.
        gru: the four arrays of :func:`gru_step`.
        W_out: output matrix.
        b_out: output bias.

    Returns:
        One row of logits (scores of symbols, before the softmax) for each step.

    Raises:
        ValueError: if there is no target, or the shapes do not fit.

    Source:
        Sutskever et al. (2014), section 2.

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6), np.zeros(6)
    >>> E, W_out, b_out = np.ones((4, 1)), np.ones((4, 2)), np.zeros(4)
    >>> decode_by_loops(np.ones(2), [1, 3], E, gru, W_out, b_out).shape
    (2, 4)

    Taught in ``why/rnn-bottleneck``.
    """
    _check_tokens("decode_by_loops", targets, embedding)
    if W_out.shape != (len(b_out), len(context)):
        raise fail(
            "decode_by_loops",
            "W_out",
            f"of shape {(len(b_out), len(context))}",
            f"shape {W_out.shape}",
        )
    s, logits = context, []
    for token in targets:
        s = gru_step(embedding[token], s, *gru)
        logits.append(W_out @ s + b_out)
    return np.stack(logits)


def _check_gru(
    function: str,
    x: np.ndarray,
    h: np.ndarray,
    W_x: np.ndarray,
    W_h: np.ndarray,
    b_x: np.ndarray,
    b_h: np.ndarray,
) -> None:
    for name, array, axes in (("x", x, 1), ("h", h, 1), ("W_x", W_x, 2), ("W_h", W_h, 2)):
        as_float(function, name, array, axes)
    d = len(h)
    wanted = {"W_x": (3 * d, len(x)), "W_h": (3 * d, d), "b_x": (3 * d,), "b_h": (3 * d,)}
    for name, array in (("W_x", W_x), ("W_h", W_h), ("b_x", b_x), ("b_h", b_h)):
        if array.shape != wanted[name]:
            raise fail(function, name, f"of shape {wanted[name]}", f"shape {array.shape}")


def _check_tokens(function: str, tokens: Sequence[int], embedding: np.ndarray) -> None:
    as_float(function, "embedding", embedding, 2)
    if len(tokens) == 0 or not all(0 <= token < len(embedding) for token in tokens):
        raise fail(
            function, "tokens", f"one or more numbers below {len(embedding)}", list(tokens)
        )
