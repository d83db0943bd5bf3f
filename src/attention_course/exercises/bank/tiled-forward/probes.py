"""Attention in tiles, full and causal."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("context", "log_sums", "tiles")


def ask(rng, n_q, n_k, block_q, block_k, causal, d_k=3, d_v=5, size=1.0, shift=0.0):
    q = size * rng.standard_normal((n_q, d_k)) + shift
    k = size * rng.standard_normal((n_k, d_k)) - shift
    v = rng.standard_normal((n_k, d_v))
    return Call("attend_in_tiles", (q, k, v, block_q, block_k, causal), returns=RETURNS)


def over(n_q, n_k, block_q, block_k, causal, **more):
    return lambda rng: [ask(rng, n_q, n_k, block_q, block_k, causal, **more)]


def last_is_nan(rng):
    """The last query is alone in its block, and so is the last key, which only it may see."""
    call = ask(rng, 7, 10, 3, 3, True)
    call.args[2][-1] = np.nan
    return [call]


def large(rng):
    return [
        ask(rng, 5, 9, 2, 4, False, d_k=4, size=40.0),
        ask(rng, 6, 6, 4, 2, True, d_k=2, size=40.0),
        ask(rng, 4, 7, 3, 2, False, d_k=4, shift=30.0),
        ask(rng, 7, 7, 3, 2, True, d_k=4, shift=30.0),
    ]


PROBES = (
    Probe("blocks that divide the lengths", "every key", over(6, 8, 3, 4, False)),
    Probe("one tile", "every key", over(4, 7, 9, 20, False, d_k=2, d_v=6)),
    Probe("lengths that the blocks do not divide", "every key",
        lambda rng: [ask(rng, 7, 10, 3, 4, False), ask(rng, 5, 3, 4, 2, False, d_k=6, d_v=2)]),
    Probe("one query and one key at a time", "every key", over(3, 5, 1, 1, False)),
    Probe("lengths, widths and blocks all equal", "every key",
        over(4, 4, 4, 4, False, d_k=4, d_v=4), EVERY_AXIS_FITS),
    Probe("large scores, full and causal", "every key", large,
        "What was summed before must fade when a larger score comes; exp(-1800) is 0."),
    Probe("causal, square tiles", "causal", over(8, 8, 2, 2, True)),
    Probe("causal, tiles wider or taller than the other", "causal",
        lambda rng: [ask(rng, 9, 9, 4, 2, True), ask(rng, 9, 9, 2, 5, True)]),
    Probe("causal, more keys than queries", "causal", over(5, 11, 2, 3, True),
        "The last query sees every key."),
    Probe("causal, more queries than keys: the first see nothing", "causal",
        lambda rng: [ask(rng, 11, 4, 3, 2, True), ask(rng, 9, 2, 2, 3, True)],
        "A block of queries may see no key at all."),
    Probe("how many tiles, full", "tiles",
        lambda rng: [ask(rng, 12, 7, 4, 2, False), ask(rng, 5, 12, 2, 5, False)]),
    Probe("how many tiles, causal", "tiles",
        lambda rng: [ask(rng, 16, 16, 4, 4, True), ask(rng, 10, 16, 4, 3, True)],
        "Tiles above the diagonal are not computed."),
    Probe("nan in a value that nobody but the last query sees", "tiles", last_is_nan,
        "0 times nan is nan: what is not seen is not computed.", fixed=(7, 10)),
)  # fmt: skip
