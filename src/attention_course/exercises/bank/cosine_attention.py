"""Attention by direction alone: the cosine, times a strength that each query brings along."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("context", "weights")


def _ask(*arrays):
    return Call("cosine_attention", arrays, returns=RETURNS)


def _drawn(rng, n_q, n_k, d_k, d_v):
    draw = rng.standard_normal
    return draw((n_q, d_k)), draw((n_k, d_k)), draw((n_k, d_v)), 0.5 + 3 * rng.random(n_q)


def _with(*sizes):
    return lambda rng: [_ask(*_drawn(rng, *sizes))]


def _long_keys(rng):
    q, k, v, beta = _drawn(rng, 3, 5, 4, 2)
    return [_ask(q, k * 10.0 ** rng.permutation([-3, -1, 0, 2, 3])[:, None], v, beta)]


def _long_queries(rng):
    q, k, v, beta = _drawn(rng, 3, 6, 2, 4)
    return [_ask(q * 10.0 ** rng.permutation([-3, 0, 3])[:, None], k, v, beta)]


def _no_direction(rng):
    q, k, v, beta = _drawn(rng, 3, 5, 2, 4)
    q[rng.integers(3)], k[rng.integers(5)] = 0, 0
    return [_ask(q, k, v, beta)]


def _strong(rng):
    """Keys at angles far apart; the rows of scores lie hundreds and thousands apart."""
    angles = rng.random() + np.pi * rng.permutation(5) / 5
    k = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    q = 2 * k[rng.integers(5, size=3)] + 0.1
    return [_ask(q, k, rng.standard_normal((5, 4)), rng.permutation([4000.0, 300.0, 1.0]))]


UNIT = "x / np.where(length == 0, 1, length)"
LENGTH = "np.linalg.norm(x, axis=-1, keepdims=True)"
SCORES = "beta[:, None] * (unit(q) @ unit(k).T)"
SHIFT = "scores - scores.max(axis=1, keepdims=True)"
TOTAL = "exps.sum(axis=1, keepdims=True)"

LENGTHS = (
    "A length may be 0.001: what does a number added to it, or a floor under it, do there?"
)

EXERCISE = Exercise(
    slug="cosine-attention",
    title="Attention by direction alone",
    chapter="recurrent/score-functions",
    family="recurrent",
    target="cosine_attention",
    minutes=15,
    statement=(
        "Write `cosine_attention(q, k, v, beta)`: queries `q` of shape `(n_q, d_k)`, keys `k` "
        "of `(n_k, d_k)`, values `v` of `(n_k, d_v)`, and a positive number for each query, "
        "`beta`, of `(n_q,)`. Return the contexts, `(n_q, d_v)`, and the weights, `(n_q, n_k)`."
    ),
    contract=(
        "The score is the cosine of the angle between query and key, times the query's "
        "strength, which is its `beta`; lengths play no part, whether 0.001 or 1000.",
        "A vector of zeros has no direction: its cosine with anything counts as 0.",
        "A softmax over the keys turns scores into weights. Strengths may be in the thousands.",
        "The arguments are left as they were.",
        "Return two arrays, the contexts first.",
    ),
    stub='''\
def cosine_attention(q, k, v, beta):
    """Return the contexts (n_q, d_v) and the weights (n_q, n_k); beta: (n_q,)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def unit(x):
    """Return vectors of length 1; zeros stay zeros."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(length == 0, 1, length)


def cosine_attention(q, k, v, beta):
    """Return the contexts (n_q, d_v) and the weights (n_q, n_k); beta: (n_q,)."""
    scores = beta[:, None] * (unit(q) @ unit(k).T)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exps / exps.sum(axis=1, keepdims=True)
    return weights @ v, weights
''',
    hints=(
        "A helper that brings every row of a table to length 1 does most of the work.",
        "The strengths belong to the rows of the table of scores. Which axis does `beta` need "
        "to be multiplied that way?",
        "A length of 0 must not be divided by. What else can stand there, so that the row "
        "stays a row of zeros?",
    ),
    points={"weights and context": 3, "no direction": 1, "strong": 1},
    probes=(
        Probe("three queries, five keys", "weights and context", _with(3, 5, 4, 2)),
        Probe("a single query", "weights and context", _with(1, 4, 3, 5)),
        Probe(
            "all sizes equal",
            "weights and context",
            _with(4, 4, 4, 4),
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "keys of very different lengths",
            "weights and context",
            _long_keys,
            hint=LENGTHS,
        ),
        Probe(
            "queries of very different lengths",
            "weights and context",
            _long_queries,
            hint=LENGTHS,
        ),
        Probe("vectors of zeros", "no direction", _no_direction, hint="0 / 0 is nan."),
        Probe(
            "strengths of 1, 300 and 4000",
            "strong",
            _strong,
            hint="What is the exponential of 4000, and what is that of -4000?",
        ),
    ),
    wrong=(
        Wrong(
            "the lengths are not divided out",
            "score",
            "Make a key ten times as long: its weight should stay.",
            (("unit(q) @ unit(k).T", "q @ k.T"),),
        ),
        Wrong(
            "only the queries are brought to length 1",
            "score",
            "Make a key ten times as long: its weight should stay.",
            (("unit(k)", "k"),),
        ),
        Wrong(
            "only the keys are brought to length 1",
            "score",
            "Make a query ten times as long: its weights should stay.",
            (("unit(q)", "q"),),
        ),
        Wrong(
            "the products are divided by the square root of the width",
            "scale",
            "A width is not a length.",
            (("unit(q) @ unit(k).T", "q @ k.T / np.sqrt(q.shape[1])"),),
        ),
        Wrong(
            "each column is brought to length 1",
            "axis",
            "Is a vector a row or a column of the table?",
            ((LENGTH, "np.linalg.norm(x, axis=0, keepdims=True)"),),
        ),
        Wrong(
            "the whole table is brought to length 1",
            "axis",
            "Each vector has a length of its own.",
            ((LENGTH, "np.linalg.norm(x)"),),
        ),
        Wrong(
            "the length is the sum of the components' sizes",
            "score",
            "Which length makes the product of a vector with itself 1?",
            ((LENGTH, "np.abs(x).sum(axis=-1, keepdims=True)"),),
        ),
        Wrong(
            "the length is the sum of squares, without its root",
            "score",
            "Which length makes the product of a vector with itself 1?",
            ((LENGTH, "(x**2).sum(axis=-1, keepdims=True)"),),
        ),
        Wrong(
            "a number is added to every length",
            "score",
            "What does it do to a vector of length 0.001?",
            ((UNIT, "x / (length + 1e-3)"),),
        ),
        Wrong(
            "vectors of zeros give nan",
            "zero",
            "What is 0 / 0?",
            ((UNIT, "x / length"),),
        ),
        Wrong(
            "vectors of zeros count as vectors of ones",
            "zero",
            "What should their cosine be?",
            ((UNIT, "np.where(length == 0, 1, x / np.where(length == 0, 1, length))"),),
        ),
        Wrong(
            "the strength is left out",
            "strength",
            "Which argument did you not use?",
            ((SCORES, "unit(q) @ unit(k).T"),),
        ),
        Wrong(
            "the strength divides",
            "strength",
            "A stronger query should have sharper weights, not flatter ones.",
            (("beta[:, None] * (unit(q)", "1 / beta[:, None] * (unit(q)"),),
        ),
        Wrong(
            "the strengths are laid along the keys, where that fits",
            "strength",
            "Does a strength belong to a row of scores or to a column?",
            (
                (
                    "beta[:, None] *",
                    "(beta if len(q) == len(k) else beta[:, None]) *",
                ),
            ),
        ),
        Wrong(
            "the first query's strength is used for all",
            "strength",
            "Every query brings a strength of its own.",
            (("beta[:, None] *", "beta[0] *"),),
        ),
        Wrong(
            "the strength multiplies the weights instead of the scores",
            "strength",
            "What do the weights add up to then?",
            (
                (SCORES, "unit(q) @ unit(k).T"),
                (f"exps / {TOTAL}", f"beta[:, None] * exps / {TOTAL}"),
            ),
        ),
        Wrong(
            "the softmax runs over the queries",
            "axis",
            "What do the weights of one query add up to?",
            ((TOTAL, "exps.sum(axis=0, keepdims=True)"),),
        ),
        Wrong(
            "the largest score is not taken away",
            "unstable",
            "What is the exponential of 4000?",
            ((SHIFT, "scores"),),
        ),
        Wrong(
            "one largest score serves all queries",
            "unstable",
            "What is left of a query whose scores all lie far below those of another?",
            ((SHIFT, "scores - scores.max()"),),
        ),
        Wrong(
            "the cosine's size is used, without its sign",
            "score",
            "What is the cosine of two vectors that point away from each other?",
            (("unit(q) @ unit(k).T", "np.abs(unit(q) @ unit(k).T)"),),
        ),
        Wrong(
            "the context is summed from the keys",
            "operands",
            "Keys are compared, values are brought along.",
            (("return weights @ v", "return weights @ k"),),
        ),
        Wrong(
            "the two results are in the wrong order",
            "operands",
            "In which order does the contract ask for the two?",
            (("return weights @ v, weights", "return weights, weights @ v"),),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    scores =",
                    "    q, k, v, beta = (np.float32(x) for x in (q, k, v, beta))\n    scores "
                    "=",
                ),
            ),
        ),
        Odd(
            "divided by an outer product of lengths",
            (
                (
                    "unit(q) @ unit(k).T",
                    "np.nan_to_num(q @ k.T / np.maximum(\n"
                    "        np.outer(np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1)), "
                    "1e-300\n    ))",
                ),
            ),
        ),
        Odd(
            "loops over pairs",
            source="""\
from math import exp, hypot


def cosine(a, b):
    lengths = hypot(*a) * hypot(*b)
    return sum(x * y for x, y in zip(a, b)) / lengths if lengths else 0.0


def cosine_attention(q, k, v, beta):
    weights = []
    for query, strength in zip(q, beta):
        scores = [strength * cosine(query, key) for key in k]
        exps = [exp(score - max(scores)) for score in scores]
        weights.append([e / sum(exps) for e in exps])
    return [[sum(w * x for w, x in zip(row, col)) for col in v.T] for row in weights], weights
""",
        ),
        Odd("strengths on a diagonal", (("beta[:, None] * (", "np.diag(beta) @ ("),)),
        Odd(
            "a shift in a lambda, a sum by einsum",
            (
                (
                    SHIFT,
                    "(lambda s: s - s.max(axis=1, keepdims=True))(scores)",
                ),
                ("return weights @ v", 'return np.einsum("ij,jd->id", weights, v)'),
            ),
        ),
    ),
    variants=(
        Variant(
            "temperature",
            contract=(
                (
                    "times the query's strength, which",
                    "divided by the query's temperature, which",
                ),
                ("Strengths may be in the thousands", "Temperatures may be below a thousandth"),
            ),
            stub=(("beta: (n_q,)", "beta: temperatures (n_q,)"),),
            hints=(
                ("The strengths belong to", "The temperatures belong to"),
                ("need to be multiplied that way", "need, so that it divides them row by row"),
            ),
            probes={
                "strengths of 1, 300 and 4000": (
                    "temperatures of 1, 1/300 and 1/4000",
                    "What is the exponential of 4000, and what is that of -4000?",
                )
            },
            said={
                "the strength divides": None,
                "the strength is left out": (
                    "the temperature is left out",
                    "Which argument did you not use?",
                ),
                "the strengths are laid along the keys, where that fits": (
                    "the temperatures are laid along the keys, where that fits",
                    "Does a temperature belong to a row of scores or to a column?",
                ),
                "the first query's strength is used for all": (
                    "the first query's temperature is used for all",
                    "Every query brings a temperature of its own.",
                ),
                "the strength multiplies the weights instead of the scores": (
                    "the temperature divides the weights instead of the scores",
                    "What do the weights add up to then?",
                ),
            },
            adapt=lambda call: Call(
                call.target, (*call.args[:3], 1 / call.args[3]), returns=call.returns
            ),
            wrap='''
def cosine_attention(q, k, v, beta):
    """Return the contexts (n_q, d_v) and the weights (n_q, n_k); beta: temperatures (n_q,)."""
    return base(q, k, v, 1 / beta)
''',
        ),
        Variant(
            "weights-first",
            contract=(("the contexts first", "the weights first"),),
            stub=(
                (
                    "the contexts (n_q, d_v) and the weights (n_q, n_k)",
                    "the weights (n_q, n_k) and the contexts (n_q, d_v)",
                ),
            ),
            adapt=lambda call: Call(call.target, call.args, returns=RETURNS[::-1]),
            statement=(
                (
                    "the contexts, `(n_q, d_v)`, and the weights, `(n_q, n_k)`",
                    "the weights, `(n_q, n_k)`, and the contexts, `(n_q, d_v)`",
                ),
            ),
            said={"the two results are in the wrong order": None},
            wrap='''
def cosine_attention(q, k, v, beta):
    """Return the weights (n_q, n_k) and the contexts (n_q, d_v); beta: (n_q,)."""
    context, weights = base(q, k, v, beta)
    return weights, context
''',
        ),
    ),
)
