"""Luong's model as loops, with the paper's letters: score, context, attentional vector.

Matrices act on columns (``W @ x``), as in the paper; there are no biases where it has none.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, one_of, symbols_of
from attention_course.reference._checked import checked
from attention_course.reference.recurrent.local import local_weights_by_loops, predicted_centres
from attention_course.reference.recurrent.lstm import LSTM, lstm_step
from attention_course.reference.softmax import softmax

SCORES = ("dot", "general", "concat", "location")
SCOPES = ("global", "local-m", "local-p")
QUERIES = ("this step", "step before")


class LuongWeights(NamedTuple):
    """Everything that Luong's model learns, by its letter in the paper, and its settings.

    Attributes:
        E_x: embeddings of the source symbols, one a row.
        E_y: embeddings of the target symbols, one a row.
        encoder: the four arrays of each LSTM layer that reads, bottom layer first.
        decoder: the same for the layers that write.
        score: "dot", "general", "concat" or "location".
        W_a: the matrix of the score; None for dot.
        v_a: the read-out vector of concat; None for the others.
        W_c: from context and state to the attentional vector; None if these are only added.
        W_s: from the attentional vector to the logits.
        feeding: is the attentional vector part of the next step's input?
        scope: "global", "local-m" or "local-p".
        D: half the width of the local window.
        W_p: the matrix of local-p; None without it.
        v_p: the read-out vector of local-p.
        query: whose state asks: of "this step" (Luong), or of the "step before" (Bahdanau).
    """

    E_x: np.ndarray
    E_y: np.ndarray
    encoder: Sequence[LSTM]
    decoder: Sequence[LSTM]
    score: str
    W_a: np.ndarray | None
    v_a: np.ndarray | None
    W_c: Any  # an array, or None
    W_s: np.ndarray
    feeding: bool = True
    scope: str = "global"
    D: int = 10
    W_p: np.ndarray | None = None
    v_p: np.ndarray | None = None
    query: str = "this step"


def _matrix_unless_dot(call: Call) -> None:
    W_a = call["W_a"]
    matrix = isinstance(W_a, np.ndarray) and W_a.ndim == 2 and W_a.dtype.kind == "f"
    if call["score"] != "dot" and not matrix:
        expected = "an array of floats with exactly 2 axes"
        raise call.fail("W_a", expected, getattr(W_a, "shape", type(W_a).__name__))


@checked(_matrix_unless_dot, score=one_of(*SCORES))
def scores_by_loops(
    h_t: Float[np.ndarray, " d"],
    states: Float[np.ndarray, "source d"],
    score: str,
    W_a: Any = None,
    v_a: Any = None,
) -> Float[np.ndarray, " source"]:
    r"""Score every source state, one after the other.

    .. math:: \text{score}(h_t, \bar h_s) = h_t^\top \bar h_s \;|\; h_t^\top W_a \bar h_s \;|\;
       v_a^\top \tanh(W_a [h_t; \bar h_s]) \;|\; (W_a h_t)_s

    In this order: dot, general, concat, location. The last never reads a source state.

    Args:
        h_t: the decoder's state *of this step*, the query.
        states: the source states, one a row.
        score: which of the four.
        W_a: the matrix, unless the score is dot.
        v_a: the read-out vector, if it is concat.

    Returns:
        One score for each source state; minus infinity where location has no row left.

    Source:
        Luong et al. (2015), section 3.1.

    >>> scores_by_loops(np.ones(2), np.eye(2), "general", np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([4., 6.])
    """
    found = []
    for s, state in enumerate(states):
        if score == "dot":
            e = h_t @ state
        elif score == "general":
            e = h_t @ W_a @ state
        elif score == "concat":
            e = v_a @ np.tanh(W_a @ np.concatenate([h_t, state]))
        else:  # location has a row for each place, and only so many
            e = W_a[s] @ h_t if s < len(W_a) else -np.inf
        found.append(e)
    return np.array(found)


@checked(d_both=lambda d_context, d: d_context + d)
def attentional_vector(
    context: Float[np.ndarray, " d_context"],
    h_t: Float[np.ndarray, " d"],
    W_c: Float[np.ndarray, "d_out d_both"],
) -> Float[np.ndarray, " d_out"]:
    r"""Join what was found with what was asked.

    .. math:: \tilde h_t = \tanh(W_c [c_t; h_t])

    Args:
        context: the weighted sum of source states.
        h_t: the decoder's state of this step.
        W_c: the matrix.

    Returns:
        The vector that the output layer reads, and the next step too if it is fed in.

    Source:
        Luong et al. (2015), equation 5.

    >>> attentional_vector(np.ones(2), np.ones(3), np.zeros((4, 5)))
    array([0., 0., 0., 0.])
    """
    return np.tanh(W_c @ np.concatenate([context, h_t]))


@checked(tokens=symbols_of("embedding"))
def luong_encode_by_loops(
    tokens: Sequence[int],
    embedding: Float[np.ndarray, "symbols inputs"],
    layers: Sequence[LSTM],
) -> tuple[Float[np.ndarray, "source d"], list[tuple[np.ndarray, np.ndarray]]]:
    r"""Read a sentence with LSTM layers on top of each other.

    .. math:: (h^l_s, m^l_s) = \operatorname{LSTM}^l(h^{l-1}_s, h^l_{s-1}, m^l_{s-1}), \qquad
       h^0_s = E_{x_s}

    Args:
        tokens: numbers of the source symbols.
        embedding: one row for each symbol.
        layers: the arrays of each layer, the bottom one first.

    Returns:
        The states of the *top* layer, one a row, and output and cell of every layer at the
        end: with these the decoder's layers begin.

    Source:
        Luong et al. (2015), section 3: only top states are looked at.

    >>> layer = np.zeros((8, 1)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)
    >>> luong_encode_by_loops([0, 0, 0], np.ones((1, 1)), [layer])[0].shape
    (3, 2)
    """
    states, top = [_at_rest(layer) for layer in layers], []
    for token in tokens:
        states = step_through(embedding[token], states, layers)
        top.append(states[-1][0])
    return np.array(top), states


def step_through(
    x: Float[np.ndarray, " inputs"],
    states: Sequence[tuple[np.ndarray, np.ndarray]],
    layers: Sequence[LSTM],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Take one step in every layer, from the bottom up: each reads the one below.

    Args:
        x: the input of the bottom layer.
        states: output and cell of each layer before the step.
        layers: the arrays of each layer.

    Returns:
        Output and cell of each layer after the step.

    >>> layer = np.zeros((8, 2)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)
    >>> len(step_through(np.ones(2), [(np.ones(2), np.ones(2))] * 3, [layer] * 3))
    3
    """
    after = []
    for (h, m), layer in zip(states, layers, strict=True):
        after.append(lstm_step(x, h, m, *layer))
        x = after[-1][0]
    return after


@checked()
def luong_step(
    y: Float[np.ndarray, " d_y"],
    fed: Float[np.ndarray, " d"],
    states: Sequence[tuple[np.ndarray, np.ndarray]],
    memory: Float[np.ndarray, "source d"],
    p: LuongWeights,
) -> tuple[
    Float[np.ndarray, " symbols"],
    Float[np.ndarray, " source"],
    Float[np.ndarray, " d"],
    list[tuple[np.ndarray, np.ndarray]],
]:
    r"""Take one step as in the paper: state, look, attentional vector, logits.

    .. math:: h_t = \operatorname{LSTM}([E_{y_{t-1}}; \tilde h_{t-1}], h_{t-1}), \quad
       \tilde h_t = \tanh(W_c [c_t; h_t])

    Args:
        y: embedding of the last symbol.
        fed: the attentional vector of the step before; zeros at the first.
        states: output and cell of each layer before the step.
        memory: the encoder's top states.
        p: what the model has learned: global attention, input feeding, W_c.

    Returns:
        Logits, weights, the attentional vector, and the states after the step.

    Source:
        Luong et al. (2015), sections 3.1 and 3.3.

    >>> from attention_course.reference.recurrent.luong import _example
    >>> p = _example()
    >>> memory, states = luong_encode_by_loops([3, 4], p.E_x, p.encoder)
    >>> [len(x) for x in luong_step(p.E_y[1], np.zeros(3), states, memory, p)]
    [7, 2, 3, 2]
    """
    states = step_through(np.concatenate([y, fed]), states, p.decoder)
    h_t = states[-1][0]
    a_t = softmax(scores_by_loops(h_t, memory, p.score, p.W_a, p.v_a))
    fed = attentional_vector(a_t @ memory, h_t, p.W_c)
    return p.W_s @ fed, a_t, fed, states


def _known_choices(call: Call, argument: str, p: LuongWeights) -> LuongWeights:
    one_of(*SCOPES)(call, "scope", p.scope)
    one_of(*QUERIES)(call, "query", p.query)
    return p


@checked(weights=_known_choices, target_in=symbols_of("weights.E_y"))
def luong_by_loops(
    source: Sequence[int], target_in: Sequence[int], weights: LuongWeights
) -> tuple[Float[np.ndarray, "steps symbols"], Float[np.ndarray, "steps source"]]:
    r"""Score every symbol at every step: first the state, then the look, then the output.

    .. math:: h_t = \operatorname{LSTM}([E_{y_{t-1}}; \tilde h_{t-1}], h_{t-1}), \quad
       a_t = \operatorname{align}(h_t, \bar h), \quad c_t = \sum_s a_t(s)\, \bar h_s

    .. math:: \tilde h_t = \tanh(W_c [c_t; h_t]), \qquad
       p(y_t) = \operatorname{softmax}(W_s \tilde h_t)

    Args:
        source: numbers of the source symbols.
        target_in: the symbol fed in at each step, the start mark first.
        weights: what the model has learned, and its settings.

    Returns:
        Logits (before the softmax over symbols) and alignment weights, one row a step.

    Source:
        Luong et al. (2015), section 3, equations 5 to 10. The first attentional vector to be
        fed in is zero. Positions and steps count from 0.

    >>> from attention_course.reference.recurrent.luong import _example
    >>> luong_by_loops([3, 4], [1, 3, 5], _example())[0].shape
    (3, 7)
    """
    p = weights
    memory, states = luong_encode_by_loops(source, p.E_x, p.encoder)
    fed = np.zeros(memory.shape[1])
    logits, alignments = [], []
    for t, token in enumerate(target_in):
        x = np.concatenate([p.E_y[token], fed]) if p.feeding else p.E_y[token]
        h_before = states[-1][0]
        states = step_through(x, states, p.decoder)
        h = states[-1][0]
        a = _align(t, h if p.query == "this step" else h_before, memory, p)
        c = sum(weight * state for weight, state in zip(a, memory, strict=True))
        fed = c + h if p.W_c is None else attentional_vector(c, h, p.W_c)
        logits.append(p.W_s @ fed)
        alignments.append(a)
    return np.stack(logits), np.stack(alignments)


def _align(t: int, h: np.ndarray, memory: np.ndarray, p: LuongWeights) -> np.ndarray:
    scores = scores_by_loops(h, memory, p.score, p.W_a, p.v_a)
    if p.scope == "global":
        return softmax(scores)
    centre = np.array([float(t)])
    if p.scope == "local-p":
        centre = predicted_centres(
            h[None], cast(np.ndarray, p.W_p), cast(np.ndarray, p.v_p), len(memory)
        )
    return local_weights_by_loops(scores[None], centre, p.D, p.scope == "local-p")[0]


def _at_rest(layer: LSTM) -> tuple[np.ndarray, np.ndarray]:
    d = layer[1].shape[1]
    return np.zeros(d), np.zeros(d)


def _example() -> LuongWeights:
    """Small random weights: 6 and 7 symbols, embeddings of 2 and 4, two layers of 3."""
    draw = np.random.RandomState(0).standard_normal

    def layer(inputs: int) -> tuple[np.ndarray, ...]:
        return draw((12, inputs)), draw((12, 3)), draw(12), draw(12)

    layers = [layer(2), layer(3)], [layer(4 + 3), layer(3)]
    embeddings, output = (draw((6, 2)), draw((7, 4))), (draw((3, 6)), draw((7, 3)))
    return LuongWeights(*embeddings, *layers, "general", draw((3, 3)), None, *output)
