"""Attention by direction alone: the cosine, times a strength that each query brings along."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("context", "weights")


def ask(*arrays):
    return Call("cosine_attention", arrays, returns=RETURNS)


def drawn(rng, n_q, n_k, d_k, d_v):
    draw = rng.standard_normal
    return draw((n_q, d_k)), draw((n_k, d_k)), draw((n_k, d_v)), 0.5 + 3 * rng.random(n_q)


def sized(*sizes):
    return lambda rng: [ask(*drawn(rng, *sizes))]


def long_keys(rng):
    q, k, v, beta = drawn(rng, 3, 5, 4, 2)
    return [ask(q, k * 10.0 ** rng.permutation([-3, -1, 0, 2, 3])[:, None], v, beta)]


def long_queries(rng):
    q, k, v, beta = drawn(rng, 3, 6, 2, 4)
    return [ask(q * 10.0 ** rng.permutation([-3, 0, 3])[:, None], k, v, beta)]


def no_direction(rng):
    q, k, v, beta = drawn(rng, 3, 5, 2, 4)
    q[rng.integers(3)], k[rng.integers(5)] = 0, 0
    return [ask(q, k, v, beta)]


def strong(rng):
    """Keys at angles far apart, and keys that all point away from the queries.

    The rows of scores lie hundreds and thousands apart.
    """
    calls = []
    for fan, towards in ((np.pi, 2), (np.pi / 2, -2)):
        angles = rng.random() + fan * rng.permutation(5) / 5
        k = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        q = towards * k[rng.integers(5, size=3)] + 0.1
        beta = rng.permutation([4000.0, 300.0, 1.0])
        calls.append(ask(q, k, rng.standard_normal((5, 4)), beta))
    return calls


def to_temperature(call):
    return Call(call.target, (*call.args[:3], 1 / call.args[3]), returns=call.returns)


SMALL = "A length may be 0.001: what does a number added to it, or a floor under it, do there?"
PROBES = (
    Probe("three queries, five keys", "weights and context", sized(3, 5, 4, 2)),
    Probe("a single query", "weights and context", sized(1, 4, 3, 5)),
    Probe("all sizes equal", "weights and context", sized(4, 4, 4, 4), EVERY_AXIS_FITS),
    Probe("keys of very different lengths", "weights and context", long_keys,
        SMALL),
    Probe("queries of very different lengths", "weights and context", long_queries,
        SMALL),
    Probe("vectors of zeros", "no direction", no_direction, "0 / 0 is nan."),
    Probe("strengths of 1, 300 and 4000", "strong", strong,
        "What is the exponential of 4000, and what is that of -4000?"),
)  # fmt: skip
