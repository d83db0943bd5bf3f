"""Additive attention over a padded batch: one query a sentence, padding weighs nothing."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("context", "weights")


def _ask(s, h, W_a, U_a, v_a, mask):
    return Call("additive_attention", (s, h, W_a, U_a, v_a, mask), returns=RETURNS)


def _drawn(rng, batch, n_x, d_s, d_h, d_a):
    draw = rng.standard_normal
    return (
        draw((batch, d_s)),
        draw((batch, n_x, d_h)),
        draw((d_a, d_s)),
        draw((d_a, d_h)),
        draw(d_a),
    )


def _whole(batch, n_x):
    return np.ones((batch, n_x), dtype=bool)


def _up_to(lengths, n_x):
    return np.arange(n_x) < np.array(lengths)[:, None]


def _no_padding(rng):
    return [_ask(*_drawn(rng, 2, 5, 3, 4, 6), _whole(2, 5))]


def _one_sentence(rng):
    return [_ask(*_drawn(rng, 1, 4, 5, 6, 3), _whole(1, 4))]


def _one_word(rng):
    return [_ask(*_drawn(rng, 3, 1, 2, 5, 4), _whole(3, 1))]


def _equal_sizes(rng):
    return [_ask(*_drawn(rng, 4, 4, 4, 4, 4), _whole(4, 4))]


def _padded(rng):
    s, h, *arrays = _drawn(rng, 3, 6, 4, 2, 5)
    mask = _up_to([6, 2, 4], 6)
    return [_ask(s, np.where(mask[..., None], h, 50 * h), *arrays, mask)]


def _padded_square(rng):
    return [_ask(*_drawn(rng, 4, 4, 3, 5, 2), _up_to([4, 1, 2, 3], 4))]


def _holes(rng):
    mask = np.array([[False, True, False, True, True], [True, False, True, True, False]])
    return [_ask(*_drawn(rng, 2, 5, 3, 4, 6), mask)]


def _nobody(rng):
    return [_ask(*_drawn(rng, 3, 5, 4, 2, 6), _up_to([3, 0, 5], 5))]


def _steep(rng, levels, s):
    """Scores that rise with the level of a word, in steps so wide that one word takes all."""
    levels = np.asarray(levels)
    d_s, d_h, d_a = s.shape[1], 2, 6
    h = np.repeat(levels[..., None], d_h, axis=-1)
    W_a, U_a = 0.5 + rng.random((d_a, d_s)), 0.5 + rng.random((d_a, d_h))
    return s, h, W_a, U_a, 600 * (0.5 + rng.random(d_a))


def _large(rng):
    levels = [rng.permutation(np.linspace(-0.4, 0.4, 5)) for _ in range(2)]
    s = np.array([[0.3, 0.3, 0.3], [-0.3, -0.3, -0.3]])
    return [_ask(*_steep(rng, levels, s), _whole(2, 5))]


def _large_padding(rng):
    levels = [rng.permutation(4) / 5 - 0.7 for _ in range(3)]
    mask = _up_to([4, 2, 3], 4)
    levels = np.where(mask, levels, 0.9)
    return [_ask(*_steep(rng, levels, rng.normal(0, 0.1, (3, 5))), mask)]


PAIRS = "np.tanh(queries[:, None] + keys)"
MASKED = "np.where(mask, scores, -np.inf)"
SHIFT = "np.where(np.isneginf(top), 0, top)"
NORMALISED = "exps / np.where(total == 0, 1, total)"
MIXED = 'np.einsum("bj,bjd->bd", weights, h)'

EXERCISE = Exercise(
    slug="additive-attention",
    title="Additive attention over a padded batch",
    chapter="recurrent/bahdanau",
    family="recurrent",
    target="additive_attention",
    minutes=25,
    statement=(
        "Write Bahdanau's attention for a batch of sentences, one query a sentence. The "
        "queries `s` have shape `(batch, d_s)`, the annotations `h` have `(batch, n_x, d_h)` "
        "and are keys and values at once. `W_a`, `U_a` and `v_a` are what the alignment model "
        "has learned. `mask`, `(batch, n_x)`, tells words from padding. Return the contexts, "
        "`(batch, d_h)`, and the weights, `(batch, n_x)`."
    ),
    contract=(
        r"The score of word $j$ is $e_j = \mathbf{v}_a^\top \tanh(W_a \mathbf{s} + "
        r"U_a \mathbf{h}_j)$; there is no bias, and nothing divides it.",
        "`W_a` has shape `(d_a, d_s)`, `U_a` has `(d_a, d_h)`, `v_a` has `(d_a,)`.",
        "In `mask`, True is a word that may be attended to and False is padding.",
        "Each sentence has a softmax of its own, over its words; padding gets a weight of "
        "exactly 0, whatever numbers stand there.",
        "A sentence without any word gets weights of 0 and a context of 0.",
        "Scores may be in the thousands.",
        "The arguments are left as they were.",
        "Return two arrays, the context first.",
    ),
    stub='''\
def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the contexts (batch, d_h) and the weights (batch, n_x); mask: True = a word."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the contexts (batch, d_h) and the weights (batch, n_x); mask: True = a word."""
    queries, keys = s @ W_a.T, h @ U_a.T
    scores = np.tanh(queries[:, None] + keys) @ v_a
    scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=1, keepdims=True)
    weights = exps / np.where(total == 0, 1, total)
    context = np.einsum("bj,bjd->bd", weights, h)
    return context, weights
''',
    hints=(
        "Print shapes first. The queries become (batch, d_a), the keys (batch, n_x, d_a). "
        "Which axis is missing for the two to be added?",
        "The hidden layer has shape (batch, n_x, d_a). The product with v_a takes its last "
        "axis away, and what is left is one score a word.",
        "What may a score be replaced by, so that its exponential is exactly 0?",
        "For a sentence of padding alone the largest score is minus infinity, and the sum of "
        "the exponentials 0. Neither may be used as it is.",
    ),
    points={"scores and context": 3, "padding": 3, "large scores": 2},
    probes=(
        Probe("two sentences of five words", "scores and context", _no_padding),
        Probe("a batch of one sentence", "scores and context", _one_sentence),
        Probe("sentences of a single word", "scores and context", _one_word),
        Probe(
            "all five sizes equal",
            "scores and context",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "padding behind the words, with large numbers in it",
            "padding",
            _padded,
            hint="What stands in the padding must not matter.",
        ),
        Probe("as many sentences as words", "padding", _padded_square),
        Probe("words left out in the middle", "padding", _holes),
        Probe(
            "a sentence of nothing but padding",
            "padding",
            _nobody,
            hint="There is nobody to attend to: see the contract.",
        ),
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
            "the tanh is left out",
            "score",
            "Without it the query adds the same to every word's score, and cancels.",
            ((PAIRS, "(queries[:, None] + keys)"),),
        ),
        Wrong(
            "the tanh is taken of the score",
            "score",
            "The tanh is the hidden layer's; the read-out by v_a comes after it.",
            ((f"{PAIRS} @ v_a", "np.tanh((queries[:, None] + keys) @ v_a)"),),
        ),
        Wrong(
            "query and key are multiplied instead of added",
            "score",
            "The score's other name says what happens to the two.",
            ((PAIRS, "np.tanh(queries[:, None] * keys)"),),
        ),
        Wrong(
            "query and key go through a tanh each, and are added then",
            "score",
            "Try two queries on the same sentence: apart, a query cannot change which word "
            "wins.",
            ((PAIRS, "(np.tanh(queries)[:, None] + np.tanh(keys))"),),
        ),
        Wrong(
            "the scores are divided by the square root of d_a",
            "scale",
            "That factor belongs to another score.",
            ((f"{PAIRS} @ v_a", f"{PAIRS} @ v_a / np.sqrt(len(v_a))"),),
        ),
        Wrong(
            "the queries are added along the batch instead of the sentence",
            "axis",
            "Which axis of the keys counts words, and which sentences?",
            (("queries[:, None]", "queries"),),
        ),
        Wrong(
            "U_a is reshaped where it should be transposed",
            "axis",
            "Both give a shape that fits; a reshape tears the rows apart.",
            (("h @ U_a.T", "h @ U_a.reshape(-1, len(U_a))"),),
        ),
        Wrong(
            "W_a and U_a change places",
            "operands",
            "Which of the two is as wide as an annotation?",
            (("s @ W_a.T, h @ U_a.T", "s @ U_a.T, h @ W_a.T"),),
        ),
        Wrong(
            "the softmax runs over the batch",
            "axis",
            "Along which axis do the weights have to add up to 1?",
            (
                ("scores.max(axis=1, keepdims=True)", "scores.max(axis=0, keepdims=True)"),
                ("exps.sum(axis=1, keepdims=True)", "exps.sum(axis=0, keepdims=True)"),
            ),
        ),
        Wrong(
            "one softmax is taken over the whole batch",
            "axis",
            "Along which axis do the weights have to add up to 1?",
            (("exps.sum(axis=1, keepdims=True)", "exps.sum()"),),
        ),
        Wrong(
            "padding is attended to",
            "mask",
            "What does your function do with its last argument?",
            ((MASKED, "scores + 0"),),
        ),
        Wrong(
            "the mask is read the other way round",
            "mask",
            "What does True mean here? The contract says it.",
            ((MASKED, "np.where(mask, -np.inf, scores)"),),
        ),
        Wrong(
            "the weights are masked after the softmax",
            "mask",
            "What do the weights of a padded sentence add up to then?",
            ((MASKED, "scores + 0"), (NORMALISED, "exps / total * mask")),
        ),
        Wrong(
            "padding is given the score 0",
            "mask",
            "The exponential of 0 is not 0.",
            ((MASKED, "np.where(mask, scores, 0.0)"),),
        ),
        Wrong(
            "the mask is added to the scores as 0 and 1",
            "mask",
            "A weight must be exactly 0, not just smaller.",
            ((MASKED, "scores + mask"),),
        ),
        Wrong(
            "padding gets a large negative number for a score",
            "mask",
            "Look at a sentence in which every score is that number.",
            ((MASKED, "np.where(mask, scores, -1e9)"),),
        ),
        Wrong(
            "only the keys are set to 0 in the padding",
            "mask",
            "An annotation of zeros still has a score.",
            ((MASKED, "scores + 0"), ("h @ U_a.T", "(h * mask[..., None]) @ U_a.T")),
        ),
        Wrong(
            "the first sentence's mask is used for all",
            "mask",
            "Sentences of a batch have different lengths.",
            ((MASKED, "np.where(mask[:1], scores, -np.inf)"),),
        ),
        Wrong(
            "the mask is laid along the batch where that fits",
            "mask",
            "Print both shapes for a batch that is not square.",
            (
                (
                    MASKED,
                    "np.where(mask.T if len(mask) == len(mask.T) else mask, scores, -np.inf)",
                ),
            ),
        ),
        Wrong(
            "a sentence of padding gives nan",
            "masked row",
            "What is minus infinity minus minus infinity?",
            ((SHIFT, "top"),),
        ),
        Wrong(
            "the largest score is not taken away",
            "unstable",
            "What is the exponential of 2000?",
            ((f"scores - {SHIFT}", "scores"),),
        ),
        Wrong(
            "the largest score is taken over the whole batch",
            "unstable",
            "In a sentence with lower scores all exponentials then round to 0.",
            (("scores.max(axis=1, keepdims=True)", "scores.max(keepdims=True)"),),
        ),
        Wrong(
            "the largest score is taken over the padding too",
            "unstable",
            "If padding holds the largest, what is left of the words?",
            (
                (f"scores = {MASKED}\n    top", "top"),
                (f"scores - {SHIFT}", f"{MASKED} - top"),
            ),
        ),
        Wrong(
            "a sigmoid stands in the place of the softmax",
            "normalisation",
            "Weights of one sentence share out a whole.",
            ((NORMALISED, "1 / (1 + np.exp(-scores))"),),
        ),
        Wrong(
            "the context is summed from the keys",
            "operands",
            "What is mixed is what was read, not what it was compared by.",
            ((MIXED, 'np.einsum("bj,bjd->bd", weights, keys)'),),
        ),
        Wrong(
            "the context is divided by the number of words",
            "normalisation",
            "The weights add up to 1 already.",
            ((MIXED, f"{MIXED} / h.shape[1]"),),
        ),
        Wrong(
            "the scores are returned in the place of the weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("return context, weights", "return context, scores"),),
        ),
        Wrong(
            "the two results are in the wrong order",
            "operands",
            "In which order does the contract ask for the two?",
            (("return context, weights", "return weights, context"),),
        ),
        Wrong(
            "padding is set to 0 in the caller's own array",
            "in place",
            "Who else holds that array?",
            (("    queries, keys", "    h *= mask[..., None]\n    queries, keys"),),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    queries, keys",
                    "    s, h, W_a, U_a, v_a = ("
                    "np.float32(x) for x in (s, h, W_a, U_a, v_a))\n    queries, keys",
                ),
            ),
        ),
        Odd(
            "loops over sentences and words",
            source="""\
import math

import numpy as np


def additive_attention(s, h, W_a, U_a, v_a, mask):
    contexts, all_weights = [], []
    for query, annotations, is_word in zip(s, h, mask):
        weights = [0.0] * len(annotations)
        words = [j for j in range(len(annotations)) if is_word[j]]
        scores = {j: float(v_a @ np.tanh(W_a @ query + U_a @ annotations[j])) for j in words}
        exps = {j: math.exp(scores[j] - max(scores.values())) for j in words}
        for j in words:
            weights[j] = exps[j] / sum(exps.values())
        contexts.append(sum(w * annotation for w, annotation in zip(weights, annotations)))
        all_weights.append(weights)
    return contexts, all_weights
""",
        ),
        Odd(
            "one matrix for query and annotation together",
            (
                (
                    f"    queries, keys = s @ W_a.T, h @ U_a.T\n    scores = {PAIRS} @ v_a",
                    "    asked = np.repeat(s[:, None], h.shape[1], axis=1)\n"
                    "    both = np.concatenate([asked, h], axis=-1)\n"
                    "    scores = np.tanh(both @ np.hstack([W_a, U_a]).T) @ v_a",
                ),
            ),
        ),
        Odd(
            "einsum throughout",
            (
                (
                    "s @ W_a.T, h @ U_a.T",
                    'np.einsum("bi,ai->ba", s, W_a), np.einsum("bji,ai->bja", h, U_a)',
                ),
                (f"{PAIRS} @ v_a", f'np.einsum("bja,a->bj", {PAIRS}, v_a)'),
            ),
        ),
        Odd(
            "the weights as a row times a matrix",
            ((MIXED, "(weights[:, None] @ h).squeeze(1)"),),
        ),
        Odd("a list of results", (("return context, weights", "return [context, weights]"),)),
        Odd(
            "masked exponentials instead of masked scores",
            (
                (
                    f"np.exp(scores - {SHIFT})",
                    f"mask * np.exp(np.minimum(scores - {SHIFT}, 0))",
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "blocked",
            contract=(
                (
                    "True is a word that may be attended to and False is padding",
                    "True is padding and False is a word that may be attended to",
                ),
            ),
            stub=(("mask: True = a word", "mask: True = padding"),),
            adapt=lambda call: replace(call, args=(*call.args[:5], ~call.args[5])),
            said={"the mask is read the other way round": None},
            wrap='''
def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the contexts (batch, d_h) and the weights (batch, n_x); mask: True = padding."""
    return base(s, h, W_a, U_a, v_a, ~mask)
''',
        ),
        Variant(
            "weights-first",
            contract=(("the context first", "the weights first"),),
            stub=(
                (
                    "the contexts (batch, d_h) and the weights (batch, n_x)",
                    "the weights (batch, n_x) and the contexts (batch, d_h)",
                ),
            ),
            adapt=lambda call: replace(call, returns=RETURNS[::-1]),
            statement=(
                (
                    "the contexts, `(batch, d_h)`, and the weights, `(batch, n_x)`",
                    "the weights, `(batch, n_x)`, and the contexts, `(batch, d_h)`",
                ),
            ),
            said={"the two results are in the wrong order": None},
            wrap='''
def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the weights (batch, n_x) and the contexts (batch, d_h); mask: True = a word."""
    context, weights = base(s, h, W_a, U_a, v_a, mask)
    return weights, context
''',
        ),
        Variant(
            "rows",
            contract=(
                (
                    r"$e_j = \mathbf{v}_a^\top \tanh(W_a \mathbf{s} + U_a \mathbf{h}_j)$",
                    r"$e_j = \tanh(\mathbf{s} W_a + \mathbf{h}_j U_a) \cdot \mathbf{v}_a$",
                ),
                (
                    "`W_a` has shape `(d_a, d_s)`, `U_a` has `(d_a, d_h)`",
                    "`W_a` has shape `(d_s, d_a)`, `U_a` has `(d_h, d_a)`",
                ),
            ),
            adapt=lambda call: replace(
                call,
                args=(*call.args[:2], call.args[2].T, call.args[3].T, *call.args[4:]),
            ),
            said={
                "U_a is reshaped where it should be transposed": None,
                "W_a and U_a change places": (
                    "W_a and U_a change places",
                    "Which of the two has a row for each number of an annotation?",
                ),
            },
            wrap='''
def additive_attention(s, h, W_a, U_a, v_a, mask):
    """Return the contexts (batch, d_h) and the weights (batch, n_x); mask: True = a word."""
    return base(s, h, W_a.T, U_a.T, v_a, mask)
''',
        ),
    ),
)
