"""Scaled dot-product attention with a mask, causal or not, for any number of batch axes."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw, random_mask


def ask(q, k, v, mask=None, **options):
    given = {} if mask is None else {"mask": mask}
    target = "scaled_dot_product_attention"
    return Call(target, (q, k, v), given | options, returns=("context", "weights"))


def qkv(rng, *batch, n_q, n_k, d_k, d_v):
    """Draw queries, keys and values."""
    return draw(rng, (*batch, n_q, d_k), (*batch, n_k, d_k), (*batch, n_k, d_v))


def one_key(rng):
    return [
        ask(*qkv(rng, n_q=5, n_k=1, d_k=3, d_v=2)),
        ask(*qkv(rng, n_q=1, n_k=6, d_k=2, d_v=1)),
    ]


def columns_first(rng):
    q, k, v = qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4)
    return [ask(*(np.asfortranarray(x) for x in (q, k, v)))]


def twice(rng):
    sizes = {"n_q": 3, "n_k": 5, "d_k": 2, "d_v": 4}
    return [ask(*qkv(rng, **sizes)), ask(*qkv(rng, **sizes))]


def pairs(rng):
    return [
        ask(*qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4), random_mask(rng, 5, 7)),
        ask(*qkv(rng, 2, n_q=3, n_k=6, d_k=4, d_v=5), random_mask(rng, 2, 3, 6)),
    ]


def padding(rng):
    sizes = {"n_q": 5, "n_k": 5, "d_k": 4, "d_v": 3}
    padded = np.arange(5) < np.array([[4], [2], [5]])[rng.permutation(3)]
    return [
        ask(*qkv(rng, 3, **sizes), padded[:, None]),
        ask(*qkv(rng, 3, 2, **sizes), padded[:, None, None]),
    ]


def broadcast(rng):
    return [
        ask(*qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), random_mask(rng, 7)),
        ask(*qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), random_mask(rng, 5, 7)),
        ask(*qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), random_mask(rng, 3, 1, 7)),
    ]


def empty_rows(rng):
    mask = random_mask(rng, 5, 6)
    mask[[1, 3]] = False
    queries = np.array([[True], [False], [True]])
    return [
        ask(*qkv(rng, n_q=5, n_k=6, d_k=3, d_v=4), mask),
        ask(*qkv(rng, 2, n_q=3, n_k=6, d_k=4, d_v=5), queries),
    ]


def more_keys(rng):
    return [
        ask(*qkv(rng, n_q=3, n_k=7, d_k=4, d_v=5), causal=True),
        ask(*qkv(rng, n_q=1, n_k=5, d_k=2, d_v=3), causal=True),
    ]


def both(rng):
    mask = random_mask(rng, 2, 4, 6)
    mask[0, 0, :3] = False  # with the causal mask the first query of all sees nothing
    mask[1, 1, 5] = True  # and here the mask allows what is still to come
    padded = (np.arange(5) < np.array([[3], [5]]))[:, None]
    return [
        ask(*qkv(rng, 2, n_q=4, n_k=6, d_k=3, d_v=5), mask, causal=True),
        ask(*qkv(rng, 2, n_q=5, n_k=5, d_k=3, d_v=4), padded, causal=True),
    ]


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def whole(rng, *size):
    return rng.integers(0, 3, size).astype(float)


def large(rng):
    q, k = 1 + whole(rng, 5, 4), 1000 + whole(rng, 6, 4)
    k *= np.where(rng.permutation(6) < 3, 1.0, -1.0)[:, None]
    return [ask(q, k, rng.standard_normal((6, 3)))]


def far_below(rng):
    q, k = 1 + whole(rng, 5, 4), 1000 + whole(rng, 6, 4)
    q *= np.where(rng.permutation(5) < 2, 1.0, -1.0)[:, None]
    return [ask(q, k, rng.standard_normal((6, 3)))]


def large_forbidden(rng):
    q, k = 1 + whole(rng, 5, 4), -1000 - whole(rng, 6, 4)
    forbidden = rng.permutation(6) < 2
    k[forbidden] *= -1.0
    return [ask(q, k, rng.standard_normal((6, 3)), ~forbidden)]


# With one key a query costs so little that a loop in one line alone takes far longer. All its
# weights are 1, so the first call shows that the numbers are right as well. Of the others the
# last is compared, and some by lot: to read 15,000 lists takes as long as to make them.
def longer(rng):
    yield ask(*qkv(rng, n_q=30, n_k=40, d_k=3, d_v=2))
    for left in reversed(range(71)):
        call = ask(*qkv(rng, n_q=15_000, n_k=1, d_k=1, d_v=1))
        yield replace(call, returns=()) if left and rng.random() < 0.9 else call


def wider(rng):
    drawn = (qkv(rng, n_q=1, n_k=8_000, d_k=1, d_v=1) for _ in range(190))
    return (ask(q, k, np.abs(v), causal=True) for q, k, v in drawn)  # nothing cancels


def keys_as_columns(call):
    q, k, v = call.args
    return replace(call, args=(q, np.ascontiguousarray(np.swapaxes(k, -1, -2)), v))


def mask_as_numbers(call):
    if "mask" not in call.kwargs:
        return call
    mask = np.where(call.kwargs["mask"], 0.0, -np.inf)
    return replace(call, kwargs=call.kwargs | {"mask": mask})


PROBES = (
    Probe("five queries, seven keys", "weights and context",
        lambda rng: [ask(*qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4))]),
    Probe("all sizes equal", "weights and context",
        lambda rng: [ask(*rng.standard_normal((3, 4, 4, 4)))], EVERY_AXIS_FITS),
    Probe("a single key gets the weight 1", "weights and context", one_key),
    Probe("arrays that lie in memory column by column", "weights and context", columns_first,
        "The numbers are the same; only their order in memory differs."),
    Probe("two calls with the same shapes", "weights and context", twice,
        "The second call has other numbers in it."),
    Probe("a batch of sequences", "batches",
        lambda rng: [ask(*qkv(rng, 2, n_q=5, n_k=7, d_k=3, d_v=4))]),
    Probe("sequences and heads: four axes", "batches",
        lambda rng: [ask(*qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4))]),
    Probe("four axes of equal length", "batches",
        lambda rng: [ask(*rng.standard_normal((3, 4, 4, 4, 4)))]),
    Probe("a mask for each pair", "mask", pairs),
    Probe("padding, as many queries as keys", "mask", padding,
        "Which axis of the mask belongs to the keys?"),
    Probe("masks that broadcast", "mask", broadcast),
    Probe("queries that see nothing get zeros", "mask", empty_rows,
        "What does your softmax make of a row that is -inf from end to end?"),
    Probe("causal, as many queries as keys", "causal",
        lambda rng: [ask(*qkv(rng, n_q=6, n_k=6, d_k=3, d_v=4), causal=True)]),
    Probe("causal, more keys than queries", "causal", more_keys,
        "The last query stands beside the last key."),
    Probe("causal, more queries than keys", "causal",
        lambda rng: [ask(*qkv(rng, n_q=7, n_k=5, d_k=3, d_v=4), causal=True)],
        "The last query stands beside the last key; the first ones see nothing."),
    Probe("causal, four axes", "causal",
        lambda rng: [ask(*qkv(rng, 2, 3, n_q=4, n_k=6, d_k=5, d_v=7), causal=True)]),
    Probe("causal together with a mask", "causal", both,
        "A key is seen only if both allow it."),
    Probe("scores in the thousands", "large scores", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("rows of scores far below zero", "large scores", far_below,
        "np.exp(-1000) is 0, and 0 / 0 is nan. Is the shift right for every row?"),
    Probe("a forbidden score far above the others", "large scores", large_forbidden,
        "May a key that is not seen decide how far the scores are shifted?"),
    Probe("many queries without a loop", "no loops", longer,
        "One product of matrices gives all scores at once.", large=True),
    Probe("many keys without a loop", "no loops", wider, large=True),
)  # fmt: skip

# Beside a mask, keys whose axes may be mixed up: what is done to one of them shows alone.
ISOLATING = (
    Probe(
        "all sizes equal, with a mask",
        "mask",
        lambda rng: [ask(*rng.standard_normal((3, 4, 4, 4)), random_mask(rng, 4, 4))],
    ),
)
