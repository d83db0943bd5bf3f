"""How many layers apart: windows, readings drawn at random, and positions without a way."""

import numpy as np

from attention_course.exercises.probing import Call, Probe


def ask(reads):
    return Call("layers_between", (reads,), returns=("layers",))


def band(n, before, after):
    away = np.arange(n) - np.arange(n)[:, None]
    return (away >= -before) & (away <= after)


def shuffled(rng, reads):
    order = rng.permutation(len(reads))
    return reads[order][:, order]


def drawn(rng, n, share):
    """Any reading, with a ring through all positions, so that every way is there."""
    ring = np.roll(np.eye(n, dtype=bool), 1, axis=1)
    return shuffled(rng, ring | (rng.random((n, n)) < share))


def ring(rng, n):
    """Each position reads one other: the way back to itself takes n layers."""
    return shuffled(rng, np.roll(np.eye(n, dtype=bool), 1, axis=1))


def blocks(n, size):
    block = np.arange(n) // size
    near = np.abs(block - block[:, None]) < 2
    return near | (block == 0) | (block == 0)[:, None]


def apart(rng):
    reads = np.zeros((9, 9), dtype=bool)
    reads[:4, :4], reads[4:, 4:] = drawn(rng, 4, 0.2), drawn(rng, 5, 0.1)
    return shuffled(rng, reads)


PROBES = (
    Probe("windows to both sides", "windows",
        lambda rng: [ask(band(9, 1, 1)), ask(band(11, 2, 2))]),
    Probe("windows that look back", "windows",
        lambda rng: [ask(band(8, 2, 0)), ask(band(7, 3, 0))],
        "What comes later is never heard of: 0."),
    Probe("windows with one block for all", "windows", lambda rng: [ask(blocks(12, 2))]),
    Probe("everybody reads everybody", "windows",
        lambda rng: [ask(np.ones((5, 5), dtype=bool)), ask(np.ones((1, 1), dtype=bool))]),
    Probe("drawn at random", "any reading",
        lambda rng: [ask(drawn(rng, 10, 0.08)), ask(drawn(rng, 7, 0.2))]),
    Probe("a ring", "any reading", lambda rng: [ask(ring(rng, 6)), ask(ring(rng, 9)),
            ask(ring(rng, 40))],
        "In a ring of six, a signal needs six layers to come back to where it began."),
    Probe("two groups that never meet", "no way", lambda rng: [ask(apart(rng))]),
    Probe("nobody reads anything", "no way",
        lambda rng: [ask(np.zeros((4, 4), dtype=bool)), ask(np.zeros((1, 1), dtype=bool))]),
)  # fmt: skip
