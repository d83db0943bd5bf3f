"""The gradient of scaled dot-product attention by hand."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("gradient of q", "gradient of k", "gradient of v")


def drawn(rng, *batch, n_queries, n_keys, d_k, d_v):
    draw = rng.standard_normal
    q, k = draw((*batch, n_queries, d_k)), draw((*batch, n_keys, d_k))
    return q, k, draw((*batch, n_keys, d_v)), draw((*batch, n_queries, d_v))


def ask(*args):
    return [Call("attention_backward", args, returns=RETURNS)]


def equal_values(rng):
    q, k, v, g = drawn(rng, n_queries=7, n_keys=4, d_k=3, d_v=5)
    return ask(q, k, np.ones((4, 1)) * v[:1], g)


def zero_queries(rng):
    q, k, v, g = drawn(rng, n_queries=5, n_keys=7, d_k=3, d_v=2)
    return ask(0 * q, k, v, g)


def zero_keys(rng):
    q, k, v, g = drawn(rng, n_queries=3, n_keys=6, d_k=7, d_v=4)
    return ask(q, 0 * k, v, g)


def large(rng):
    q, k, v, g = drawn(rng, n_queries=6, n_keys=4, d_k=5, d_v=3)
    k[1:3] = k[0]  # three keys that tie, so that not all gradients vanish
    return ask(60 * q, 60 * k, v, g)


def to_values_first(call):
    return replace(call, returns=(RETURNS[2], *RETURNS[:2]))


PROBES = (
    Probe("six queries, five keys, widths 3 and 7", "all three",
        lambda rng: ask(*drawn(rng, n_queries=6, n_keys=5, d_k=3, d_v=7))),
    Probe("all sizes equal", "all three",
        lambda rng: ask(*drawn(rng, n_queries=4, n_keys=4, d_k=4, d_v=4)), EVERY_AXIS_FITS),
    Probe("two axes in front", "all three",
        lambda rng: ask(*drawn(rng, 2, 3, n_queries=4, n_keys=6, d_k=5, d_v=7))),
    Probe("as many sentences as words", "all three",
        lambda rng: ask(*drawn(rng, 3, n_queries=3, n_keys=3, d_k=2, d_v=5)),
        "No sentence may see a word of another."),
    Probe("all values alike: only v has a gradient", "values", equal_values,
        "If all values are the same, it does not matter where the weights lie."),
    Probe("all queries zero: k has no gradient", "queries", zero_queries,
        "The weights are all equal here, so only their slope is at stake."),
    Probe("all keys zero: q has no gradient", "keys", zero_keys,
        "The weights are all equal here, so only their slope is at stake."),
    Probe("scores in the thousands", "large scores", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
