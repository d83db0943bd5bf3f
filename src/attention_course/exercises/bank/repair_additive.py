"""Additive attention with five planted faults, to be found and mended."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("context", "weights")


def _ask(*arrays):
    return Call("repaired_additive", arrays, returns=RETURNS)


def _drawn(rng, batch, n_q, n_k, d_q, d_k, d_v, d_a):
    draw = rng.standard_normal
    q, k, v = draw((batch, n_q, d_q)), draw((batch, n_k, d_k)), draw((batch, n_k, d_v))
    return q, k, v, draw((d_q, d_a)), draw((d_k, d_a)), draw(d_a)


def _whole(batch, n_k):
    return np.ones((batch, n_k), dtype=bool)


def _up_to(lengths, n_k):
    return np.arange(n_k) < np.array(lengths)[:, None]


def _plain(rng):
    return [_ask(*_drawn(rng, 2, 3, 5, 4, 6, 7, 8), _whole(2, 5))]


def _one_query(rng):
    return [_ask(*_drawn(rng, 3, 1, 4, 2, 5, 6, 7), _whole(3, 4))]


def _equal(rng):
    return [_ask(*_drawn(rng, 4, 4, 4, 4, 4, 4, 4), _whole(4, 4))]


def _padded(rng):
    q, k, v, *arrays = _drawn(rng, 3, 2, 6, 4, 5, 7, 8)
    mask = _up_to([6, 1, 4], 6)
    far = np.where(mask[..., None], 1.0, 40.0)
    return [_ask(q, far * k, far * v, *arrays, mask)]


def _padded_square(rng):
    return [_ask(*_drawn(rng, 2, 4, 4, 3, 5, 6, 7), _up_to([2, 3], 4))]


def _nobody(rng):
    return [_ask(*_drawn(rng, 3, 2, 4, 5, 6, 7, 3), _up_to([4, 0, 2], 4))]


def _levels(rng, levels, q):
    """Scores that rise with the level of a key, in steps so wide that one key takes all."""
    levels = np.asarray(levels)
    k = np.repeat(levels[..., None], 2, axis=-1)
    v = rng.standard_normal((*levels.shape, 3))
    W_q, W_k = 0.5 + rng.random((q.shape[-1], 6)), 0.5 + rng.random((2, 6))
    return q, k, v, W_q, W_k, 600 * (0.5 + rng.random(6))


def _large(rng):
    levels = [rng.permutation(np.linspace(-0.4, 0.4, 5)) for _ in range(2)]
    q = np.array([[[0.3] * 4, [-0.3] * 4, [0.2] * 4], [[-0.2] * 4, [0.1] * 4, [-0.3] * 4]])
    return [_ask(*_levels(rng, levels, q), _whole(2, 5))]


def _large_padding(rng):
    mask = _up_to([3, 2], 4)
    levels = np.where(mask, [rng.permutation(4) / 5 - 0.7 for _ in range(2)], 0.9)
    return [_ask(*_levels(rng, levels, rng.normal(0, 0.1, (2, 3, 5))), mask)]


HIDDEN = "np.tanh((q @ W_q)[:, :, None] + (k @ W_k)[:, None])"
MASKED = "np.where(mask[:, None], scores, -np.inf)"
SHIFT = "np.where(np.isneginf(top), 0, top)"
TOP = "scores.max(axis=-1, keepdims=True)"
TOTAL = "exps.sum(axis=-1, keepdims=True)"
NORMALISED = "exps / np.where(total == 0, 1, total)"
LATE = ((f"    scores = {MASKED}\n", ""), (NORMALISED, "exps / total * mask[:, None]"))

EXERCISE = Exercise(
    slug="repair-additive",
    title="Five faults in an additive attention",
    chapter="recurrent/score-functions",
    family="recurrent",
    target="repaired_additive",
    minutes=25,
    statement=(
        "The function below runs on every input, returns arrays of the right shapes, and is "
        "wrong in five places. Find and mend them. `q` has shape `(batch, n_q, d_q)`, `k` has "
        "`(batch, n_k, d_k)`, `v` has `(batch, n_k, d_v)`; `W_q` has `(d_q, d_a)`, `W_k` has "
        "`(d_k, d_a)`, `w_v` has `(d_a,)`; `mask` has `(batch, n_k)`. What should come out are "
        "the contexts, `(batch, n_q, d_v)`, and the weights, `(batch, n_q, n_k)`."
    ),
    contract=(
        r"The score of query $i$ with key $j$ is $\tanh(\mathbf{q}_i W_q + \mathbf{k}_j W_k) "
        r"\cdot \mathbf{w}_v$.",
        "In `mask`, True is a key that may be attended to and False is padding, for all "
        "queries of a sentence; padding gets a weight of exactly 0, whatever stands there.",
        "The weights of each query add up to 1, in a padded sentence too; where there is "
        "nothing but padding they are 0, and so is the context.",
        "A context is a weighted sum of values. Scores may be in the thousands.",
        "The arguments are left as they were.",
        "Return two arrays, the contexts first.",
    ),
    stub='''\
def repaired_additive(q, k, v, W_q, W_k, w_v, mask):
    """Return the contexts (batch, n_q, d_v) and the weights (batch, n_q, n_k)."""
    hidden = np.tanh(q @ W_q)[:, :, None] + np.tanh(k @ W_k)[:, None]
    scores = hidden @ w_v
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum(axis=1, keepdims=True)
    weights = weights * mask[:, None]
    context = weights @ v
    return context / v.shape[1], weights
''',
    solution='''\
import numpy as np


def repaired_additive(q, k, v, W_q, W_k, w_v, mask):
    """Return the contexts (batch, n_q, d_v) and the weights (batch, n_q, n_k)."""
    hidden = np.tanh((q @ W_q)[:, :, None] + (k @ W_k)[:, None])
    scores = hidden @ w_v
    scores = np.where(mask[:, None], scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    return weights @ v, weights
''',
    hints=(
        "Do not read the code first. Give it one sentence, two queries, no padding, and look "
        "at what the weights of each query add up to.",
        "With one query left the same and the other changed, do the weights of the first move? "
        "Does the order of the keys change at all between two queries?",
        "With half of a sentence padded, what do the weights add up to? The order of two steps "
        "is wrong. Once it is mended, try a sentence of nothing but padding.",
        "Let one sentence have scores near 2000 and another near -2000: the largest of which "
        "scores is taken away?",
        "The last of the five stands in the last line.",
    ),
    points={"scores and context": 3, "padding": 2, "large scores": 1},
    probes=(
        Probe("three queries, five keys, no padding", "scores and context", _plain),
        Probe("a single query", "scores and context", _one_query),
        Probe(
            "all sizes equal",
            "scores and context",
            _equal,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "padding, with large numbers in it",
            "padding",
            _padded,
            hint="What stands in the padding must not matter.",
        ),
        Probe("padding, as many queries as keys", "padding", _padded_square),
        Probe("a sentence of nothing but padding", "padding", _nobody),
        Probe("scores in the thousands", "large scores", _large),
        Probe(
            "padding whose scores are larger by thousands",
            "large scores",
            _large_padding,
            hint="The largest of which scores is taken away?",
        ),
    ),
    wrong=(
        Wrong(
            "query and key still go through a tanh each",
            "planted",
            "Apart, all queries of a sentence get the same weights.",
            ((HIDDEN, "(np.tanh(q @ W_q)[:, :, None] + np.tanh(k @ W_k)[:, None])"),),
        ),
        Wrong(
            "the weights still add up to 1 over the queries",
            "planted",
            "Which axis counts keys?",
            ((TOTAL, "exps.sum(axis=1, keepdims=True)"),),
        ),
        Wrong(
            "the mask still comes after the softmax",
            "planted",
            "What do the weights of a padded sentence add up to?",
            LATE,
        ),
        Wrong(
            "the largest score is still that of the whole batch",
            "planted",
            "In a sentence with lower scores all exponentials then round to 0.",
            ((TOP, "scores.max(keepdims=True)"),),
        ),
        Wrong(
            "the context is still divided by the number of keys",
            "planted",
            "The weights add up to 1 already.",
            (("return weights @ v", "return weights @ v / v.shape[1]"),),
        ),
        Wrong(
            "query and key are multiplied",
            "score",
            "The name of the score says what happens to the two.",
            ((HIDDEN, "(q @ W_q)[:, :, None] * np.tanh(k @ W_k)[:, None]"),),
        ),
        Wrong(
            "the tanh is taken of the score",
            "score",
            "The tanh is the hidden layer's; the read-out comes after it.",
            (
                (HIDDEN, "((q @ W_q)[:, :, None] + (k @ W_k)[:, None])"),
                ("hidden @ w_v", "np.tanh(hidden @ w_v)"),
            ),
        ),
        Wrong(
            "the softmax runs over the keys and queries together",
            "axis",
            "What do the weights of one query add up to?",
            ((TOTAL, "exps.sum(axis=(-2, -1), keepdims=True)"),),
        ),
        Wrong(
            "the mask is laid on the queries where that fits",
            "mask",
            "The mask says which keys are padding.",
            (
                (
                    MASKED,
                    "np.where(mask[..., None] if scores.shape[1] == scores.shape[2] else "
                    "mask[:, None], scores, -np.inf)",
                ),
            ),
        ),
        Wrong(
            "the mask is read the other way round",
            "mask",
            "What does True mean here? The contract says it.",
            ((MASKED, "np.where(mask[:, None], -np.inf, scores)"),),
        ),
        Wrong(
            "padding is given the score 0",
            "mask",
            "The exponential of 0 is not 0.",
            ((MASKED, "np.where(mask[:, None], scores, 0.0)"),),
        ),
        Wrong(
            "padding gets a large negative number for a score",
            "mask",
            "Look at a sentence in which every score is that number.",
            ((MASKED, "np.where(mask[:, None], scores, -1e9)"),),
        ),
        Wrong(
            "the mask is gone",
            "mask",
            "What does the function do with its last argument?",
            ((MASKED, "scores + 0"),),
        ),
        Wrong(
            "a sentence of padding gives nan",
            "masked row",
            "What is minus infinity minus minus infinity?",
            ((SHIFT, "top"),),
        ),
        Wrong(
            "no score is taken away at all",
            "unstable",
            "What is the exponential of 2000?",
            ((f"scores - {SHIFT}", "scores"),),
        ),
        Wrong(
            "each query's largest score is looked for in the padding too",
            "unstable",
            "If padding holds the largest, what is left of the words?",
            (
                (f"    scores = {MASKED}\n", ""),
                (f"scores - {SHIFT}", f"{MASKED} - top"),
            ),
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
                    "    hidden =",
                    "    q, k, v, W_q, W_k, w_v = (\n"
                    "        np.float32(x) for x in (q, k, v, W_q, W_k, w_v)\n    )\n"
                    "    hidden =",
                ),
            ),
        ),
        Odd(
            "sentence by sentence, query by query, real keys only",
            source="""\
import numpy as np


def repaired_additive(q, k, v, W_q, W_k, w_v, mask):
    weights = np.zeros((*q.shape[:2], k.shape[1]))
    for b, i in np.ndindex(q.shape[:2]):
        if mask[b].any():
            scores = np.tanh(q[b, i] @ W_q + k[b, mask[b]] @ W_k) @ w_v
            exps = np.exp(scores - scores.max())
            weights[b, i, mask[b]] = exps / exps.sum()
    return weights @ v, weights
""",
        ),
        Odd(
            "einsum", (("return weights @ v", 'return np.einsum("bij,bjd->bid", weights, v)'),)
        ),
        Odd(
            "the mask as an added minus infinity",
            ((MASKED, "scores + np.where(mask, 0.0, -np.inf)[:, None]"),),
        ),
        Odd(
            "query and key joined, as concat",
            (
                (
                    HIDDEN,
                    "np.tanh(np.concatenate([\n"
                    "        np.repeat(q[:, :, None], k.shape[1], 2),\n"
                    "        np.repeat(k[:, None], q.shape[1], 1),\n"
                    "    ], -1) @ np.vstack([W_q, W_k]))",
                ),
            ),
        ),
    ),
)
