"""One step of multi-head latent attention, with its projections absorbed."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("asked", "context")


def ask(rng, h, n, d_k, d_r, r, d_v, size=1.0):
    q, q_rotated, c, k_rotated, W_k, W_v = draw(
        rng, (h, d_k), (h, d_r), (n, r), (n, d_r), (h, r, d_k), (h, r, d_v)
    )
    args = (size * q, q_rotated, c, k_rotated, W_k, W_v)
    return Call("look_at_latents", args, returns=RETURNS)


def one_open(rng):
    """Nothing is turned in the first call; in the second the latents say nothing."""
    first, second = ask(rng, 2, 5, 3, 4, 6, 7), ask(rng, 3, 6, 4, 2, 5, 8)
    first.args[1][...] = 0.0
    second.args[0][...] = 0.0
    return [first, second]


def one_head_far_above(rng):
    """The scores of the first head are all in the thousands, those of the others are not."""
    call = ask(rng, 3, 6, 4, 3, 5, 7)
    q_rotated, k_rotated = call.args[1], call.args[3]
    q_rotated[0] = [9000.0, 0.0, 0.0]
    k_rotated[:, 0] = 1.0 + 0.001 * np.arange(6)
    return [call]


PROBES = (
    Probe("all sizes differ", "asked", lambda rng: [ask(rng, 3, 8, 5, 2, 6, 4)]),
    Probe("all sizes equal", "asked",
        lambda rng: [ask(rng, 4, 4, 4, 4, 4, 4)], EVERY_AXIS_FITS),
    Probe("a latent wider than all keys together", "contexts",
        lambda rng: [ask(rng, 2, 7, 3, 4, 11, 5)]),
    Probe("one part of the query is zero", "contexts", one_open,
        "Both parts belong to one score; neither may be lost."),
    Probe("a single token", "contexts", lambda rng: [ask(rng, 3, 1, 4, 2, 5, 6)],
        "Its weight is 1 in every head."),
    Probe("scores in the thousands", "large scores",
        lambda rng: [ask(rng, 2, 6, 4, 3, 5, 7, size=2000.0)], "np.exp(1000) is inf."),
    Probe("one head's scores far above the others'", "large scores", one_head_far_above,
        "Each head has a largest score of its own."),
)  # fmt: skip
