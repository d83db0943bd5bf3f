"""The four steps of attention for one query: scores, exponentials, weights, context."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("weights", "context")


def ask(q, k, v):
    return Call("four_steps", (q, k, v), returns=RETURNS)


def far(rng, n_keys, d_k, d_v, offset):
    """Scores far from zero and near each other, whole numbers, so single precision is exact."""
    q, k = np.ones(d_k), rng.integers(-1, 2, (n_keys, d_k)) * 1.0
    q[0], k[:, 0] = 100, offset / 100
    return [ask(q, k, rng.standard_normal((n_keys, d_v)))]


PROBES = (
    Probe("five keys of width 3, values of width 7", "weights and context",
        lambda rng: [ask(*draw(rng, 3, (5, 3), (5, 7)))]),
    Probe("a single key gets the weight 1", "weights and context",
        lambda rng: [ask(*draw(rng, 4, (1, 4), (1, 3)))]),
    Probe("as many keys as their width", "weights and context",
        lambda rng: [ask(*draw(rng, 4, (4, 4), (4, 4)))], EVERY_AXIS_FITS),
    Probe("scores in the thousands", "large scores", lambda rng: far(rng, 6, 8, 2, 5000),
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("scores thousands apart", "large scores",
        lambda rng: far(rng, 7, 6, 4, np.array([5000, -5000, 5000, 0, -5000, 5000, 0])),
        "After the shift no exponent may be above 0."),
    Probe("all scores far below zero", "large scores", lambda rng: far(rng, 4, 5, 3, -5000),
        "np.exp(-5000) is 0, and 0 / 0 is nan."),
)  # fmt: skip
