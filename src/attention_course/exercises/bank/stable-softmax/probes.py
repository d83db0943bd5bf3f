"""A softmax along any axis that survives large scores, and lets a mask leave entries out."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(x, **kwargs):
    return Call("stable_softmax", (x,), kwargs, returns=("weights",))


def square(rng):
    x = rng.standard_normal((4, 4))
    return [ask(x, axis=-1), ask(x, axis=0)]


def far_apart(rng):
    levels = 1500.0 * rng.permutation([-1, 0, 1])
    return [ask(levels[:, None] + rng.integers(-3, 4, (3, 4)))]


def masked(rng):
    x, mask = rng.standard_normal((3, 5)), rng.random((3, 5)) < 0.5
    mask[:, 2], mask[:, 3] = True, False
    return [ask(x, mask=mask)]


def one_mask(rng):
    x, mask = rng.standard_normal((3, 4, 5)), rng.permutation(np.arange(5) < 3)
    return [ask(x, mask=mask)]


def masked_column(rng):
    x, mask = rng.standard_normal((4, 4)), np.tril(np.ones((4, 4), dtype=bool))
    return [ask(x, axis=0, mask=mask[rng.permutation(4)])]


def nobody(rng):
    mask = np.ones((3, 5), dtype=bool)
    mask[rng.integers(3)] = False
    return [ask(rng.standard_normal((3, 5)), mask=mask)]


def masked_giant(rng):
    x = rng.standard_normal((2, 5))
    mask = np.ones((2, 5), dtype=bool)
    x[:, 1], mask[:, 1] = 2000.0, False
    return [ask(x, mask=mask)]


def open_mask(call):
    mask = np.ones(call.args[0].shape, dtype=bool)
    return replace(call, kwargs={"mask": mask} | call.kwargs)


PROBES = (
    Probe("the last axis of a table", "any axis",
        lambda rng: [ask(rng.standard_normal((3, 5)))]),
    Probe("the first axis of a table", "any axis",
        lambda rng: [ask(rng.standard_normal((4, 3)), axis=0)]),
    Probe("the middle axis of three", "any axis",
        lambda rng: [ask(rng.standard_normal((2, 5, 3)), axis=1)]),
    Probe("both axes of a square table", "any axis", square, EVERY_AXIS_FITS),
    Probe("a single row", "any axis", lambda rng: [ask(rng.standard_normal(6))]),
    Probe("scores near 3000", "large scores",
        lambda rng: [ask(3000.0 + rng.integers(-3, 4, (2, 6)))],
        "np.exp(3000) is inf, and inf / inf is nan."),
    Probe("scores near -3000", "large scores",
        lambda rng: [ask(-3000.0 + rng.integers(-3, 4, (5, 2)), axis=0)],
        "np.exp(-3000) is 0, and 0 / 0 is nan."),
    Probe("rows at very different levels", "large scores", far_apart),
    Probe("scores from 0 to 3000 in one row", "large scores",
        lambda rng: [ask(1000.0 * rng.permutation(4) + rng.integers(-3, 4, (3, 1, 4)))]),
    Probe("a mask as large as the scores", "mask", masked),
    Probe("one mask for all rows", "mask", one_mask, "The mask may have fewer axes."),
    Probe("a mask along the first axis", "mask", masked_column),
    Probe("a row in which all is masked", "mask", nobody),
    Probe("a masked score far above the others", "mask", masked_giant,
        "What a masked entry holds must not matter."),
)  # fmt: skip
