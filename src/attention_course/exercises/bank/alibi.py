"""ALiBi: scores lose a little for each step of distance, in each head at its own rate."""

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("weights", "context")


def _ask(q, k, v, *causal, **named):
    return Call("alibi_attention", (q, k, v, *causal), named, returns=RETURNS)


def _draw(rng, heads, n_queries, n_keys, d_k, d_v):
    return (
        rng.standard_normal((heads, n_queries, d_k)),
        rng.standard_normal((heads, n_keys, d_k)),
        rng.standard_normal((heads, n_keys, d_v)),
    )


def _plain(rng):
    return [_ask(*_draw(rng, 2, 9, 9, 3, 5))]


def _five_heads(rng):
    return [_ask(*_draw(rng, 5, 8, 8, 4, 3))]


def _one_head(rng):
    return [_ask(*_draw(rng, 1, 12, 12, 5, 2))]


def _equal_sizes(rng):
    return [_ask(*_draw(rng, 4, 4, 4, 4, 4))]


def _fewer_queries(rng):
    return [_ask(*_draw(rng, 3, 4, 11, 2, 5))]


def _newest(rng):
    return [_ask(*_draw(rng, 3, 1, 10, 4, 2))]


def _causal(rng):
    return [_ask(*_draw(rng, 3, 8, 8, 5, 2), True)]


def _causal_fewer(rng):
    return [_ask(*_draw(rng, 2, 3, 9, 4, 5), causal=True)]


def _causal_newest(rng):
    return [_ask(*_draw(rng, 4, 1, 7, 3, 2), causal=True)]


EXERCISE = Exercise(
    slug="alibi",
    title="ALiBi: the further away, the lower the score",
    chapter="transformer/transformer-block",
    family="positions",
    target="alibi_attention",
    minutes=20,
    statement=(
        "Write attention with ALiBi. `q` has shape `(heads, n_queries, d_k)`, `k` has "
        "`(heads, n_keys, d_k)`, `v` has `(heads, n_keys, d_v)`. Return the weights, "
        "`(heads, n_queries, n_keys)`, and the context, `(heads, n_queries, d_v)`."
    ),
    contract=(
        "A score is the dot product divided by $\\sqrt{d_k}$; from the result, head "
        "$h = 1, \\dots, H$ takes $m_h$ times the distance of query and key, with "
        "$m_h = 2^{-8h/H}$ and $H$ the number of heads.",
        "A distance is never negative.",
        "Keys stand at the positions 0, 1, ...; the last query stands where the last key "
        "stands, the others before it (`n_queries` is at most `n_keys`).",
        "With `causal=True` a query sees no key at a later position than its own; without, it "
        "sees all.",
        "The weights are the softmax over the keys, the context the weighted sum of the "
        "values.",
    ),
    stub='''\
def alibi_attention(q, k, v, causal=False):
    """Return the weights (heads, n_queries, n_keys) and the context of every head."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def alibi_attention(q, k, v, causal=False):
    """Return the weights (heads, n_queries, n_keys) and the context of every head."""
    heads, n_queries, d_k = q.shape
    n_keys = k.shape[1]
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    j = np.arange(n_keys)
    i = j[n_keys - n_queries :, None]
    scores = q @ k.swapaxes(1, 2) / np.sqrt(d_k)
    scores = scores - slopes[:, None, None] * np.abs(i - j)
    if causal:
        scores = np.where(j <= i, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights, weights @ v
''',
    hints=(
        "Make a column of query positions and a row of key positions: their difference is a "
        "table (n_queries, n_keys).",
        "The slopes are one number a head. Which two axes do they need so that each head gets "
        "a table of its own?",
        "Four queries for eleven keys: the first of them stands at position 7.",
    ),
    points={"as many queries as keys": 3, "fewer queries": 1, "causal": 2},
    probes=(
        Probe("two heads, nine positions", "as many queries as keys", _plain),
        Probe("five heads", "as many queries as keys", _five_heads),
        Probe("a single head", "as many queries as keys", _one_head),
        Probe(
            "all sizes equal",
            "as many queries as keys",
            _equal_sizes,
            hint="Here a slope for each key fits as well as one for each head.",
        ),
        Probe(
            "four queries, eleven keys",
            "fewer queries",
            _fewer_queries,
            hint="Where does the first of the four stand?",
        ),
        Probe("the newest of ten positions asks", "fewer queries", _newest),
        Probe("causal", "causal", _causal),
        Probe(
            "causal, three queries, nine keys",
            "causal",
            _causal_fewer,
            hint="The first of the three queries may see seven keys.",
        ),
        Probe("causal, the newest sees all", "causal", _causal_newest),
    ),
    wrong=(
        Wrong(
            "nothing is taken from the scores",
            "bias",
            "Where does the distance appear?",
            ((" - slopes[:, None, None] * np.abs(i - j)", " + 0"),),
        ),
        Wrong(
            "distant keys gain instead of losing",
            "bias",
            "Should a distant key get more weight or less?",
            (("scores - slopes", "scores + slopes"),),
        ),
        Wrong(
            "the distance has a sign",
            "bias",
            "A key behind the query is distant too.",
            (("np.abs(i - j)", "(i - j)"),),
        ),
        Wrong(
            "only later keys lose",
            "bias",
            "A key before the query is distant too.",
            (("np.abs(i - j)", "np.maximum(j - i, 0)"),),
        ),
        Wrong(
            "only earlier keys lose",
            "bias",
            "Without a causal mask, a later key is distant too.",
            (("np.abs(i - j)", "np.maximum(i - j, 0)"),),
        ),
        Wrong(
            "the distance is squared",
            "bias",
            "Which power of the distance?",
            (("np.abs(i - j)", "(i - j) ** 2"),),
        ),
        Wrong(
            "the distance is a share of the length",
            "bias",
            "Three steps are three steps in every text.",
            (("np.abs(i - j)", "np.abs(i - j) / n_keys"),),
        ),
        Wrong(
            "the scores are multiplied by the distance",
            "bias",
            "A negative score would then rise with the distance.",
            (
                (
                    "scores - slopes[:, None, None] * np.abs(i - j)",
                    "scores * (1 - slopes[:, None, None] * np.abs(i - j))",
                ),
            ),
        ),
        Wrong(
            "the distance is divided by the root of d_k as well",
            "scale",
            "What does the contract do first, divide or subtract?",
            (
                (
                    "slopes[:, None, None] * np.abs(i - j)",
                    "slopes[:, None, None] * np.abs(i - j) / np.sqrt(d_k)",
                ),
            ),
        ),
        Wrong(
            "the scores are not divided",
            "scale",
            "Read the contract's first sentence again.",
            ((" / np.sqrt(d_k)", ""),),
        ),
        Wrong(
            "all heads have the slope of the first",
            "slopes",
            "Each head looks over another distance.",
            (("np.arange(1, heads + 1)", "np.ones(heads)"),),
        ),
        Wrong(
            "heads are counted from 0",
            "slopes",
            "Which slope has the first head?",
            (("np.arange(1, heads + 1)", "np.arange(heads)"),),
        ),
        Wrong(
            "the slopes stand in reverse order",
            "slopes",
            "Which head should be the steepest?",
            (("np.arange(1, heads + 1)", "np.arange(heads, 0, -1)"),),
        ),
        Wrong(
            "the slopes are 1/2, 1/4, 1/8, whatever the number of heads",
            "slopes",
            "That is right for eight heads.",
            (("-8 * np.arange(1, heads + 1) / heads", "-np.arange(1, heads + 1)"),),
        ),
        Wrong(
            "the slopes are powers of e",
            "slopes",
            "Which number is raised to the power?",
            (
                (
                    "2.0 ** (-8 * np.arange(1, heads + 1) / heads)",
                    "np.exp(-8 * np.arange(1, heads + 1) / heads)",
                ),
            ),
        ),
        Wrong(
            "there is a slope for each key where that fits",
            "slopes",
            "A slope belongs to a head, not to a key.",
            (
                (
                    "slopes[:, None, None] * np.abs(i - j)",
                    "(slopes if heads == n_keys else slopes[:, None, None]) * np.abs(i - j)",
                ),
            ),
        ),
        Wrong(
            "the first query is put at position 0",
            "alignment",
            "Where does the last query stand?",
            (("j[n_keys - n_queries :, None]", "j[:n_queries, None]"),),
        ),
        Wrong(
            "the queries stand one position too early",
            "alignment",
            "Where does the last query stand?",
            (("j[n_keys - n_queries :, None]", "j[n_keys - n_queries :, None] - 1"),),
        ),
        Wrong(
            "causal has no effect",
            "mask",
            "Which keys may the first query see?",
            (("j <= i", "j <= n_keys"),),
        ),
        Wrong(
            "the causal mask starts at the first key, the distances at the right one",
            "mask",
            "Three queries and nine keys: how many keys may the first query see?",
            (("j <= i", "j <= np.arange(n_queries)[:, None]"),),
        ),
        Wrong(
            "a causal query sees one key too many",
            "mask",
            "May position 3 see position 4?",
            (("j <= i", "j <= i + 1"),),
        ),
        Wrong(
            "a causal query does not see its own position",
            "mask",
            "A later key is hidden; its own is not later.",
            (("j <= i", "j < i"),),
        ),
        Wrong(
            "hidden keys get the score 0",
            "mask",
            "What is the exponential of 0?",
            (("-np.inf", "0.0"),),
        ),
        Wrong(
            "hidden weights are set to 0 after the softmax",
            "mask",
            "What do the remaining weights add up to?",
            (
                ("scores = np.where(j <= i, scores, -np.inf)", "pass"),
                (
                    "return weights,",
                    "weights = np.where(~np.bool_(causal) | (j <= i), weights, 0)\n"
                    "    return weights,",
                ),
            ),
        ),
        Wrong(
            "the softmax runs over the queries",
            "axis",
            "Whose shares should add up to 1?",
            (
                ("scores.max(axis=-1", "scores.max(axis=-2"),
                ("exps.sum(axis=-1", "exps.sum(axis=-2"),
            ),
        ),
    ),
    odd=(
        Odd(
            "loops",
            source="""\
import math

import numpy as np


def alibi_attention(q, k, v, causal=False):
    weights = np.zeros((len(q), q.shape[1], k.shape[1]))
    late = k.shape[1] - q.shape[1]
    for h in range(len(q)):
        for i in range(q.shape[1]):
            for j in range(k.shape[1]):
                if causal and j > i + late:
                    continue
                score = float(q[h, i] @ k[h, j]) / math.sqrt(q.shape[2])
                score -= abs(i + late - j) / 2 ** (8 * (h + 1) / len(q))
                weights[h, i, j] = math.exp(score)
            weights[h, i] /= weights[h, i].sum()
    return weights, np.einsum("hij,hjd->hid", weights, v)
""",
        ),
        Odd(
            "in the causal case, a gain for the key's place",
            (
                (
                    "scores = scores - slopes[:, None, None] * np.abs(i - j)",
                    "distance = -j if causal else np.abs(i - j)\n"
                    "    scores = scores - slopes[:, None, None] * distance",
                ),
            ),
        ),
        Odd(
            "single precision inside",
            (
                (
                    "scores = q @ k.swapaxes(1, 2) / np.sqrt(d_k)",
                    "q, k = q.astype(np.float32), k.astype(np.float32)\n"
                    "    scores = q @ k.swapaxes(1, 2) / np.sqrt(np.float32(d_k))",
                ),
            ),
        ),
        Odd("einsum", (("q @ k.swapaxes(1, 2)", 'np.einsum("hid,hjd->hij", q, k)'),)),
        Odd(
            "slopes by repeated multiplication",
            (
                (
                    "2.0 ** (-8 * np.arange(1, heads + 1) / heads)",
                    "np.cumprod(np.full(heads, 2 ** (-8 / heads)))",
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "heads-last",
            contract=(
                (
                    "A distance is never negative.",
                    "A distance is never negative.\nThe axis of the heads is the last one but "
                    "one in `q`, `k`, `v` and the context, as in `(n_queries, heads, d_k)`, "
                    "and the first one in the weights.",
                ),
            ),
            adapt=lambda call: Call(
                call.target,
                tuple(x.swapaxes(0, 1) if hasattr(x, "shape") else x for x in call.args),
                call.kwargs,
                returns=call.returns,
            ),
            wrap="""\
import numpy as np


def alibi_attention(q, k, v, causal=False):
    q, k, v = (x.swapaxes(0, 1) for x in (q, k, v))
    weights, context = base(q, k, v, causal)
    return weights, np.asarray(context).swapaxes(0, 1)
""",
        ),
    ),
)
