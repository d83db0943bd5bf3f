"""Multi-head attention between two sequences, in any number of texts."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, random_mask

RETURNS = ("output", "weights")


def ask(rng, n_q, n_k, d_q, d_kv, d_keys, d_values, d_out, n_heads, batch=(), may=None):
    x_q = rng.standard_normal((*batch, n_q, d_q))
    x_kv = rng.standard_normal((*batch, n_k, d_kv))
    sizes = (d_q, d_keys), (d_kv, d_keys), (d_kv, d_values), (d_values, d_out)
    matrices = [1.5 * rng.standard_normal(size) / np.sqrt(size[0]) for size in sizes]
    more = {} if may is None else {"mask": may}
    return Call("attend_in_heads", (x_q, x_kv, *matrices, n_heads), more, returns=RETURNS)


def masked(rng):
    may = random_mask(rng, 2, 1, 3, 5)
    return [
        ask(rng, 3, 5, 6, 7, 4, 8, 6, 2, (2,), may),
        ask(rng, 4, 6, 5, 5, 6, 9, 4, 3, may=np.tri(4, 6, 2, dtype=bool)),
    ]


def large(rng):
    """Keys in whole numbers, so that the largest scores are exact in single precision too."""
    x_q, x_kv = rng.integers(-2, 3, (2, 4, 4)).astype(float)
    far, eye = 2000 * np.eye(4), np.eye(4)
    args = (x_q + 7 * eye, x_kv + 3 * eye, far, eye, rng.standard_normal((4, 6)))
    return [Call("attend_in_heads", (*args, rng.standard_normal((6, 5)), 1), returns=RETURNS)]


PROBES = (
    Probe("one head", "one head", lambda rng: [ask(rng, 3, 5, 6, 7, 4, 8, 9, 1)]),
    Probe("one head, scores in the thousands", "one head", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
    Probe("several heads", "the heads",
        lambda rng: [ask(rng, 3, 5, 6, 7, 4, 8, 9, 2), ask(rng, 4, 7, 5, 3, 12, 6, 8, 3)],
        "Which columns of x_q @ W_q are those of head 0?"),
    Probe("two axes of texts in front", "the heads",
        lambda rng: [ask(rng, 3, 5, 6, 7, 8, 4, 6, 4, (2, 3))]),
    Probe("as many words as heads and as wide", "the heads",
        lambda rng: [ask(rng, 4, 4, 16, 16, 16, 16, 16, 4)], EVERY_AXIS_FITS),
    Probe("a mask", "the mask", masked, "Change a key that may not be seen: what moves?"),
)  # fmt: skip
