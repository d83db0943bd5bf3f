"""Causal attention with soft-capped scores: near the cap, beyond it and far below it."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, LONG, Call, Probe, draw


def ask(q, k, v, cap):
    return Call("capped_attention", (q, k, v, cap), returns=("context", "weights"))


def qkv(rng, n_q, n_k, d_k, d_v):
    return draw(rng, (n_q, d_k), (n_k, d_k), (n_k, d_v))


def single(rng):
    return [ask(*qkv(rng, 1, 6, 5, 3), 1.5), ask(*qkv(rng, 1, 1, 3, 4), 2.5)]


def beyond(rng):
    """Scores of one to three caps, of either sign: all of them beyond, and all differ."""
    steps = np.linspace(1.2, 3.0, 6) * rng.choice([-1.0, 1.0])
    k = np.zeros((6, 4))
    k[:, 0] = 4.0 * rng.permutation(steps)
    q = np.zeros((3, 4))
    q[:, 0] = 1 + 0.1 * rng.permutation(3)
    return [ask(q, k, rng.standard_normal((6, 5)), 2.0)]


def future_far_above(rng):
    """The keys that are still to come score far above all that may be seen."""
    q, k, v = qkv(rng, 4, 6, 5, 3)
    q = np.abs(q) + 1
    k[3:] = 60.0 * (1 + np.abs(k[3:]))
    return [ask(q, k, v, 4.0)]


def small_caps(rng):
    return [ask(*qkv(rng, 5, 5, 3, 2), 0.05), ask(*qkv(rng, 3, 6, 4, 2), 0.2)]


def far_above(rng):
    return [ask(*qkv(rng, 4, 7, 3, 5), 1e6), ask(*qkv(rng, 5, 6, 4, 2), 4e3)]


def saturated(rng):
    q, k, v = qkv(rng, 3, 6, 4, 5)
    return [ask(100 * q, 100 * k, v, 5.0)]


def large_caps(rng):
    """Rows of capped scores near a thousand and near minus a thousand."""
    q, k = np.ones((4, 4)), 1000 + rng.permutation(np.arange(12.0)).reshape(6, 2).repeat(2, 1)
    q *= rng.permutation([1.0, -1.0, -1.0, 1.0])[:, None]
    return [ask(q, k, rng.standard_normal((6, 3)), 1100.0)]


def to_sharpness(call):
    """Hand in one over the cap."""
    *arrays, cap = call.args
    return Call(call.target, (*arrays, 1 / cap), returns=call.returns)


PROBES = (
    Probe("five queries, seven keys", "capped scores",
        lambda rng: [ask(*qkv(rng, 5, 7, 3, 4), 2.0)]),
    Probe("a single query sees all keys", "capped scores", single),
    Probe("all sizes equal", "capped scores",
        lambda rng: [ask(*qkv(rng, 4, 4, 4, 4), 3.0)], EVERY_AXIS_FITS),
    Probe("scores of one to three caps", "capped scores", beyond,
        "Beyond the cap a score still counts, a little less each time."),
    Probe("as many queries as keys", "mask",
        lambda rng: [ask(*qkv(rng, 6, 6, 3, 4), 2.0)]),
    Probe("more keys than queries", "mask",
        lambda rng: [ask(*qkv(rng, 3, 7, 4, 5), 2.0), ask(*qkv(rng, 2, LONG // 4, 2, 1), 2.0)],
        "The last query stands beside the last key."),
    Probe("small caps", "mask", small_caps,
        "Whatever the cap, what is still to come has no weight at all."),
    Probe("keys to come that score far above the others", "mask", future_far_above),
    Probe("caps far above all scores", "large numbers", far_above,
        "Here the cap should change next to nothing."),
    Probe("scores in the thousands", "large numbers", saturated,
        "Every score is then at one end of the cap or at the other."),
    Probe("caps in the thousands as well", "large numbers", large_caps,
        "np.exp(1000) is inf, and np.exp(-1000) is 0. Is the shift right for every row?"),
)  # fmt: skip
