"""A gated recurrent unit and the fixed-vector sequence-to-sequence model, a step at a time."""

from collections.abc import Sequence

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, all_finite, below, symbols_of, whole
from attention_course.reference._checked import checked

GRU = Sequence[np.ndarray]  # W_x (3d, inputs), W_h (3d, d), b_x (3d), b_h (3d)


@checked(d3=lambda d: 3 * d)
def gru_step(
    x: Float[np.ndarray, " inputs"],
    h: Float[np.ndarray, " d"],
    W_x: Float[np.ndarray, "d3 inputs"],
    W_h: Float[np.ndarray, "d3 d"],
    b_x: Float[np.ndarray, " d3"],
    b_h: Float[np.ndarray, " d3"],
) -> Float[np.ndarray, " d"]:
    r"""One step of a gated recurrent unit.

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

    Source:
        Cho et al. (2014), section 2.3, in the form torch computes: there the reset gate acts
        after the matrix (theirs: before it), and z keeps the old state (theirs too).

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.zeros(6), np.zeros(6)
    >>> gru_step(np.zeros(1), np.ones(2), *gru)
    array([0.5, 0.5])
    """
    r_x, z_x, n_x = np.split(W_x @ x + b_x, 3)
    r_h, z_h, n_h = np.split(W_h @ h + b_h, 3)
    r = 1 / (1 + np.exp(-(r_x + r_h)))
    z = 1 / (1 + np.exp(-(z_x + z_h)))
    n = np.tanh(n_x + r * n_h)
    return (1 - z) * n + z * h


@checked(tokens=symbols_of("embedding"))
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

    Source:
        Sutskever et al. (2014), section 2; Cho et al. (2014), section 2.2.

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6), np.zeros(6)
    >>> encode_by_loops([0, 0, 0], np.ones((1, 1)), gru).shape
    (2,)
    """
    h = np.zeros(gru[1].shape[1], dtype=embedding.dtype)
    for token in tokens:
        h = gru_step(embedding[token], h, *gru)
    return h


@checked(targets=symbols_of("embedding"))
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

    Source:
        Sutskever et al. (2014), section 2.

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6), np.zeros(6)
    >>> E, W_out, b_out = np.ones((4, 1)), np.ones((4, 2)), np.zeros(4)
    >>> decode_by_loops(np.ones(2), [1, 3], E, gru, W_out, b_out).shape
    (2, 4)
    """
    s, logits = context, []
    for token in targets:
        s = gru_step(embedding[token], s, *gru)
        logits.append(W_out @ s + b_out)
    return np.stack(logits)


def _all_finite_parts(call: Call, argument: str, parts: GRU) -> GRU:
    return [all_finite(call, argument, part) for part in parts]


@checked(
    context=all_finite,
    embedding=all_finite,
    gru=_all_finite_parts,
    W_out=all_finite,
    b_out=all_finite,
    start=(whole(0), below("symbols")),
    end=(whole(0), below("symbols")),
    longest=whole(1),
)
def write_by_loops(
    context: Float[np.ndarray, " d"],
    embedding: Float[np.ndarray, "symbols inputs"],
    gru: GRU,
    W_out: Float[np.ndarray, "symbols d"],
    b_out: Float[np.ndarray, " symbols"],
    start: int = 1,
    end: int = 2,
    longest: int = 32,
) -> list[int]:
    r"""Write greedily: feed the likeliest symbol back in until it is the end mark.

    .. math:: y_i = \arg\max (W_{out} s_i + b_{out}), \qquad
       s_i = \operatorname{GRU}(E_{y_{i-1}}, s_{i-1}), \qquad s_0 = c

    Args:
        context: the fixed vector c, used once, as the first state.
        embedding: one row for each target symbol.
        gru: the four arrays of :func:`gru_step`.
        W_out: output matrix.
        b_out: output bias.
        start: number of the start mark, which is fed in first.
        end: number of the end mark, after which nothing is written.
        longest: symbols after which writing is cut off.

    Returns:
        The symbols written, the end mark among them if it came.

    Source:
        Sutskever et al. (2014), section 3.2, with a beam of one.

    >>> gru = np.zeros((6, 1)), np.zeros((6, 2)), np.zeros(6), np.zeros(6)
    >>> E, W_out, b_out = np.ones((4, 1)), np.ones((4, 2)), np.array([0.0, 0.0, 1.0, 0.0])
    >>> write_by_loops(np.ones(2), E, gru, W_out, b_out)
    [2]
    """
    s, symbol = context, start
    written: list[int] = []
    while symbol != end and len(written) < longest:
        s = gru_step(embedding[symbol], s, *gru)
        symbol = int(np.argmax(W_out @ s + b_out))
        written.append(symbol)
    return written
