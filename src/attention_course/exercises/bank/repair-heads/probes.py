"""Multi-head attention with three planted faults, to be found and repaired."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("output", "weights")


def ask(rng, n, d_model, n_heads, **more):
    x = draw(rng, (n, d_model))[0]
    matrices = 1.5 * rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)
    return Call("repair_heads", (x, *matrices, n_heads), more, returns=RETURNS)


def growing(rng):
    """Draw tokens whose keys grow, in whole numbers: what is to come has the largest scores."""
    x = 10.0 * np.arange(1, 7)[:, None] + rng.integers(0, 3, (6, 8))
    eye = np.eye(8)
    W_v, W_o = (rng.integers(-2, 3, (8, 8)).astype(float) for _ in range(2))
    args = (x, eye, eye, W_v, W_o, 2)
    return [Call("repair_heads", args, {"causal": True}, returns=RETURNS)]


def told_apart(rng, table, W_q, W_k, n_heads):
    """Return a call whose tokens are rows of an identity, so that they become the tables."""
    n, d_model = len(table), table[0].size
    x = np.eye(n, d_model)
    rest = rng.standard_normal((3, d_model - n, d_model))
    first = (np.reshape(one, (n, d_model)) for one in (W_q, W_k, table))
    matrices = [np.vstack(both) for both in zip(first, rest, strict=True)]
    W_o = 3 * rng.standard_normal((d_model, d_model))
    args = (x, *matrices, W_o, n_heads)
    return [Call("repair_heads", args, returns=RETURNS)]


def scale_alone(rng):
    """Token i has in head h what token h has in head i: a wrong cut does not show."""
    tables = 2 * rng.standard_normal((3, 4, 4, 3))
    q, k, v = tables + np.swapaxes(tables, 1, 2)
    return told_apart(rng, v, q, k, 4)


def cut_alone(rng):
    """One key of each head wins by hundreds: the scale does not show."""
    levels = np.array([rng.permutation(4) for _ in range(3)]).T
    k = np.repeat(levels[:, :, None], 2, axis=-1).astype(float)
    return told_apart(rng, 3 * rng.standard_normal((4, 3, 2)), np.full((4, 3, 2), 400.0), k, 3)


def one_head(rng):
    x = 10.0 * np.arange(1, 7)[:, None] + rng.integers(0, 3, (6, 5))
    eye, W_v = np.eye(5), rng.integers(-2, 3, (5, 5)).astype(float)
    grows = Call(
        "repair_heads", (x, eye, eye, W_v, eye, 1), {"causal": True}, None, (), RETURNS
    )
    return [ask(rng, 5, 6, 1, causal=True), grows]


PROBES = (
    Probe("the cut alone: each token looks at one other, so no scale matters", "the cut",
        cut_alone, "Which columns of x @ W are those of head 0?"),
    Probe("the scale alone: a wrong cut does not show", "the scale", scale_alone,
        "How many products does one score of one head add up?"),
    Probe("the mask alone: a single head, causal", "the mask", one_head,
        "Is a forbidden score in a sum, before it is set to zero?"),
    Probe("several heads", "together",
        lambda rng: [ask(rng, 5, 12, 3), ask(rng, 7, 8, 4)]),
    Probe("as many tokens as heads and as wide", "together",
        lambda rng: [ask(rng, 4, 16, 4), ask(rng, 3, 9, 3)], EVERY_AXIS_FITS),
    Probe("a single token, and heads of width 1", "together",
        lambda rng: [ask(rng, 1, 6, 2), ask(rng, 4, 5, 5)]),
    Probe("causal", "together",
        lambda rng: [ask(rng, 5, 12, 3, causal=True), ask(rng, 7, 8, 2, causal=True),
            ask(rng, 520, 4, 1, causal=True)],
        "Change the last token: which outputs move?"),
    Probe("causal, where what is to come has the largest scores", "together", growing,
        "Is a forbidden score in a sum, before it is set to zero?"),
)  # fmt: skip
