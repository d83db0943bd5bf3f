"""One step of Bahdanau's decoder: look with the old state, then go on with the context."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("state", "context", "weights")


def _drawn(rng, n_x, d_s, d_y, d_h, d_a):
    draw = rng.standard_normal
    look = draw((d_a, d_s)), draw((d_a, d_h)), draw(d_a)
    unit = draw((3 * d_s, d_y)), draw((3 * d_s, d_h)), draw(3 * d_s), draw((3 * d_s, d_s))
    return draw(d_s), draw(d_y), draw((n_x, d_h)), *look, *unit


def _ask(*arrays):
    return Call("bahdanau_step", arrays, returns=RETURNS)


def _at_rest(n_x, d_s, d_y, d_h, d_a):
    """A unit whose arrays are all zero: its state is halved, and only the look can differ."""

    def calls(rng):
        arrays = _drawn(rng, n_x, d_s, d_y, d_h, d_a)
        return [_ask(*arrays[:6], *(np.zeros_like(x) for x in arrays[6:]))]

    return calls


def _plain(rng):
    return [_ask(*_drawn(rng, 6, 3, 2, 4, 5))]


def _one_word(rng):
    return [_ask(*_drawn(rng, 1, 2, 5, 3, 4))]


def _equal(rng):
    return [_ask(*_drawn(rng, 4, 4, 4, 4, 4))]


def _twice(rng):
    first = _drawn(rng, 5, 4, 3, 7, 6)
    other = rng.standard_normal((5, 7))
    return [_ask(*first), _ask(*first[:2], other, *first[3:])]


def _large(rng):
    arrays = list(_drawn(rng, 5, 3, 4, 2, 6))
    arrays[0] = np.zeros(3)
    arrays[2] = np.repeat(rng.permutation(np.linspace(-0.5, 0.5, 5))[:, None], 2, axis=1)
    arrays[4] = 0.5 + rng.random((6, 2))
    arrays[5] = 600 * (0.5 + rng.random(6))
    return [_ask(*arrays)]


SCORES = "np.tanh(W_a @ s + h @ U_a.T) @ v_a"
DRIVE = "W @ y + C @ context + b"
GATES = "1 / (1 + np.exp(-(drive[d:] + U[d:] @ s)))"
CANDIDATE = "np.tanh(drive[:d] + U[:d] @ (r * s))"
NEW = "(1 - z) * s + z * candidate"

EXERCISE = Exercise(
    slug="bahdanau-step",
    title="One step of Bahdanau's decoder",
    chapter="recurrent/bahdanau",
    family="recurrent",
    target="bahdanau_step",
    minutes=25,
    statement=(
        "Write one step of the decoder, for one sentence: "
        "`bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U)`. The state before the step, `s`, "
        "has shape `(d,)`; the embedding of the word written last, `y`, has `(d_y,)`; the "
        "annotations, `h`, have `(n_x, d_h)`. The alignment model has `W_a`, `(d_a, d)`, "
        "`U_a`, `(d_a, d_h)`, and `v_a`, `(d_a,)`. The gated unit has `W`, `(3d, d_y)`, `C`, "
        "`(3d, d_h)`, `b`, `(3d,)`, and `U`, `(3d, d)`: rows for the candidate, the update "
        "gate and the reset gate, in this order. Return the state after the step, `(d,)`, the "
        "context, `(d_h,)`, and the weights, `(n_x,)`."
    ),
    contract=(
        r"The score of word $j$ is $\mathbf{v}_a^\top \tanh(W_a \mathbf{s} + U_a "
        r"\mathbf{h}_j)$ "
        "with the state *before* the step; scores may be in the thousands.",
        r"The unit reads $\mathbf{a} = W \mathbf{y} + C \mathbf{c} + \mathbf{b}$: the context "
        r"$\mathbf{c}$ enters the candidate and both gates.",
        r"A gate is the sigmoid of its rows of $\mathbf{a} + U \mathbf{s}$.",
        r"The candidate $\tilde{\mathbf{s}}$ is the tanh of its rows of $\mathbf{a} + "
        r"U [\mathbf{r} \odot \mathbf{s}]$: the reset gate $\mathbf{r}$ acts before the "
        "matrix.",
        r"The update gate $\mathbf{z}$ lets the new in: "
        r"$\mathbf{s}' = (1 - \mathbf{z}) \odot \mathbf{s} + \mathbf{z} \odot "
        r"\tilde{\mathbf{s}}$.",
        "The arguments are left as they were.",
        "Return three arrays: state, context, weights.",
    ),
    stub='''\
def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    """Return the new state (d,), the context (d_h,) and the weights (n_x,)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    """Return the new state (d,), the context (d_h,) and the weights (n_x,)."""
    scores = np.tanh(W_a @ s + h @ U_a.T) @ v_a
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ h
    d = len(s)
    drive = W @ y + C @ context + b
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    candidate = np.tanh(drive[:d] + U[:d] @ (r * s))
    new = (1 - z) * s + z * candidate
    return new, context, weights
''',
    hints=(
        "Write the look first: scores, weights, context. None of it needs the gated unit.",
        "What the unit reads makes 3d numbers at once. Cut them, and the rows of U, into "
        "three: which third belongs to the candidate?",
        "The candidate comes last, because it needs the reset gate. Both gates use the old "
        "state as it is.",
    ),
    points={"look": 2, "state": 3, "large scores": 1},
    probes=(
        Probe(
            "weights and context, with a unit of zeros that halves the state",
            "look",
            _at_rest(5, 3, 6, 4, 2),
        ),
        Probe("the same, with all sizes equal", "look", _at_rest(4, 4, 4, 4, 4)),
        Probe("six words, five sizes", "state", _plain),
        Probe(
            "a single word: the context is its annotation",
            "state",
            _one_word,
        ),
        Probe(
            "all sizes equal",
            "state",
            _equal,
            hint="Here every wrong matrix fits as well, so only the numbers tell.",
        ),
        Probe("two sentences, one after the other", "state", _twice),
        Probe("scores in the thousands", "large scores", _large),
    ),
    wrong=(
        Wrong(
            "the context does not reach the unit",
            "context",
            "What would the decoder look for, if nothing read what it found?",
            ((DRIVE, "W @ y + b"),),
        ),
        Wrong(
            "the context reaches the candidate alone",
            "context",
            "The matrix C has rows for three quantities.",
            ((DRIVE, "W @ y + b\n    drive[:d] += (C @ context)[:d]"),),
        ),
        Wrong(
            "the context is added to the new state",
            "context",
            "It enters before the gates, through a matrix.",
            (
                (DRIVE, "W @ y + b"),
                (f"new = {NEW}", f"new = {NEW} + np.tanh(C @ context)[:d]"),
            ),
        ),
        Wrong(
            "the bias is left out",
            "unit",
            "Which array did you not use?",
            ((DRIVE, "W @ y + C @ context"),),
        ),
        Wrong(
            "the update gate keeps the old state",
            "gates",
            "Which of the two does z multiply? Torch and the paper differ.",
            ((NEW, "z * s + (1 - z) * candidate"),),
        ),
        Wrong(
            "the reset gate acts after the matrix",
            "gates",
            "Torch and the paper differ in this too.",
            ((CANDIDATE, "np.tanh(drive[:d] + r * (U[:d] @ s))"),),
        ),
        Wrong(
            "update and reset gate change places",
            "gates",
            "Which third of the rows belongs to which gate?",
            (("z, r =", "r, z ="),),
        ),
        Wrong(
            "the rows are taken as gate, gate, candidate",
            "gates",
            "Where do the candidate's rows stand?",
            (
                ("drive[d:] + U[d:] @ s", "drive[: 2 * d] + U[: 2 * d] @ s"),
                (CANDIDATE, "np.tanh(drive[2 * d :] + U[2 * d :] @ (r * s))"),
            ),
        ),
        Wrong(
            "the candidate forgets the old state",
            "gates",
            "What does the reset gate act on?",
            ((CANDIDATE, "np.tanh(drive[:d])"),),
        ),
        Wrong(
            "the reset gate is not used",
            "gates",
            "It decides how much of the old state the candidate sees.",
            (("(r * s)", "s"),),
        ),
        Wrong(
            "the candidate has no tanh",
            "gates",
            "A candidate lies between -1 and 1, like a state.",
            ((CANDIDATE, "drive[:d] + U[:d] @ (r * s)"),),
        ),
        Wrong(
            "the gates go through a tanh",
            "gates",
            "A gate lies between 0 and 1.",
            ((GATES, "np.tanh(drive[d:] + U[d:] @ s)"),),
        ),
        Wrong(
            "the gates do not see the old state",
            "gates",
            "The matrix U has rows for three quantities.",
            ((GATES, "1 / (1 + np.exp(-drive[d:]))"),),
        ),
        Wrong(
            "the matrices of the state are turned",
            "axis",
            "Each row of U makes one number.",
            (
                ("U[d:] @ s", "np.concatenate([s @ U[d : 2 * d], s @ U[2 * d :]])"),
                ("U[:d] @ (r * s)", "(r * s) @ U[:d]"),
            ),
        ),
        Wrong(
            "the look is taken with the new state",
            "query",
            "With which state can one ask before the new one is known?",
            source="""\
import numpy as np


def look(s, h, W_a, U_a, v_a):
    scores = np.tanh(W_a @ s + h @ U_a.T) @ v_a
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d = len(s)
    context = look(s, h, W_a, U_a, v_a) @ h
    drive = W @ y + C @ context + b
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    new = (1 - z) * s + z * np.tanh(drive[:d] + U[:d] @ (r * s))
    weights = look(new, h, W_a, U_a, v_a)
    return new, weights @ h, weights
""",
        ),
        Wrong(
            "the query takes no part in the scores",
            "score",
            "Try two different states on the same sentence.",
            (("np.tanh(W_a @ s + h @ U_a.T)", "np.tanh(h @ U_a.T)"),),
        ),
        Wrong(
            "the scores have no tanh",
            "score",
            "Without it the query adds the same to every word's score.",
            ((SCORES, "(W_a @ s + h @ U_a.T) @ v_a"),),
        ),
        Wrong(
            "the context is the mean of the annotations",
            "context",
            "What are the weights for?",
            (("weights @ h", "h.mean(0)"),),
        ),
        Wrong(
            "the largest score is not taken away",
            "unstable",
            "What is the exponential of 2000?",
            (("scores - scores.max()", "scores"),),
        ),
        Wrong(
            "context and weights change places",
            "operands",
            "In which order does the contract ask for the three?",
            (("return new, context, weights", "return new, weights, context"),),
        ),
        Wrong(
            "the old state is overwritten",
            "in place",
            "Who else holds that array?",
            ((f"new = {NEW}", "s *= 1 - z\n    s += z * candidate\n    new = s"),),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    scores =",
                    "    s, y, h, W_a, U_a, v_a, W, C, b, U = (\n        np.float32(x) for x "
                    "in "
                    "(s, y, h, W_a, U_a, v_a, W, C, b, U)\n    )\n    scores =",
                ),
            ),
        ),
        Odd(
            "context and word joined to one input",
            ((DRIVE, "np.hstack([W, C]) @ np.concatenate([y, context]) + b"),),
        ),
        Odd(
            "loops over words and units",
            source="""\
import math


def times(M, x):
    return [sum(float(m) * float(number) for m, number in zip(row, x)) for row in M]


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d, asked = len(s), times(W_a, s)
    scores = []
    for annotation in h:
        told = times(U_a, annotation)
        scores.append(sum(v * math.tanh(a + t) for v, a, t in zip(v_a, asked, told)))
    exps = [math.exp(score - max(scores)) for score in scores]
    weights = [e / sum(exps) for e in exps]
    context = [sum(w * x for w, x in zip(weights, column)) for column in zip(*h)]
    a = [sum(four) for four in zip(times(W, y), times(C, context), b)]
    from_s = times(U[d:], s)
    gates = [1 / (1 + math.exp(-(x + u))) for x, u in zip(a[d:], from_s)]
    z, r = gates[:d], gates[d:]
    from_r = times(U[:d], [x * number for x, number in zip(r, s)])
    new = [
        (1 - z[i]) * s[i] + z[i] * math.tanh(a[i] + from_r[i]) for i in range(d)
    ]
    return new, context, weights
""",
        ),
        Odd("a sigmoid by tanh", ((GATES, "(1 + np.tanh((drive[d:] + U[d:] @ s) / 2)) / 2"),)),
        Odd("the step as a correction", ((NEW, "s + z * (candidate - s)"),)),
        Odd(
            "three products instead of one",
            (
                (
                    DRIVE,
                    "np.concatenate([\n        W[i:i + d] @ y + C[i:i + d] @ context + "
                    "b[i:i + d] for i in (0, d, 2 * d)\n    ])",
                ),
            ),
        ),
    ),
)
