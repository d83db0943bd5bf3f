"""One step of a long short-term memory, as a loop."""

from collections.abc import Sequence

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._checked import checked

LSTM = Sequence[np.ndarray]  # W_x (4d, inputs), W_h (4d, d), b_x (4d), b_h (4d)


@checked(d4=lambda d: 4 * d)
def lstm_step(
    x: Float[np.ndarray, " inputs"],
    h: Float[np.ndarray, " d"],
    c: Float[np.ndarray, " d"],
    W_x: Float[np.ndarray, "d4 inputs"],
    W_h: Float[np.ndarray, "d4 d"],
    b_x: Float[np.ndarray, " d4"],
    b_h: Float[np.ndarray, " d4"],
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    r"""One step of a long short-term memory, one number at a time.

    .. math:: i, f, o = \sigma(W_{x\cdot} x + b_{x\cdot} + W_{h\cdot} h + b_{h\cdot}), \quad
       g = \tanh(W_{xg} x + b_{xg} + W_{hg} h + b_{hg})

    .. math:: c' = f \odot c + i \odot g, \qquad h' = o \odot \tanh(c')

    The cell c only ever gets something added to a faded copy of itself; what others see is h.

    Args:
        x: the input of this step.
        h: the output before it.
        c: the cell before it.
        W_x: input matrices of i, f, g and o, one below the other.
        W_h: recurrent matrices, in the same order.
        b_x: biases beside ``W_x``.
        b_h: biases beside ``W_h``.

    Returns:
        Output and cell after the step.

    Source:
        Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000), in the
        order in which torch keeps the gates.

    >>> lstm = np.zeros((8, 1)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)
    >>> lstm_step(np.zeros(1), np.ones(2), np.ones(2), *lstm)[1]
    array([0.5, 0.5])
    """
    d = len(h)
    drive = [
        sum(W_x[k, j] * x[j] for j in range(len(x)))
        + b_x[k]
        + sum(W_h[k, j] * h[j] for j in range(d))
        + b_h[k]
        for k in range(4 * d)
    ]
    return lstm_gates(np.array(drive, dtype=h.dtype), c)


@checked(d4=lambda d: 4 * d)
def lstm_gates(
    drive: Float[np.ndarray, " d4"], c: Float[np.ndarray, " d"]
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    r"""What a long short-term memory does once its inputs are summed.

    .. math:: c' = \sigma(a_f) \odot c + \sigma(a_i) \odot \tanh(a_g), \qquad
       h' = \sigma(a_o) \odot \tanh(c')

    Args:
        drive: the sums before the gates, a_i, a_f, a_g and a_o, one after the other.
        c: the cell that the forget gate fades.

    Returns:
        Output and cell after the step.

    Source:
        Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000).

    >>> h, c = lstm_gates(np.zeros(8), np.ones(2))
    >>> c
    array([0.5, 0.5])
    """
    d, h, after = len(c), np.empty_like(c), np.empty_like(c)
    for k in range(d):
        asked = (drive[k + gate * d] for gate in (0, 1, 3))
        i, f, o = (1 / (1 + np.exp(-a)) for a in asked)
        after[k] = f * c[k] + i * np.tanh(drive[k + 2 * d])
        h[k] = o * np.tanh(after[k])
    return h, after
