"""Grouped-query attention: neighbouring heads share keys and values."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, n_heads, n_groups, n_q, n_k, d_k, d_v, batch=(), mask=None):
    sizes = ((n_heads, n_q, d_k), (n_groups, n_k, d_k), (n_groups, n_k, d_v))
    args = tuple(rng.standard_normal((*batch, *size)) for size in sizes)
    given = {} if mask is None else {"mask": mask}
    return Call("grouped_query_attention", args, given, returns=("context", "weights"))


def batches(rng):
    return [ask(rng, 6, 2, 4, 5, 3, 7, batch=(5,)), ask(rng, 4, 2, 3, 5, 6, 7, batch=(3, 2))]


def equal(rng):
    return [ask(rng, 4, 2, 4, 4, 4, 4, batch=(4,)), ask(rng, 4, 2, 2, 2, 2, 2, batch=(2,))]


def masked(rng):
    mask = np.tri(4, 6, k=2, dtype=bool)
    own = rng.random((6, 4, 5)) < 0.5
    own[..., 0] = rng.random((6, 4)) < 0.5
    own[..., 1] = ~own[..., 0]
    return [ask(rng, 6, 2, 4, 6, 3, 5, mask=mask), ask(rng, 6, 2, 4, 5, 3, 7, mask=own)]


def of_a_batch(rng):
    padding = np.arange(5) < 2 + rng.permutation(3)[:, None, None, None]
    own = np.array([[True, False], [False, True]])[:, None, :, None]
    own = own ^ (np.arange(6) % 2 == 0)
    return [
        ask(rng, 4, 2, 3, 5, 6, 7, batch=(3,), mask=padding),
        ask(rng, 4, 2, 2, 6, 3, 5, batch=(2,), mask=own),
    ]


def empty(rng):
    mask = np.tri(4, 3, k=-1, dtype=bool)
    return [ask(rng, 4, 2, 4, 3, 5, 6, mask=mask)]


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def large(rng):
    call = ask(rng, 6, 2, 3, 5, 4, 7, mask=np.tri(3, 5, k=2, dtype=bool))
    call.args[0][...] = 2000 * np.rint(call.args[0])
    call.args[1][...] = np.rint(call.args[1])
    return [call]


PROBES = (
    Probe("six heads, two groups", "groups", lambda rng: [ask(rng, 6, 2, 4, 5, 3, 7)]),
    Probe("other numbers of heads and groups", "groups",
        lambda rng: [ask(rng, 6, 3, 4, 5, 2, 7), ask(rng, 12, 4, 2, 5, 6, 3)]),
    Probe("batch axes in front", "groups", batches),
    Probe("lengths and widths all equal", "groups", equal, EVERY_AXIS_FITS),
    Probe("one group for all heads (multi-query)", "the two ends",
        lambda rng: [ask(rng, 5, 1, 3, 4, 2, 6), ask(rng, 3, 1, 4, 5, 6, 2, batch=(2,))]),
    Probe("a group for each head (multi-head)", "the two ends",
        lambda rng: [ask(rng, 5, 5, 3, 4, 2, 6), ask(rng, 3, 3, 4, 5, 6, 2, batch=(2,))]),
    Probe("masks, shared and of each head", "mask", masked),
    Probe("masks of each text", "mask", of_a_batch),
    Probe("queries that see nothing get zeros", "mask", empty),
    Probe("scores in the thousands", "mask", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip

# Beside a mask, keys whose axes may be mixed up: what is done to one of them shows alone.
ISOLATING = (
    Probe(
        "all sizes equal, with a mask",
        "mask",
        lambda rng: [ask(rng, 4, 2, 4, 4, 4, 4, mask=np.tri(4, dtype=bool))],
    ),
)
