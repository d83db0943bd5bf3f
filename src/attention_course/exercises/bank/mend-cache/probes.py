"""A step of a decoder with a cache and ALiBi, with three planted bugs."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, LONG, Call, Probe, draw

RETURNS = ("context", "keys", "values")


def ask(rng, m, n, d_k, d_v, slope):
    drawn = draw(rng, (n, d_k), (n, d_k), (n, d_v), (m, d_k), (m, d_v))
    return Call("attend_further", (*drawn, slope), returns=RETURNS)


def alike(rng, m, n):
    """Queries are 0, so that the bias alone decides."""
    call = ask(rng, m, n, 3, 4, 0.25 + rng.random() / 2)
    return Call("attend_further", (0 * call.args[0], *call.args[1:]), returns=RETURNS)


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def large(rng):
    call = ask(rng, 5, 3, 4, 2, 0.5)
    call.args[0][...] = 2000 * np.rint(call.args[0])
    for keys in (call.args[1], call.args[3]):
        keys[...] = np.rint(keys)
    return [call]


def values_kept_first(call):
    """Return the call with the kept values before the kept keys."""
    *new, past_k, past_v, slope = call.args
    return Call("attend_further", (*new, past_v, past_k, slope), returns=call.returns)


PROBES = (
    Probe("the scale alone: nothing is kept, and no slope", "the scale",
        lambda rng: [ask(rng, 0, 5, 6, 3, 0.0), ask(rng, 0, 3, 4, 2, 0.0)],
        "What is the standard deviation of the scores?"),
    Probe("the bias alone: nothing is kept, queries of 0", "the bias",
        lambda rng: [alike(rng, 0, 6)], "Which of equal keys has the largest weight?"),
    Probe("the places alone: width 1, and no slope", "the places",
        lambda rng: [ask(rng, 4, 2, 1, 3, 0.0), ask(rng, 5, 1, 1, 2, 0.0)],
        "Give all words at once, then one after the other."),
    Probe("a single new word", "together",
        lambda rng: [ask(rng, 5, 1, 4, 3, 0.5), ask(rng, 1, 1, 2, 5, 0.125),
            ask(rng, LONG, 1, 2, 1, 2**-9)]),
    Probe("several new words", "together",
        lambda rng: [ask(rng, 3, 4, 5, 2, 0.25), alike(rng, 4, 3)]),
    Probe("all sizes equal", "together",
        lambda rng: [ask(rng, 4, 4, 4, 4, 0.5)], EVERY_AXIS_FITS),
    Probe("scores in the thousands", "together", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
