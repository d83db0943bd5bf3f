"""Self-attention over feature maps, with keys and values thinned out by two."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import (
    EVERY_AXIS_FITS,
    Call,
    Probe,
    draw,
)

RETURNS = ("maps", "weights")


def ask(rng, way, n, channels, rows, columns, d_k, d_v, larger=1.0):
    x, W_q, W_k, W_v, W_z = draw(
        rng,
        (n, channels, 2 * rows, 2 * columns),
        (channels, d_k),
        (channels, d_k),
        (channels, d_v),
        (d_v, channels),
    )
    return [Call("non_local_block", (x, larger * W_q, W_k, W_v, W_z, way), returns=RETURNS)]


def channels_last(call):
    """The same maps with the channels as the last axis."""
    x, *rest = call.args
    return replace(call, args=(np.ascontiguousarray(np.moveaxis(x, 1, -1)), *rest))


SOFTMAX, DOT = "softmax", "dot product"
PROBES = (
    Probe("all sizes different", SOFTMAX, lambda rng: ask(rng, SOFTMAX, 2, 3, 2, 4, 5, 6)),
    Probe("higher than wide", SOFTMAX, lambda rng: ask(rng, SOFTMAX, 1, 4, 3, 1, 2, 3)),
    Probe("all sizes equal", SOFTMAX, lambda rng: ask(rng, SOFTMAX, 2, 2, 1, 1, 2, 2),
        EVERY_AXIS_FITS),
    Probe("scores in the thousands", SOFTMAX,
        lambda rng: ask(rng, SOFTMAX, 2, 3, 2, 3, 4, 5, larger=1000.0),
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("dot product, wider than high", DOT, lambda rng: ask(rng, DOT, 2, 3, 2, 5, 4, 6)),
    Probe("dot product, one square", DOT, lambda rng: ask(rng, DOT, 3, 4, 1, 1, 5, 2),
        "One key is kept: what are the scores divided by?"),
    Probe("dot product, all sizes equal", DOT, lambda rng: ask(rng, DOT, 2, 2, 1, 1, 2, 2),
        EVERY_AXIS_FITS),
)  # fmt: skip
