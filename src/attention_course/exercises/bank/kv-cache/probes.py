"""Causal attention with a memory: keys and values are kept, so that nothing is done twice."""

import numpy as np

from attention_course.exercises.probing import LONG, Call, Probe, transpose_args
from attention_course.exercises.runner import Result

RETURNS = ("weights", "context")


NEW = Call("KeyValueCache")


def step(rng, m, d_k, d_v, batch=(), on=0):
    q, k = rng.standard_normal((2, *batch, m, d_k))
    return Call("step", (q, k, rng.standard_normal((*batch, m, d_v))), on=on, returns=RETURNS)


def append(rng, m, d_k, d_v, batch=(), on=0):
    k = rng.standard_normal((*batch, m, d_k))
    return Call("append", (k, rng.standard_normal((*batch, m, d_v))), on=on)


def length(on=0):
    return Call("$get", ("length",), on=on, returns=("length",))


def prompt_then_steps(rng):
    return [NEW, step(rng, 5, 4, 3), length(), step(rng, 1, 4, 3), step(rng, 1, 4, 3)]


def appended(rng):
    return [
        NEW,
        append(rng, 4, 3, 2),
        step(rng, 2, 3, 2),
        append(rng, 1, 3, 2),
        length(),
        append(rng, LONG, 3, 2),
        step(rng, 2, 3, 2),
        length(),
    ]


def heads(rng):
    pieces = [step(rng, m, 4, 7, (2, 3)) for m in (3, 1, 2)]
    return [NEW, *pieces, append(rng, 2, 4, 7, (2, 3)), step(rng, 1, 4, 7, (2, 3)), length()]


def two(rng):
    first, second = [step(rng, 2, 3, 5, on=on) for on in (0, 1)]
    return [NEW, NEW, first, second, length(0), step(rng, 1, 3, 5, on=0), length(1)]


def written_over(rng):
    """The values are a copy of what a first step returned; once kept, they are written over."""
    made = [step(rng, 3, 3, 3), Call("__getitem__", (1,), on=1), Call("copy", on=2)]
    kept = Call("append", (rng.standard_normal((3, 2)), Result(3)), on=4)
    return [NEW, *made, NEW, kept, Call("fill", (9.0,), on=3), step(rng, 1, 2, 3, on=4)]


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def large(rng):
    first, second = step(rng, 3, 4, 6), step(rng, 2, 4, 6)
    for call in (first, second):
        call.args[0][...] = 2000 * np.rint(call.args[0])
        call.args[1][...] = np.rint(call.args[1])
    return [NEW, first, second]


def keys_as_columns(call):
    """Return the call with its keys as columns; they stand before the values."""
    return (
        transpose_args(call, [len(call.args) - 2])
        if call.target in ("append", "step")
        else call
    )


PROBES = (
    Probe("four steps of one position", "one position at a time",
        lambda rng: [NEW, *(step(rng, 1, 3, 5) for _ in range(4)), length()]),
    Probe("as many steps as features", "one position at a time",
        lambda rng: [NEW, *(step(rng, 1, 4, 4) for _ in range(4))],
        "Here a wrong axis fits as well, so only the numbers tell."),
    Probe("a new cache is empty", "one position at a time",
        lambda rng: [NEW, length(), step(rng, 1, 5, 2), length()]),
    Probe("five positions at once, then two steps", "pieces", prompt_then_steps),
    Probe("pieces of two, four and three positions", "pieces",
        lambda rng: [NEW, *(step(rng, m, 6, 2) for m in (2, 4, 3)), length()],
        "In each piece a position may see the piece up to itself."),
    Probe("four positions appended before the first step", "pieces", appended),
    Probe("scores in the thousands", "pieces", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("two texts with three heads", "batches", heads),
    Probe("as many texts and heads as positions", "batches",
        lambda rng: [NEW, *(step(rng, 2, 2, 2, (2, 2)) for _ in range(2)), length()],
        "Pieces are joined along the axis of the positions."),
    Probe("two caches in turn", "two caches", two,
        "What one cache keeps must not appear in the other."),
    Probe("the caller writes over values that are kept", "two caches", written_over,
        "Does the cache hold the caller's array, or a copy?"),
    Probe("a second cache starts empty", "two caches",
        lambda rng: [NEW, step(rng, 3, 2, 4), NEW, length(2), step(rng, 2, 2, 4, on=2)]),
)  # fmt: skip
