"""The words that decide a translation, found by cutting every word of the source."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, random_mask

RETURNS = ("deciders", "what is taken")


def logarithms(rng, *shape):
    return -np.abs(rng.standard_normal(shape))


def ask(before, after, own, least=0.0):
    return [Call("find_deciders", (before, after, own, least), returns=RETURNS)]


def several(rng, n_x, n_y):
    """Each target word comes from one source word, and what most words take is above 0."""
    before, after = logarithms(rng, n_y), 3 * logarithms(rng, n_x, n_y)
    own = np.zeros(after.shape, dtype=bool)
    own[rng.permutation(len(after))[0]] = True
    return before, after, own


def own_take_most(rng):
    before, after, _ = several(rng, 6, 5)
    own = random_mask(rng, *after.shape[::-1]).T
    after[own] = 4 * after.min() - 1
    return ask(before, after, own)


def nothing_but_own(rng):
    before, after, own = several(rng, 4, 5)
    own[:, rng.permutation(len(before))[:2]] = True
    return ask(before, after, own)


def some_take_too_little(rng):
    before, after, own = several(rng, 3, 6)
    most = np.sort(np.where(own, -np.inf, before - after).max(axis=0))
    at = len(most) // 2
    return ask(before, after, own, max(0.0, float(most[at - 1] + most[at]) / 2))


def exactly_least(rng):
    """The cut of a word takes 2, and of another, elsewhere, 5; these numbers are exact."""
    before, after = np.full(4, -1.0), np.full((5, 4), -1.0)
    after[rng.permutation(5)[0], 1], after[rng.permutation(5)[0], 2] = -3.0, -6.0
    return ask(before, after, np.zeros((5, 4), dtype=bool), 2.0)


def cuts_that_help(rng):
    before, after, own = several(rng, 5, 4)
    helped = rng.permutation(len(before))[0]
    before[helped] = after[:, helped].min() - 3
    return ask(before, after, own)


def surprises(call):
    """Return the call with minus the logarithms."""
    before, after, own, least = call.args
    return replace(call, args=(-before, -after, own, least))


PROBES = (
    Probe("five source words and three target words", "deciders",
        lambda rng: ask(*several(rng, 5, 3))),
    Probe("all sizes equal", "deciders", lambda rng: ask(*several(rng, 4, 4)), EVERY_AXIS_FITS),
    Probe("two source words, seven target words", "deciders",
        lambda rng: ask(*several(rng, 2, 7))),
    Probe("own words take most", "own words", own_take_most,
        "The word that is translated is missed most, of course."),
    Probe("target words that come from all", "own words", nothing_but_own),
    Probe("half of the cuts take too little", "no decider", some_take_too_little),
    Probe("a cut that takes exactly the least", "no decider", exactly_least,
        "More than the least, not as much."),
    Probe("a target word that every cut helps", "no decider", cuts_that_help,
        "What is taken may be negative."),
)  # fmt: skip
