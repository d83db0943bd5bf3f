"""Attention over keys that arrive in blocks: the online softmax."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe
from attention_course.exercises.runner import Blocks

RETURNS = ("context", "log_sums")


def ask(rng, sizes, n_queries=4, d_k=3, d_v=7, q_by=1.0, k_by=None):
    k_by = np.ones(len(sizes)) if k_by is None else k_by
    blocks = tuple(
        (by * rng.standard_normal((size, d_k)), rng.standard_normal((size, d_v)))
        for size, by in zip(sizes, k_by, strict=True)
    )
    q = q_by * rng.standard_normal((n_queries, d_k))
    return Call("attend_blockwise", (q, blocks), returns=RETURNS)


def empty(rng):
    return [
        ask(rng, (0, 3, 5), n_queries=6, d_k=2, d_v=4),
        ask(rng, (3, 0, 4, 0), n_queries=2, d_k=6, d_v=5),
    ]


def in_a_list(rng):
    """The same list twice: what the first call takes out of it the second one misses."""
    call = ask(rng, (4, 1, 3), n_queries=5, d_k=6, d_v=2)
    q, blocks = call.args
    held = list(blocks)
    return [replace(call, args=(x, held)) for x in (q, q[::-1].copy())]


def all_below_zero(rng):
    q = 30 + rng.random((3, 4))
    blocks = tuple(
        (-30 - 0.01 * rng.random((size, 4)), rng.standard_normal((size, 5))) for size in (2, 6)
    )
    return [Call("attend_blockwise", (q, blocks), returns=RETURNS)]


def in_one_memory(rng, sizes, factors, **options):
    """Blocks each of which is made in the memory of the one before."""
    call = ask(rng, sizes, **options)
    q, pairs = call.args
    return [replace(call, args=(q, Blocks(pairs, np.array(factors))))]


def too_many(part, name, sizes, lowest=0.5, highest=1.5):
    """Return a probe with blocks of which all together are more than an answer may hold.

    Joined, the keys alone take 12 MiB, or 6 in single precision, twice while they are copied.
    """

    def calls(rng):
        factors = np.geomspace(lowest, highest, 192)[rng.permutation(192)]
        return in_one_memory(rng, sizes, factors, n_queries=1, d_k=128, d_v=128)

    return Probe(name, part, calls, "What must be kept of a block that was read?", holds=5)


ONCE = "Is a block still read after the next one was asked for?"

PROBES = (
    Probe("three blocks of 5, 2 and 6 keys", "moderate scores",
        lambda rng: [ask(rng, (5, 2, 6))]),
    Probe("a single block", "moderate scores",
        lambda rng: [ask(rng, (6,), n_queries=3, d_k=5, d_v=2)]),
    Probe("three blocks in a list", "moderate scores", in_a_list,
        "Whose list is it, and what is in it afterwards?"),
    Probe("one key at a time", "moderate scores",
        lambda rng: [ask(rng, (1,) * 8, n_queries=5, d_k=2, d_v=3)]),
    Probe("all sizes equal", "moderate scores",
        lambda rng: [ask(rng, (4, 4, 4, 4), n_queries=4, d_k=4, d_v=4)], EVERY_AXIS_FITS),
    Probe("empty blocks, the first one too", "empty blocks", empty,
        "What is the largest of no scores? And minus infinity minus minus infinity?"),
    Probe("ever larger scores, up to thousands", "large scores",
        lambda rng: [ask(rng, (3, 5, 2), d_k=6, q_by=30.0, k_by=(0.1, 3.0, 60.0))],
        "What was summed before must fade when a larger score comes."),
    Probe("large scores first, small ones after", "large scores",
        lambda rng: [ask(rng, (2, 6, 3), d_k=5, q_by=30.0, k_by=(60.0, 3.0, 0.1))],
        "A largest score never falls."),
    Probe("all scores far below zero", "large scores", all_below_zero,
        "np.exp(-1800) is 0, and 0 / 0 is nan."),
    Probe("blocks made in one memory", "moderate scores",
        lambda rng: in_one_memory(rng, (5, 2, 6), (1.0, 0.7, 1.3)), ONCE),
    Probe("empty blocks between others, in one memory", "empty blocks",
        lambda rng: in_one_memory(rng, (0, 3, 5), (1.0, 1.2, 0.8), d_k=6), ONCE),
    Probe("large scores, blocks made in one memory", "large scores",
        lambda rng: in_one_memory(rng, (3, 2, 5), (60.0, 0.1, 3.0), q_by=30.0, d_k=5), ONCE),
    too_many("moderate scores", "more blocks than may be held", (64, 64)),
    too_many("empty blocks", "more blocks than may be held, empty ones too", (0, 128)),
    too_many("large scores", "more blocks of large scores than are held", (64, 64), 1.0, 90.0),
)  # fmt: skip
