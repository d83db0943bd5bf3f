"""Two linear layers with a ReLU between them."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, size, d_ff, far=1.0):
    d = size[-1]
    x = rng.standard_normal(size)
    W_1, W_2 = rng.standard_normal((d, d_ff)), rng.standard_normal((d_ff, d))
    b_1, b_2 = far * rng.standard_normal(d_ff), rng.standard_normal(d)
    args = (x, W_1 / np.sqrt(d), b_1, W_2 / np.sqrt(d_ff), b_2)
    return Call("feed_forward_part", args, returns=("x",))


def positive(rng):
    """The first layer returns positive numbers alone, so the ReLU does nothing."""
    call = ask(rng, (4, 5), 7)
    for i in (0, 1, 2):
        call.args[i][...] = np.abs(call.args[i])
    return [call]


PROBES = (
    Probe("the ReLU has nothing to do", "positive numbers", positive,
        "Are both matrices and both biases in your result?"),
    Probe("five vectors", "the ReLU", lambda rng: [ask(rng, (5, 4), 9)]),
    Probe("large biases in front of the ReLU", "the ReLU",
        lambda rng: [ask(rng, (5, 6), 8, far=9.0)],
        "Where exactly are negative numbers cut off?"),
    Probe("two axes in front", "many vectors", lambda rng: [ask(rng, (2, 3, 4, 6), 9)]),
    Probe("all sizes equal", "many vectors", lambda rng: [ask(rng, (5, 5), 5)],
        EVERY_AXIS_FITS),
)  # fmt: skip
