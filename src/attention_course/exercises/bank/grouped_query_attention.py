"""Grouped-query attention: neighbouring heads share keys and values."""

import numpy as np

from attention_course.exercises.bank._families import changing
from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

# ---- calls ----------------------------------------------------------------------------------


def _ask(rng, n_heads, n_groups, n_q, n_k, d_k, d_v, batch=(), mask=None):
    sizes = ((n_heads, n_q, d_k), (n_groups, n_k, d_k), (n_groups, n_k, d_v))
    args = tuple(rng.standard_normal((*batch, *size)) for size in sizes)
    given = {} if mask is None else {"mask": mask}
    return Call("grouped_query_attention", args, given, returns=("context", "weights"))


def _plain(rng):
    return [_ask(rng, 6, 2, 4, 5, 3, 7)]


def _other_way(rng):
    return [_ask(rng, 6, 3, 4, 5, 2, 7), _ask(rng, 12, 4, 2, 5, 6, 3)]


def _batches(rng):
    return [_ask(rng, 6, 2, 4, 5, 3, 7, batch=(5,)), _ask(rng, 4, 2, 3, 5, 6, 7, batch=(3, 2))]


def _equal(rng):
    return [_ask(rng, 4, 2, 4, 4, 4, 4, batch=(4,)), _ask(rng, 4, 2, 2, 2, 2, 2, batch=(2,))]


def _one_group(rng):
    return [_ask(rng, 5, 1, 3, 4, 2, 6), _ask(rng, 3, 1, 4, 5, 6, 2, batch=(2,))]


def _all_groups(rng):
    return [_ask(rng, 5, 5, 3, 4, 2, 6), _ask(rng, 3, 3, 4, 5, 6, 2, batch=(2,))]


def _masked(rng):
    mask = np.tri(4, 6, k=2, dtype=bool)
    own = rng.random((6, 4, 5)) < 0.5
    own[..., 0] = rng.random((6, 4)) < 0.5
    own[..., 1] = ~own[..., 0]
    return [_ask(rng, 6, 2, 4, 6, 3, 5, mask=mask), _ask(rng, 6, 2, 4, 5, 3, 7, mask=own)]


def _empty(rng):
    mask = np.tri(4, 3, k=-1, dtype=bool)
    return [_ask(rng, 4, 2, 4, 3, 5, 6, mask=mask)]


# ---- wrong and odd answers ------------------------------------------------------------------

SHARE = "share = n_heads // n_groups"
K = "k = np.repeat(k, share, axis=-3)"
V = "v = np.repeat(v, share, axis=-3)"
SCORES = "scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])"
MASK = "scores = np.where(mask, scores, -np.inf)"
SHIFT = "np.where(top > -np.inf, top, 0.0)"
WEIGHTS = "weights = exps / np.where(total > 0, total, 1.0)"
RETURN = "return weights @ v, weights"
NEIGHBOURS = "With 6 heads and 2 groups: which heads does the contract give to group 0?"
OWN = "Do two groups that hold different keys give different weights?"


def _tiled(name: str) -> str:
    return f"{name} = np.concatenate([{name}] * share, axis=-3)"


def _first(name: str) -> str:
    return f"{name} = np.repeat({name}[..., :1, :, :], n_heads, axis=-3)"


def _mean(name: str) -> str:
    return f"{name} = np.repeat({name}.mean(axis=-3, keepdims=True), n_heads, axis=-3)"


def _last(name: str) -> str:
    return f"{name} = {name}[..., np.minimum(np.arange(n_heads), n_groups - 1), :, :]"


def _of_size(name: str) -> str:
    return f"{name} = {name}[..., np.arange(n_heads) // n_groups % n_groups, :, :]"


def _on_both(label: str, family: str, hint: str, change) -> tuple[Wrong, ...]:
    """Return a mistake made with keys and values, with the keys only, with the values only."""
    keys, values = (K, change("k")), (V, change("v"))
    return (
        Wrong(f"{label}, for keys and values", family, hint, (keys, values)),
        Wrong(f"{label}, for the keys only", family, hint, (keys,)),
        Wrong(f"{label}, for the values only", family, hint, (values,)),
    )


WRONG = (
    *_on_both("every n-th head shares instead of neighbours", "groups", NEIGHBOURS, _tiled),
    *_on_both("all heads use the first group", "groups", OWN, _first),
    *_on_both("all heads use the mean of the groups", "groups", OWN, _mean),
    *_on_both("the last group takes all heads that are left", "groups", NEIGHBOURS, _last),
    *_on_both(
        "each run of n_groups heads shares",
        "groups",
        "How many heads share one group: n_groups, or n_heads / n_groups?",
        _of_size,
    ),
    Wrong(
        "the groups come in the opposite order",
        "groups",
        "Which group does head 0 belong to?",
        ((K, f"{K}[..., ::-1, :, :]"), (V, f"{V}[..., ::-1, :, :]")),
    ),
    Wrong(
        "the axis of the heads is counted from the front",
        "groups",
        "There may be batch axes in front, or none.",
        ((K, "k = np.repeat(k, share, axis=0)"), (V, "v = np.repeat(v, share, axis=0)")),
    ),
    Wrong(
        "tokens are repeated instead of groups",
        "groups",
        "Which axis of k counts the groups?",
        (
            (K, "k = np.repeat(k, share, axis=-2).reshape(*q.shape[:-2], *k.shape[-2:])"),
            (V, "v = np.repeat(v, share, axis=-2).reshape(*q.shape[:-2], *v.shape[-2:])"),
        ),
    ),
    Wrong(
        "nothing is repeated",
        "groups",
        "n_heads and n_groups do not broadcast; what has to happen to k and v?",
        ((K, "pass"), (V, "pass")),
    ),
    *changing(
        SCORES,
        "scores",
        (
            "the queries of a group are averaged",
            "queries = q.reshape(*q.shape[:-3], n_groups, share, *q.shape[-2:]).mean(axis=-3)\n"
            f"    q = np.repeat(queries, share, axis=-3)\n    {SCORES}",
            "Heads share keys and values; their queries stay their own.",
        ),
        (
            "nothing divides the scores",
            "scores = q @ np.swapaxes(k, -1, -2)",
            "What do wide keys do to a score?",
        ),
        (
            "the scores are divided by the root of all heads' widths",
            f"{SCORES} / np.sqrt(n_heads)",
            "Each head is a narrow attention of its own; its scale knows its own width only.",
        ),
        (
            "the scores are divided by the number of heads that share",
            f"{SCORES} / share",
            "Sharing keys does not make the dot products larger.",
        ),
    ),
    *changing(
        MASK,
        "mask",
        ("the mask is ignored", "pass", "Is the argument used anywhere?"),
        (
            "the mask is turned over",
            MASK.replace("mask,", "~mask,"),
            "What does True mean here?",
        ),
        ("forbidden scores are set to 0", MASK.replace("-np.inf", "0.0"), "Is exp(0) zero?"),
        (
            "a large negative number fills, and empty rows become uniform",
            MASK.replace("-np.inf", "-1e9"),
            "Look at the row of a query that sees nothing.",
        ),
        (
            "the first head of a group lends the others its mask",
            "shared = mask[..., ::share, :, :] if mask.ndim > 2 else mask\n        "
            "shared = np.repeat(shared, share, axis=-3) if mask.ndim > 2 else mask\n        "
            "scores = np.where(shared, scores, -np.inf)",
            "A mask belongs to the weights, and every head has weights of its own.",
        ),
    ),
    *changing(
        SHIFT, "mask", ("queries that see nothing come out as NaN", "top", "What is 0 / 0?")
    ),
    *changing(
        RETURN,
        "results",
        (
            "one table of weights is returned for each group",
            "return weights @ v, weights[..., ::share, :, :]",
            "Heads that share keys still look at different places.",
        ),
        (
            "the contexts of a group are added",
            "context = weights @ v\n    context = context.reshape(\n"
            "        *context.shape[:-3], n_groups, share, *context.shape[-2:]\n    ).sum(-3)\n"
            "    return np.repeat(context, share, axis=-3), weights",
            "Every head brings back a context of its own.",
        ),
        (
            "the heads that share are divided by their number",
            "return weights @ v / share, weights",
            "The weights of each head add up to 1 already.",
        ),
        (
            "the weights come first",
            "return weights, weights @ v",
            "In which order does the contract ask for them?",
        ),
    ),
    *changing(
        WEIGHTS,
        "softmax",
        (
            "one softmax runs over all heads of a group",
            "total = exps.reshape(*exps.shape[:-3], n_groups, share, *exps.shape[-2:])\n    "
            "total = np.repeat(total.sum(axis=(-3, -1)), share, axis=-2)\n"
            "    weights = exps / np.where(total > 0, total, 1.0)[..., None]",
            "Whose weights add up to 1?",
        ),
        ("the exponentials are not divided", "weights = exps", "What do they add up to?"),
    ),
)

BY_LOOPS = """\
import math

import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    lead, h, g = q.shape[:-3], q.shape[-3], k.shape[-3]
    context = np.zeros((*q.shape[:-1], v.shape[-1]))
    weights = np.zeros((*q.shape[:-1], k.shape[-2]))
    may = np.broadcast_to(True if mask is None else mask, weights.shape)
    for place in np.ndindex(*lead, h, q.shape[-2]):
        *b, i, t = place
        keys, values = k[(*b, i * g // h)], v[(*b, i * g // h)]
        seen = np.flatnonzero(may[place])
        e = [float(q[place] @ keys[j]) / math.sqrt(q.shape[-1]) for j in seen]
        exps = [math.exp(x - max(e)) for x in e]
        for j, exp in zip(seen, exps):
            weights[(*place, j)] = exp / sum(exps)
            context[place] += exp / sum(exps) * values[j]
    return context, weights
"""

WITHOUT_COPIES = '''\
import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    """Give the queries an axis for the groups; keys and values are never copied."""
    h, g = q.shape[-3], k.shape[-3]
    grouped = q.reshape(*q.shape[:-3], g, h // g, *q.shape[-2:])
    scores = np.einsum("...gsid,...gjd->...gsij", grouped, k) / q.shape[-1] ** 0.5
    scores = scores.reshape(*q.shape[:-1], k.shape[-2])
    may = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    exps = np.where(may, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0.0)
    total = exps.sum(axis=-1, keepdims=True)
    weights = np.divide(exps, total, out=np.zeros_like(exps), where=total > 0)
    split = weights.reshape(*grouped.shape[:-1], -1)
    context = np.einsum("...gsij,...gjc->...gsic", split, v)
    return context.reshape(*q.shape[:-1], -1), weights
'''

ODD = (
    Odd(
        "single precision inside",
        ((SCORES, f"q, k, v = (x.astype(np.float32) for x in (q, k, v))\n    {SCORES}"),),
    ),
    Odd("loops over everything", source=BY_LOOPS),
    Odd("einsum without copies", source=WITHOUT_COPIES),
    Odd(
        "groups are picked by number",
        (
            (
                K,
                "own = np.arange(n_heads) * n_groups // n_heads\n    k = k[..., own, :, :]",
            ),
            (V, "v = v.take(own, axis=-3)"),
        ),
    ),
    Odd("a list of results", ((RETURN, "return [weights @ v, weights]"),)),
    Odd(
        "head by head",
        ((K, "k = np.stack([k[..., i // share, :, :] for i in range(n_heads)], axis=-3)"),),
    ),
)

# ---- the exercise ---------------------------------------------------------------------------

EXERCISE = Exercise(
    slug="grouped-query-attention",
    title="Heads that share keys and values",
    chapter="transformer/multi-head",
    family="attention",
    target="grouped_query_attention",
    minutes=20,
    statement=(
        "Write grouped-query attention for projected vectors that are cut into heads already. "
        "`q` has shape `(..., n_heads, n_q, d_k)`, `k` has `(..., n_groups, n_k, d_k)`, `v` "
        "has `(..., n_groups, n_k, d_v)`, with the same leading axes, if any. `mask`, if there "
        "is one, broadcasts to `(..., n_heads, n_q, n_k)`. Return the context, "
        "`(..., n_heads, n_q, d_v)`, and the weights, `(..., n_heads, n_q, n_k)`."
    ),
    contract=(
        "`n_groups` divides `n_heads`. Neighbours share: of 6 heads and 2 groups, heads 0, 1, "
        "2 use group 0 and heads 3, 4, 5 use group 1.",
        "A score is the dot product of a query with a key, divided by the square root of d_k.",
        "`mask` is boolean, and `True` means: may attend.",
        "A query that sees nothing has weights and a context of zero; nothing is ever NaN.",
        "The arguments are left as they were.",
        "Return two arrays, the context first.",
    ),
    stub='''\
def grouped_query_attention(q, k, v, mask=None):
    """Return the context (..., heads, n_q, d_v) and the weights (..., heads, n_q, n_k)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def grouped_query_attention(q, k, v, mask=None):
    """Return the context (..., heads, n_q, d_v) and the weights (..., heads, n_q, n_k)."""
    n_heads, n_groups = q.shape[-3], k.shape[-3]
    share = n_heads // n_groups
    k = np.repeat(k, share, axis=-3)
    v = np.repeat(v, share, axis=-3)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1.0)
    return weights @ v, weights
''',
    hints=(
        "With as many groups as heads this is plain attention with one axis more. Write that "
        "first.",
        "Head i uses group i // (n_heads // n_groups). Write the numbers of the groups for 6 "
        "heads and 2 groups in a row: which function of NumPy makes 0 0 0 1 1 1 of 0 1?",
        "Only the keys and the values change their number of heads. The mask and the weights "
        "belong to the queries' heads.",
    ),
    points={"groups": 4, "the two ends": 2, "mask": 2},
    probes=(
        Probe("six heads, two groups", "groups", _plain),
        Probe("other numbers of heads and groups", "groups", _other_way),
        Probe("batch axes in front", "groups", _batches),
        Probe(
            "lengths and widths all equal",
            "groups",
            _equal,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("one group for all heads (multi-query)", "the two ends", _one_group),
        Probe("a group for each head (multi-head)", "the two ends", _all_groups),
        Probe("masks, shared and of each head", "mask", _masked),
        Probe("queries that see nothing get zeros", "mask", _empty),
    ),
    wrong=WRONG,
    odd=ODD,
)
