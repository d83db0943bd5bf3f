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


def still(rng, batch, n_q, n_k):
    """Arrays in which the queries are 0, and the values too: nothing but the keys speaks."""
    q, k, v, *arrays = drawn(rng, batch, n_q, n_k, 4, 5, 6, 7)
    return 0 * q, k, 0 * v, *arrays


def score_alone(rng):
    """Every word is a unit of its own, so rows and columns of the scores have the same sums."""
    x = (3.5 + rng.random()) * np.repeat(np.eye(4)[None], 2, axis=0)
    W, w_v = 0.2 * np.eye(4), np.full(4, 1 + rng.random())
    return [ask(x, x, np.zeros((2, 4, 3)), W, W, w_v, whole(2, 4))]


def axis_alone(rng):
    return [ask(*still(rng, 2, 3, 5), whole(2, 5))]


def mask_alone(rng):
    q, k, v, W_q, W_k, w_v = still(rng, 2, 2, 5)
    mask = np.array([rng.permutation(5) < 3 for _ in range(2)])
    return [ask(q, k, v, W_q, W_k, 0 * w_v, mask)]


def largest_alone(rng):
    """All scores of a sentence are alike, those of the second far below those of the first."""
    q, k, v, W_q, W_k, _ = still(rng, 2, 4, 4)
    k = np.array([[[1.0]], [[-1.0]]]) * (3.5 + rng.random(5)) + 0 * k
    return [ask(q, k, v, W_q, np.abs(W_k) + 0.5, np.full(7, 400.0), whole(2, 4))]


def context_alone(rng):
    q, k, v, W_q, W_k, w_v = drawn(rng, 2, 4, 4, 3, 5, 6, 7)
    return [ask(q, k, v, W_q, W_k, 0 * w_v, whole(2, 4))]


PROBES = (
    Probe("the score alone", "the score", score_alone,
        "Does the hidden layer see query and key together?"),
    Probe("the softmax's axis alone", "the axis", axis_alone,
        "What do the weights of one query add up to?"),
    Probe("the mask alone, once the axis is right", "the mask", mask_alone,
        "What do the weights of a padded sentence add up to?"),
    Probe("the largest score alone", "the largest score", largest_alone,
        "The largest of which scores is taken away?"),
    Probe("the context alone: all weights are equal", "the context", context_alone,
        "What do equal weights make of the values?"),
    Probe("three queries, five keys, no padding", "together",
        lambda rng: [ask(*drawn(rng, 2, 3, 5, 4, 6, 7, 8), whole(2, 5))]),
    Probe("a single query", "together",
        lambda rng: [ask(*drawn(rng, 3, 1, 4, 2, 5, 6, 7), whole(3, 4))]),
    Probe("all sizes equal", "together",
        lambda rng: [ask(*drawn(rng, 4, 4, 4, 4, 4, 4, 4), whole(4, 4))], EVERY_AXIS_FITS),
    Probe("padding, with large numbers in it", "together", padded,
        "What stands in the padding must not matter."),
    Probe("padding, as many queries as keys", "together",
        lambda rng: [ask(*drawn(rng, 2, 4, 4, 3, 5, 6, 7), up_to([2, 3], 4))]),
    Probe("a sentence of nothing but padding", "together",
        lambda rng: [ask(*drawn(rng, 3, 2, 4, 5, 6, 7, 3), up_to([4, 0, 2], 4)),
            ask(*drawn(rng, 1, 2, 5, 3, 4, 6, 7), up_to([3], 5))]),
    Probe("scores in the thousands", "together", large),
    Probe("padding whose scores are larger by thousands", "together", large_padding,
        "The largest of which scores is taken away?"),
)  # fmt: skip
