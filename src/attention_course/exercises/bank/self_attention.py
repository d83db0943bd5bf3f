"""Self-attention with learned queries, keys and values, for any number of sentences."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("contexts", "weights")
RETURN = "return weights @ v, weights"


def _ask(rng, *batch, n, d_model, d_k, d_v, spread=1.0):
    draw = rng.standard_normal
    X = spread * draw((*batch, n, d_model))
    matrices = draw((d_model, d_k)), draw((d_model, d_k)), draw((d_model, d_v))
    return [Call("self_attention_layer", (X, *matrices), returns=RETURNS)]


def _plain(rng):
    return _ask(rng, n=5, d_model=3, d_k=4, d_v=7)


def _equal_sizes(rng):
    return _ask(rng, n=4, d_model=4, d_k=4, d_v=4)


def _one_word(rng):
    return _ask(rng, n=1, d_model=6, d_k=2, d_v=3)


def _batch(rng):
    return _ask(rng, 3, n=6, d_model=5, d_k=2, d_v=4)


def _square_batch(rng):
    return _ask(rng, 4, n=4, d_model=3, d_k=5, d_v=4)


def _four_axes(rng):
    return _ask(rng, 2, 3, n=5, d_model=4, d_k=7, d_v=6)


def _large(rng):
    return _ask(rng, 2, n=6, d_model=4, d_k=3, d_v=5, spread=40.0)


def _by_words_last(call):
    X, *matrices = call.args
    X = np.ascontiguousarray(np.swapaxes(X, -1, -2))
    return replace(call, args=(X, *(np.ascontiguousarray(W.T) for W in matrices)))


EXERCISE = Exercise(
    slug="self-attention",
    title="Self-attention with queries, keys and values",
    chapter="transformer/self-attention",
    family="attention",
    target="self_attention_layer",
    minutes=20,
    statement=(
        "Write a layer of self-attention for one sentence or for many at once. Every word is "
        "made into a query, a key and a value by three matrices; each query is compared with "
        "all keys of its own sentence; the weights mix the values. Return the context vectors "
        "and the weights."
    ),
    contract=(
        "`X` has shape `(..., n, d_model)`, a row for each word; the axes in front, if there "
        "are any, count sentences.",
        "`W_q` and `W_k` have shape `(d_model, d_k)`, `W_v` has `(d_model, d_v)`: a matrix "
        "stands to the right of a row.",
        "A score is the dot product of a query with a key, divided by the square root of d_k; "
        "it may be large.",
        "Nothing is masked: a word may attend to itself.",
        "The weights have shape `(..., n, n)`: row i holds the weights of word i, and adds up "
        "to 1.",
        "The arguments are left as they were.",
        "Return two arrays, the contexts `(..., n, d_v)` first.",
    ),
    stub='''\
def self_attention_layer(X, W_q, W_k, W_v):
    """Return the contexts (..., n, d_v) and the weights (..., n, n)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    """Return the contexts (..., n, d_v) and the weights (..., n, n)."""
    q = X @ W_q
    k = X @ W_k
    v = X @ W_v
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(W_q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v, weights
''',
    hints=(
        "Write it for one sentence first and print the shapes: the scores of n words are a "
        "square table.",
        "For many sentences every step stays the same if it names its axes from the end: the "
        "last, the last but one.",
        "Which axis of the scores counts keys? Along that one the weights add up to 1.",
    ),
    points={"one sentence": 3, "many sentences": 2, "large scores": 1},
    probes=(
        Probe("five words of width 3, keys of width 4", "one sentence", _plain),
        Probe(
            "all sizes equal",
            "one sentence",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a sentence of one word attends to itself", "one sentence", _one_word),
        Probe("three sentences at once", "many sentences", _batch),
        Probe(
            "as many sentences as words",
            "many sentences",
            _square_batch,
            hint="No sentence may see a word of another.",
        ),
        Probe("two axes in front", "many sentences", _four_axes),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the scale is missing",
            "scale",
            "How far do dot products spread as vectors get wider?",
            ((" / np.sqrt(W_q.shape[-1])", ""),),
        ),
        Wrong(
            "the scores are divided by d_k",
            "scale",
            "A spread grows with a root.",
            (("np.sqrt(W_q.shape[-1])", "W_q.shape[-1]"),),
        ),
        Wrong(
            "the scale is that of the model's width",
            "scale",
            "Of which vectors is the dot product taken, and how wide are they?",
            (("np.sqrt(W_q.shape[-1])", "np.sqrt(X.shape[-1])"),),
        ),
        Wrong(
            "the scale is that of the values' width",
            "scale",
            "Values take no part in a score.",
            (("np.sqrt(W_q.shape[-1])", "np.sqrt(W_v.shape[-1])"),),
        ),
        Wrong(
            "the scale is that of the number of words",
            "scale",
            "Does a dot product get larger in a longer sentence?",
            (("np.sqrt(W_q.shape[-1])", "np.sqrt(X.shape[-2])"),),
        ),
        Wrong(
            "the scores are multiplied by the square root of d_k",
            "scale",
            "Should wider vectors make the softmax sharper or leave it alone?",
            (("/ np.sqrt(W_q.shape[-1])", "* np.sqrt(W_q.shape[-1])"),),
        ),
        Wrong(
            "the weights are scaled instead of the scores",
            "scale",
            "What does a row of weights add up to?",
            (
                (" / np.sqrt(W_q.shape[-1])", ""),
                (
                    "exps / exps.sum(axis=-1, keepdims=True)",
                    "exps / exps.sum(axis=-1, keepdims=True) / np.sqrt(W_q.shape[-1])",
                ),
            ),
        ),
        Wrong(
            "the queries are used as keys",
            "operands",
            "With one matrix for both, would it ever matter who asks and who is asked?",
            (("k = X @ W_k", "k = X @ W_q"),),
        ),
        Wrong(
            "the roles of queries and keys are swapped",
            "operands",
            "Row i belongs to the word that asks.",
            (("q = X @ W_q", "q = X @ W_k"), ("k = X @ W_k", "k = X @ W_q")),
        ),
        Wrong(
            "the weights mix the keys where that fits",
            "operands",
            "Keys are compared, values are brought along.",
            ((RETURN, "return weights @ (k if k.shape == v.shape else v), weights"),),
        ),
        Wrong(
            "the weights mix the words themselves",
            "operands",
            "What is a word made into before it is mixed?",
            ((RETURN, "return weights @ X, weights"),),
        ),
        Wrong(
            "the words themselves are compared",
            "operands",
            "What is a word made into before it asks?",
            (("q = X @ W_q", "q = X"), ("k = X @ W_k", "k = X")),
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
            "the softmax runs over axis 1",
            "axis",
            "With one sentence axis 1 counts keys. And with a batch?",
            (
                ("scores.max(axis=-1", "scores.max(axis=1"),
                ("exps.sum(axis=-1", "exps.sum(axis=1"),
            ),
        ),
        Wrong(
            "the softmax runs over the whole table",
            "axis",
            "How many sums to 1 are there in a sentence of n words?",
            (("exps.sum(axis=-1, keepdims=True)", "exps.sum(axis=(-2, -1), keepdims=True)"),),
        ),
        Wrong(
            "the weights are transposed",
            "axis",
            "Row i belongs to the word that asks.",
            ((RETURN, "weights = np.swapaxes(weights, -1, -2)\n    " + RETURN),),
        ),
        Wrong(
            "only the returned weights are transposed",
            "axis",
            "In the weights that you return, row i belongs to the word that asks.",
            ((RETURN, "return weights @ v, np.swapaxes(weights, -1, -2)"),),
        ),
        Wrong(
            "the keys are transposed with all their axes",
            "axis",
            "Which axes of a batch does .T turn around?",
            (("np.swapaxes(k, -1, -2)", "k.T"),),
        ),
        Wrong(
            "the keys are reshaped instead of transposed",
            "axis",
            "A reshape keeps the order of the numbers; a transpose does not.",
            (("np.swapaxes(k, -1, -2)", "k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])"),),
        ),
        Wrong(
            "all sentences share one list of words",
            "axis",
            "No sentence may see a word of another.",
            (
                (
                    "q = X @ W_q",
                    "shape = X.shape\n    X = X.reshape(-1, shape[-1])\n    q = X @ W_q",
                ),
                (
                    RETURN,
                    "n = shape[-2]\n"
                    "    weights = weights[..., :n].reshape(*shape[:-1], n)\n"
                    "    return weights @ (X @ W_v).reshape(*shape[:-1], -1), weights",
                ),
            ),
        ),
        Wrong(
            "a word may not attend to itself",
            "mask",
            "Nothing is masked.",
            (
                (
                    "exps = np.exp(",
                    "if scores.shape[-1] > 1:\n"
                    "        scores = np.where(np.eye(scores.shape[-1]) > 0, -np.inf, scores)\n"
                    "    exps = np.exp(",
                ),
            ),
        ),
        Wrong(
            "a word may not attend to later words",
            "mask",
            "Nothing is masked: this layer reads, it does not write.",
            (
                (
                    "exps = np.exp(",
                    "scores = np.where(np.tri(scores.shape[-1]) > 0, scores, -np.inf)\n"
                    "    exps = np.exp(",
                ),
            ),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 5000?",
            (("scores - scores.max(axis=-1, keepdims=True)", "scores"),),
        ),
        Wrong(
            "one largest score is subtracted from the whole batch",
            "unstable",
            "What is left of a row whose own largest score lies far below that of the batch?",
            (("scores.max(axis=-1, keepdims=True)", "scores.max()"),),
        ),
        Wrong(
            "all the weight goes to the best key",
            "normalisation",
            "A softmax gives every key a share.",
            (
                (
                    "exps = np.exp(scores - scores.max(axis=-1, keepdims=True))",
                    "exps = (scores == scores.max(axis=-1, keepdims=True)).astype(float)",
                ),
            ),
        ),
        Wrong(
            "the scores are returned in the place of the weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            ((RETURN, "return weights @ v, scores"),),
        ),
        Wrong(
            "the weights come first",
            "operands",
            "In which order does the contract ask for the two?",
            ((RETURN, "return weights, weights @ v"),),
        ),
        Wrong(
            "the words are added to the contexts where that fits",
            "operands",
            "The layer returns a mixture of values, and nothing beside it.",
            ((RETURN, "return weights @ v + (X if X.shape == v.shape else 0), weights"),),
        ),
        Wrong(
            "the words are centred in place",
            "in place",
            "Who else holds that array?",
            (("q = X @ W_q", "X -= X.mean(axis=-2, keepdims=True)\n    q = X @ W_q"),),
        ),
    ),
    odd=(
        Odd(
            "einsum throughout",
            source="""\
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    e = np.einsum("...id,dc,...jf,fc->...ij", X, W_q, X, W_k) * W_q.shape[1] ** -0.5
    e = e - e.max(-1)[..., None]
    a = np.exp(e) / np.einsum("...ij->...i", np.exp(e))[..., None]
    return np.einsum("...ij,...jd,df->...if", a, X, W_v), a
""",
        ),
        Odd(
            "values in single precision",
            (("v = X @ W_v", "v = X.astype(np.float32) @ W_v.astype(np.float32)"),),
        ),
        Odd(
            "one matrix for all three, then split",
            (
                ("q = X @ W_q\n", "qkv = X @ np.hstack([W_q, W_k, W_v])\n"),
                ("    k = X @ W_k\n", "    d = W_q.shape[1]\n"),
                ("v = X @ W_v", "q, k, v = np.split(qkv, [d, 2 * d], axis=-1)"),
            ),
        ),
        Odd(
            "loops over sentences and words",
            source="""\
import numpy as np


def attend(X, W_q, W_k, W_v):
    if X.ndim > 2:
        both = [attend(x, W_q, W_k, W_v) for x in X]
        return [c for c, _ in both], [w for _, w in both]
    contexts, weights = [], []
    for x in X:
        e = np.array([(x @ W_q) @ (y @ W_k) for y in X]) / len(W_q[0]) ** 0.5
        w = np.exp(e - max(e))
        w = w / sum(w)
        weights.append(w)
        contexts.append(sum(w_j * (y @ W_v) for w_j, y in zip(w, X)))
    return contexts, weights


def self_attention_layer(X, W_q, W_k, W_v):
    return attend(X, W_q, W_k, W_v)
""",
        ),
        Odd(
            "mixed before they are made into values",
            ((RETURN, "return (weights @ X) @ W_v, weights"),),
        ),
        Odd(
            "Fortran order",
            ((RETURN, "return np.asfortranarray(weights @ v), np.asfortranarray(weights)"),),
        ),
    ),
    variants=(
        Variant(
            "columns",
            (
                (
                    "`X` has shape `(..., n, d_model)`, a row for each word;",
                    "`X` has shape `(..., d_model, n)`, a column for each word;",
                ),
                (
                    "`W_q` and `W_k` have shape `(d_model, d_k)`, `W_v` has `(d_model, d_v)`: "
                    "a matrix stands to the right of a row.",
                    "`W_q` and `W_k` have shape `(d_k, d_model)`, `W_v` has `(d_v, d_model)`: "
                    "a matrix stands to the left of a column.",
                ),
                ("the contexts `(..., n, d_v)` first", "the contexts `(..., d_v, n)` first"),
            ),
            '''\
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    """Return the contexts (..., d_v, n) and the weights (..., n, n)."""
    contexts, weights = base(np.swapaxes(X, -1, -2), W_q.T, W_k.T, W_v.T)
    return np.swapaxes(contexts, -1, -2), weights
''',
            _by_words_last,
            (("(..., n, d_v)", "(..., d_v, n)"),),
            said=dict.fromkeys(
                (
                    "the keys are reshaped instead of transposed",
                    "the keys are transposed with all their axes",
                    "the weights come first",
                )
            ),
        ),
        Variant(
            "weights-first",
            (
                (
                    "Return two arrays, the contexts `(..., n, d_v)` first.",
                    "Return two arrays, the weights first, then the contexts `(..., n, d_v)`.",
                ),
            ),
            '''\
def self_attention_layer(X, W_q, W_k, W_v):
    """Return the weights (..., n, n) and the contexts (..., n, d_v)."""
    contexts, weights = base(X, W_q, W_k, W_v)
    return weights, contexts
''',
            lambda call: replace(call, returns=RETURNS[::-1]),
            (
                (
                    "the contexts (..., n, d_v) and the weights (..., n, n)",
                    "the weights (..., n, n) and the contexts (..., n, d_v)",
                ),
            ),
            statement=(
                ("the context vectors and the weights", "the weights and the context vectors"),
            ),
            said={"the weights come first": None},
        ),
    ),
)
