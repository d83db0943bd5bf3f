"""One step of Bahdanau's decoder: look with the old state, then go on with the context."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe

RETURNS = ("state", "context", "weights")


def drawn(rng, n_x, d_s, d_y, d_h, d_a):
    draw = rng.standard_normal
    look = draw((d_a, d_s)), draw((d_a, d_h)), draw(d_a)
    unit = draw((3 * d_s, d_y)), draw((3 * d_s, d_h)), draw(3 * d_s), draw((3 * d_s, d_s))
    return draw(d_s), draw(d_y), draw((n_x, d_h)), *look, *unit


def ask(*arrays):
    return Call("bahdanau_step", arrays, returns=RETURNS)


def at_rest(n_x, d_s, d_y, d_h, d_a):
    """A unit whose arrays are all zero: its state is halved, and only the look can differ."""

    def calls(rng):
        arrays = drawn(rng, n_x, d_s, d_y, d_h, d_a)
        return [ask(*arrays[:6], *(np.zeros_like(x) for x in arrays[6:]))]

    return calls


def twice(rng):
    first = drawn(rng, 5, 4, 3, 7, 6)
    other = rng.standard_normal((5, 7))
    return [ask(*first), ask(*first[:2], other, *first[3:])]


def large(rng):
    arrays = list(drawn(rng, 5, 3, 4, 2, 6))
    arrays[0] = np.zeros(3)
    arrays[2] = np.repeat(rng.permutation(np.linspace(-0.5, 0.5, 5))[:, None], 2, axis=1)
    arrays[4] = 0.5 + rng.random((6, 2))
    arrays[5] = 600 * (0.5 + rng.random(6))
    below = [*arrays[:2], arrays[2] - 0.6, *arrays[3:]]  # all scores lie far below zero
    return [ask(*arrays), ask(*below)]


def update_gate_keeps(call):
    """Return the call with the update gate's numbers under the other sign."""
    *others, W, C, b, U = call.args
    signs = np.repeat([1.0, -1.0, 1.0], len(call.args[0]))
    turned = (signs[:, None] * W, signs[:, None] * C, signs * b, signs[:, None] * U)
    return replace(call, args=(*others, *turned))


PROBES = (
    Probe("weights and context, with a unit of zeros that halves the state", "look",
        at_rest(5, 3, 6, 4, 2)),
    Probe("the same, with all sizes equal", "look", at_rest(4, 4, 4, 4, 4)),
    Probe("six words, five sizes", "state", lambda rng: [ask(*drawn(rng, 6, 3, 2, 4, 5))]),
    Probe("a single word: the context is its annotation", "state",
        lambda rng: [ask(*drawn(rng, 1, 2, 5, 3, 4))]),
    Probe("all sizes equal", "state", lambda rng: [ask(*drawn(rng, 4, 4, 4, 4, 4))],
        "Here every wrong matrix fits as well, so only the numbers tell."),
    Probe("two sentences, one after the other", "state", twice),
    Probe("scores in the thousands", "large scores", large),
)  # fmt: skip
