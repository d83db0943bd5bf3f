"""A long short-term memory with a tape for a cell, as loops."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, non_empty
from attention_course.reference._checked import checked
from attention_course.reference.recurrent.lstm import lstm_gates
from attention_course.reference.softmax import softmax

Tape = Sequence[np.ndarray]


class LSTMNWeights(NamedTuple):
    """Everything that an LSTMN layer learns.

    Attributes:
        W_h: from a state on the tape (a key) to the hidden layer that scores.
        W_x: from the input to that layer.
        W_summary: from the last summary of the hidden tape to that layer (the paper's W_h~).
        v: from that layer to the score.
        W: from summary and input to the four gates, in torch's order i, f, g, o.
        b: bias of the gates; the paper prints none.
    """

    W_h: np.ndarray
    W_x: np.ndarray
    W_summary: np.ndarray
    v: np.ndarray
    W: np.ndarray
    b: np.ndarray


def _tapes_and_widths(call: Call) -> None:
    p, hidden, memory = call["weights"], len(call["hidden_tape"]), len(call["memory_tape"])
    if hidden != memory:
        got = f"{hidden} and {memory}"
        raise call.fail("hidden_tape and memory_tape", "equally long", got)
    call.require_length("d", p.W_h.shape[1])
    call.require_length("inputs", p.W_x.shape[1])


@checked(_tapes_and_widths)
def lstmn_look(
    x: Float[np.ndarray, " inputs"],
    summary: Float[np.ndarray, " d"],
    hidden_tape: Tape,
    memory_tape: Tape,
    weights: LSTMNWeights,
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"], Float[np.ndarray, " past"]]:
    r"""Look back at one's own past, and mix both tapes with the same weights.

    .. math:: a_i^t = v^\top \tanh(W_h h_i + W_x x_t + W_{\tilde h} \tilde h_{t-1}), \quad
       s^t = \operatorname{softmax}_{i < t}(a^t)

    .. math:: \tilde h_t = \sum_{i<t} s_i^t h_i, \qquad \tilde c_t = \sum_{i<t} s_i^t c_i

    Args:
        x: the input of this step.
        summary: the last summary of the hidden tape.
        hidden_tape: the states so far, h_1 to h_(t-1).
        memory_tape: the cells so far, as many.
        weights: what the layer has learned.

    Returns:
        The summaries of the hidden and of the memory tape, and the weights. With an empty
        tape both are zeros.

    Source:
        Cheng et al. (2016), section 3.2, equations 4 to 6.

    >>> from attention_course.reference.recurrent.lstmn import _example
    >>> w = _example()
    >>> h, c, s = lstmn_look(np.ones(3), np.zeros(2), [np.ones(2)], [np.ones(2)], w)
    >>> h, s
    (array([1., 1.]), array([1.]))
    """
    p, d = weights, len(summary)
    if len(hidden_tape) == 0:
        return np.zeros(d), np.zeros(d), np.zeros(0)
    asked = p.W_x @ x + p.W_summary @ summary
    scores = [p.v @ np.tanh(p.W_h @ h + asked) for h in hidden_tape]
    s = softmax(np.array(scores))
    return s @ np.array(hidden_tape), s @ np.array(memory_tape), s


@checked(_tapes_and_widths)
def lstmn_step(
    x: Float[np.ndarray, " inputs"],
    summary: Float[np.ndarray, " d"],
    hidden_tape: Tape,
    memory_tape: Tape,
    weights: LSTMNWeights,
) -> tuple[
    Float[np.ndarray, " d"],
    Float[np.ndarray, " d"],
    Float[np.ndarray, " d"],
    Float[np.ndarray, " past"],
]:
    r"""Take one step: look back, then an LSTM's gates with the summaries.

    .. math:: h_t, c_t = \operatorname{gates}(W [\tilde h_t; x_t] + b,\, \tilde c_t)

    Args:
        x: the input of this step.
        summary: the last summary of the hidden tape.
        hidden_tape: the states so far.
        memory_tape: the cells so far, as many.
        weights: what the layer has learned.

    Returns:
        The new state and the new cell, the new summary, and the weights.

    Source:
        Cheng et al. (2016), section 3.2, equations 4 to 9.

    >>> from attention_course.reference.recurrent.lstmn import _example
    >>> parts = lstmn_step(np.ones(3), np.zeros(2), [np.ones(2)], [np.ones(2)], _example())
    >>> [len(part) for part in parts]
    [2, 2, 2, 1]
    """
    p = weights
    summary, cell, s = lstmn_look(x, summary, hidden_tape, memory_tape, p)
    h, c = lstm_gates(p.W @ np.concatenate([summary, x]) + p.b, cell)
    return h, c, summary, s


@checked(inputs=non_empty)
def lstmn_by_loops(
    inputs: Sequence[np.ndarray], weights: LSTMNWeights
) -> tuple[Float[np.ndarray, "steps d"], Float[np.ndarray, "steps steps"]]:
    r"""Read from left to right with two growing tapes instead of one state.

    .. math:: i, f, o = \sigma(W [\tilde h_t; x_t] + b), \quad
       g = \tanh(W_g [\tilde h_t; x_t] + b_g)

    .. math:: c_t = f \odot \tilde c_t + i \odot g, \qquad h_t = o \odot \tanh(c_t)

    Args:
        inputs: one for each step.
        weights: what the layer has learned.

    Returns:
        The state at every step, and whom each step looked at: row t holds t - 1 weights and
        zeros from the diagonal on.

    Source:
        Cheng et al. (2016), section 3.2, equations 4 to 9.

    >>> from attention_course.reference.recurrent.lstmn import _example
    >>> h, s = lstmn_by_loops([np.ones(3)] * 4, _example())
    >>> h.shape, s.sum(axis=1).round(6).tolist()
    ((4, 2), [0.0, 1.0, 1.0, 1.0])
    """
    summary = np.zeros(weights.W_h.shape[1])
    hidden_tape: list[np.ndarray] = []
    memory_tape: list[np.ndarray] = []
    looked = np.zeros((len(inputs), len(inputs)))
    for t, x in enumerate(inputs):
        h, c, summary, s = lstmn_step(x, summary, hidden_tape, memory_tape, weights)
        looked[t, :t] = s
        hidden_tape.append(h)
        memory_tape.append(c)
    return np.stack(hidden_tape), looked


def _example() -> LSTMNWeights:
    """Small random weights: inputs of 3, states of 2, a hidden layer of 4."""
    draw = np.random.RandomState(0).standard_normal
    scoring = draw((4, 2)), draw((4, 3)), draw((4, 2)), draw(4)
    return LSTMNWeights(*scoring, draw((8, 5)), draw(8))
