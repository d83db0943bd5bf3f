"""One step of the LSTM network: a look at its own tape, then an LSTM's gates."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("state", "cell", "summary", "weights")


def ask(rng, past, inputs, d, d_a, v_by=1.0, score_by=1.0):
    draw = rng.standard_normal
    tapes = draw(inputs), draw(d), draw((past, d)), draw((past, d))
    scoring = [score_by * draw((d_a, n)) for n in (d, inputs, d)]
    gates = draw((4 * d, d + inputs)), draw(4 * d)
    return [
        Call("tape_step", (*tapes, *scoring, v_by * draw(d_a), *gates), returns=RETURNS),
    ]


def large(rng):
    both = ask(rng, 7, 3, 2, 4, v_by=20000.0, score_by=0.3) * 2
    args = list(both[1].args)
    args[7] = -args[7]
    return [both[0], replace(both[1], args=tuple(args))]


def last_two_parts_swapped(call):
    *others, W, b = call.args
    i, f, g, o = np.split(np.arange(len(b)), 4)
    rows = np.concatenate([i, f, o, g])
    return replace(call, args=(*others, W[rows], b[rows]))


PROBES = (
    Probe("six entries, inputs of 3, states of 4", "a step", lambda rng: ask(rng, 6, 3, 4, 5)),
    Probe("all sizes equal", "a step", lambda rng: ask(rng, 4, 4, 4, 4), EVERY_AXIS_FITS),
    Probe("a tape of one entry", "a step", lambda rng: ask(rng, 1, 2, 5, 3),
        "One score only: this is a step of a plain LSTM."),
    Probe("an empty tape", "the first step", lambda rng: ask(rng, 0, 4, 3, 2),
        "What is the largest of no scores, and the sum of no weights?"),
    Probe("scores in the thousands", "large scores", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
