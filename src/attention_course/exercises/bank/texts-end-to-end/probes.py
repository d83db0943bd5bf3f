"""Attention in each of several texts that lie end to end."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe


def ask(rng, lengths, d=4, d_v=3, times=1.0):
    n = sum(lengths)
    q, k = rng.standard_normal((2, n, d)) * times
    edges = np.cumsum([0, *lengths]) * len(q) // n  # other draws may have longer axes
    args = q, k, rng.standard_normal((n, d_v)), edges
    return Call("attend_texts", args, returns=("contexts",))


def drawn(*each, **more):
    return lambda rng: [ask(rng, lengths, **more) for lengths in each]


def by_lengths(call):
    *vectors, edges = call.args
    return replace(call, args=(*vectors, np.diff(edges)))


PROBES = (
    Probe("two texts", "texts", drawn((5, 3), (2, 6)), "Who may see the first token?"),
    Probe("four texts", "texts", drawn((4, 7, 3, 5))),
    Probe("texts of one token", "texts", drawn((1, 1, 4), (3, 1, 1))),
    Probe("texts without tokens", "texts", drawn((3, 0, 4), (0, 2, 0, 0, 5))),
    Probe("one text", "order", drawn((6,), d_v=4), "Which keys has the third token?"),
    Probe("vectors of other widths", "order", drawn((4, 5), d=7, d_v=2)),
    Probe("large scores", "softmax", drawn((4, 6), times=20.0)),
)  # fmt: skip
