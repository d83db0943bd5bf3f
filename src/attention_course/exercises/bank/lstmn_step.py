"""One step of the LSTM network: a look at its own tape, then an LSTM's gates."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("state", "cell", "summary", "weights")
RETURN = "return h, c, h_mix, s"


def _ask(rng, past, inputs, d, d_a, v_by=1.0, score_by=1.0):
    draw = rng.standard_normal
    tapes = draw(inputs), draw(d), draw((past, d)), draw((past, d))
    scoring = [score_by * draw((d_a, n)) for n in (d, inputs, d)]
    gates = draw((4 * d, d + inputs)), draw(4 * d)
    return [
        Call("tape_step", (*tapes, *scoring, v_by * draw(d_a), *gates), returns=RETURNS),
    ]


def _plain(rng):
    return _ask(rng, 6, 3, 4, 5)


def _equal_sizes(rng):
    return _ask(rng, 4, 4, 4, 4)


def _one_entry(rng):
    return _ask(rng, 1, 2, 5, 3)


def _empty(rng):
    return _ask(rng, 0, 4, 3, 2)


def _large(rng):
    both = _ask(rng, 7, 3, 2, 4, v_by=20000.0, score_by=0.3) * 2
    args = list(both[1].args)
    args[7] = -args[7]
    return [both[0], replace(both[1], args=tuple(args))]


def _last_two_parts_swapped(call):
    *others, W, b = call.args
    i, f, g, o = np.split(np.arange(len(b)), 4)
    rows = np.concatenate([i, f, o, g])
    return replace(call, args=(*others, W[rows], b[rows]))


EXERCISE = Exercise(
    slug="lstmn-step",
    title="An LSTM whose cell is a tape",
    chapter="recurrent/gnmt-and-lstmn",
    family="recurrent",
    target="tape_step",
    minutes=25,
    statement=(
        "Write one step of the LSTM network. It first looks back at its own past: each state "
        "$h_j$ on the tape gets the score $v^\\top \\tanh(W_h h_j + W_x x_t + "
        "W_s \\tilde h_{t-1})$, where $x_t$ is the input and $\\tilde h_{t-1}$ the summary of "
        "the step before. A softmax turns the scores into weights. They mix the states into "
        "the new summary $\\tilde h_t$, and the cells into one cell $\\tilde c_t$. Then an "
        "LSTM's gates work on these two: $c_t = f \\odot \\tilde c_t + i \\odot g$ and "
        "$h_t = o \\odot \\tanh(c_t)$, with $i, f, o$ sigmoids and $g$ a tanh of the four "
        "parts of $W [\\tilde h_t; x_t] + b$. Return the new state $h_t$, the new cell $c_t$, "
        "the new summary $\\tilde h_t$, each of shape `(d,)`, and the weights, `(past,)`."
    ),
    contract=(
        "`x` has shape `(inputs,)`; `summary`, that of the step before, has `(d,)`; "
        "`hidden_tape` holds the states and `memory_tape` the cells, both `(past, d)`, the "
        "oldest entry first.",
        "`W_h` and `W_s` have shape `(d_a, d)`, `W_x` has `(d_a, inputs)`, `v` has `(d_a,)`: "
        "they act on columns.",
        "`W` has shape `(4d, d + inputs)` and acts on the new summary and the input, in this "
        "order; `b` has `(4d,)`.",
        "The four parts stand in the order i, f, g, o.",
        "With an empty tape the new summary and the mixed cell are zeros, and the weights an "
        "array of length 0.",
        "Scores may be in the thousands.",
        "The arguments are left as they were: whoever calls appends to the tapes.",
    ),
    stub='''\
def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return state, cell and summary after the step, each (d,), and the weights (past,)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return state, cell and summary after the step, each (d,), and the weights (past,)."""
    asked = W_x @ x + W_s @ summary
    scores = np.tanh(hidden_tape @ W_h.T + asked) @ v
    exps = np.exp(scores - scores.max(initial=-np.inf))
    s = exps / exps.sum()
    h_mix = s @ hidden_tape
    c_mix = s @ memory_tape
    i, f, g, o = np.split(W @ np.concatenate([h_mix, x]) + b, 4)
    c = sigmoid(f) * c_mix + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    return h, c, h_mix, s
''',
    hints=(
        "Two halves: the look (scores, weights, two mixtures) and the gates. Test the first "
        "half alone with a tape of one entry: its weight is 1.",
        "What W_x and W_s make is the same for every entry of the tape; what W_h makes is not. "
        "As a table the keys have one row for each entry.",
        "Which state goes into the gates, and which cell is faded by the forget gate? Neither "
        "is the last one.",
        "A sum over no entries is zero. Only the largest of no scores needs care.",
    ),
    points={"a step": 4, "the first step": 1, "large scores": 1},
    probes=(
        Probe("six entries, inputs of 3, states of 4", "a step", _plain),
        Probe(
            "all sizes equal",
            "a step",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "a tape of one entry",
            "a step",
            _one_entry,
            hint="One score only: this is a step of a plain LSTM.",
        ),
        Probe(
            "an empty tape",
            "the first step",
            _empty,
            hint="What is the largest of no scores, and the sum of no weights?",
        ),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the cell is the last one instead of the mixed one",
            "tape",
            "Both tapes are mixed, with the same weights.",
            (
                (
                    "c_mix = s @ memory_tape",
                    "c_mix = memory_tape[-1] if len(memory_tape) else 0 * summary",
                ),
            ),
        ),
        Wrong(
            "the summary is the last state",
            "tape",
            "What are the weights for?",
            (
                (
                    "h_mix = s @ hidden_tape",
                    "h_mix = hidden_tape[-1] if len(hidden_tape) else 0 * summary",
                ),
            ),
        ),
        Wrong(
            "the gates read the last state",
            "tape",
            "In this network the summary takes the last state's place everywhere.",
            (
                (
                    "np.concatenate([h_mix, x])",
                    "np.concatenate([hidden_tape[-1] if len(hidden_tape) else h_mix, x])",
                ),
            ),
        ),
        Wrong(
            "the gates read the old summary",
            "tape",
            "Which summary stands in front of the input: that before the look or after it?",
            (("np.concatenate([h_mix, x])", "np.concatenate([summary, x])"),),
        ),
        Wrong(
            "the cell is mixed from the states",
            "tape",
            "There are two tapes.",
            (("s @ memory_tape", "s @ hidden_tape"),),
        ),
        Wrong(
            "the cells are scored instead of the states",
            "tape",
            "Which tape holds the keys?",
            (("hidden_tape @ W_h.T", "memory_tape @ W_h.T"),),
        ),
        Wrong(
            "all entries get the same weight",
            "tape",
            "What did you compute the scores for?",
            (("s = exps / exps.sum()", "s = np.ones_like(exps) / max(len(exps), 1)"),),
        ),
        Wrong(
            "the last state asks instead of the summary",
            "score",
            "The question contains the input and what the last look found.",
            (("W_s @ summary", "W_s @ (hidden_tape[-1] if len(hidden_tape) else summary)"),),
        ),
        Wrong(
            "the summary is left out of the score",
            "score",
            "The question contains the input and what the last look found.",
            (("W_x @ x + W_s @ summary", "W_x @ x"),),
        ),
        Wrong(
            "the input is left out of the score",
            "score",
            "Should it matter for the look which word comes now?",
            (("W_x @ x + W_s @ summary", "W_s @ summary"),),
        ),
        Wrong(
            "the tanh is missing in the score",
            "score",
            "Without it the question shifts all scores by the same number.",
            (("np.tanh(hidden_tape @ W_h.T + asked)", "(hidden_tape @ W_h.T + asked)"),),
        ),
        Wrong(
            "the question stands outside the tanh",
            "score",
            "Without both in one tanh, the question shifts all scores by the same number.",
            (
                (
                    "np.tanh(hidden_tape @ W_h.T + asked)",
                    "(np.tanh(hidden_tape @ W_h.T) + asked)",
                ),
            ),
        ),
        Wrong(
            "W_h is applied from the wrong side where that fits",
            "score",
            "The matrix acts on a state as a column; the tape holds rows.",
            (
                (
                    "hidden_tape @ W_h.T",
                    "hidden_tape @ (W_h if W_h.shape[0] == W_h.shape[1] else W_h.T)",
                ),
            ),
        ),
        Wrong(
            "the weights are sigmoids of the scores",
            "normalisation",
            "What do the weights add up to?",
            (("s = exps / exps.sum()", "s = sigmoid(scores)"),),
        ),
        Wrong(
            "the exponentials are not divided by their sum",
            "normalisation",
            "What do the weights add up to?",
            (("s = exps / exps.sum()", "s = exps"),),
        ),
        Wrong(
            "the scores are returned in the place of the weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            ((RETURN, "return h, c, h_mix, scores"),),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 3000?",
            (("scores - scores.max(initial=-np.inf)", "scores"),),
        ),
        Wrong(
            "the empty tape is not thought of",
            "first step",
            "What is the largest of no scores?",
            (("scores.max(initial=-np.inf)", "scores.max()"),),
        ),
        Wrong(
            "with an empty tape the old summary is kept",
            "first step",
            "What does a sum over no entries give?",
            (("h_mix = s @ hidden_tape", "h_mix = s @ hidden_tape if len(s) else summary"),),
        ),
        Wrong(
            "input and forget gate are swapped",
            "gates",
            "Which gate stands before the old cell?",
            (("i, f, g, o =", "f, i, g, o ="),),
        ),
        Wrong(
            "the gates stand in the order i, f, o, g",
            "gates",
            "Compare the order of the four parts with the contract.",
            (("i, f, g, o =", "i, f, o, g ="),),
        ),
        Wrong(
            "input and summary are joined the other way round",
            "gates",
            "The columns of W belong to the summary first.",
            (("[h_mix, x]", "[x, h_mix]"),),
        ),
        Wrong(
            "the bias is forgotten",
            "gates",
            "Which argument did you not use?",
            (("np.concatenate([h_mix, x]) + b", "np.concatenate([h_mix, x])"),),
        ),
        Wrong(
            "the candidate goes through a sigmoid",
            "gates",
            "Only gates are between 0 and 1; what is written may be negative.",
            (("np.tanh(g)", "sigmoid(g)"),),
        ),
        Wrong(
            "the cell is shown without a tanh",
            "gates",
            "Between cell and state stands a function that keeps the state small.",
            (("sigmoid(o) * np.tanh(c)", "sigmoid(o) * c"),),
        ),
        Wrong(
            "the state is made of the mixed cell",
            "gates",
            "Should the state know of this step's input?",
            (("sigmoid(o) * np.tanh(c)", "sigmoid(o) * np.tanh(c_mix)"),),
        ),
        Wrong(
            "the mixed cell is returned as the new one",
            "operands",
            "Which of the two cells goes onto the tape?",
            ((RETURN, "return h, c_mix, h_mix, s"),),
        ),
        Wrong(
            "cell and state are returned in the wrong order",
            "operands",
            "In which order does the statement ask for the four?",
            ((RETURN, "return c, h, h_mix, s"),),
        ),
        Wrong(
            "the tape is overwritten",
            "in place",
            "Who appends to the tapes?",
            (
                (
                    "    return h, c",
                    "    hidden_tape[-1:] = h\n    return h, c",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "loops over lists",
            source="""\
from math import exp, tanh


def times(A, y):
    return [sum(a * b for a, b in zip(row, y)) for row in A]


def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    d = len(summary)
    asked = [p + q for p, q in zip(times(W_x, x), times(W_s, summary))]
    scores = []
    for h in hidden_tape:
        scores.append(sum(u * tanh(p + q) for u, p, q in zip(v, times(W_h, h), asked)))
    top = max(scores, default=0.0)
    exps = [exp(e - top) for e in scores]
    s = [e / sum(exps) for e in exps]
    h_mix = [sum(w * h[n] for w, h in zip(s, hidden_tape)) for n in range(d)]
    c_mix = [sum(w * c[n] for w, c in zip(s, memory_tape)) for n in range(d)]
    a = [p + q for p, q in zip(times(W, h_mix + list(x)), b)]
    i, f, o = ([1 / (1 + exp(-n)) for n in a[k * d : k * d + d]] for k in (0, 1, 3))
    c = [f[n] * c_mix[n] + i[n] * tanh(a[2 * d + n]) for n in range(d)]
    return [o[n] * tanh(c[n]) for n in range(d)], c, h_mix, s
""",
        ),
        Odd(
            "an early answer for the empty tape, einsum for the rest",
            (
                ("    asked = ", "    d = len(summary)\n    asked = "),
                (
                    "s = exps / exps.sum()",
                    "s = exps / exps.sum() if exps.size else np.zeros(0)",
                ),
                ("s @ hidden_tape", 'np.einsum("j,jd->d", s, hidden_tape)'),
                ("s @ memory_tape", 'np.einsum("j,jd->d", s, memory_tape)'),
                ("[h_mix, x]", "[h_mix[:d], x]"),
            ),
        ),
        Odd(
            "gates in single precision",
            (("+ b, 4)", "+ b, 4)\n    o = o.astype(np.float32)"),),
        ),
        Odd(
            "sigmoids made of tanh",
            (("1 / (1 + np.exp(-a))", "0.5 * np.tanh(0.5 * a) + 0.5"),),
        ),
        Odd(
            "two halves of W",
            (
                (
                    "W @ np.concatenate([h_mix, x])",
                    "W[:, : len(summary)] @ h_mix + W[:, len(summary) :] @ x",
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "gates-ifog",
            (
                (
                    "The four parts stand in the order i, f, g, o.",
                    "The four parts stand in the order i, f, o, g.",
                ),
            ),
            '''\
import numpy as np


def tape_step(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b):
    """Return state, cell and summary after the step, each (d,), and the weights (past,)."""
    d = len(summary)
    rows = np.r_[: 2 * d, 3 * d : 4 * d, 2 * d : 3 * d]
    W, b = np.asarray(W)[rows], np.asarray(b)[rows]
    return base(x, summary, hidden_tape, memory_tape, W_h, W_x, W_s, v, W, b)
''',
            _last_two_parts_swapped,
            said={"the gates stand in the order i, f, o, g": None},
        ),
    ),
)
