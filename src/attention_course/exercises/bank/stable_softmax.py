"""A softmax along any axis that survives large scores, and lets a mask leave entries out."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong


def _ask(x, **kwargs):
    return Call("stable_softmax", (x,), kwargs, returns=("weights",))


def _last(rng):
    return [_ask(rng.standard_normal((3, 5)))]


def _first(rng):
    return [_ask(rng.standard_normal((4, 3)), axis=0)]


def _middle(rng):
    return [_ask(rng.standard_normal((2, 5, 3)), axis=1)]


def _square(rng):
    x = rng.standard_normal((4, 4))
    return [_ask(x, axis=-1), _ask(x, axis=0)]


def _row(rng):
    return [_ask(rng.standard_normal(6))]


def _large(rng):
    return [_ask(3000.0 + rng.integers(-3, 4, (2, 6)))]


def _very_negative(rng):
    return [_ask(-3000.0 + rng.integers(-3, 4, (5, 2)), axis=0)]


def _far_apart(rng):
    levels = 1500.0 * rng.permutation([-1, 0, 1])
    return [_ask(levels[:, None] + rng.integers(-3, 4, (3, 4)))]


def _wide(rng):
    return [_ask(1000.0 * rng.permutation(4) + rng.integers(-3, 4, (3, 1, 4)))]


def _masked(rng):
    x, mask = rng.standard_normal((3, 5)), rng.random((3, 5)) < 0.5
    mask[:, 2], mask[:, 3] = True, False
    return [_ask(x, mask=mask)]


def _one_mask(rng):
    x, mask = rng.standard_normal((3, 4, 5)), rng.permutation(np.arange(5) < 3)
    return [_ask(x, mask=mask)]


def _masked_column(rng):
    x, mask = rng.standard_normal((4, 4)), np.tril(np.ones((4, 4), dtype=bool))
    return [_ask(x, axis=0, mask=mask[rng.permutation(4)])]


def _nobody(rng):
    mask = np.ones((3, 5), dtype=bool)
    mask[rng.integers(3)] = False
    return [_ask(rng.standard_normal((3, 5)), mask=mask)]


def _masked_giant(rng):
    x = rng.standard_normal((2, 5))
    mask = np.ones((2, 5), dtype=bool)
    x[:, 1], mask[:, 1] = 2000.0, False
    return [_ask(x, mask=mask)]


MASKED = "np.where(mask, x, -np.inf)"
TOP = "x.max(axis=axis, keepdims=True)"
SHIFT = "np.where(np.isneginf(top), 0, top)"
TOTAL = "exps.sum(axis=axis, keepdims=True)"
RETURN = "exps / np.where(total == 0, 1, total)"

EXERCISE = Exercise(
    slug="stable-softmax",
    title="A softmax that survives large scores and takes a mask",
    chapter="why/attention-by-hand",
    family="steps",
    target="stable_softmax",
    minutes=20,
    statement=(
        "Write `stable_softmax(x, axis=-1, mask=None)`. The scores `x` have any shape; the "
        "weights that you return have the same, and add up to 1 along `axis`. `mask` is None "
        "or an array of True and False that broadcasts to the shape of `x`."
    ),
    contract=(
        "Scores may be in the thousands, above zero or below.",
        "In `mask`, True is an entry that may be attended to and False is one that may not: "
        "its weight is exactly 0, whatever its score.",
        "Where everything along `axis` is masked, all weights are 0.",
        "The array `x` is left as it was.",
    ),
    stub='''\
def stable_softmax(x, axis=-1, mask=None):
    """Return weights that add up to 1 along an axis; mask: True = may be attended to."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    """Return weights that add up to 1 along an axis; mask: True = may be attended to."""
    if mask is not None:
        x = np.where(mask, x, -np.inf)
    top = x.max(axis=axis, keepdims=True)
    exps = np.exp(x - np.where(np.isneginf(top), 0, top))
    total = exps.sum(axis=axis, keepdims=True)
    return exps / np.where(total == 0, 1, total)
''',
    hints=(
        "Write it without a mask first. Which option of max and sum keeps the axis, so that "
        "their results fit beside x?",
        "Which score has an exponential of exactly 0? Give it to the masked entries before "
        "anything else happens.",
        "Where all is masked the largest score is minus infinity and the sum is 0. Replace "
        "each of the two before it is used.",
    ),
    points={"any axis": 2, "large scores": 2, "mask": 3},
    probes=(
        Probe("the last axis of a table", "any axis", _last),
        Probe("the first axis of a table", "any axis", _first),
        Probe("the middle axis of three", "any axis", _middle),
        Probe(
            "both axes of a square table",
            "any axis",
            _square,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a single row", "any axis", _row),
        Probe(
            "scores near 3000",
            "large scores",
            _large,
            hint="np.exp(3000) is inf, and inf / inf is nan.",
        ),
        Probe(
            "scores near -3000",
            "large scores",
            _very_negative,
            hint="np.exp(-3000) is 0, and 0 / 0 is nan.",
        ),
        Probe("rows at very different levels", "large scores", _far_apart),
        Probe("scores from 0 to 3000 in one row", "large scores", _wide),
        Probe("a mask as large as the scores", "mask", _masked),
        Probe("one mask for all rows", "mask", _one_mask, hint="The mask may have fewer axes."),
        Probe("a mask along the first axis", "mask", _masked_column),
        Probe("a row in which all is masked", "mask", _nobody),
        Probe(
            "a masked score far above the others",
            "mask",
            _masked_giant,
            hint="What a masked entry holds must not matter.",
        ),
    ),
    wrong=(
        Wrong(
            "it is always the last axis",
            "axis",
            "What does your function do with its second argument?",
            (
                (TOP, "x.max(axis=-1, keepdims=True)"),
                (TOTAL, "exps.sum(axis=-1, keepdims=True)"),
            ),
        ),
        Wrong(
            "it is always the first axis",
            "axis",
            "Along which axis do the weights add up to 1?",
            (
                (TOP, "x.max(axis=0, keepdims=True)"),
                (TOTAL, "exps.sum(axis=0, keepdims=True)"),
            ),
        ),
        Wrong(
            "the sum is taken over everything",
            "axis",
            "What does each row add up to?",
            ((TOTAL, "exps.sum()"),),
        ),
        Wrong(
            "the sum loses its axis",
            "axis",
            "Print the shape of the sum beside that of the exponentials.",
            ((TOTAL, "exps.sum(axis=axis)"),),
        ),
        Wrong(
            "the largest score loses its axis",
            "axis",
            "Print the shape of the largest scores beside that of x.",
            ((TOP, "x.max(axis=axis)"),),
        ),
        Wrong(
            "the largest score is not taken away",
            "unstable",
            "What is the exponential of 3000?",
            ((f"x - {SHIFT}", "x"),),
        ),
        Wrong(
            "the smallest score is taken away",
            "unstable",
            "Which exponents are then large?",
            ((TOP, "x.min(axis=axis, keepdims=True)"),),
        ),
        Wrong(
            "the largest absolute score is taken away",
            "unstable",
            "Think of scores that are all far below zero.",
            ((SHIFT, "np.abs(np.where(np.isneginf(top), 0, top))"),),
        ),
        Wrong(
            "the largest score of the whole array is taken away",
            "unstable",
            "In a row with lower scores all exponentials then round to 0.",
            ((TOP, "x.max(keepdims=True)"),),
        ),
        Wrong(
            "the scores are clipped",
            "unstable",
            "Two scores above the clip then look the same.",
            ((f"x - {SHIFT}", "np.clip(x, -500, 500)"),),
        ),
        Wrong(
            "the mask is ignored",
            "mask",
            "What does your function do with its third argument?",
            ((MASKED, "x + 0"),),
        ),
        Wrong(
            "the mask is read the other way round",
            "mask",
            "What does True mean here? The contract says it.",
            ((MASKED, "np.where(mask, -np.inf, x)"),),
        ),
        Wrong(
            "the weights are masked after the softmax",
            "mask",
            "What do the weights of a row add up to then?",
            ((MASKED, "x + 0"), (RETURN, "exps / total * (True if mask is None else mask)")),
        ),
        Wrong(
            "masked scores are set to 0",
            "mask",
            "The exponential of 0 is not 0.",
            ((MASKED, "np.where(mask, x, 0.0)"),),
        ),
        Wrong(
            "the mask is added to the scores as 0 and 1",
            "mask",
            "A weight must be exactly 0, not just smaller.",
            ((MASKED, "x + mask"),),
        ),
        Wrong(
            "masked scores become a large negative number",
            "mask",
            "Look at a row in which every score is that number.",
            ((MASKED, "np.where(mask, x, -1e9)"),),
        ),
        Wrong(
            "a large negative number is added to masked scores",
            "mask",
            "Look at a row in which it is added to every score.",
            ((MASKED, "x + np.where(mask, 0.0, -1e6)"),),
        ),
        Wrong(
            "a row in which all is masked gives nan",
            "masked row",
            "What is minus infinity minus minus infinity?",
            ((SHIFT, "top"),),
        ),
        Wrong(
            "only a mask of the full shape works",
            "mask",
            "Try a mask with one axis on scores with two.",
            ((f"x = {MASKED}", "x = x.copy()\n        x[~mask] = -np.inf"),),
        ),
        Wrong(
            "masked scores are written into the caller's array",
            "in place",
            "Who else holds that array?",
            ((f"x = {MASKED}", "x[~np.broadcast_to(mask, x.shape)] = -np.inf"),),
        ),
        Wrong(
            "the largest score is looked for before masking",
            "unstable",
            "If a masked entry holds the largest, what is left of the others?",
            (
                (f"        x = {MASKED}\n", "        mask = np.broadcast_to(mask, x.shape)\n"),
                (
                    f"x - {SHIFT}",
                    "(x if mask is None else np.where(mask, x, -np.inf)) - top",
                ),
            ),
        ),
        Wrong(
            "each weight is a sigmoid of its score",
            "normalisation",
            "The weights share out a whole.",
            ((RETURN, "1 / (1 + np.exp(-x))"),),
        ),
        Wrong(
            "the weights have length 1 instead of sum 1",
            "normalisation",
            "Which sum should be 1: of the weights or of their squares?",
            ((TOTAL, "np.sqrt((exps**2).sum(axis=axis, keepdims=True))"),),
        ),
        Wrong(
            "the logarithms of the weights are returned",
            "normalisation",
            "Weights lie between 0 and 1.",
            ((RETURN, f"np.log({RETURN})"),),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (("    if mask", "    x = np.float32(x)\n    if mask"),),
        ),
        Odd(
            "log-sum-exp",
            (
                (
                    f"    exps = np.exp(x - {SHIFT})\n    total = {TOTAL}\n    return {RETURN}",
                    "    x = np.where(np.isneginf(top), -np.inf, x)\n"
                    "    lse = np.logaddexp.reduce(x, axis=axis, keepdims=True)\n"
                    "    return np.exp(x - np.where(np.isneginf(lse), 0, lse))",
                ),
            ),
        ),
        Odd(
            "a loop over the rows",
            source="""\
import numpy as np


def of_row(scores, allowed):
    weights = np.zeros(len(scores))
    if allowed.any():
        kept = scores[allowed]
        exps = np.exp(kept - kept.max())
        weights[allowed] = exps / exps.sum()
    return weights


def stable_softmax(x, axis=-1, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, x.shape)
    rows, masks = np.moveaxis(x, axis, -1), np.moveaxis(allowed, axis, -1)
    weights = np.empty(rows.shape)
    for index in np.ndindex(rows.shape[:-1]):
        weights[index] = of_row(rows[index], masks[index])
    return np.moveaxis(weights, -1, axis)
""",
        ),
        Odd(
            "powers of two",
            ((f"np.exp(x - {SHIFT})", f"2.0 ** ((x - {SHIFT}) / np.log(2))"),),
        ),
        Odd(
            "the axis is moved to the end and back",
            (
                (
                    "    if mask",
                    "    if axis not in (-1, x.ndim - 1):\n"
                    "        turned = None if mask is None else np.broadcast_to(mask, "
                    "x.shape)\n"
                    "        turned = None if mask is None else turned.swapaxes(axis, -1)\n"
                    "        return stable_softmax(x.swapaxes(axis, -1), -1, turned)"
                    ".swapaxes(axis, -1)\n    if mask",
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "blocked",
            contract=(
                (
                    "True is an entry that may be attended to and False is one that may not: "
                    "its "
                    "weight",
                    "False is an entry that may be attended to and True is one that may not: "
                    "its "
                    "weight",
                ),
            ),
            stub=(("True = may be attended to", "True = may not be attended to"),),
            said={"the mask is read the other way round": None},
            adapt=lambda call: Call(
                call.target,
                call.args,
                {k: ~v if k == "mask" else v for k, v in call.kwargs.items()},
                returns=call.returns,
            ),
            wrap='''
def stable_softmax(x, axis=-1, mask=None):
    """Return weights that add up to 1 along an axis; mask: True = may not be attended to."""
    return base(x, axis=axis, mask=None if mask is None else ~mask)
''',
        ),
    ),
)
