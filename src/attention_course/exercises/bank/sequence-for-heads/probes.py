"""Some places of all heads, changed for all places of some heads."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(x):
    return Call("to_heads", (x,), returns=("queries",))


def drawn(*shapes):
    return lambda rng: [ask(rng.standard_normal(shape)) for shape in shapes]


def heads_first(call):
    """The same numbers, the axis of heads before that of places."""
    return replace(call, args=(np.ascontiguousarray(call.args[0].swapaxes(1, 2)),))


PROBES = (
    Probe("two devices, numbers 0, 1, 2, ...", "the exchange",
        lambda rng: [ask(np.arange(24.0).reshape(2, 3, 4, 1))],
        "Which numbers does device 1 send to device 0?"),
    Probe("two devices", "the exchange", drawn((2, 3, 4, 5))),
    Probe("three devices", "the exchange", drawn((3, 2, 6, 4), (3, 4, 9, 2))),
    Probe("five devices", "the exchange", drawn((5, 2, 10, 3))),
    Probe("all sizes equal", "sizes", drawn((2, 2, 2, 2), (3, 3, 3, 3)), EVERY_AXIS_FITS),
    Probe("as many heads as devices", "sizes", drawn((4, 3, 4, 2))),
    Probe("one place for each device", "sizes", drawn((4, 1, 8, 3))),
)  # fmt: skip
