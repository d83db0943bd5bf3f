"""Luong's four scores behind one function: dot, general, concat, location."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw


def ask(score, h_t, states, *arrays):
    return Call("luong_scores", (h_t, states, score, *arrays), returns=("scores",))


def sized(score, *shapes):
    return lambda rng: [ask(score, *draw(rng, *shapes))]


def one(rng):
    h_t, states, W_a = draw(rng, (1, 3), (1, 4, 3), (3, 3))
    return [ask("dot", h_t, states), ask("general", h_t, states, W_a)]


def alone(rng):
    h_t, states, W_a, v_a, W_l = draw(rng, (1, 2), (1, 5, 3), (4, 5), 4, (5, 2))
    return [ask("concat", h_t, states, W_a, v_a), ask("location", h_t, states, W_l)]


def rows(call):
    """Return the call with its matrices turned, for scores that multiply rows."""
    if call.args[2] not in ("concat", "location"):
        return call
    return replace(call, args=(*call.args[:3], call.args[3].T, *call.args[4:]))


def state_first(call):
    """Return the call with the columns of concat's matrix that meet the states in front."""
    if call.args[2] != "concat":
        return call
    d = call.args[0].shape[1]
    return replace(call, args=(*call.args[:3], np.roll(call.args[3], -d, 1), call.args[4]))


def time_first(call):
    h_t, states, *rest = call.args
    return replace(call, args=(h_t, np.ascontiguousarray(np.swapaxes(states, 0, 1)), *rest))


PROBES = (
    Probe("dot, two sentences of five words", "dot and general",
        sized("dot", (2, 3), (2, 5, 3))),
    Probe("a batch of one", "dot and general", one),
    Probe("dot, with all sizes equal", "dot and general",
        sized("dot", (4, 4), (4, 4, 4)), EVERY_AXIS_FITS),
    Probe("general, with widths that differ", "dot and general",
        sized("general", (3, 2), (3, 6, 4), (2, 4))),
    Probe("general, with a square matrix", "dot and general",
        sized("general", (2, 5), (2, 3, 5), (5, 5)),
        "A square matrix fits either way round, and is not symmetric."),
    Probe("concat, with widths that differ", "concat",
        sized("concat", (3, 2), (3, 6, 5), (4, 7), 4)),
    Probe("concat and location, a batch of one", "concat", alone),
    Probe("concat, with equal widths", "concat",
        sized("concat", (3, 3), (3, 3, 3), (6, 6), 6)),
    Probe("location, as many places as rows", "location",
        sized("location", (3, 4), (3, 5, 2), (5, 4))),
    Probe("location, with all sizes equal", "location",
        sized("location", (4, 4), (4, 4, 4), (4, 4))),
    Probe("location, a shorter source", "location",
        sized("location", (3, 4), (3, 2, 2), (6, 4))),
    Probe("location, a longer source", "location", sized("location", (3, 4), (3, 7, 2), (5, 4)),
        "The contract says what a place without a row gets."),
)  # fmt: skip
