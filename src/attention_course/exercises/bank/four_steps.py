"""The four steps of attention for one query: scores, exponentials, weights, context."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("weights", "context")


def _ask(q, k, v):
    return Call("four_steps", (q, k, v), returns=RETURNS)


def _plain(rng):
    return [
        _ask(rng.standard_normal(3), rng.standard_normal((5, 3)), rng.standard_normal((5, 7)))
    ]


def _one_key(rng):
    return [
        _ask(rng.standard_normal(4), rng.standard_normal((1, 4)), rng.standard_normal((1, 3)))
    ]


def _equal_sizes(rng):
    return [_ask(rng.standard_normal(4), *rng.standard_normal((2, 4, 4)))]


def _far(rng, n_keys, d_k, d_v, offset):
    """Scores far from zero and near each other, whole numbers, so single precision is exact."""
    q, k = np.ones(d_k), rng.integers(-1, 2, (n_keys, d_k)) * 1.0
    q[0], k[:, 0] = 100, offset / 100
    return [_ask(q, k, rng.standard_normal((n_keys, d_v)))]


def _large(rng):
    return _far(rng, 6, 8, 2, 5000)


def _very_negative(rng):
    return _far(rng, 4, 5, 3, -5000)


def _apart(rng):
    return _far(rng, 7, 6, 4, np.array([5000, -5000, 5000, 0, -5000, 5000, 0]))


EXERCISE = Exercise(
    slug="four-steps",
    title="Attention by hand: four steps for one query",
    chapter="why/attention-by-hand",
    family="steps",
    target="four_steps",
    minutes=15,
    statement=(
        "Write attention for a single query in four steps: a score for each key, the "
        "exponentials of the scores, the weights (these two are the softmax), the context. "
        "`q` has shape `(d_k,)`, `k` has `(n_keys, d_k)`, `v` has `(n_keys, d_v)`. Return the "
        "weights, `(n_keys,)`, and the context, `(d_v,)`."
    ),
    contract=(
        "A score is the dot product of the query with a key; nothing divides it.",
        "Scores may be in the thousands, above zero or below.",
        "The arguments are left as they were.",
        "Return two arrays, the weights first.",
    ),
    stub='''\
def four_steps(q, k, v):
    """Return the weights (n_keys,) and the context (d_v,) of one query q (d_k,)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def four_steps(q, k, v):
    """Return the weights (n_keys,) and the context (d_v,) of one query q (d_k,)."""
    scores = k @ q
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ v
    return weights, context
''',
    hints=(
        "Write the four lines in order and print the shape after each: three of them "
        "have n_keys numbers.",
        "A softmax does not change if the same number is subtracted from all scores. Which "
        "number keeps every exponent at 0 or below?",
        "The context is a weighted sum of the rows of v: a product of a row of n_keys weights "
        "with a table of n_keys rows.",
    ),
    points={"weights and context": 3, "large scores": 2},
    probes=(
        Probe("five keys of width 3, values of width 7", "weights and context", _plain),
        Probe("a single key gets the weight 1", "weights and context", _one_key),
        Probe(
            "as many keys as their width",
            "weights and context",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
        Probe(
            "scores thousands apart",
            "large scores",
            _apart,
            hint="After the shift no exponent may be above 0.",
        ),
        Probe(
            "all scores far below zero",
            "large scores",
            _very_negative,
            hint="np.exp(-5000) is 0, and 0 / 0 is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the largest score is not subtracted",
            "unstable",
            "What is the exponential of 5000?",
            (("scores - scores.max()", "scores"),),
        ),
        Wrong(
            "the smallest score is subtracted instead of the largest",
            "unstable",
            "Which exponents are then large?",
            (("scores.max()", "scores.min()"),),
        ),
        Wrong(
            "the largest absolute score is subtracted",
            "unstable",
            "Think of scores that are all far below zero.",
            (("scores.max()", "np.abs(scores).max()"),),
        ),
        Wrong(
            "the exponents are clipped instead of shifted",
            "unstable",
            "Two scores above the clip then look the same.",
            (("np.exp(scores - scores.max())", "np.exp(np.clip(scores, -50, 50))"),),
        ),
        Wrong(
            "the scores are divided by the square root of d_k",
            "scale",
            "What does the contract say about dividing?",
            (("k @ q", "k @ q / np.sqrt(len(q))"),),
        ),
        Wrong(
            "scores are divided by their sum, without an exponential",
            "normalisation",
            "Scores may be negative; weights may not.",
            (("exps / exps.sum()", "scores / scores.sum()"),),
        ),
        Wrong(
            "the exponentials are not divided by their sum",
            "normalisation",
            "What do the weights add up to?",
            (("exps / exps.sum()", "exps"),),
        ),
        Wrong(
            "the weights are divided by their length as a vector",
            "normalisation",
            "Which sum should be 1: of the weights or of their squares?",
            (("exps / exps.sum()", "exps / np.sqrt((exps**2).sum())"),),
        ),
        Wrong(
            "all the weight goes to the best key",
            "normalisation",
            "A softmax gives every key a share.",
            (("exps / exps.sum()", "(exps == exps.max()).astype(float)"),),
        ),
        Wrong(
            "the context is summed from the keys",
            "operands",
            "Keys are compared, values are brought along.",
            (("weights @ v", "weights @ k"),),
        ),
        Wrong(
            "the scores are used as the weights of the sum",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("weights @ v", "scores @ v"),),
        ),
        Wrong(
            "the scores are returned in the place of the weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("return weights, context", "return scores, context"),),
        ),
        Wrong(
            "the context comes first",
            "operands",
            "In which order does the contract ask for the two?",
            (("return weights, context", "return context, weights"),),
        ),
        Wrong(
            "the context is averaged over the keys",
            "operands",
            "The weights add up to 1 already.",
            (("weights @ v", "weights @ v / len(v)"),),
        ),
        Wrong(
            "the values are multiplied by the weights along the wrong axis where that fits",
            "axis",
            "A weight belongs to a row of v, not to a column.",
            (("weights @ v", "(v @ weights if v.shape[0] == v.shape[1] else weights @ v)"),),
        ),
        Wrong(
            "the query is overwritten",
            "in place",
            "Who else holds that array?",
            (("scores = k @ q", "q -= 0.0\n    scores = k @ q\n    q *= 2"),),
        ),
    ),
    odd=(
        Odd("einsum", (("k @ q", 'np.einsum("jd,d->j", k, q)'),)),
        Odd(
            "log-sum-exp",
            (
                ("exps = np.exp(scores - scores.max())", "lse = np.logaddexp.reduce(scores)"),
                ("exps / exps.sum()", "np.exp(scores - lse)"),
            ),
        ),
        Odd(
            "single precision inside",
            (
                (
                    "    scores = k @ q",
                    "    q, k, v = np.float32(q), np.float32(k), np.float32(v)\n    scores = "
                    "k @ q",
                ),
            ),
        ),
        Odd(
            "loops over lists",
            source="""\
from math import exp


def four_steps(q, k, v):
    scores = [sum(float(a) * float(b) for a, b in zip(row, q)) for row in k]
    top = max(scores)
    exps = [exp(score - top) for score in scores]
    weights = [e / sum(exps) for e in exps]
    context = [sum(w * float(x) for w, x in zip(weights, column)) for column in zip(*v)]
    return weights, context
""",
        ),
        Odd(
            "powers of two",
            (
                (
                    "np.exp(scores - scores.max())",
                    "2.0 ** ((scores - scores.max()) / np.log(2))",
                ),
            ),
        ),
        Odd("a list of results", (("return weights, context", "return [weights, context]"),)),
    ),
)
