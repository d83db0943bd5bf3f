"""The output layer of Bahdanau's translator: three inputs, maxout, and a matrix."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, d, d_y, d_h, units, n_words):
    draw = rng.standard_normal
    given = draw(d), draw(d_y), draw(d_h)
    matrices = [draw((2 * units, len(x))) for x in given]
    args = (*given, *matrices, draw(2 * units), draw((n_words, units)), draw(n_words))
    return Call("deep_output", args, returns=("logits",))


def sized(*sizes):
    return lambda rng: [ask(rng, *sizes)]


def alike(rng):
    """Both numbers of a pair are the same, so that it does not matter which is kept."""
    calls = [ask(rng, 4, 3, 6, 5, 7), ask(rng, 2, 5, 3, 1, 4)]
    for call in calls:
        for rows in call.args[3:7]:
            rows[1::2] = rows[0::2]
    return calls


def below(rng):
    call = ask(rng, 3, 5, 4, 6, 8)
    call.args[6][...] = -9 - np.abs(call.args[6])  # all numbers of the hidden layer
    return [call]


def halves(call):
    """Return the call with the first number of each pair in the upper half."""
    rows = (np.concatenate([x[0::2], x[1::2]]) for x in call.args[3:7])
    return replace(call, args=(*call.args[:3], *rows, *call.args[7:]))


PROBES = (
    Probe("two numbers that are alike in each pair", "the sum", alike,
        "Are all three inputs and both biases in your result?"),
    Probe("five sizes", "the larger of two", sized(4, 3, 6, 5, 7)),
    Probe("all numbers of the hidden layer below 0", "the larger of two", below),
    Probe("a single unit", "the larger of two", sized(3, 2, 4, 1, 5)),
    Probe("all sizes equal", "the larger of two", sized(4, 4, 4, 4, 4), EVERY_AXIS_FITS),
    Probe("square matrices", "the larger of two", sized(6, 6, 6, 3, 3), EVERY_AXIS_FITS),
)  # fmt: skip
