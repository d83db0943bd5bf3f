"""Attention followed through the layers, the strongest head counting alone."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("map",)


def ask(rng, layers, heads, n):
    scores = 2 * rng.standard_normal((layers, heads, n, n))
    return Call("rollout_map", (scores,), returns=RETURNS)


def in_turn(rng):
    """Every token looks at the next one, nearly alone: after two layers at the one after."""
    next_one = np.roll(np.eye(5), 1, axis=1)
    return [Call("rollout_map", (np.tile(9 * next_one, (2, 3, 1, 1)),), returns=RETURNS)]


def one_patch(rng):
    return [ask(rng, 3, 2, 2)]


def large(rng):
    call = ask(rng, 2, 3, 5)
    call.args[0][...] = 1000 * np.rint(call.args[0])
    return [call]


def class_last(call):
    """The same scores with the class token behind the patches."""
    (scores,) = call.args
    order = np.roll(np.arange(scores.shape[-1]), -1)
    return replace(call, args=(scores[:, :, order][..., order],))


PROBES = (
    Probe("one layer, one head", "layers", lambda rng: [ask(rng, 1, 1, 5)]),
    Probe("one layer, several heads", "layers", lambda rng: [ask(rng, 1, 3, 5)],
        "The largest weight of any head, then rows that add up to 1."),
    Probe("two layers", "layers", lambda rng: [ask(rng, 2, 3, 6)],
        "Which of the two matrices stands on the left?"),
    Probe("four layers", "layers", lambda rng: [ask(rng, 4, 2, 7)]),
    Probe("every token looks at the next", "the map", in_turn,
        "Two steps on from the class token is the second patch."),
    Probe("all sizes equal", "the map", lambda rng: [ask(rng, 4, 4, 4)], EVERY_AXIS_FITS),
    Probe("scores in the thousands", "the map", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("a single patch", "the map", one_patch, "A map of one patch is all on it."),
)  # fmt: skip
