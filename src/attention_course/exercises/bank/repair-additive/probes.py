"""Additive attention with five planted faults, to be found and mended."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("context", "weights")


def ask(*arrays):
    return Call("repaired_additive", arrays, returns=RETURNS)


def drawn(rng, batch, n_q, n_k, d_q, d_k, d_v, d_a):
    arrays = (batch, n_q, d_q), (batch, n_k, d_k), (batch, n_k, d_v)
    return draw(rng, *arrays, (d_q, d_a), (d_k, d_a), d_a)


def whole(batch, n_k):
    return np.ones((batch, n_k), dtype=bool)


def up_to(lengths, n_k):
    return np.arange(n_k) < np.array(lengths)[:, None]


def padded(rng):
    q, k, v, *arrays = drawn(rng, 3, 2, 6, 4, 5, 7, 8)
    mask = up_to([6, 1, 4], 6)
    far = np.where(mask[..., None], 1.0, 40.0)
    return [ask(q, far * k, far * v, *arrays, mask)]


def by_levels(rng, levels, q):
    """Scores that rise with the level of a key, in steps so wide that one key takes all."""
    levels = np.asarray(levels)
    k = np.repeat(levels[..., None], 2, axis=-1)
    v = rng.standard_normal((*levels.shape, 3))
    W_q, W_k = 0.5 + rng.random((q.shape[-1], 6)), 0.5 + rng.random((2, 6))
    return q, k, v, W_q, W_k, 600 * (0.5 + rng.random(6))


def large(rng):
    levels = [rng.permutation(np.linspace(-0.4, 0.4, 5)) for _ in range(2)]
    q = np.array([[[0.3] * 4, [-0.3] * 4, [0.2] * 4], [[-0.2] * 4, [0.1] * 4, [-0.3] * 4]])
    return [ask(*by_levels(rng, levels, q), whole(2, 5))]


def large_padding(rng):
    mask = up_to([3, 2], 4)
    levels = np.where(mask, [rng.permutation(4) / 5 - 0.7 for _ in range(2)], 0.9)
    return [ask(*by_levels(rng, levels, rng.normal(0, 0.1, (2, 3, 5))), mask)]


PROBES = (
    Probe("three queries, five keys, no padding", "scores and context",
        lambda rng: [ask(*drawn(rng, 2, 3, 5, 4, 6, 7, 8), whole(2, 5))]),
    Probe("a single query", "scores and context",
        lambda rng: [ask(*drawn(rng, 3, 1, 4, 2, 5, 6, 7), whole(3, 4))]),
    Probe("all sizes equal", "scores and context",
        lambda rng: [ask(*drawn(rng, 4, 4, 4, 4, 4, 4, 4), whole(4, 4))], EVERY_AXIS_FITS),
    Probe("padding, with large numbers in it", "padding", padded,
        "What stands in the padding must not matter."),
    Probe("padding, as many queries as keys", "padding",
        lambda rng: [ask(*drawn(rng, 2, 4, 4, 3, 5, 6, 7), up_to([2, 3], 4))]),
    Probe("a sentence of nothing but padding", "padding",
        lambda rng: [ask(*drawn(rng, 3, 2, 4, 5, 6, 7, 3), up_to([4, 0, 2], 4))]),
    Probe("scores in the thousands", "large scores", large),
    Probe("padding whose scores are larger by thousands", "large scores", large_padding,
        "The largest of which scores is taken away?"),
)  # fmt: skip
