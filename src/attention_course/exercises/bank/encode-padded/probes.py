"""An encoder over a padded batch: each fixed vector is the state at the last word."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("states", "last")


def ask(rng, lengths, n_words, d_x, d, junk=3.0):
    draw, lengths = rng.standard_normal, np.array(lengths)
    x = draw((len(lengths), n_words, d_x))
    x[np.arange(n_words) >= lengths[:, None]] *= junk
    W_x, W_h, b = draw((d, d_x)), draw((d, d)) / np.sqrt(d), draw(d)
    return Call("encode_padded", (x, lengths, W_x, W_h, b), returns=RETURNS)


def sized(*args):
    return lambda rng: [ask(rng, *args)]


def time_first(call):
    x, *others = call.args
    return replace(call, args=(np.ascontiguousarray(x.swapaxes(0, 1)), *others))


PROBES = (
    Probe("two sentences of five words, no padding", "states", sized([5, 5], 5, 3, 4)),
    Probe("a batch of one", "states", sized([4], 4, 2, 3)),
    Probe("sentences of one word", "states", sized([1, 1, 1], 1, 4, 2)),
    Probe("all sizes equal", "states", sized([4, 4, 4, 4], 4, 4, 4), EVERY_AXIS_FITS),
    Probe("three lengths, with large numbers in the padding", "padding",
        sized([6, 2, 4], 6, 3, 5, 50.0), "What stands in the padding must not matter."),
    Probe("zeros in the padding", "padding", sized([3, 5], 5, 2, 4, 0.0),
        "An input of zeros is still an input: the state moves on."),
    Probe("nan in the padding", "padding", sized([2, 5, 0], 5, 3, 4, np.nan),
        "0 times nan is nan."),
    Probe("nobody is as long as the table", "padding",
        lambda rng: [ask(rng, [2, 3, 1], 5, 4, 2), ask(rng, [3], 5, 2, 4)]),
    Probe("a sentence of length 0", "padding", sized([0, 4, 2], 4, 2, 3)),
    Probe("as many sentences as words", "padding", sized([4, 1, 3, 2], 4, 3, 2)),
)  # fmt: skip
