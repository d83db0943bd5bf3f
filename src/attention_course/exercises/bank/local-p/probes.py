"""Luong's local-p: a predicted centre, a softmax over its window, a Gaussian."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe

RETURNS = ("centres", "weights")


def ask(rng, n_queries, n_keys, d, d_p, D, spread=1.0):
    scores = spread * rng.standard_normal((n_queries, n_keys))
    h, W_p = rng.standard_normal((n_queries, d)), rng.standard_normal((d_p, d))
    return Call(
        "local_p_weights", (scores, h, W_p, rng.standard_normal(d_p), D), returns=RETURNS
    )


def sized(call, **changed):
    names = ("scores", "h", "W_p", "v_p", "D")
    args = tuple(changed.get(name, arg) for name, arg in zip(names, call.args, strict=True))
    return replace(call, args=args)


def ends(rng):
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])[:, None]
    call = ask(rng, 5, 11, 3, 6, 4)
    h, W_p = signs * (0.5 + rng.random((5, 3))), 0.5 + rng.random((6, 3))
    return [sized(call, h=h, W_p=W_p, v_p=np.full(6, 0.7))]


def to_columns(call):
    return sized(call, scores=np.ascontiguousarray(call.args[0].T))


PROBES = (
    Probe("six states, thirteen positions, D = 3", "weights",
        lambda rng: [ask(rng, 6, 13, 4, 5, 3)]),
    Probe("all sizes equal", "weights", lambda rng: [ask(rng, 4, 4, 4, 4, 1)],
        EVERY_AXIS_FITS),
    Probe("centres near both ends of the source", "window", ends,
        "Part of the window lies outside the source."),
    Probe("a window wider than the source", "window", lambda rng: [ask(rng, 3, 5, 2, 4, 9)]),
    Probe("positions exactly on the window's edges", "window",
        lambda rng: [sized(ask(rng, 3, 10, 2, 4, 2), v_p=np.zeros(4))],
        "With v_p = 0 every centre is exactly half the number of positions."),
    Probe("scores in the thousands, the largest outside the window", "large scores",
        lambda rng: [ask(rng, 7, 12, 3, 5, 2, spread=2000.0)],
        "np.exp(1000) is inf, and 0 / 0 is nan."),
)  # fmt: skip
