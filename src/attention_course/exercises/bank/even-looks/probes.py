"""The doubly stochastic penalty: how evenly a caption's looks cover the cells."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("penalty",)


def ask(rng, n_captions, n_words, n_cells, shortest=None):
    scores = 2 * rng.standard_normal((n_captions, n_words, n_cells))
    weights = np.exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    shortest = n_words if shortest is None else shortest
    # Where captions are padded, none is as long as the table.
    lengths = rng.integers(shortest, max(shortest + 1, n_words), n_captions)
    return Call("spread_penalty", (weights, lengths), returns=RETURNS)


def unnormalised(rng):
    call = ask(rng, 3, 4, 5)
    call.args[0][...] *= 9
    return [call]


def long(rng, n_captions, n_words):
    lengths = rng.integers(n_words // 2, n_words + 1, n_captions)
    looks = rng.random((n_captions, n_words, 1))
    return Call("spread_penalty", (looks, lengths), returns=RETURNS)


def nonsense(rng):
    call = ask(rng, 4, 6, 5, shortest=1)
    weights, lengths = call.args
    lengths[0] = 0
    for row, length in zip(weights, lengths, strict=True):
        row[length:] = np.nan
    return [call]


def to_padding(call):
    weights, lengths = call.args
    return replace(call, args=(weights, weights.shape[1] - lengths))


PROBES = (
    Probe("two captions of four words", "penalty", lambda rng: [ask(rng, 2, 4, 9)]),
    Probe("all sizes equal", "penalty", lambda rng: [ask(rng, 4, 4, 4)], EVERY_AXIS_FITS),
    Probe("a single word", "penalty", lambda rng: [ask(rng, 3, 1, 6)]),
    Probe("weights that do not add up to 1", "penalty", unnormalised,
        "The weights are used as they come."),
    Probe("captions of several lengths", "padded words",
        lambda rng: [ask(rng, 6, 7, 5, shortest=2)],
        "How many of a caption's looks are looks of real words?"),
    Probe("padded looks of nan", "padded words", nonsense, "0 times nan is nan."),
    Probe("many words without a loop", "no loop",
        lambda rng: (long(rng, 1, 15_000) for _ in range(250)),
        "Add up a whole axis at once.", large=True),
    Probe("many captions without a loop", "no loop",
        lambda rng: (long(rng, 15_000, 1) for _ in range(130)), large=True),
)  # fmt: skip
