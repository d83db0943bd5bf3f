"""Attention with dropout and three planted bugs, to be found and mended."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import (
    EVERY_AXIS_FITS,
    Call,
    Probe,
    draw,
    random_mask,
)


def ask(rng, n_q, n_k, d_k, d_v, p, training, *, may=None, kept=None):
    q, k, v = draw(rng, (n_q, d_k), (n_k, d_k), (n_k, d_v))
    may = random_mask(rng, n_q, n_k) if may is None else may
    kept = random_mask(rng, n_q, n_k) if kept is None else kept
    args = (q, k, v, may, kept, p)
    return Call("dropped_attention", args, {"training": training}, returns=("context",))


def everything(*shape):
    return np.ones(shape, dtype=bool)


def shares_alone(rng):
    """Nobody is masked, and a row is dropped as a whole."""
    kept = random_mask(rng, 4, 5)
    kept[2] = False
    return [ask(rng, 4, 5, 3, 2, 0.4, True, may=everything(4, 5), kept=kept)]


def default(rng):
    call = ask(rng, 3, 4, 5, 2, 0.3, False)
    return replace(call, kwargs={})


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def large(rng):
    call = ask(rng, 3, 5, 4, 2, 0.25, True)
    call.args[0][...] = 2000 * np.rint(call.args[0])
    call.args[1][...] = np.rint(call.args[1])
    return [call]


def blocked(call):
    q, k, v, may, *rest = call.args
    return replace(call, args=(q, k, v, ~may, *rest))


def dropped_given(call):
    *args, kept, p = call.args
    return replace(call, args=(*args, ~kept, p))


PROBES = (
    Probe("evaluation alone: nothing is masked", "in evaluation",
        lambda rng: [ask(rng, 3, 5, 4, 2, 0.3, False, may=everything(3, 5))],
        "Ask twice with other draws. Is the answer the same?"),
    Probe("the mask alone: nothing is dropped", "the mask",
        lambda rng: [ask(rng, 4, 6, 3, 5, 0.0, True, kept=everything(4, 6))],
        "Change a key that may not be seen. Does the context move?"),
    Probe("the shares alone: nothing is masked", "the shares", shares_alone,
        "Average over many draws. What should come out?"),
    Probe("training, masked", "together",
        lambda rng: [ask(rng, 3, 5, 4, 2, 0.25, True), ask(rng, 6, 4, 2, 3, 0.6, True)]),
    Probe("evaluation, masked; and as it is without a word", "together",
        lambda rng: [ask(rng, 5, 3, 4, 2, 0.5, False), default(rng)]),
    Probe("all sizes equal", "together",
        lambda rng: [ask(rng, 4, 4, 4, 4, 0.2, True)], EVERY_AXIS_FITS),
    Probe("scores in the thousands", "together", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
