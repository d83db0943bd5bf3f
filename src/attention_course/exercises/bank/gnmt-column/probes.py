"""One word of GNMT's decoder: the wiring of a stack of any height."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("output", "m", "c", "weights")


def ask(rng, layers, d, source, d_s, d_a, score_by=1.0):
    draw = rng.standard_normal
    states = draw(d), draw((layers, d)), draw((layers, d)), draw((source, d_s))
    scoring = draw((d_a, d)), draw((d_a, d_s)), score_by * draw(d_a)
    stack = draw((layers, 4 * d, d + d_s + d)), draw((layers, 4 * d))
    return [Call("column_step", (*states, *scoring, *stack), returns=RETURNS)]


def large(rng):
    call = ask(rng, 3, 2, 8, 5, 4, score_by=20000.0)[0]
    args = list(call.args)
    args[6] = -args[6]
    return [call, replace(call, args=tuple(args))]


def again(rng):
    """After a second call the results of the first are looked at."""
    calls = ask(rng, 3, 2, 5, 4, 6) + ask(rng, 3, 2, 5, 4, 6)
    names = ("second", "third")
    return calls + [
        Call("__getitem__", (i,), on=0, returns=(f"{name} result of the first call",))
        for i, name in enumerate(names, 1)
    ]


def context_below(call):
    """Return the call with the columns of W that meet the context in front."""
    if call.target != "column_step":
        return call
    y, annotations, W = call.args[0], call.args[3], call.args[7]
    d, d_s = len(y), annotations.shape[1]
    moved = np.r_[d : d + d_s, :d, d + d_s : W.shape[2]]
    return replace(call, args=(*call.args[:7], W[:, :, moved], *call.args[8:]))


PROBES = (
    Probe("two layers, six annotations", "wiring", lambda rng: ask(rng, 2, 3, 6, 4, 5)),
    Probe("a single layer", "wiring", lambda rng: ask(rng, 1, 4, 3, 2, 5)),
    Probe("two steps, and the results of the first once more", "wiring", again,
        "Where do the arrays that a call fills come from?"),
    Probe("five layers", "residuals", lambda rng: ask(rng, 5, 4, 7, 3, 6),
        "Three of the five add their input to their output."),
    Probe("all sizes equal", "residuals", lambda rng: ask(rng, 4, 4, 4, 4, 4),
        EVERY_AXIS_FITS),
    Probe("scores in the thousands", "large scores", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
