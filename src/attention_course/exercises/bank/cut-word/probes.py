"""What a cut of one source word does to the contexts of all target words."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("alignment", "contexts", "how far they move")


def drawn(rng, n_y, n_x, d):
    exps = np.exp(rng.standard_normal((n_y, n_x)))
    weights = exps / exps.sum(axis=1, keepdims=True)
    states = rng.standard_normal((n_x, d))
    return weights, states, int(rng.integers(len(states)))


def ask(*args):
    return [Call("cut_word", args, returns=RETURNS)]


def looked_at_most(rng):
    weights, states, j = drawn(rng, 4, 6, 3)
    weights[:, j] += 9
    return ask(weights / weights.sum(axis=1, keepdims=True), states, j)


def the_first(rng):
    weights, states, _ = drawn(rng, 6, 3, 4)
    return ask(weights, states, 0)


def nothing_left(rng):
    weights, states, j = drawn(rng, 5, 4, 6)
    row = rng.permutation(len(weights))[0]
    weights[row] = np.arange(len(states)) == j
    return ask(weights, states, j)


def hardly_anything_left(rng):
    weights, states, j = drawn(rng, 3, 5, 4)
    weights *= 1e-14
    weights[:, j] = 0
    weights[:, j] = 1 - weights.sum(axis=1)
    return ask(weights, states, j)


PROBES = (
    Probe("three target words, five source words", "contexts",
        lambda rng: ask(*drawn(rng, 3, 5, 7))),
    Probe("all sizes equal", "contexts", lambda rng: ask(*drawn(rng, 4, 4, 4)),
        EVERY_AXIS_FITS),
    Probe("the word that all look at most is cut", "contexts", looked_at_most),
    Probe("the first word is cut", "contexts", the_first, "Words are counted from 0."),
    Probe("the whole weight on the cut word", "nothing left", nothing_left, "What is 0 / 0?"),
    Probe("a single source word", "nothing left", lambda rng: ask(*drawn(rng, 3, 1, 5))),
    Probe("hardly anything left", "hardly anything left", hardly_anything_left,
        "How many digits has 1 minus a number that is nearly 1?"),
)  # fmt: skip
