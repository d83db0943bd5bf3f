"""Scaled dot-product attention with a mask, causal or not, for any number of batch axes."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.bank._scaled_dot_masks import ABOUT_MASKS
from attention_course.exercises.bank._scaled_dot_numbers import ABOUT_NUMBERS
from attention_course.exercises.bank._scaled_dot_odd import ODD
from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Probe, Variant

# ---- calls ----------------------------------------------------------------------------------


def _ask(q, k, v, mask=None, **options):
    given = {} if mask is None else {"mask": mask}
    target = "scaled_dot_product_attention"
    return Call(target, (q, k, v), given | options, returns=("context", "weights"))


def _qkv(rng, *batch, n_q, n_k, d_k, d_v):
    """Draw queries, keys and values."""
    sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    return [rng.standard_normal((*batch, *size)) for size in sizes]


def _mask(rng, *shape):
    """Draw a mask in which every row has keys that may be seen and keys that may not."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = rng.random(shape[:-1]) < 0.5
    mask[..., 1] = ~mask[..., 0]
    return mask


def _plain(rng):
    return [_ask(*_qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4))]


def _equal_sizes(rng):
    return [_ask(*rng.standard_normal((3, 4, 4, 4)))]


def _one_key(rng):
    return [
        _ask(*_qkv(rng, n_q=5, n_k=1, d_k=3, d_v=2)),
        _ask(*_qkv(rng, n_q=1, n_k=6, d_k=2, d_v=1)),
    ]


def _three_axes(rng):
    return [_ask(*_qkv(rng, 2, n_q=5, n_k=7, d_k=3, d_v=4))]


def _four_axes(rng):
    return [_ask(*_qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4))]


def _cube(rng):
    return [_ask(*rng.standard_normal((3, 4, 4, 4, 4)))]


def _columns_first(rng):
    q, k, v = _qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4)
    return [_ask(*(np.asfortranarray(x) for x in (q, k, v)))]


def _twice(rng):
    sizes = {"n_q": 3, "n_k": 5, "d_k": 2, "d_v": 4}
    return [_ask(*_qkv(rng, **sizes)), _ask(*_qkv(rng, **sizes))]


def _pairs(rng):
    return [
        _ask(*_qkv(rng, n_q=5, n_k=7, d_k=3, d_v=4), _mask(rng, 5, 7)),
        _ask(*_qkv(rng, 2, n_q=3, n_k=6, d_k=4, d_v=5), _mask(rng, 2, 3, 6)),
    ]


def _padding(rng):
    sizes = {"n_q": 5, "n_k": 5, "d_k": 4, "d_v": 3}
    padded = np.arange(5) < np.array([[4], [2], [5]])[rng.permutation(3)]
    return [
        _ask(*_qkv(rng, 3, **sizes), padded[:, None]),
        _ask(*_qkv(rng, 3, 2, **sizes), padded[:, None, None]),
    ]


def _broadcast(rng):
    return [
        _ask(*_qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), _mask(rng, 7)),
        _ask(*_qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), _mask(rng, 5, 7)),
        _ask(*_qkv(rng, 2, 3, n_q=5, n_k=7, d_k=6, d_v=4), _mask(rng, 3, 1, 7)),
    ]


def _empty_rows(rng):
    mask = _mask(rng, 5, 6)
    mask[[1, 3]] = False
    queries = np.array([[True], [False], [True]])
    return [
        _ask(*_qkv(rng, n_q=5, n_k=6, d_k=3, d_v=4), mask),
        _ask(*_qkv(rng, 2, n_q=3, n_k=6, d_k=4, d_v=5), queries),
    ]


def _square(rng):
    return [_ask(*_qkv(rng, n_q=6, n_k=6, d_k=3, d_v=4), causal=True)]


def _more_keys(rng):
    return [
        _ask(*_qkv(rng, n_q=3, n_k=7, d_k=4, d_v=5), causal=True),
        _ask(*_qkv(rng, n_q=1, n_k=5, d_k=2, d_v=3), causal=True),
    ]


def _more_queries(rng):
    return [_ask(*_qkv(rng, n_q=7, n_k=5, d_k=3, d_v=4), causal=True)]


def _causal_batch(rng):
    return [_ask(*_qkv(rng, 2, 3, n_q=4, n_k=6, d_k=5, d_v=7), causal=True)]


def _both(rng):
    mask = _mask(rng, 2, 4, 6)
    mask[0, 0, :3] = False  # with the causal mask the first query of all sees nothing
    mask[1, 1, 5] = True  # and here the mask allows what is still to come
    padded = (np.arange(5) < np.array([[3], [5]]))[:, None]
    return [
        _ask(*_qkv(rng, 2, n_q=4, n_k=6, d_k=3, d_v=5), mask, causal=True),
        _ask(*_qkv(rng, 2, n_q=5, n_k=5, d_k=3, d_v=4), padded, causal=True),
    ]


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def _whole(rng, *size):
    return rng.integers(0, 3, size).astype(float)


def _large(rng):
    q, k = 1 + _whole(rng, 5, 4), 1000 + _whole(rng, 6, 4)
    k *= np.where(rng.permutation(6) < 3, 1.0, -1.0)[:, None]
    return [_ask(q, k, rng.standard_normal((6, 3)))]


def _far_below(rng):
    q, k = 1 + _whole(rng, 5, 4), 1000 + _whole(rng, 6, 4)
    q *= np.where(rng.permutation(5) < 2, 1.0, -1.0)[:, None]
    return [_ask(q, k, rng.standard_normal((6, 3)))]


def _large_forbidden(rng):
    q, k = 1 + _whole(rng, 5, 4), -1000 - _whole(rng, 6, 4)
    forbidden = rng.permutation(6) < 2
    k[forbidden] *= -1.0
    return [_ask(q, k, rng.standard_normal((6, 3)), ~forbidden)]


def _longer(rng):
    sizes = ((4, 3), (3000, 3))
    return [_ask(*_qkv(rng, n_q=a, n_k=b, d_k=2, d_v=1)) for a, b in sizes]


def _wider(rng):
    sizes = ((3, 4), (3, 3000))
    return [_ask(*_qkv(rng, n_q=a, n_k=b, d_k=2, d_v=1), causal=True) for a, b in sizes]


# ---- the same in other conventions ----------------------------------------------------------


def _other_mask(change):
    """Return an adapter that changes the mask of a call, if it has one."""

    def adapt(call):
        if "mask" not in call.kwargs:
            return call
        return replace(call, kwargs=call.kwargs | {"mask": change(call.kwargs["mask"])})

    return adapt


def _keys_as_columns(call):
    q, k, v = call.args
    return replace(call, args=(q, np.ascontiguousarray(np.swapaxes(k, -1, -2)), v))


TRUE_MEANS_MAY = "`mask` is boolean, and `True` means: may attend."
CONTEXT_FIRST = "Return two arrays, the context first."

VARIANTS = (
    Variant(
        "blocked",
        ((TRUE_MEANS_MAY, "`mask` is boolean, and `True` means: may NOT attend."),),
        wrap='''\
def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Do the same with a mask whose True means: may not attend."""
    if mask is None:
        return base(q, k, v, None, causal)
    may = ~mask
    result = base(q, k, v, may, causal)
    mask[...] = ~may  # unchanged, unless the answer wrote into its mask
    return result
''',
        adapt=_other_mask(np.logical_not),
        statement=(("is boolean, `True` where a key may be seen", "is boolean"),),
        said={
            "the mask is turned over": None,
            "the given mask is overwritten": (
                "the given mask is overwritten",
                "Whose array is that? `|` makes a new one, `|=` does not.",
            ),
        },
    ),
    Variant(
        "additive",
        (
            (
                TRUE_MEANS_MAY,
                "`mask` holds floats that are added to the scores: 0 means may attend, "
                "`-np.inf` may not.",
            ),
        ),
        wrap='''\
def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Do the same with a mask of 0 and -inf that is added to the scores."""
    if mask is None:
        return base(q, k, v, None, causal)
    may = mask == 0
    result = base(q, k, v, may, causal)
    mask[...] = np.where(may, 0.0, -np.inf)  # unchanged, unless the answer wrote into it
    return result
''',
        adapt=_other_mask(lambda mask: np.where(mask, 0.0, -np.inf)),
        statement=(("is boolean, `True` where a key may be seen", "is a float array"),),
        said={
            "the mask is added to the scores as 0 and 1": None,
            "the mask is turned over": (
                "the mask is read the other way round",
                "What does a 0 in the mask mean?",
            ),
            "the causal mask is turned over": (
                "the causal mask is turned over",
                "May a query see what is to come?",
            ),
            "the given mask is overwritten": (
                "the given mask is overwritten",
                "Whose array is that? `+` makes a new one, `+=` does not.",
            ),
        },
    ),
    Variant(
        "weights-first",
        ((CONTEXT_FIRST, "Return two arrays, the weights first."),),
        wrap='''\
def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Return the weights (..., n_q, n_k) and the context (..., n_q, d_v)."""
    context, weights = base(q, k, v, mask, causal)
    return weights, context
''',
        adapt=lambda call: replace(call, returns=("weights", "context")),
        statement=(
            (
                "the context, `(..., n_q, d_v)`, and the weights, `(..., n_q, n_k)`",
                "the weights, `(..., n_q, n_k)`, and the context, `(..., n_q, d_v)`",
            ),
        ),
        said={"the weights come first": None, "the weights are missing": None},
        stub=(
            (
                "the context (..., n_q, d_v) and the weights (..., n_q, n_k)",
                "the weights (..., n_q, n_k) and the context (..., n_q, d_v)",
            ),
        ),
    ),
    Variant(
        "keys-as-columns",
        (
            (
                "A score is the dot product of a query with a key",
                "Each column of `k` is a key. A score is the dot product of a query with a key",
            ),
        ),
        wrap='''\
def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Do the same with keys (..., d_k, n_k), one in each column."""
    return base(q, np.swapaxes(k, -1, -2), v, mask, causal)
''',
        adapt=_keys_as_columns,
        said=dict.fromkeys(
            (
                "the keys are reshaped instead of transposed",
                "all axes of the keys are reversed",
            )
        ),
        statement=(("`k` has `(..., n_k, d_k)`", "`k` has `(..., d_k, n_k)`"),),
    ),
)

# ---- the exercise ---------------------------------------------------------------------------

EXERCISE = Exercise(
    slug="scaled-dot-product-attention",
    title="Scaled dot-product attention, masked",
    chapter="transformer/masks-and-cross-attention",
    family="attention",
    target="scaled_dot_product_attention",
    minutes=30,
    statement=(
        "Write scaled dot-product attention for arrays with any number of batch axes in front, "
        "none included. `q` has shape `(..., n_q, d_k)`, `k` has `(..., n_k, d_k)`, `v` has "
        "`(..., n_k, d_v)`, with the same leading axes in all three. `mask`, if there is one, "
        "is boolean, `True` where a key may be seen, and broadcasts to `(..., n_q, n_k)`. "
        "`causal=True` hides what comes later as well. Return the context, "
        "`(..., n_q, d_v)`, and the weights, `(..., n_q, n_k)`."
    ),
    contract=(
        "A score is the dot product of a query with a key, divided by the square root of d_k.",
        TRUE_MEANS_MAY,
        "`mask` broadcasts as NumPy does: `(n_k,)`, `(batch, 1, n_k)` and `(n_q, 1)` "
        "are masks.",
        "With `causal=True` the last query stands beside the last key (bottom right), and a "
        "query sees its own key and those before. So with more keys than queries the first "
        "query sees several, and with more queries than keys the first queries see none.",
        "Given both, a key is seen only if both allow it.",
        "A query that sees nothing has weights and a context of zero; nothing is ever NaN.",
        "Scores may be in the thousands, of either sign; forbidden ones too.",
        "The weights are those after the softmax.",
        "Inputs and NumPy's settings stay as they are.",
        "No loop over queries or keys; one over the batch is allowed.",
        CONTEXT_FIRST,
    ),
    stub='''\
def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Return the context (..., n_q, d_v) and the weights (..., n_q, n_k)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    """Return the context (..., n_q, d_v) and the weights (..., n_q, n_k)."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    n_q, n_k = scores.shape[-2:]
    may = np.ones((n_q, n_k), dtype=bool)
    if mask is not None:
        may = may & mask
    if causal:
        may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    scores = np.where(may, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(top > -np.inf, top, 0.0))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total > 0, total, 1.0)
    context = weights @ v
    return context, weights
''',
    hints=(
        "Begin with two axes and no mask. Only then replace what speaks of the first or second "
        "axis by what speaks of the last ones.",
        "A mask acts on the scores, before the softmax. Which score gives a weight of zero?",
        "np.tri has an argument k that moves its diagonal. Which diagonal ends in the bottom "
        "right corner of an n_q by n_k table?",
        "In a row where everything is forbidden, both the largest score and the sum need care: "
        "replace each by a harmless number there before you subtract or divide.",
    ),
    points={
        "weights and context": 3,
        "batches": 2,
        "mask": 3,
        "causal": 3,
        "large scores": 2,
        "no loops": 2,
    },
    probes=(
        Probe("five queries, seven keys", "weights and context", _plain),
        Probe(
            "all sizes equal",
            "weights and context",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a single key gets the weight 1", "weights and context", _one_key),
        Probe(
            "arrays that lie in memory column by column",
            "weights and context",
            _columns_first,
            hint="The numbers are the same; only their order in memory differs.",
        ),
        Probe(
            "two calls with the same shapes",
            "weights and context",
            _twice,
            hint="The second call has other numbers in it.",
        ),
        Probe("a batch of sequences", "batches", _three_axes),
        Probe("sequences and heads: four axes", "batches", _four_axes),
        Probe("four axes of equal length", "batches", _cube),
        Probe("a mask for each pair", "mask", _pairs),
        Probe(
            "padding, as many queries as keys",
            "mask",
            _padding,
            hint="Which axis of the mask belongs to the keys?",
        ),
        Probe("masks that broadcast", "mask", _broadcast),
        Probe(
            "queries that see nothing get zeros",
            "mask",
            _empty_rows,
            hint="What does your softmax make of a row that is -inf from end to end?",
        ),
        Probe("causal, as many queries as keys", "causal", _square),
        Probe(
            "causal, more keys than queries",
            "causal",
            _more_keys,
            hint="The last query stands beside the last key.",
        ),
        Probe(
            "causal, more queries than keys",
            "causal",
            _more_queries,
            hint="The last query stands beside the last key; the first ones see nothing.",
        ),
        Probe("causal, four axes", "causal", _causal_batch),
        Probe(
            "causal together with a mask",
            "causal",
            _both,
            hint="A key is seen only if both allow it.",
        ),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
        Probe(
            "rows of scores far below zero",
            "large scores",
            _far_below,
            hint="np.exp(-1000) is 0, and 0 / 0 is nan. Is the shift right for every row?",
        ),
        Probe(
            "a forbidden score far above the others",
            "large scores",
            _large_forbidden,
            hint="May a key that is not seen decide how far the scores are shifted?",
        ),
        Probe(
            "many more queries, as few lines",
            "no loops",
            _longer,
            hint="One product of matrices gives all scores at once.",
            vectorised=True,
        ),
        Probe("many more keys, as few lines", "no loops", _wider, vectorised=True),
    ),
    wrong=ABOUT_NUMBERS + ABOUT_MASKS,
    odd=ODD,
    forbidden=("scaled_dot_product_attention",),
    variants=VARIANTS,
)
