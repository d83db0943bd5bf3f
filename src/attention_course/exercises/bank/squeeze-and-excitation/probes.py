"""Channels gated by their own means; places of padding count for nothing."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("maps", "gates")


def ask(rng, n, height, width, channels, hidden, padded=False, held=1.0):
    x, W_1, b_1, W_2, b_2 = draw(
        rng,
        (n, height, width, channels),
        (channels, hidden),
        hidden,
        (hidden, channels),
        channels,
    )
    x += 0.5  # else the means are all near 0, and so are the hidden numbers
    real = np.ones((n, height, width), dtype=bool)
    for one in range(n) if padded else ():
        real[one, 1 + one % height :] = False
        real[one, :, width - 1 - one % (width - 1) :] = False
    x[~real] *= held
    return Call("gate_channels", (x, real, W_1, b_1, W_2, b_2), returns=RETURNS)


def not_numbers(rng):
    call = ask(rng, 2, 3, 4, 5, 2, padded=True)
    call.args[0][~call.args[1]] = np.nan
    return [call]


def channels_first(call):
    """The same maps as torch has them."""
    x, *rest = call.args
    return replace(call, args=(np.ascontiguousarray(np.moveaxis(x, -1, 1)), *rest))


PROBES = (
    Probe("all places real, all sizes different", "gates",
        lambda rng: [ask(rng, 2, 3, 4, 5, 6)]),
    Probe("one picture, two hidden numbers", "gates", lambda rng: [ask(rng, 1, 4, 3, 7, 2)]),
    Probe("all sizes equal", "gates", lambda rng: [ask(rng, 3, 3, 3, 3, 3)], EVERY_AXIS_FITS),
    Probe("a single place", "gates", lambda rng: [ask(rng, 2, 1, 1, 4, 3)],
        "With one place the mean is what stands there."),
    Probe("padded pictures", "places that are not real",
        lambda rng: [ask(rng, 3, 4, 5, 6, 2, padded=True)],
        "Each picture has its own number of real places."),
    Probe("padding that holds large numbers", "places that are not real",
        lambda rng: [ask(rng, 3, 5, 4, 2, 3, padded=True, held=50.0)],
        "What stands outside a picture may be anything."),
    Probe("padding that holds nan", "places that are not real", not_numbers,
        "0 times nan is nan."),
)  # fmt: skip
