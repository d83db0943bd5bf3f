"""A decoder with input feeding: what was found at one step is part of the next input."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe

RETURNS = ("attentional", "weights")


def ask(rng, steps, n_x, d_y, d, d_out):
    draw = rng.standard_normal
    y, states, h_0 = draw((steps, d_y)), draw((n_x, d)), draw(d)
    W = draw((d, d_y + d_out)) / np.sqrt(d_y + d_out)
    U, W_c = draw((d, d)) / np.sqrt(d), draw((d_out, 2 * d)) / np.sqrt(d)
    return Call("feed_inputs", (y, states, h_0, W, U, W_c), returns=RETURNS)


def sized(*sizes):
    return lambda rng: [ask(rng, *sizes)]


def large(rng):
    call = ask(rng, 3, 5, 4, 2, 6)
    y, _, h_0, W, U, W_c = call.args
    levels = 2000.0 * rng.permutation(np.arange(5) - 2.0)
    states = np.stack([levels, 0 * levels], axis=1)
    W, U, y, h_0 = 0.1 * np.abs(W), np.abs(U), 0.5 + np.abs(y), np.abs(h_0)
    W[:, 4:] = 0
    below = states - [5000.0, 0]  # all scores lie far below zero
    return [
        Call("feed_inputs", (y, some, h_0, W, U, W_c / 2000), returns=RETURNS)
        for some in (states, below)
    ]


def fed_first(call):
    """Return the call with the columns of W that meet the attentional vector in front."""
    y, states, h_0, W, *rest = call.args
    return replace(call, args=(y, states, h_0, np.roll(W, -y.shape[1], axis=1), *rest))


PROBES = (
    Probe("a single step", "one step", sized(1, 5, 3, 4, 2)),
    Probe("a single step, a single word in the source", "one step", sized(1, 1, 2, 3, 5)),
    Probe("three steps, six words", "many steps", sized(3, 6, 2, 4, 5)),
    Probe("more steps than words", "many steps", sized(7, 3, 4, 2, 6)),
    Probe("all sizes equal", "many steps", sized(4, 4, 4, 4, 4),
        "Here many wrong things fit as well, so only the numbers tell."),
    Probe("scores in the thousands", "large scores", large),
)  # fmt: skip
