"""Bahdanau's model as loops, with the paper's letters: the whole of its appendix A.

Matrices act on columns (``W @ x``), as in the paper. The paper leaves its biases out to be
easier to read; ours are called ``b``. The alignment model has none.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, symbols_of
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax


class GatedUnit(NamedTuple):
    """A gated recurrent unit: candidate, update gate and reset gate, one below the other.

    Attributes:
        W: what the inputs add, of shape (3d, inputs).
        U: what the old state adds, of shape (3d, d).
        b: the bias, of length 3d.
    """

    W: np.ndarray
    U: np.ndarray
    b: np.ndarray


class BahdanauWeights(NamedTuple):
    """Everything that Bahdanau's model learns, by its letter in the paper.

    Attributes:
        E_x: embeddings of the source symbols, one a row.
        E_y: embeddings of the target symbols, one a row.
        forward: the unit that reads from left to right.
        backward: the unit that reads from right to left.
        W_s: from the backward state at the first position to the first decoder state.
        b_s: its bias.
        W_a: from the decoder state (the query) to the hidden layer of the alignment model.
        U_a: from an annotation (a key) to that layer.
        v_a: from that layer to the score.
        decoder: the decoder's unit, fed with the embedding of the last symbol.
        C: what the context adds to candidate, update and reset gate (C, C_z, C_r).
        U_o: from the decoder state to the output layer.
        V_o: from the embedding of the last symbol to the output layer.
        C_o: from the context to the output layer.
        b_o: bias of the output layer.
        W_o: from the maxout units to the logits.
        b_w: its bias.
    """

    E_x: np.ndarray
    E_y: np.ndarray
    forward: GatedUnit
    backward: GatedUnit
    W_s: np.ndarray
    b_s: np.ndarray
    W_a: np.ndarray
    U_a: np.ndarray
    v_a: np.ndarray
    decoder: GatedUnit
    C: np.ndarray
    U_o: np.ndarray
    V_o: np.ndarray
    C_o: np.ndarray
    b_o: np.ndarray
    W_o: np.ndarray
    b_w: np.ndarray


@checked(d3=lambda d: 3 * d)
def gated_step(
    drive: Float[np.ndarray, " d3"],
    s: Float[np.ndarray, " d"],
    U: Float[np.ndarray, "d3 d"],
) -> Float[np.ndarray, " d"]:
    r"""One step of the paper's gated recurrent unit, one number at a time.

    .. math:: z = \sigma(a_z + U_z s), \quad r = \sigma(a_r + U_r s), \quad
       \tilde s = \tanh(a + U [r \odot s]), \quad s' = (1 - z) \odot s + z \odot \tilde s

    Args:
        drive: what the inputs add to candidate, update gate and reset gate: a, a_z, a_r.
        s: the state before the step.
        U: the recurrent matrices, in the same order.

    Returns:
        The state after the step.

    Source:
        Bahdanau et al. (2015), appendix A.1.1. Torch's GRU differs twice: there z keeps the
        old state, and r acts after the matrix.

    >>> gated_step(np.zeros(6), np.ones(2), np.zeros((6, 2)))
    array([0.5, 0.5])
    """
    d = len(s)
    after = np.empty_like(s)
    z = [_sigmoid(drive[d + i] + sum(U[d + i, j] * s[j] for j in range(d))) for i in range(d)]
    r = [
        _sigmoid(drive[2 * d + i] + sum(U[2 * d + i, j] * s[j] for j in range(d)))
        for i in range(d)
    ]
    for i in range(d):
        candidate = np.tanh(drive[i] + sum(U[i, j] * r[j] * s[j] for j in range(d)))
        after[i] = (1 - z[i]) * s[i] + z[i] * candidate
    return after


@checked(tokens=symbols_of("embedding"))
def annotate_by_loops(
    tokens: Sequence[int],
    embedding: Float[np.ndarray, "symbols inputs"],
    forward: GatedUnit,
    backward: GatedUnit,
) -> Float[np.ndarray, "source d2"]:
    r"""Read a sentence in both directions and keep every state.

    .. math:: \overrightarrow h_j = \operatorname{GRU}(E_{x_j}, \overrightarrow h_{j-1}), \quad
       \overleftarrow h_j = \operatorname{GRU}(E_{x_j}, \overleftarrow h_{j+1}), \quad
       h_j = [\overrightarrow h_j; \overleftarrow h_j]

    The two readings never meet: each has its own unit, and they are only written side by side.

    Args:
        tokens: numbers of the source symbols.
        embedding: one row for each symbol, shared by both directions.
        forward: the unit that reads from left to right.
        backward: the unit that reads from right to left.

    Returns:
        One annotation for each symbol: about the whole sentence, sharpest around its symbol.

    Source:
        Bahdanau et al. (2015), section 3.2 and appendix A.2.1.

    >>> unit = GatedUnit(np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6))
    >>> annotate_by_loops([0, 0, 0], np.ones((1, 1)), unit, unit).shape
    (3, 4)
    """
    halves = []
    right_to_left = list(reversed(tokens))
    for unit, order in ((forward, tokens), (backward, right_to_left)):
        state, states = np.zeros(unit.U.shape[1]), []
        for token in order:
            drive = unit.W @ embedding[token] + unit.b
            state = gated_step(drive, state, unit.U)
            states.append(state)
        halves.append(states)
    both = zip(halves[0], reversed(halves[1]), strict=True)
    return np.array([[*ahead, *back] for ahead, back in both])


@checked(non_empty_axes="source")
def align_by_loops(
    s: Float[np.ndarray, " d"],
    annotations: Float[np.ndarray, "source d2"],
    W_a: Float[np.ndarray, "d_a d"],
    U_a: Float[np.ndarray, "d_a d2"],
    v_a: Float[np.ndarray, " d_a"],
) -> tuple[Float[np.ndarray, " d2"], Float[np.ndarray, " source"]]:
    r"""Ask every annotation how well it answers the decoder's state, and mix them.

    .. math:: e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j), \quad
       \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_l \exp(e_{il})}, \quad
       c_i = \sum_j \alpha_{ij} h_j

    Args:
        s: the decoder's state *before* the step, the query.
        annotations: keys and values at once, one a row.
        W_a: from the query to the hidden layer.
        U_a: from a key to the hidden layer.
        v_a: from the hidden layer to the score.

    Returns:
        The context and the weights.

    Source:
        Bahdanau et al. (2015), section 3.1, equations 5 and 6, and appendix A.1.2.

    >>> h = np.array([[2.0], [4.0]])
    >>> align_by_loops(np.ones(3), h, np.ones((5, 3)), np.zeros((5, 1)), np.ones(5))
    (array([3.]), array([0.5, 0.5]))
    """
    scores = []
    for h in annotations:
        score = 0.0
        for k in range(len(v_a)):
            from_s = sum(W_a[k, c] * s[c] for c in range(len(s)))
            from_h = sum(U_a[k, c] * h[c] for c in range(len(h)))
            score += v_a[k] * np.tanh(from_s + from_h)
        scores.append(score)
    weights = softmax(np.array(scores))
    context = np.zeros(annotations.shape[1])
    for weight, h in zip(weights, annotations, strict=True):
        context += weight * h
    return context, weights


def _in_pairs(call: Call, argument: str, pairs: np.ndarray) -> np.ndarray:
    if len(pairs) % 2:
        raise call.fail(argument, "an even number of values", len(pairs))
    return pairs


@checked(pairs=_in_pairs)
def maxout(pairs: Float[np.ndarray, " l2"]) -> Float[np.ndarray, " l"]:
    r"""Keep the larger of every two neighbours.

    .. math:: t_j = \max(\tilde t_{2j-1}, \tilde t_{2j})

    Args:
        pairs: an even number of values.

    Returns:
        Half as many.

    Source:
        Goodfellow et al. (2013); Bahdanau et al. (2015), appendix A.2.2.

    >>> maxout(np.array([1.0, 3.0, -2.0, -5.0]))
    array([ 3., -2.])
    """
    return np.array([max(pairs[2 * j], pairs[2 * j + 1]) for j in range(len(pairs) // 2)])


@checked()
def decoder_step(
    s: Float[np.ndarray, " d"],
    y: Float[np.ndarray, " m"],
    h: Float[np.ndarray, "source d2"],
    p: BahdanauWeights,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Take one step of the decoder: look, score every symbol, move on.

    .. math:: \tilde t_i = U_o s_{i-1} + V_o E_{y_{i-1}} + C_o c_i, \qquad
       s_i = \operatorname{GRU}(E_{y_{i-1}}, c_i, s_{i-1})

    Args:
        s: the state before the step, which is the query.
        y: the embedding of the symbol written last.
        h: the annotations, keys and values at once.
        p: what the model has learned.

    Returns:
        The state after the step, the logits of every symbol, and the weights.

    Source:
        Bahdanau et al. (2015), appendix A.2.2.

    >>> from attention_course.reference.recurrent.bahdanau import _example
    >>> step = decoder_step(np.zeros(5), np.zeros(4), np.zeros((3, 6)), _example())
    >>> [out.shape for out in step]
    [(5,), (7,), (3,)]
    """
    context, weights = align_by_loops(s, h, p.W_a, p.U_a, p.v_a)
    pairs = p.U_o @ s + p.V_o @ y + p.C_o @ context + p.b_o
    logits = p.W_o @ maxout(pairs) + p.b_w
    drive = p.decoder.W @ y + p.C @ context + p.decoder.b
    return gated_step(drive, s, p.decoder.U), logits, weights


@checked(target_in=symbols_of("weights.E_y"))
def bahdanau_by_loops(
    source: Sequence[int], target_in: Sequence[int], weights: BahdanauWeights
) -> tuple[Float[np.ndarray, "steps symbols"], Float[np.ndarray, "steps source"]]:
    r"""Score every symbol at every step, looking back at the source before each.

    .. math:: s_0 = \tanh(W_s \overleftarrow h_1), \qquad
       s_i = \operatorname{GRU}(E_{y_{i-1}}, c_i, s_{i-1})

    .. math:: \tilde t_i = U_o s_{i-1} + V_o E_{y_{i-1}} + C_o c_i, \qquad
       p(y_i) \propto \exp(W_o \operatorname{maxout}(\tilde t_i))

    Args:
        source: numbers of the source symbols.
        target_in: the symbol fed in at each step, the start mark first.
        weights: what the model has learned.

    Returns:
        Logits (before the softmax over symbols) and alignment weights, one row a step.

    Source:
        Bahdanau et al. (2015), appendix A.2. The output layer reads s_(i-1), as printed there.

    >>> from attention_course.reference.recurrent.bahdanau import _example
    >>> bahdanau_by_loops([3, 4], [1, 3, 5], _example())[0].shape
    (3, 7)
    """
    p = weights
    h = annotate_by_loops(source, p.E_x, p.forward, p.backward)
    d = p.forward.U.shape[1]
    s = np.tanh(p.W_s @ h[0, d:] + p.b_s)
    logits, alignments = [], []
    for token in target_in:
        s, scored, alpha = decoder_step(s, p.E_y[token], h, p)
        logits.append(scored)
        alignments.append(alpha)
    return np.stack(logits), np.stack(alignments)


def _sigmoid(x: float) -> float:
    return 1 / (1 + np.exp(-x))


def _example() -> BahdanauWeights:
    """Small random weights: 6 and 7 symbols, embeddings of 2 and 4, states of 3 and 5."""
    draw = np.random.RandomState(0).standard_normal
    encoder = (
        GatedUnit(draw((9, 2)), draw((9, 3)), draw(9)),
        GatedUnit(draw((9, 2)), draw((9, 3)), draw(9)),
    )
    decoder = GatedUnit(draw((15, 4)), draw((15, 5)), draw(15))
    alignment = draw((8, 5)), draw((8, 6)), draw(8)
    output = draw((10, 5)), draw((10, 4)), draw((10, 6)), draw(10), draw((7, 5)), draw(7)
    embeddings, first = (draw((6, 2)), draw((7, 4))), (draw((5, 3)), draw(5))
    return BahdanauWeights(
        *embeddings, *encoder, *first, *alignment, decoder, draw((15, 6)), *output
    )
