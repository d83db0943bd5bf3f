"""How much each key brings to each query, by weight and length of what is brought."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("shares",)


def ask(rng, n_q, n_k, d_v, d_model):
    weights = rng.dirichlet(np.full(n_k, 0.8), size=n_q)
    v = rng.standard_normal((n_k, d_v)) * rng.uniform(0.1, 4, (n_k, 1))
    W_o = rng.standard_normal((d_v, d_model))
    return Call("contribution_shares", (weights, v, W_o), returns=RETURNS)


def masked(rng):
    call = ask(rng, 5, 4, 3, 6)
    call.args[0][[1, 3]] = 0
    return [call]


def worthless(rng):
    call = ask(rng, 4, 5, 3, 2)
    call.args[0][2] = 0, 1, 0, 0, 0
    call.args[1][1] = 0
    return [call]


def tiny(rng):
    call = ask(rng, 4, 6, 3, 5)
    call.args[1][...] *= 1e-5
    return [call]


PROBES = (
    Probe("three queries, five keys", "shares", lambda rng: [ask(rng, 3, 5, 4, 7)]),
    Probe("all sizes equal", "shares", lambda rng: [ask(rng, 4, 4, 4, 4)], EVERY_AXIS_FITS),
    Probe("as many queries as keys", "shares", lambda rng: [ask(rng, 5, 5, 2, 3)]),
    Probe("a single key", "shares", lambda rng: [ask(rng, 3, 1, 2, 4)]),
    Probe("values that are small", "shares", tiny,
        "What does a number added to a small total do, or a floor under it?"),
    Probe("queries that see nothing", "nothing brought", masked, "0 / 0 is nan."),
    Probe("all weight on a value of zeros", "nothing brought", worthless, "0 / 0 is nan."),
)  # fmt: skip
