"""Attention in float16: large products, long rows, and rows with nothing to see."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, random_mask


def ask(q, k, v, mask=None):
    given = {} if mask is None else {"mask": mask}
    arrays = tuple(np.asarray(x).astype(np.float16) for x in (q, k, v))
    return Call("half_attention", arrays, given, returns=("context",))


def qkv(rng, n_q, n_k, d_k, d_v):
    return tuple(rng.standard_normal(shape) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


def ordinary(rng):
    return [ask(*qkv(rng, 5, 7, 3, 4)), ask(*qkv(rng, 2, 6, 5, 3))]


# Whole numbers and d_k = 4 or 16: float32 holds these scores exactly, in any order of adding.
def beyond(rng):
    """Products of either sign beyond 65504, whose best keys are a few units apart."""
    q = np.full((3, 16), 64.0)
    k = 128.0 * np.sign(rng.standard_normal((6, 1))) * np.ones((6, 16))
    k[:2] = np.abs(k[:2])
    k[0, :3] -= 0.125 * rng.integers(1, 4, 3)
    return [ask(q, k, rng.standard_normal((6, 5)))]


def far_below(rng):
    q, k = np.full((4, 4), 200.0), -np.full((5, 4), 180.0)
    k[:, 0] -= 0.125 * rng.permutation(5)
    return [ask(q, k, rng.standard_normal((5, 3)))]


def two_levels(rng):
    q, k = np.full((4, 4), 100.0), np.full((5, 4), 90.0)
    q *= np.array([1.0, -1.0, -1.0, 1.0])[rng.permutation(4), None]
    k[:, 0] -= 0.0625 * rng.permutation(5)
    return [ask(q, k, rng.standard_normal((5, 3)))]


def close_together(rng):
    """Scores near 2000, where float16 has no fractions."""
    q, k = np.full((3, 4), 32.0), np.full((6, 4), 32.0)
    k[:, :2] += 0.03125 * rng.integers(-3, 4, (6, 2))
    k[0, 0] += 0.03125
    return [ask(q, k, rng.standard_normal((6, 5)))]


def awkward_root(rng):
    """Wide scores whose root float16 does not hold: scaling before widening shows."""
    steps = 900 + 0.5 * np.arange(5)
    q = np.stack([rng.permutation(steps)[:3] for _ in range(4)])
    k = np.stack([rng.permutation(900 + 0.5 * np.array([0, 1, i])) for i in range(2, 7)])
    values = rng.standard_normal((2, 5, 3))
    return [ask(q, 4 * np.eye(3), values[0, :3]), ask(np.full((2, 3), 4.0), k, values[1])]


def large_values(rng):
    """Values near the end of float16: what is not yet divided does not fit into it."""
    q, k, v = qkv(rng, 4, 6, 3, 2)
    return [ask(q, k, 30000 + 9000 * np.clip(v, -3, 3))]


def lowest(rng):
    """Visible scores as low as float16 allows; of the best keys there are two."""
    steps = np.array([2, 2, 1, 0, 3])
    k = np.repeat(32.0 * steps[:, None] - 65504, 4, axis=1)[rng.permutation(5)]
    mask = np.tile(k[:, 0] < 32 * 3 - 65504, (3, 1))
    v = 65504 - 32.0 * rng.integers(0, 900, (5, 2))
    return [ask(np.full((3, 4), 65504.0), k, v, mask)]


def smallest(rng):
    """Queries of the smallest numbers of float16, keys of the largest."""
    q = 2.0**-24 * rng.integers(60, 128, (4, 16))
    k = 30000.0 * rng.permutation(np.arange(5) - 2)[:, None] + rng.integers(0, 99, (5, 16))
    return [ask(q, k, rng.standard_normal((5, 3)))]


def masked(rng):
    return [ask(*qkv(rng, 5, 7, 3, 4), random_mask(rng, 5, 7))]


def square_mask(rng):
    return [ask(*qkv(rng, 4, 4, 4, 4), random_mask(rng, 4, 4))]


def nothing_to_see(rng):
    mask = random_mask(rng, 5, 6)
    mask[rng.integers(5)] = False
    return [ask(*qkv(rng, 5, 6, 3, 4), mask)]


def forbidden_giant(rng):
    q, k, v = qkv(rng, 3, 5, 4, 2)
    q, k[1] = np.abs(q) + 1, 60000.0
    mask = np.ones((3, 5), dtype=bool)
    mask[:, 1] = False
    return [ask(q, k, v, mask)]


def long_rows(rng):
    q, k = np.zeros((2, 3)), rng.standard_normal((6000, 3))
    return [ask(q, k, 1 + rng.integers(0, 2, (6000, 2)))]


def held_as_one(part, name, by=1.0, others=3, hidden=False):
    """Return a probe with two keys whose scores differ in float64 alone.

    Each score is a sum of two numbers, which float32 rounds alike in any order, and the values
    are powers of two of opposite sign: in float32 they cancel, whatever else is computed how.
    """

    def calls(rng):
        at, beside = rng.permutation(16)[:2]
        q, k = np.zeros((3, 16)), np.zeros((2 + others, 16))
        q[:, at], q[:, beside] = by * rng.integers(2, 4, 3), by * 2.0**-11
        k[:, at] = by * (9 if hidden else -8)
        k[:2, at], k[:2, beside] = 5 * by, by * 2.0**-11 * rng.permutation([1, -1])
        v = np.full((2 + others, 4), 1000.0 * hidden)
        v[:2] = 2.0**15 * np.array([[1], [-1]]) * np.sign(rng.standard_normal(4))
        order = np.argsort(rng.random(2 + others))
        mask = np.tile(order < 2, (3, 1)) if hidden else None
        return [ask(q, k[order], v[order], mask)]

    return Probe(name, part, calls, "In which format do the two scores differ?", fixed=(16,))


PROBES = (
    Probe("five queries, seven keys", "ordinary scores", ordinary),
    Probe("all sizes equal", "ordinary scores",
        lambda rng: [ask(*qkv(rng, 4, 4, 4, 4))], EVERY_AXIS_FITS),
    Probe("the context is in float16", "ordinary scores",
        lambda rng: [ask(*qkv(rng, 3, 4, 2, 5))], dtype=True),
    Probe("dot products beyond 65504", "large scores", beyond,
        "Where does the first infinity come from?"),
    Probe("all scores far below zero", "large scores", far_below,
        "np.exp(-70000) is 0, and 0 / 0 is nan."),
    Probe("rows at very different levels", "large scores", two_levels),
    Probe("scores near 2000 that differ by a quarter", "large scores", close_together,
        "Between 2048 and 4096 the numbers of float16 are 2 apart."),
    Probe("wide scores of vectors with 3 numbers", "large scores", awkward_root,
        "Near 500 the numbers of float16 are 0.5 apart. What is rounded to them?"),
    Probe("the smallest queries, the largest keys", "large scores", smallest,
        "Below 0.00006 the numbers of float16 have fewer and fewer digits."),
    Probe("values in the ten thousands", "large scores", large_values,
        "The context is no larger than the values. Is all that leads to it?"),
    Probe("a mask for each pair", "mask", masked),
    Probe("a square mask", "mask", square_mask),
    Probe("a query that sees nothing gets zeros", "mask", nothing_to_see),
    Probe("a forbidden score far above the others", "mask", forbidden_giant,
        "May a key that is not seen decide how far the scores are shifted?"),
    Probe("visible scores of minus eight thousand millions", "mask", lowest,
        "Which number is lower than every score that may be seen?"),
    Probe("six thousand keys of equal weight", "long rows", long_rows,
        "When does adding 1 no longer change a number of float16?"),
    held_as_one("ordinary scores", "two scores that are one in float32"),
    held_as_one("large scores", "two large scores that are one in float32", by=1024.0),
    held_as_one("mask", "two scores that are one in float32, and a mask", hidden=True),
    held_as_one("long rows", "two such scores among three thousand", others=3000),
)  # fmt: skip
