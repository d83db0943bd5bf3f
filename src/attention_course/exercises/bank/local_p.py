"""Luong's local-p: a predicted centre, a softmax over its window, a Gaussian."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("centres", "weights")


def _ask(rng, n_queries, n_keys, d, d_p, D, spread=1.0):
    scores = spread * rng.standard_normal((n_queries, n_keys))
    h, W_p = rng.standard_normal((n_queries, d)), rng.standard_normal((d_p, d))
    return Call(
        "local_p_weights", (scores, h, W_p, rng.standard_normal(d_p), D), returns=RETURNS
    )


def _with(call, **changed):
    names = ("scores", "h", "W_p", "v_p", "D")
    args = tuple(changed.get(name, arg) for name, arg in zip(names, call.args, strict=True))
    return replace(call, args=args)


def _plain(rng):
    return [_ask(rng, 6, 13, 4, 5, 3)]


def _equal_sizes(rng):
    return [_ask(rng, 4, 4, 4, 4, 1)]


def _ends(rng):
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, None]
    call = _ask(rng, 5, 11, 3, 6, 4)
    h, W_p = signs * (0.5 + rng.random((5, 3))), 0.5 + rng.random((6, 3))
    return [_with(call, h=h, W_p=W_p, v_p=np.full(6, 0.7))]


def _wide(rng):
    return [_ask(rng, 3, 5, 2, 4, 9)]


def _on_the_edge(rng):
    return [_with(_ask(rng, 3, 10, 2, 4, 2), v_p=np.zeros(4))]


def _large(rng):
    return [_ask(rng, 7, 12, 3, 5, 2, spread=2000.0)]


EXERCISE = Exercise(
    slug="local-p",
    title="Local attention: a window that is predicted",
    chapter="recurrent/local-and-hard",
    family="recurrent",
    target="local_p_weights",
    minutes=25,
    statement=(
        "Write the weights of Luong's local-p. Each state $\\mathbf{h}_t$ of the decoder, a "
        "row of `h`, predicts where to look, $p_t = S \\cdot \\operatorname{sigmoid}(v_p^\\top "
        "\\tanh(W_p \\mathbf{h}_t))$, where $S$ is the number of source positions, `n_keys`. A "
        "softmax of the scores runs over the window around $p_t$ alone, and its result is "
        "multiplied by $\\exp(-(s - p_t)^2 / (2\\sigma^2))$ with $\\sigma = D/2$. `h` has "
        "shape `(n_queries, d)`, `W_p` has `(d_p, d)`, `v_p` has `(d_p,)`, `D` is a whole "
        "number, 1 or more. Return the centres $p_t$, `(n_queries,)`, and the weights."
    ),
    contract=(
        "`scores` has shape `(n_queries, n_keys)`, a row for each state; so have the weights.",
        "Source positions are counted from 0; a centre is a real number and is not rounded.",
        "The window holds every position $s$ with $|s - p_t|$ at most $D$, the edges included; "
        "what would lie outside the source is left out.",
        "Outside the window a weight is exactly 0, and the scores there play no part.",
        "After the Gaussian the weights are not normalised again.",
        "Scores may be in the thousands.",
        "The arguments are left as they were.",
        "Return two arrays, the centres first.",
    ),
    stub='''\
def local_p_weights(scores, h, W_p, v_p, D):
    """Return the centres (n_queries,) and the weights (n_queries, n_keys)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    """Return the centres (n_queries,) and the weights (n_queries, n_keys)."""
    n_keys = scores.shape[1]
    u = np.tanh(h @ W_p.T) @ v_p
    p = n_keys / (1 + np.exp(-u))
    off = np.arange(n_keys) - p[:, None]
    inside = np.abs(off) <= D
    e = np.where(inside, scores, -np.inf)
    exps = np.exp(e - e.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    sigma = D / 2
    return p, weights * np.exp(-(off**2) / (2 * sigma**2))
''',
    hints=(
        "Go in the order of the statement: centres, distances of all positions from each "
        "centre, which of them are inside, softmax of those, Gaussian. Print the shape after "
        "each.",
        "In the table of distances the positions lie along one axis and the centres along the "
        "other, as in the scores. Which of the two has to get a second axis?",
        "What score must a position have so that its exponential is exactly 0? And over which "
        "positions must the largest score be searched?",
    ),
    points={"weights": 3, "window": 2, "large scores": 1},
    probes=(
        Probe("six states, thirteen positions, D = 3", "weights", _plain),
        Probe(
            "all sizes equal",
            "weights",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "centres near both ends of the source",
            "window",
            _ends,
            hint="Part of the window lies outside the source.",
        ),
        Probe("a window wider than the source", "window", _wide),
        Probe(
            "positions exactly on the window's edges",
            "window",
            _on_the_edge,
            hint="With v_p = 0 every centre is exactly half the number of positions.",
        ),
        Probe(
            "scores in the thousands, the largest outside the window",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and 0 / 0 is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the Gaussian is missing",
            "gaussian",
            "This is local-m's weighting around a predicted centre. What lets p learn?",
            (("weights * np.exp(-(off**2) / (2 * sigma**2))", "weights"),),
        ),
        Wrong(
            "sigma is D",
            "gaussian",
            "How many sigmas wide is half a window?",
            (("sigma = D / 2", "sigma = D"),),
        ),
        Wrong(
            "the factor 2 in the Gaussian's exponent is missing",
            "gaussian",
            "Compare the denominator of the exponent with the statement.",
            (("(2 * sigma**2)", "sigma**2"),),
        ),
        Wrong(
            "sigma is not squared",
            "gaussian",
            "Compare the denominator of the exponent with the statement.",
            (("(2 * sigma**2)", "(2 * sigma)"),),
        ),
        Wrong(
            "the distance is not squared",
            "gaussian",
            "A Gaussian is round at its top; what you have has a spike.",
            (("-(off**2)", "-np.abs(off)"),),
        ),
        Wrong(
            "the weights are normalised again, or the Gaussian stands inside the softmax",
            "normalisation",
            "After the Gaussian, do the weights of a state still have to add up to 1?",
            (
                (
                    "return p, weights * np.exp(-(off**2) / (2 * sigma**2))",
                    "w = weights * np.exp(-(off**2) / (2 * sigma**2))\n"
                    "    return p, w / w.sum(axis=1, keepdims=True)",
                ),
            ),
        ),
        Wrong(
            "the centre is rounded to a whole position",
            "centre",
            "The derivative of a rounded centre is 0: nothing could be learned from it.",
            (("n_keys / (1 + np.exp(-u))", "np.round(n_keys / (1 + np.exp(-u)))"),),
        ),
        Wrong(
            "the window lies around the rounded centre",
            "window",
            "Which positions lie at most D from the centre itself?",
            (("np.abs(off) <= D", "np.abs(np.arange(n_keys) - np.rint(p)[:, None]) <= D"),),
        ),
        Wrong(
            "the centre runs up to the last position instead of S",
            "centre",
            "By which number is the sigmoid multiplied?",
            (("n_keys / (1", "(n_keys - 1) / (1"),),
        ),
        Wrong(
            "the tanh is missing",
            "centre",
            "Between the two products stands a nonlinear function.",
            (("np.tanh(h @ W_p.T)", "(h @ W_p.T)"),),
        ),
        Wrong(
            "the sigmoid is missing",
            "centre",
            "Can your centre leave the source?",
            (("n_keys / (1 + np.exp(-u))", "n_keys * u"),),
        ),
        Wrong(
            "the sigmoid's exponent has the wrong sign",
            "centre",
            "Where does your centre go as the sum inside the sigmoid grows?",
            (("np.exp(-u)", "np.exp(u)"),),
        ),
        Wrong(
            "W_p is applied from the wrong side where that fits",
            "axis",
            "The matrix acts on a state as a column; your states are rows.",
            (("h @ W_p.T", "(h @ W_p if W_p.shape[0] == W_p.shape[1] else h @ W_p.T)"),),
        ),
        Wrong(
            "the softmax runs over all positions, and the window is cut out afterwards",
            "window",
            "Without the Gaussian, what should the weights inside the window add up to?",
            (
                ("np.where(inside, scores, -np.inf)", "scores"),
                (
                    "exps / exps.sum(axis=1, keepdims=True)",
                    "inside * exps / exps.sum(axis=1, keepdims=True)",
                ),
            ),
        ),
        Wrong(
            "the window is ignored",
            "window",
            "How many positions may have a weight above zero?",
            (("np.where(inside, scores, -np.inf)", "scores"),),
        ),
        Wrong(
            "scores outside the window are set to 0",
            "window",
            "What is the exponential of 0?",
            (("-np.inf", "0.0"),),
        ),
        Wrong(
            "the window is half as wide",
            "window",
            "D is the distance from the centre to an edge, not the width from edge to edge.",
            (("<= D", "<= D / 2"),),
        ),
        Wrong(
            "the window's edges are left out",
            "window",
            "A position exactly D away: in or out?",
            (("<= D", "< D"),),
        ),
        Wrong(
            "the window's right edge is left out",
            "window",
            "Python's slices end before their stop. Does the window?",
            (("np.abs(off) <= D", "(off >= -D) & (off < D)"),),
        ),
        Wrong(
            "the window is not clipped at the source's start",
            "window",
            "What does a slice with a negative start hold?",
            source="""\
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    n_keys = scores.shape[1]
    p = n_keys / (1 + np.exp(-np.tanh(h @ W_p.T) @ v_p))
    weights = np.zeros_like(scores)
    for t, centre in enumerate(p):
        first, last = int(np.ceil(centre - D)), int(np.floor(centre + D))
        e = scores[t, first : last + 1]
        if e.size:
            exps = np.exp(e - e.max())
            off = np.arange(n_keys)[first : last + 1] - centre
            bell = np.exp(-(off**2) / (2 * (D / 2) ** 2))
            weights[t, first : last + 1] = exps / exps.sum() * bell
    return p, weights
""",
        ),
        Wrong(
            "the largest score is searched among all positions",
            "unstable",
            "What is left inside the window if the largest score lies far above all of them?",
            (("e.max(axis=1, keepdims=True)", "scores.max(axis=1, keepdims=True)"),),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 2000?",
            (("e - e.max(axis=1, keepdims=True)", "e"),),
        ),
        Wrong(
            "the exponentials are not divided by their sum",
            "normalisation",
            "Before the Gaussian, the weights of one state add up to 1.",
            (("exps / exps.sum(axis=1, keepdims=True)", "exps"),),
        ),
        Wrong(
            "the softmax runs over the states",
            "axis",
            "Each softmax belongs to one state and runs over positions.",
            (("exps.sum(axis=1, keepdims=True)", "exps.sum(axis=0, keepdims=True)"),),
        ),
        Wrong(
            "the scores are overwritten",
            "in place",
            "Who else holds that array?",
            (
                (
                    "e = np.where(inside, scores, -np.inf)",
                    "scores[~inside] = -np.inf\n    e = scores",
                ),
            ),
        ),
        Wrong(
            "the weights come first",
            "operands",
            "In which order does the contract ask for the two?",
            (
                (
                    "return p, weights * np.exp(-(off**2) / (2 * sigma**2))",
                    "return weights * np.exp(-(off**2) / (2 * sigma**2)), p",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "a Gaussian in single precision",
            (
                (
                    "np.exp(-(off**2) / (2 * sigma**2))",
                    "np.exp((-(off**2) / (2 * sigma**2)).astype(np.float32))",
                ),
            ),
        ),
        Odd(
            "loops over lists",
            source="""\
from math import exp, tanh


def local_p_weights(scores, h, W_p, v_p, D):
    centres, rows = [], []
    for e, state in zip(scores, h):
        u = 0.0
        for row, v in zip(W_p, v_p):
            u += v * tanh(sum(w * x for w, x in zip(row, state)))
        S = len(e)
        p = S / (1 + exp(-u))
        window = [s for s in range(S) if p - D <= s <= p + D]
        top = max(e[s] for s in window)
        total = sum(exp(e[s] - top) for s in window)
        row = [0.0] * S
        for s in window:
            row[s] = exp(e[s] - top) / total * exp(-2 * ((s - p) / D) ** 2)
        centres.append(p)
        rows.append(row)
    return centres, rows
""",
        ),
        Odd(
            "a sigmoid made of a tanh, and einsum",
            (
                (
                    "np.tanh(h @ W_p.T) @ v_p",
                    'np.einsum("tk,k->t", np.tanh(np.einsum("td,kd->tk", h, W_p)), v_p)',
                ),
                ("n_keys / (1 + np.exp(-u))", "n_keys * 0.5 * (1 + np.tanh(u / 2))"),
            ),
        ),
        Odd("a huge negative number for minus infinity", (("-np.inf", "-1e30"),)),
        Odd(
            "log-sum-exp",
            (
                (
                    "exps = np.exp(e - e.max(axis=1, keepdims=True))",
                    "log_sum = np.logaddexp.reduce(e, axis=1, keepdims=True)",
                ),
                ("exps / exps.sum(axis=1, keepdims=True)", "np.exp(e - log_sum)"),
            ),
        ),
    ),
    variants=(
        Variant(
            "columns",
            (
                (
                    "`scores` has shape `(n_queries, n_keys)`, a row for each state; so have "
                    "the weights.",
                    "`scores` has shape `(n_keys, n_queries)`, a column for each state; so "
                    "have the weights.",
                ),
            ),
            '''\
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    """Return the centres (n_queries,) and the weights (n_keys, n_queries)."""
    p, weights = base(scores.T, h, W_p, v_p, D)
    return p, np.transpose(weights)
''',
            lambda call: _with(call, scores=np.ascontiguousarray(call.args[0].T)),
            (("(n_queries, n_keys)", "(n_keys, n_queries)"),),
            said={"the weights come first": None},
        ),
        Variant(
            "weights-first",
            (
                (
                    "Return two arrays, the centres first.",
                    "Return two arrays, the weights first.",
                ),
            ),
            '''\
def local_p_weights(scores, h, W_p, v_p, D):
    """Return the weights (n_queries, n_keys) and the centres (n_queries,)."""
    p, weights = base(scores, h, W_p, v_p, D)
    return weights, p
''',
            lambda call: replace(call, returns=RETURNS[::-1]),
            (
                (
                    "the centres (n_queries,) and the weights (n_queries, n_keys)",
                    "the weights (n_queries, n_keys) and the centres (n_queries,)",
                ),
            ),
            statement=(
                (
                    "the centres $p_t$, `(n_queries,)`, and the weights",
                    "the weights and the centres $p_t$, `(n_queries,)`",
                ),
            ),
            said={"the weights come first": None},
        ),
    ),
)
