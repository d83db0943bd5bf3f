"""Google's translator of 2016 as loops: the whole wiring, any depth, any width."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, non_empty, symbols_of
from attention_course.reference._checked import checked
from attention_course.reference.recurrent.bahdanau import align_by_loops
from attention_course.reference.recurrent.lstm import LSTM, lstm_step


class GNMTWeights(NamedTuple):
    """Everything that GNMT learns. An LSTM is the four arrays of ``lstm_step``.

    Attributes:
        E_x: embeddings of the source symbols, one a row.
        E_y: embeddings of the target symbols, one a row.
        forward: the bottom encoder layer's reader from left to right.
        backward: its reader from right to left.
        encoder: the other encoder layers, second from the bottom first.
        W_a: from the bottom decoder layer's output (the query) to the attention network.
        U_a: from the top encoder layer's output (a key) to the attention network.
        v_a: from its hidden layer to the score.
        decoder: all decoder layers, bottom first; each takes its input and the context.
        W_o: from the top decoder layer to the logits.
        b_o: its bias.
        residual: whether layers from the third on add their output to their input.
    """

    E_x: np.ndarray
    E_y: np.ndarray
    forward: LSTM
    backward: LSTM
    encoder: Sequence[LSTM]
    W_a: np.ndarray
    U_a: np.ndarray
    v_a: np.ndarray
    decoder: Sequence[LSTM]
    W_o: np.ndarray
    b_o: np.ndarray
    residual: bool = True


@checked(inputs=non_empty)
def run_by_loops(inputs: Sequence[np.ndarray], lstm: LSTM) -> list[Float[np.ndarray, " d"]]:
    r"""Run one layer from left to right, starting from zeros.

    .. math:: m_t, c_t = \operatorname{LSTM}(x_t, m_{t-1}, c_{t-1}), \qquad m_0 = c_0 = 0

    Args:
        inputs: one for each step.
        lstm: the four arrays of ``lstm_step``.

    Returns:
        The layer's output m at each step.

    Source:
        Wu et al. (2016), section 3.1.

    >>> lstm = np.ones((8, 1)), np.ones((8, 2)), np.zeros(8), np.zeros(8)
    >>> len(run_by_loops([np.ones(1)] * 3, lstm))
    3
    """
    m = c = np.zeros(lstm[1].shape[1])
    outputs = []
    for x in inputs:
        m, c = lstm_step(x, m, c, *lstm)
        outputs.append(m)
    return outputs


@checked(tokens=symbols_of("weights.E_x"))
def gnmt_encode_by_loops(
    tokens: Sequence[int], weights: GNMTWeights
) -> Float[np.ndarray, "source d"]:
    r"""GNMT's encoder: both ways at the bottom, left to right above, residuals from layer 3.

    .. math:: x_t^1 = [\overrightarrow m_t; \overleftarrow m_t], \qquad x_t^2 = m_t^2, \qquad
       x_t^l = m_t^l + x_t^{l-1} \quad (l \ge 3)

    Args:
        tokens: numbers of the source symbols.
        weights: what the model has learned.

    Returns:
        The top layer's output x, one row for each symbol.

    Source:
        Wu et al. (2016), sections 3.1 and 3.2, figure 1.

    >>> from attention_course.reference.recurrent.gnmt import _example
    >>> gnmt_encode_by_loops([0, 1, 2], _example()).shape
    (3, 2)
    """
    embedded = [weights.E_x[token] for token in tokens]
    ahead = run_by_loops(embedded, weights.forward)
    back = run_by_loops(embedded[::-1], weights.backward)[::-1]
    x = [np.concatenate(pair) for pair in zip(ahead, back, strict=True)]
    for layer, lstm in enumerate(weights.encoder, start=2):
        m = run_by_loops(x, lstm)
        added = weights.residual and layer >= 3
        x = [m_t + x_t for m_t, x_t in zip(m, x, strict=True)] if added else m
    return np.stack(x)


def _one_for_each_layer(call: Call, argument: str, states: Any) -> Any:
    layers = len(call["weights"].decoder)
    if len(states) != layers:
        raise call.fail(argument, f"{layers} pairs", len(states))
    return states


@checked(states=_one_for_each_layer)
def gnmt_step(
    y: Float[np.ndarray, " e"],
    states: Sequence[tuple[np.ndarray, np.ndarray]],
    annotations: Float[np.ndarray, "source d"],
    weights: GNMTWeights,
) -> tuple[
    Float[np.ndarray, " symbols"],
    list[tuple[np.ndarray, np.ndarray]],
    Float[np.ndarray, " source"],
]:
    r"""One step of GNMT's decoder: the bottom layer asks, every layer gets the context.

    .. math:: a_i = \sum_t p_t x_t, \quad p = \operatorname{softmax}_t\bigl(
       v_a^\top \tanh(W_a m^1_{i-1} + U_a x_t)\bigr)

    .. math:: m^l_i, c^l_i = \operatorname{LSTM}_l([x^{l-1}_i; a_i], m^l_{i-1}, c^l_{i-1}),
       \quad x^0_i = E_{y_{i-1}}, \quad x^l_i = m^l_i + [l \ge 3]\, x^{l-1}_i

    Args:
        y: embedding of the last symbol.
        states: output m and cell c of each layer before the step, bottom first.
        annotations: the encoder's top output, keys and values at once.
        weights: what the model has learned.

    Returns:
        Logits, the states after the step, and the attention weights.

    Source:
        Wu et al. (2016), section 3, equations 4 and 6, and figure 1.

    >>> from attention_course.reference.recurrent.gnmt import _example
    >>> w = _example()
    >>> states = [(np.zeros(2), np.zeros(2))] * 3
    >>> logits, states, p = gnmt_step(w.E_y[1], states, gnmt_encode_by_loops([0, 1], w), w)
    >>> logits.shape, len(states), p.shape
    ((4,), 3, (2,))
    """
    w, query = weights, states[0][0]  # the bottom layer's output, one step ago
    context, p = align_by_loops(query, annotations, w.W_a, w.U_a, w.v_a)
    x, after = y, []
    for lstm, (m, c) in zip(w.decoder, states, strict=True):
        m, c = lstm_step(np.concatenate([x, context]), m, c, *lstm)
        after.append((m, c))
        x = m + x if w.residual and len(after) >= 3 else m
    return w.W_o @ x + w.b_o, after, p


@checked(target_in=symbols_of("weights.E_y"))
def gnmt_by_loops(
    source: Sequence[int], target_in: Sequence[int], weights: GNMTWeights
) -> tuple[Float[np.ndarray, "steps symbols"], Float[np.ndarray, "steps source"]]:
    r"""Score every symbol at every step, step by step and layer by layer.

    .. math:: p(y_i \mid y_1, \dots, y_{i-1}, x) \propto \exp(W_o x^n_i + b_o)

    Args:
        source: numbers of the source symbols.
        target_in: the symbol fed in at each step, the start mark first.
        weights: what the model has learned.

    Returns:
        Logits (before the softmax over symbols) and attention weights, one row a step.

    Source:
        Wu et al. (2016), section 3. The decoder starts from zeros.

    >>> from attention_course.reference.recurrent.gnmt import _example
    >>> gnmt_by_loops([0, 1, 2], [1, 3], _example())[0].shape
    (2, 4)
    """
    annotations = gnmt_encode_by_loops(source, weights)
    zero = np.zeros(weights.W_o.shape[1])
    states, logits, rows = [(zero, zero)] * len(weights.decoder), [], []
    for token in target_in:
        scores, states, p = gnmt_step(weights.E_y[token], states, annotations, weights)
        logits.append(scores)
        rows.append(p)
    return np.stack(logits), np.stack(rows)


def _example() -> GNMTWeights:
    """Small random weights: 3 layers a side, 3 and 4 symbols, embeddings and layers of 2."""
    draw = np.random.RandomState(0).standard_normal

    def lstm(inputs: int) -> tuple[np.ndarray, ...]:
        return draw((8, inputs)), draw((8, 2)), draw(8), draw(8)

    return GNMTWeights(
        E_x=draw((3, 2)),
        E_y=draw((4, 2)),
        forward=lstm(2),
        backward=lstm(2),
        encoder=(lstm(4), lstm(2)),
        W_a=draw((5, 2)),
        U_a=draw((5, 2)),
        v_a=draw(5),
        decoder=(lstm(4), lstm(4), lstm(4)),
        W_o=draw((4, 2)),
        b_o=draw(4),
    )
