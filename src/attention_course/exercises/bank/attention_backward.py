"""The gradient of scaled dot-product attention by hand."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("gradient of q", "gradient of k", "gradient of v")
MEAN = "(dw * weights).sum(axis=-1, keepdims=True)"
DS = "weights * (dw - (dw * weights).sum(axis=-1, keepdims=True))"


def _draw(rng, *batch, n_queries, n_keys, d_k, d_v):
    draw = rng.standard_normal
    q, k = draw((*batch, n_queries, d_k)), draw((*batch, n_keys, d_k))
    return q, k, draw((*batch, n_keys, d_v)), draw((*batch, n_queries, d_v))


def _ask(*args):
    return [Call("attention_backward", args, returns=RETURNS)]


def _plain(rng):
    return _ask(*_draw(rng, n_queries=6, n_keys=5, d_k=3, d_v=7))


def _equal_sizes(rng):
    return _ask(*_draw(rng, n_queries=4, n_keys=4, d_k=4, d_v=4))


def _batch(rng):
    return _ask(*_draw(rng, 2, 3, n_queries=4, n_keys=6, d_k=5, d_v=7))


def _square_batch(rng):
    return _ask(*_draw(rng, 3, n_queries=3, n_keys=3, d_k=2, d_v=5))


def _equal_values(rng):
    q, k, v, g = _draw(rng, n_queries=7, n_keys=4, d_k=3, d_v=5)
    return _ask(q, k, np.ones((4, 1)) * v[:1], g)


def _zero_queries(rng):
    q, k, v, g = _draw(rng, n_queries=5, n_keys=7, d_k=3, d_v=2)
    return _ask(0 * q, k, v, g)


def _zero_keys(rng):
    q, k, v, g = _draw(rng, n_queries=3, n_keys=6, d_k=7, d_v=4)
    return _ask(q, 0 * k, v, g)


def _large(rng):
    q, k, v, g = _draw(rng, n_queries=6, n_keys=4, d_k=5, d_v=3)
    k[1:3] = k[0]  # three keys that tie, so that not all gradients vanish
    return _ask(60 * q, 60 * k, v, g)


EXERCISE = Exercise(
    slug="attention-backward",
    title="The backward pass of attention by hand",
    chapter="transformer/scaling",
    family="backward",
    target="attention_backward",
    minutes=35,
    statement=(
        "Write the backward pass of scaled dot-product attention, "
        "$C = \\operatorname{softmax}(Q K^\\top / \\sqrt{d_k})\\, V$, without automatic "
        "differentiation. `q` has shape `(..., n_queries, d_k)`, `k` has "
        "`(..., n_keys, d_k)`, `v` has `(..., n_keys, d_v)`. `g` is the gradient of a loss "
        "with respect to the context, $\\partial L / \\partial C$, of shape `(..., n_queries, "
        "d_v)`. Return the gradients of the loss with respect to `q`, `k` and `v`, each of the "
        "shape of what it belongs to."
    ),
    contract=(
        "Only `q`, `k`, `v` and `g` are given: compute the weights again.",
        "There is no mask.",
        "The axes in front, if there are any, count sentences; the same ones stand before all "
        "four arrays.",
        "Scores may be large.",
        "The arguments are left as they were.",
        "Return three arrays: the gradients of q, of k, of v.",
    ),
    stub='''\
def attention_backward(q, k, v, g):
    """Return the gradients of q, k and v, given the gradient g of the context."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def transposed(x):
    return np.swapaxes(x, -1, -2)


def attention_backward(q, k, v, g):
    """Return the gradients of q, k and v, given the gradient g of the context."""
    scale = q.shape[-1] ** -0.5
    scores = scale * q @ transposed(k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    dv = transposed(weights) @ g
    dw = g @ transposed(v)
    ds = weights * (dw - (dw * weights).sum(axis=-1, keepdims=True))
    dq = scale * ds @ k
    dk = scale * transposed(ds) @ q
    return dq, dk, dv
''',
    hints=(
        "Go through the forward pass from its end: product with the values, softmax, scale, "
        "product of queries and keys. Each step backwards needs only the gradient of the step "
        "after it.",
        "If C = A B, a gradient G of C gives the gradients G B^T of A and A^T G of B. "
        "Attention has two such products.",
        "The softmax's Jacobian has a diagonal part and a part in which all weights of a row "
        "meet. The second takes one number for each query from all its keys.",
        "Test yourself: move one number of q by 1e-5 up and down, and compare the change of "
        "(C * g).sum() with your gradient.",
    ),
    points={"values": 2, "queries": 2, "keys": 2, "all three": 3, "large scores": 1},
    probes=(
        Probe("six queries, five keys, widths 3 and 7", "all three", _plain),
        Probe(
            "all sizes equal",
            "all three",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("two axes in front", "all three", _batch),
        Probe(
            "as many sentences as words",
            "all three",
            _square_batch,
            hint="No sentence may see a word of another.",
        ),
        Probe(
            "all values alike: only v has a gradient",
            "values",
            _equal_values,
            hint="If all values are the same, it does not matter where the weights lie.",
        ),
        Probe(
            "all queries zero: k has no gradient",
            "queries",
            _zero_queries,
            hint="The weights are all equal here, so only their slope is at stake.",
        ),
        Probe(
            "all keys zero: q has no gradient",
            "keys",
            _zero_keys,
            hint="The weights are all equal here, so only their slope is at stake.",
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
            "of the softmax's Jacobian only the diagonal is used",
            "softmax",
            "Does a weight change if the score of another key does?",
            ((DS, "weights * (1 - weights) * dw"),),
        ),
        Wrong(
            "the softmax is left out on the way back",
            "softmax",
            "Between the gradient of the weights and that of the scores lies a Jacobian.",
            ((DS, "dw"),),
        ),
        Wrong(
            "the common part of the softmax's slope is not taken away",
            "softmax",
            "Shift all scores of a row by the same number: what happens to the weights, and "
            "what must the gradients of that row add up to?",
            ((DS, "weights * dw"),),
        ),
        Wrong(
            "the plain mean is taken away instead of the weighted one",
            "softmax",
            "How much does each key count in the common part?",
            ((MEAN, "dw.mean(axis=-1, keepdims=True)"),),
        ),
        Wrong(
            "the weighted sum runs over the queries",
            "axis",
            "A softmax couples the keys of one query, never two queries.",
            ((MEAN, "(dw * weights).sum(axis=-2, keepdims=True)"),),
        ),
        Wrong(
            "the weighted sum runs over the whole table",
            "axis",
            "A softmax couples the keys of one query, never two queries.",
            ((MEAN, "(dw * weights).sum(axis=(-1, -2), keepdims=True)"),),
        ),
        Wrong(
            "the factor with the weights is forgotten",
            "softmax",
            "Can the score of a key with weight 0 matter?",
            (("ds = weights * (dw", "ds = (dw"),),
        ),
        Wrong(
            "the weights stand twice",
            "softmax",
            "Compare your Jacobian with diag(a) - a a^T for two keys.",
            (("ds = weights * (dw", "ds = weights**2 * (dw"),),
        ),
        Wrong(
            "the scores' gradient has the wrong sign",
            "softmax",
            "Say g points along the value of one key. Does the loss grow or fall as that key's "
            "score grows?",
            (
                (
                    "(dw - (dw * weights).sum(axis=-1, keepdims=True))",
                    "((dw * weights).sum(axis=-1, keepdims=True) - dw)",
                ),
            ),
        ),
        Wrong(
            "the scale is forgotten in the gradient of q",
            "scale",
            "The forward pass multiplies by it once; the chain rule does so again.",
            (("scale * ds @ k", "ds @ k"),),
        ),
        Wrong(
            "the scale is forgotten in the gradient of k",
            "scale",
            "The forward pass multiplies by it once; the chain rule does so again.",
            (("scale * transposed(ds) @ q", "transposed(ds) @ q"),),
        ),
        Wrong(
            "the scale is forgotten on the way back",
            "scale",
            "The forward pass multiplies by it once; the chain rule does so again.",
            (
                ("scale * ds @ k", "ds @ k"),
                ("scale * transposed(ds) @ q", "transposed(ds) @ q"),
            ),
        ),
        Wrong(
            "the scale stands twice on the way back",
            "scale",
            "One factor in the forward pass gives one factor on the way back.",
            (("ds = weights", "ds = scale * weights"),),
        ),
        Wrong(
            "the scale is missing in the scores",
            "scale",
            "Which scores did the forward pass have?",
            (("scores = scale * q", "scores = q"),),
        ),
        Wrong(
            "there is no scale at all",
            "scale",
            "Which scores did the forward pass have?",
            (("q.shape[-1] ** -0.5", "1.0"),),
        ),
        Wrong(
            "the scale is that of the values' width",
            "scale",
            "Of which vectors is the dot product taken?",
            (("q.shape[-1] ** -0.5", "v.shape[-1] ** -0.5"),),
        ),
        Wrong(
            "the scale is 1/d_k",
            "scale",
            "A spread grows with a root.",
            (("q.shape[-1] ** -0.5", "1 / q.shape[-1]"),),
        ),
        Wrong(
            "the gradient of v is scaled",
            "scale",
            "Do the values ever meet the factor?",
            (("dv = transposed(weights) @ g", "dv = scale * transposed(weights) @ g"),),
        ),
        Wrong(
            "the weights are not transposed for v where that fits",
            "transpose",
            "Sum over the queries that looked at a value, not over the keys of one query.",
            (
                (
                    "dv = transposed(weights) @ g",
                    "dv = (weights if g.shape == v.shape else transposed(weights)) @ g",
                ),
            ),
        ),
        Wrong(
            "the scores' gradient is not transposed for k where that fits",
            "transpose",
            "Sum over the queries that were compared with a key.",
            (
                (
                    "scale * transposed(ds) @ q",
                    "scale * (ds if q.shape == k.shape else transposed(ds)) @ q",
                ),
            ),
        ),
        Wrong(
            "the scores' gradient is transposed for q where that fits",
            "transpose",
            "Sum over the keys that a query was compared with.",
            (("scale * ds @ k", "scale * (transposed(ds) if q.shape == k.shape else ds) @ k"),),
        ),
        Wrong(
            "the gradient of k is mixed from the keys where that fits",
            "operands",
            "The derivative of q k by k is the other factor.",
            (
                (
                    "scale * transposed(ds) @ q",
                    "scale * transposed(ds) @ (k if q.shape == k.shape else q)",
                ),
            ),
        ),
        Wrong(
            "the weights' gradient is made with the keys where that fits",
            "operands",
            "With what were the weights multiplied in the forward pass?",
            (("g @ transposed(v)", "g @ transposed(k if k.shape == v.shape else v)"),),
        ),
        Wrong(
            "the gradient of v is the gradient of the context, summed",
            "operands",
            "A value gets its share of the gradient by its weight.",
            (
                (
                    "dv = transposed(weights) @ g",
                    "dv = np.ones_like(v) * g.sum(axis=-2, keepdims=True)",
                ),
            ),
        ),
        Wrong(
            "the gradient of v is made with the scores' gradient",
            "operands",
            "The values meet the weights themselves, after the softmax.",
            (
                ("dv = transposed(weights) @ g", "dv = 0 * v"),
                ("    dq = scale", "    dv = transposed(ds) @ g\n    dq = scale"),
            ),
        ),
        Wrong(
            "the weights are taken for constants",
            "operands",
            "The loss reaches q and k through the weights alone.",
            ((DS, "0 * weights"),),
        ),
        Wrong(
            "g is ignored, as if the loss were the sum of the context",
            "operands",
            "What if the loss does not depend on some of the context's numbers?",
            (("scale = q", "g = np.ones_like(g)\n    scale = q"),),
        ),
        Wrong(
            "all axes of a batch are turned round",
            "axis",
            "Which axes of a batch does .T turn around?",
            (("np.swapaxes(x, -1, -2)", "x.T"),),
        ),
        Wrong(
            "the softmax runs over the queries",
            "axis",
            "Does every row of your weights add up to 1, or every column?",
            (
                ("scores.max(axis=-1", "scores.max(axis=-2"),
                ("exps.sum(axis=-1", "exps.sum(axis=-2"),
            ),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 5000?",
            (("scores - scores.max(axis=-1, keepdims=True)", "scores"),),
        ),
        Wrong(
            "the gradients come in the order v, k, q",
            "operands",
            "In which order does the contract ask for the three?",
            (("return dq, dk, dv", "return dv, dk, dq"),),
        ),
        Wrong(
            "the context's gradient is overwritten",
            "in place",
            "Who else holds that array?",
            (("    dw = g @ transposed(v)", "    dw = g @ transposed(v)\n    g *= scale"),),
        ),
    ),
    odd=(
        Odd(
            "the row sums from the context",
            (
                (MEAN, "(g * (weights @ v)).sum(axis=-1, keepdims=True)"),
                ("    return dq, dk, dv", "    return [dq, dk, dv]"),
            ),
        ),
        Odd(
            "the whole Jacobian, row by row",
            source="""\
import numpy as np


def backward(q, k, v, g):
    if q.ndim > 2:
        each = [backward(*four) for four in zip(q, k, v, g)]
        return tuple(np.stack(part) for part in zip(*each))
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    d = q.shape[1]
    for i in range(len(q)):
        e = k @ q[i] / np.sqrt(d)
        a = np.exp(e - e.max())
        a /= a.sum()
        J = np.diag(a) - np.outer(a, a)
        de = J @ (v @ g[i])
        for j in range(len(k)):
            dq[i] += de[j] * k[j] / np.sqrt(d)
            dk[j] += de[j] * q[i] / np.sqrt(d)
            dv[j] += a[j] * g[i]
    return dq, dk, dv


def attention_backward(q, k, v, g):
    return backward(q, k, v, g)
""",
        ),
        Odd(
            "einsum throughout",
            (
                ("transposed(weights) @ g", 'np.einsum("...ij,...id->...jd", weights, g)'),
                ("g @ transposed(v)", 'np.einsum("...id,...jd->...ij", g, v)'),
                ("scale * ds @ k", 'scale * np.einsum("...ij,...jc->...ic", ds, k)'),
                (
                    "scale * transposed(ds) @ q",
                    'scale * np.einsum("...ij,...ic->...jc", ds, q)',
                ),
            ),
        ),
        Odd(
            "values in single precision",
            (("transposed(weights) @ g", "transposed(weights.astype(np.float32)) @ g"),),
        ),
        Odd(
            "scaled queries kept for later",
            (
                ("scores = scale * q", "q = scale * q\n    scores = q"),
                ("scale * transposed(ds) @ q", "transposed(ds) @ q"),
            ),
        ),
    ),
    variants=(
        Variant(
            "values-first",
            (
                (
                    "Return three arrays: the gradients of q, of k, of v.",
                    "Return three arrays in the order in which the chain rule reaches them: "
                    "the gradients of v, of q, of k.",
                ),
            ),
            '''\
def attention_backward(q, k, v, g):
    """Return the gradients of v, q and k, given the gradient g of the context."""
    dq, dk, dv = base(q, k, v, g)
    return dv, dq, dk
''',
            lambda call: replace(call, returns=(RETURNS[2], *RETURNS[:2])),
            (("the gradients of q, k and v", "the gradients of v, q and k"),),
            statement=(("to `q`, `k` and `v`", "to `v`, `q` and `k`"),),
            said={
                "the gradients come in the order v, k, q": (
                    "the gradients come in the order q, v, k",
                    "In which order does the contract ask for the three?",
                ),
            },
        ),
    ),
)
