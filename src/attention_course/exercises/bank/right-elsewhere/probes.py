"""Words that are right although attention looks most at a word that they do not come from."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("marks", "share")


def ask(weights, own, right):
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return [Call("right_elsewhere", (weights, own, right), returns=RETURNS)]


def drawn(rng, n, n_y, n_x):
    """Each target word comes from one; half of them are right, and half look there."""
    weights = np.exp(rng.standard_normal((n, n_y, n_x)))
    places = rng.integers(weights.shape[-1], size=weights.shape[:2])
    own = places[..., None] == np.arange(weights.shape[-1])
    kinds = rng.permutation(np.arange(places.size)).reshape(places.shape) % 4
    most = np.where(kinds < 2, 1.2, 0.2) * weights.max(axis=-1)
    weights = np.where(own, most[..., None], weights)
    return weights, own, kinds % 2 == 0


def padded(rng):
    """The only word of the first sentence looks elsewhere; all of the last are wrong."""
    weights, own, right = drawn(rng, 4, 6, 5)
    own[0, 1:] = False
    weights[0, 0], right[0, 0] = 1 + 8 * ~own[0, 0], True
    right[-1] = False
    right[1, :3] = True
    return ask(weights, own, right)


def words_of_no_source(rng):
    weights, own, right = drawn(rng, 3, 8, 4)
    own[rng.permutation(np.arange(right.size)).reshape(right.shape) % 3 == 0] = False
    return ask(weights, own, right | ~own.any(axis=-1))


def no_word_is_asked(rng):
    weights, own, right = drawn(rng, 2, 4, 5)
    own[right] = False
    return ask(weights, own, right)


def several(rng):
    """Each word comes from three; the middle one has the largest weight of them."""
    weights, own, right = drawn(rng, 3, 8, 7)
    order = rng.permutation(np.arange(weights.shape[-1]))
    low, middle, high = np.sort(order[:3])
    own[...] = False
    own[..., [low, middle, high]] = True
    kinds = rng.permutation(np.arange(right.size)).reshape(right.shape) % 4
    weights = rng.random(weights.shape) / 8
    weights[..., low] += np.where(kinds < 2, 1.0, 0.1)
    weights[..., middle] += 2
    weights[..., order[3]] += np.where(kinds % 2, 0.5, 2.5)
    return ask(weights, own, right)


def ties(rng):
    """Two words have half of the weight each. All come from one of them but the first."""
    weights, own, right = drawn(rng, 4, 6, 5)
    order = rng.permutation(np.arange(weights.shape[-1]))
    weights[...], own[...], right[...] = 0, False, True
    weights[..., order[:2]] = 1
    own[::2, 1:, order[0]] = own[1::2, 1:, order[1]] = own[:, 0, order[2]] = True
    return ask(weights, own, right)


PROBES = (
    Probe("three sentences of five words, four source words", "looks",
        lambda rng: ask(*drawn(rng, 3, 5, 4))),
    Probe("all sizes equal", "looks", lambda rng: ask(*drawn(rng, 4, 4, 4)), EVERY_AXIS_FITS),
    Probe("a single sentence", "looks", lambda rng: ask(*drawn(rng, 1, 9, 6))),
    Probe("sentences of unlike length", "words that are asked", padded,
        "Does a word count as much in a short sentence as in a long one?"),
    Probe("target words that come from none", "words that are asked", words_of_no_source),
    Probe("no word is asked", "words that are asked", no_word_is_asked, "What is 0 / 0?"),
    Probe("words that come from several", "several", several),
    Probe("a largest weight that two words share", "ties", ties),
)  # fmt: skip
