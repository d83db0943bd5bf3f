"""How much of the first state is left in the last: a product of Jacobians, by hand."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("norms", "jacobian")


def _drawn(n, d_x, d, size=1.0):
    def calls(rng):
        draw = rng.standard_normal
        x, W, U = draw((n, d_x)), size * draw((d, d)) / np.sqrt(d), draw((d, d_x)) / 2
        return [Call("gradient_through_time", (x, W, U), returns=RETURNS)]

    return calls


def _silent(rng):
    """Inputs of zero after the first: the states fade, and tanh is steep."""
    draw = rng.standard_normal
    x, W, U = draw((9, 2)), draw((3, 3)) / 2, draw((3, 2))
    x[1:] = 0
    return [Call("gradient_through_time", (x, W, U), returns=RETURNS)]


MATRIX = "slope[:, None] * W"
PRODUCT = f"jacobian @ ({MATRIX})"
NORM = "np.linalg.norm(jacobian, 2)"
BACK = "slopes[:0:-1]"

EXERCISE = Exercise(
    slug="gradient-through-time",
    title="A gradient's way back through time",
    chapter="why/rnn-bottleneck",
    family="steps",
    target="gradient_through_time",
    minutes=25,
    statement=(
        "A plain recurrent network reads `x`, of shape `(n, d_x)`, one row a step: "
        r"$\mathbf{h}_t = \tanh(W \mathbf{h}_{t-1} + U \mathbf{x}_t)$ from "
        r"$\mathbf{h}_0 = \mathbf{0}$, with `W` of shape `(d, d)` and `U` of shape `(d, d_x)`. "
        r"Work out $\partial \mathbf{h}_n / \partial \mathbf{h}_t$ for each step $t$ from 1 to "
        "$n$, without finite differences and without torch. Return the norms of these "
        r"Jacobians, `(n,)`, and the Jacobian for $t = 1$, `(d, d)`."
    ),
    contract=(
        "The norm is the spectral norm: the most by which the Jacobian can stretch a "
        "vector, its largest singular value.",
        "The norms stand in the order of time; the last is that of the identity, 1.",
        r"Row $i$ of a Jacobian belongs to component $i$ of $\mathbf{h}_n$, column $j$ to "
        r"component $j$ of $\mathbf{h}_t$.",
        "The arguments are left as they were.",
        "Return two arrays, the norms first.",
    ),
    stub='''\
def gradient_through_time(x, W, U):
    """Return the norms (n,) of dh_n/dh_t for t = 1 to n, and dh_n/dh_1 (d, d)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def gradient_through_time(x, W, U):
    """Return the norms (n,) of dh_n/dh_t for t = 1 to n, and dh_n/dh_1 (d, d)."""
    h, slopes = np.zeros(len(W)), []
    for x_t in x:
        h = np.tanh(W @ h + U @ x_t)
        slopes.append(1 - h**2)
    jacobian, norms = np.eye(len(W)), [1.0]
    for slope in slopes[:0:-1]:
        jacobian = jacobian @ (slope[:, None] * W)
        norms.append(np.linalg.norm(jacobian, 2))
    return np.array(norms[::-1]), jacobian
''',
    hints=(
        "First a single step: how does component i of h_2 move if component j of h_1 moves a "
        "little? Two factors, one of them an entry of W.",
        "The slope of tanh can be written in the state itself. It belongs to the step that is "
        "made, so to the later of the two states.",
        "Between step t and step n lie n - t factors. The one of the last step stands on the "
        "left.",
    ),
    points={"norms": 3, "long way": 2},
    probes=(
        Probe("five steps, a state of three", "norms", _drawn(5, 2, 3)),
        Probe("a single step: the identity", "norms", _drawn(1, 2, 4)),
        Probe("two steps: a single factor", "norms", _drawn(2, 4, 3)),
        Probe(
            "all sizes equal",
            "norms",
            _drawn(4, 4, 4),
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a state of one number", "norms", _drawn(6, 3, 1)),
        Probe("thirty steps", "long way", _drawn(30, 3, 5)),
        Probe("a matrix that stretches", "long way", _drawn(8, 2, 4, 2.5)),
        Probe("inputs that fall silent", "long way", _silent),
    ),
    rtol=1e-4,  # 1 - h**2 loses digits in single precision where tanh saturates
    wrong=(
        Wrong(
            "the slope of tanh is left out",
            "slope",
            "A state passes through W and through tanh.",
            ((MATRIX, "W"),),
        ),
        Wrong(
            "the slope is that of the step before",
            "slope",
            "Between h_1 and h_2 tanh is applied once: at which of the two?",
            ((BACK, "slopes[-2::-1]"),),
        ),
        Wrong(
            "the slope is 1 minus the state, not its square",
            "slope",
            "What is the derivative of tanh at 0, and far out on either side?",
            (("1 - h**2", "1 - np.abs(h)"),),
        ),
        Wrong(
            "the slope is a sigmoid's",
            "slope",
            "h (1 - h) belongs to another curve.",
            (("1 - h**2", "h * (1 - h)"),),
        ),
        Wrong(
            "the slope is taken of the state again",
            "slope",
            "The state is tanh already; how is its slope written in the state?",
            (("1 - h**2", "1 - np.tanh(h) ** 2"),),
        ),
        Wrong(
            "the slopes scale the columns of W",
            "operands",
            "Which is applied last in a step, the matrix or tanh?",
            ((MATRIX, "slope * W"),),
        ),
        Wrong(
            "W is transposed",
            "operands",
            "That carries a gradient back; a Jacobian is written the other way.",
            ((MATRIX, "slope[:, None] * W.T"),),
        ),
        Wrong(
            "the factors are multiplied in the order of reading",
            "order",
            "The factor of the last step stands on the left.",
            ((PRODUCT, f"({MATRIX}) @ jacobian"),),
        ),
        Wrong(
            "the Jacobian is returned transposed",
            "order",
            "Which component belongs to the rows?",
            (("[::-1]), jacobian", "[::-1]), jacobian.T"),),
        ),
        Wrong(
            "there is one factor too many",
            "off by one",
            "How many steps lie between h_1 and h_n?",
            ((BACK, "slopes[::-1]"), ("norms[::-1]", "norms[:0:-1]")),
        ),
        Wrong(
            "the norms stand from last to first",
            "order",
            "Whose norm is 1, and where should it stand?",
            (("norms[::-1]", "norms"),),
        ),
        Wrong(
            "the norm is the root of the sum of squares",
            "norm",
            "For the identity that norm is not 1.",
            ((NORM, "np.linalg.norm(jacobian)"),),
        ),
        Wrong(
            "the norm is the largest entry",
            "norm",
            "How far can the image of a vector of length 1 reach?",
            ((NORM, "np.abs(jacobian).max()"),),
        ),
        Wrong(
            "the norm is the largest eigenvalue",
            "norm",
            "A matrix may stretch a vector by more than its eigenvalues say.",
            ((NORM, "np.abs(np.linalg.eigvals(jacobian)).max()"),),
        ),
        Wrong(
            "the norms of the factors are multiplied",
            "norm",
            "That is a bound from above: a product may shrink more than its factors.",
            ((NORM, f"norms[-1] * np.linalg.norm({MATRIX}, 2)"),),
        ),
        Wrong(
            "each norm is that of a single step",
            "norm",
            "A gradient goes through all steps between.",
            ((NORM, f"np.linalg.norm({MATRIX}, 2)"),),
        ),
        Wrong(
            "the states have no recurrence",
            "forward",
            "A state is made from the one before as well.",
            (("W @ h + U @ x_t", "U @ x_t"),),
        ),
        Wrong(
            "the way ends at the inputs",
            "operands",
            "Asked is the dependence on a state, not on an input.",
            (("[::-1]), jacobian", "[::-1]), jacobian @ U"),),
        ),
        Wrong(
            "the two results are in the wrong order",
            "operands",
            "In which order does the contract ask for the two?",
            (
                (
                    "return np.array(norms[::-1]), jacobian",
                    "return jacobian, np.array(norms[::-1])",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    h, slopes",
                    "    x, W, U = np.float32(x), np.float32(W), np.float32(U)\n    h, slopes",
                ),
                ("np.eye(len(W))", "np.eye(len(W), dtype=np.float32)"),
                ("np.zeros(len(W))", "np.zeros(len(W), np.float32)"),
            ),
        ),
        Odd("diagonal matrices", ((MATRIX, "np.diag(slope) @ W"),)),
        Odd(
            "slopes by the hyperbolic cosine",
            (("1 - h**2", "1 / np.cosh(np.arctanh(h)) ** 2"),),
        ),
        Odd("the norm by singular values", ((NORM, "np.linalg.svd(jacobian)[1][0]"),)),
        Odd(
            "the norm by eigenvalues of the square",
            ((NORM, "np.sqrt(np.linalg.eigvalsh(jacobian @ jacobian.T)[-1])"),),
        ),
        Odd(
            "each Jacobian from the start, by loops",
            source="""\
import numpy as np


def gradient_through_time(x, W, U):
    d, states = len(W), [np.zeros(len(W))]
    for x_t in x:
        states.append(np.tanh(W @ states[-1] + U @ x_t))
    states = states[1:]
    norms, first = [], None
    for t in range(len(x)):
        J = [[float(i == j) for j in range(d)] for i in range(d)]
        for h in states[t + 1 :]:
            J = [
                [
                    (1 - h[i] ** 2) * sum(W[i, m] * J[m][j] for m in range(d))
                    for j in range(d)
                ]
                for i in range(d)
            ]
        first = J if first is None else first
        norms.append(np.linalg.norm(np.array(J), 2))
    return norms, first
""",
        ),
    ),
)
