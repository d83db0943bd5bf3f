"""The gated delta rule, step by step."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("read", "memory")


def ask(rng, n, d_k, d_v, decays=(0.5, 1.0)):
    S, q, k, v = draw(rng, (d_k, d_v), (n, d_k), (n, d_k), (n, d_v))
    args = (S, q, 0.6 * k, v, rng.uniform(0.2, 0.9, n), rng.uniform(*decays, n))
    return Call("rewrite_memory", args, returns=RETURNS)


def twice_to_one_key(rng):
    """One key of length 1 comes twice, and both writes are whole."""
    call = ask(rng, 2, 4, 3)
    key = rng.standard_normal(4)
    call.args[1][...] = call.args[2][...] = key / np.linalg.norm(key)
    call.args[4][...] = 1.0
    return [call]


def nothing_is_written(rng):
    call = ask(rng, 5, 4, 3)
    call.args[4][...] = 0.0
    return [call]


def nothing_is_forgotten(rng):
    call = ask(rng, 6, 3, 5)
    call.args[5][...] = 1.0
    return [call]


def as_losses(call):
    """Hand in what is lost where the exercise itself says what is kept."""
    *others, decay = call.args
    return Call(call.target, (*others, 1 - decay), returns=call.returns)


PROBES = (
    Probe("one step", "one step", lambda rng: [ask(rng, 1, 4, 3)]),
    Probe("one step with all sizes equal", "one step",
        lambda rng: [ask(rng, 1, 1, 1), ask(rng, 1, 5, 5)], EVERY_AXIS_FITS),
    Probe("one key that is written twice", "many steps", twice_to_one_key,
        "What the key held has to go before something else is there."),
    Probe("seven steps", "many steps", lambda rng: [ask(rng, 7, 4, 3)]),
    Probe("more steps than the memory has rows", "many steps", lambda rng: [ask(rng, 9, 2, 6)]),
    Probe("strengths of zero", "many steps", nothing_is_written,
        "Nothing is written, and the memory still forgets."),
    Probe("decays of one", "large decays", nothing_is_forgotten,
        "With nothing forgotten, this is the plain delta rule."),
    Probe("memories that nearly vanish", "large decays",
        lambda rng: [ask(rng, 6, 4, 3, (0.001, 0.05))]),
)  # fmt: skip
