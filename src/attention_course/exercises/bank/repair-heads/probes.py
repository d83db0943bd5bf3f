"""Multi-head attention with three planted faults, to be found and repaired."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, n, d_model, n_heads, **more):
    x = rng.standard_normal((n, d_model))
    matrices = 1.5 * rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)
    return Call("repair_heads", (x, *matrices, n_heads), more, returns=("output", "weights"))


def growing(rng):
    """Draw tokens whose keys grow, in whole numbers: what is to come has the largest scores."""
    x = 10.0 * np.arange(1, 7)[:, None] + rng.integers(0, 3, (6, 8))
    eye = np.eye(8)
    W_v, W_o = (rng.integers(-2, 3, (8, 8)).astype(float) for _ in range(2))
    args = (x, eye, eye, W_v, W_o, 2)
    return [Call("repair_heads", args, {"causal": True}, returns=("output", "weights"))]


PROBES = (
    Probe("several heads", "several heads",
        lambda rng: [ask(rng, 5, 12, 3), ask(rng, 7, 8, 4)]),
    Probe("as many tokens as heads and as wide", "several heads",
        lambda rng: [ask(rng, 4, 16, 4), ask(rng, 3, 9, 3)], EVERY_AXIS_FITS),
    Probe("a single token, and heads of width 1", "several heads",
        lambda rng: [ask(rng, 1, 6, 2), ask(rng, 4, 5, 5)]),
    Probe("causal", "causal",
        lambda rng: [ask(rng, 5, 12, 3, causal=True), ask(rng, 7, 8, 2, causal=True)],
        "Change the last token: which outputs move?"),
    Probe("causal, where what is to come has the largest scores", "causal", growing,
        "Is a forbidden score in a sum, before it is set to zero?"),
)  # fmt: skip
