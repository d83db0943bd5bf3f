"""Three recurrences taken apart: what a state holds, for whom, and what a gradient reaches."""

from collections.abc import Callable

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.reference._check import all_finite, whole
from attention_course.reference._checked import checked


@checked(d=whole(1))
def orthogonal_matrix(d: int, rng: np.random.RandomState) -> Float[np.ndarray, "d d"]:
    r"""A random matrix that turns vectors and changes no length.

    .. math:: Q^\top Q = I

    Args:
        d: width.
        rng: the generator that draws it.

    Returns:
        The matrix, drawn evenly from all rotations and reflections.

    Source:
        Mezzadri (2007), for the sign that makes the draw even.

    >>> Q = orthogonal_matrix(5, np.random.RandomState(0))
    >>> bool(np.allclose(Q.T @ Q, np.eye(5)))
    True
    """
    Q, R = np.linalg.qr(rng.standard_normal((d, d)))
    return Q * np.sign(np.diag(R))


@checked()
def linear_memory(
    tokens: Int[np.ndarray, "count length"],
    W: Float[np.ndarray, "d d"],
    E: Float[np.ndarray, "symbols d"],
) -> Float[np.ndarray, "count d"]:
    r"""Write sequences into a state by a linear recurrence, and return the last state.

    .. math:: h_t = W h_{t-1} + E_{x_t}, \qquad h_0 = 0

    Args:
        tokens: one sequence a row.
        W: the recurrent matrix.
        E: one embedding for each symbol.

    Returns:
        The last state of each sequence: everything that is kept of it.

    >>> linear_memory(np.array([[0, 1, 1]]), np.eye(2), np.eye(2))
    array([[1., 2.]])
    """
    h = np.zeros((len(tokens), len(W)))
    for x_t in tokens.T:
        h = h @ W.T + E[x_t]
    return h


@checked()
def last_states(
    tokens: Int[np.ndarray, "count length"],
    W: Float[np.ndarray, "d d"],
    E: Float[np.ndarray, "symbols d"],
    squash: Callable[[np.ndarray], np.ndarray] = np.tanh,
) -> Float[np.ndarray, "count d"]:
    r"""Read sequences with a plain recurrence, and return the last state of each.

    .. math:: h_t = f(W h_{t-1} + E_{x_t}), \qquad h_0 = 0

    Args:
        tokens: one sequence a row.
        W: the recurrent matrix.
        E: one embedding for each symbol.
        squash: the function f; ``np.tanh`` bounds the state, ``np.positive`` leaves it linear.

    Returns:
        The last state of each sequence.

    Source:
        Elman (1990).

    >>> last_states(np.array([[0, 1, 1]]), np.eye(2), np.eye(2), np.positive)
    array([[1., 2.]])
    """
    h = np.zeros((len(tokens), len(W)))
    for x_t in tokens.T:
        h = squash(h @ W.T + E[x_t])
    return h


@checked(states=all_finite, new_states=all_finite)
def read_out_recall(
    states: Float[np.ndarray, "count d"],
    tokens: Int[np.ndarray, "count length"],
    new_states: Float[np.ndarray, "tested d"],
    new_tokens: Int[np.ndarray, "tested length"],
) -> Float[np.ndarray, " length"]:
    r"""Fit the best linear read-out of every token; how often is it right on new sequences?

    .. math:: M = \arg\min_M \lVert H M - X \rVert^2 + \lambda \lVert M \rVert^2

    One row of H holds the state of a sequence and a 1, the same row of X its tokens as ones
    among zeros.

    Args:
        states: what a network kept of the sequences that the read-out is fitted on.
        tokens: these sequences.
        new_states: what it kept of others.
        new_tokens: the others, of the same length.

    Returns:
        The share of new sequences whose token is read back right, at each position.

    Source:
        Ridge regression: Hoerl and Kennard (1970); the penalty is 0.001.

    >>> tokens = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])
    >>> read_out_recall(tokens * 1.0, tokens, tokens * 1.0, tokens)
    array([1., 1.])
    """
    H = np.column_stack([states, np.ones(len(states))])
    new = np.column_stack([new_states, np.ones(len(new_states))])
    X = np.eye(tokens.max() + 1)[tokens].reshape(len(tokens), -1)
    # A small ridge, because states in fewer dimensions than H has make H.T @ H singular.
    M = np.linalg.solve(H.T @ H + 1e-3 * np.eye(H.shape[1]), H.T @ X)
    guesses = (new @ M).reshape(*new_tokens.shape, -1).argmax(axis=-1)
    return (guesses == new_tokens).mean(axis=0)


@checked(non_empty_axes="length", x=all_finite)
def latch(
    x: Float[np.ndarray, "count length"],
) -> tuple[Float[np.ndarray, " count"], Float[np.ndarray, " count"]]:
    r"""Read sequences of numbers with one unit that keeps the sign of the first.

    .. math:: h_t = \tanh(2 h_{t-1} + x_t), \qquad h_0 = 0, \qquad
       \frac{\partial h_T}{\partial h_1} = \prod_{t=2}^{T} 2\,(1 - h_t^2)

    Without input the unit has two resting points, near 0.96 and -0.96. Inputs that are small
    do not move it from one to the other; a small change of the state is divided by about six
    at every step. So it remembers, and its gradient vanishes.

    Args:
        x: one sequence a row; the first number says what is to be kept.

    Returns:
        The last state of each sequence, and its derivative by the first state.

    Source:
        Bengio et al. (1994), sections 3 and 4.

    >>> h, gradient = latch(np.array([[3.0] + 9 * [0.0], [-3.0] + 9 * [0.0]]))
    >>> h.round(2), gradient.round(9)
    (array([ 0.96, -0.96]), array([8.2e-08, 8.2e-08]))
    """
    h, gradient = np.tanh(x[:, 0]), np.ones(len(x))
    for x_t in x.T[1:]:
        h = np.tanh(2 * h + x_t)
        gradient = gradient * 2 * (1 - h**2)
    return h, gradient


@checked(states=all_finite, W=all_finite, E=all_finite, length=whole(1), steps=whole(1))
def constrained_read_back(
    states: Float[np.ndarray, "count d"],
    W: Float[np.ndarray, "d d"],
    E: Float[np.ndarray, "symbols d"],
    length: int,
    steps: int = 200,
) -> Int[np.ndarray, "count length"]:
    r"""Guess every token from a linear memory, knowing that each is one of a few kinds.

    .. math:: h_T = \sum_t \sum_s p_{ts}\, W^{T-t} E_s, \qquad p_{ts} \ge 0, \qquad
       \sum_s p_{ts} = 1

    The first condition is linear and has many solutions; the other two are what a linear
    read-out cannot use. The guesses are corrected in turn until all three hold
    (Douglas-Rachford splitting): the feasible point that a linear program would find.

    Args:
        states: last states of :func:`linear_memory`.
        W: its recurrent matrix.
        E: its embeddings.
        length: tokens in each sequence.
        steps: corrections.

    Returns:
        The guesses.

    Source:
        The splitting: Douglas and Rachford (1956). The nearest shares: Held et al. (1974).

    >>> W = orthogonal_matrix(16, np.random.RandomState(0))
    >>> E = np.random.RandomState(1).standard_normal((10, 16))
    >>> constrained_read_back(linear_memory(np.array([[3, 1, 4]]), W, E), W, E, 3)
    array([[3, 1, 4]])
    """
    written = [E]
    for _ in range(length - 1):
        written.insert(0, written[0] @ W.T)
    A = np.concatenate(written)
    back = np.linalg.pinv(A)
    z = np.full((len(states), length, len(E)), 1 / len(E))
    for _ in range(steps):
        missing = states - z.reshape(len(states), -1) @ A
        fits = z + (missing @ back).reshape(z.shape)
        shares = _nearest_shares(2 * fits - z)
        z = z + shares - fits
    return shares.argmax(axis=-1)


@checked(length=whole(1), d=whole(1), symbols=whole(1), count=whole(1))
def fit_read_out(
    length: int,
    d: int,
    rng: np.random.RandomState,
    symbols: int = 10,
    count: int = 4000,
) -> tuple[
    Float[np.ndarray, "d d"],
    Float[np.ndarray, "symbols d"],
    Float[np.ndarray, "d1 length symbols"],
]:
    r"""Make an orthogonal memory, and fit the linear read-out with the least squared error.

    .. math:: M = \arg\min_M \lVert H M - X \rVert^2 + \lambda \lVert M \rVert^2

    ``count`` random sequences are written by :func:`linear_memory`. One row of H holds the
    last state of a sequence and a 1, the same row of X its tokens as ones among zeros.

    Args:
        length: tokens in a sequence.
        d: numbers in the state.
        rng: the generator of matrix, embeddings and sequences.
        symbols: size of the alphabet.
        count: sequences to fit on.

    Returns:
        The recurrent matrix, the embeddings and the read-out M.

    Source:
        Ridge regression: Hoerl and Kennard (1970); the penalty is 0.001.

    >>> W, E, M = fit_read_out(4, 7, np.random.RandomState(0), count=50)
    >>> W.shape, E.shape, M.shape
    ((7, 7), (10, 7), (8, 4, 10))
    """
    W = orthogonal_matrix(d, rng)
    E = rng.standard_normal((symbols, d)) / np.sqrt(d)
    tokens = rng.randint(symbols, size=(count, length))
    H = np.column_stack([linear_memory(tokens, W, E), np.ones(count)])
    X = np.eye(symbols)[tokens].reshape(count, length * symbols)
    M = np.linalg.solve(H.T @ H + 1e-3 * np.eye(d + 1), H.T @ X)
    return W, E, M.reshape(d + 1, length, symbols)


@checked(W=all_finite, E=all_finite, M=all_finite, d1=lambda d: d + 1)
def read_back(
    tokens: Int[np.ndarray, "count length"],
    W: Float[np.ndarray, "d d"],
    E: Float[np.ndarray, "symbols d"],
    M: Float[np.ndarray, "d1 length symbols"],
) -> Int[np.ndarray, "count length"]:
    r"""Write sequences into the memory, then guess every token from the last state.

    .. math:: \hat x_t = \arg\max_s \, [h_T, 1]\, M_{ts}

    Args:
        tokens: one sequence a row.
        W: the recurrent matrix.
        E: the embeddings.
        M: the read-out that :func:`fit_read_out` made.

    Returns:
        The guesses.

    >>> parts = fit_read_out(4, 64, np.random.RandomState(0), count=500)
    >>> read_back(np.array([[3, 1, 4, 1]]), *parts)
    array([[3, 1, 4, 1]])
    """
    H = np.column_stack([linear_memory(tokens, W, E), np.ones(len(tokens))])
    return np.einsum("nd,dts->nts", H, M, optimize=True).argmax(-1)


@checked(length=whole(1), d=whole(1), tested=whole(1), count=whole(1))
def recall_by_position(
    length: int, d: int, rng: np.random.RandomState, tested: int = 1000, count: int = 4000
) -> Float[np.ndarray, " length"]:
    r"""How often is each token read back right, on sequences the read-out has not seen?

    The recurrence is orthogonal, so the gradient from the last state to any step has norm
    exactly 1: whatever is lost here is not lost to vanishing gradients. It is lost for a linear
    reader; :func:`constrained_read_back` gets more from the same states.

    Args:
        length: tokens in a sequence, drawn from ten symbols.
        d: numbers in the state.
        rng: the generator of everything that is drawn.
        tested: new sequences to read back.
        count: sequences to fit on.

    Returns:
        The share read back right at each position, first token first; guessing gives 0.1.

    >>> recall_by_position(4, 64, np.random.RandomState(0), tested=50, count=500)
    array([1., 1., 1., 1.])
    """
    parts = fit_read_out(length, d, rng, count=count)
    tokens = rng.randint(10, size=(tested, length))
    return (read_back(tokens, *parts) == tokens).mean(0)


@checked()
def tanh_recurrence(
    x: Float[np.ndarray, "length inputs"],
    W: Float[np.ndarray, "d d"],
    U: Float[np.ndarray, "d inputs"],
) -> Float[np.ndarray, "length d"]:
    r"""The states of a plain recurrent network.

    .. math:: h_t = \tanh(W h_{t-1} + U x_t), \qquad h_0 = 0

    Args:
        x: one input a row.
        W: the recurrent matrix.
        U: the input matrix.

    Returns:
        One state for each step.

    Source:
        Elman (1990).

    >>> tanh_recurrence(np.ones((3, 2)), np.eye(5), np.ones((5, 2))).shape
    (3, 5)
    """
    h, states = np.zeros(len(W)), []
    for x_t in x:
        h = np.tanh(W @ h + U @ x_t)
        states.append(h)
    return np.stack(states)


@checked()
def input_gradients(
    states: Float[np.ndarray, "length d"],
    state_gradient: Float[np.ndarray, "length d"],
    W: Float[np.ndarray, "d d"],
    U: Float[np.ndarray, "d inputs"],
) -> Float[np.ndarray, "length inputs"]:
    r"""Carry gradients from the states of :func:`tanh_recurrence` back to its inputs.

    .. math:: \delta_t = \operatorname{diag}(1 - h_t^2)\,(g_t + W^\top \delta_{t+1}), \qquad
       \frac{\partial L}{\partial x_t} = U^\top \delta_t

    Every step back multiplies by the matrix and by the slope of tanh: a product of T factors.

    Args:
        states: what :func:`tanh_recurrence` returned.
        state_gradient: derivative of the loss by each state, where the loss uses it directly
            (g); for a loss on the last state alone, all rows but the last are 0.
        W: the recurrent matrix.
        U: the input matrix.

    Returns:
        Derivative of the loss by each input.

    Source:
        Hochreiter and Schmidhuber (1997), section 3.1; Pascanu et al. (2013), equation 5.

    >>> h = tanh_recurrence(np.zeros((3, 1)), np.eye(1) / 2, np.eye(1))
    >>> input_gradients(h, np.array([[0.0], [0.0], [1.0]]), np.eye(1) / 2, np.eye(1)).T
    array([[0.25, 0.5 , 1.  ]])
    """
    delta, gradients = np.zeros(len(W)), []
    for h_t, g_t in zip(states[::-1], state_gradient[::-1], strict=True):
        delta = (1 - h_t**2) * (g_t + delta)
        gradients.append(U.T @ delta)
        delta = W.T @ delta
    return np.stack(gradients[::-1])


def _nearest_shares(p: np.ndarray) -> np.ndarray:
    """The nearest rows of numbers that are at least 0 and sum to 1."""
    falling = -np.sort(-p, axis=-1)
    excess = (falling.cumsum(axis=-1) - 1) / np.arange(1, p.shape[-1] + 1)
    last = (falling > excess).sum(axis=-1, keepdims=True) - 1
    return np.maximum(p - np.take_along_axis(excess, last, axis=-1), 0)
