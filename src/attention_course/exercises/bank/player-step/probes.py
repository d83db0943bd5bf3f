"""One step of cross-attention as the player takes it, with its cuts."""

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, random_mask

RETURNS = ("found", "weights")


def ask(rng, b, h, n, d, d_k, d_v, mask=None, moved=None, silent=(), q_scale=1.0):
    draw = rng.standard_normal
    x, k, v = draw((b, d)), draw((b, h, n, d_k)), draw((b, h, n, d_v))
    W_q, W_o = draw((d, h * d_k)) * q_scale, draw((h * d_v, d))
    mask = np.ones((b, n), dtype=bool) if mask is None else mask
    moved = np.full(b, -1) if moved is None else np.array(moved)
    args = (x, k, v, W_q, W_o, mask, moved, np.isin(np.arange(h), silent))
    return [Call("player_step", args, returns=RETURNS)]


def padded(rng):
    lengths = 2 + rng.permutation(4)
    return ask(rng, 4, 2, 5, 3, 6, 7, mask=np.arange(5) < lengths[:, None])


def nothing_left(rng):
    mask = random_mask(rng, 3, 4)
    mask[rng.integers(3)] = False
    return ask(rng, 3, 2, 4, 7, 5, 6, mask=mask)


def moved_elsewhere(rng):
    """Two gazes are moved: to a word that may be looked at, and to one that may not."""
    mask = random_mask(rng, 4, 6)
    may, may_not = int(mask[1].argmax()), int(mask[2].argmin())
    return ask(rng, 4, 3, 6, 5, 2, 7, mask=mask, moved=[-1, may, may_not, -1])


def moved_to_both_ends(rng):
    mask = np.ones((3, 5), dtype=bool)
    mask[1] = False
    return ask(rng, 3, 2, 5, 4, 3, 6, mask=mask, moved=[0, 4, 0])


def all_cuts(rng):
    mask = random_mask(rng, 4, 4)
    mask[3] = False
    return ask(rng, 4, 4, 4, 4, 4, 4, mask=mask, moved=[2, -1, -1, -1], silent=[1])


PROBES = (
    Probe("one sentence, one head", "one step", lambda rng: ask(rng, 1, 1, 5, 3, 4, 6)),
    Probe("three sentences, two heads", "one step", lambda rng: ask(rng, 3, 2, 5, 7, 4, 6)),
    Probe("a single word gets the weight 1", "one step",
        lambda rng: ask(rng, 2, 3, 1, 4, 5, 2)),
    Probe("all sizes equal", "one step", lambda rng: ask(rng, 4, 4, 4, 4, 4, 4),
        EVERY_AXIS_FITS),
    Probe("scores in the thousands", "one step",
        lambda rng: ask(rng, 2, 2, 5, 3, 4, 6, q_scale=1000.0)),
    Probe("sentences of four lengths", "forbidden words", padded),
    Probe("words forbidden here and there", "forbidden words",
        lambda rng: ask(rng, 3, 2, 6, 4, 5, 3, mask=random_mask(rng, 3, 6))),
    Probe("a sentence of which every word is forbidden", "forbidden words", nothing_left),
    Probe("two gazes moved, one to a forbidden word", "moved gaze", moved_elsewhere),
    Probe("gazes moved to the first word and to the last", "moved gaze", moved_to_both_ends),
    Probe("one head of three silent", "silent heads",
        lambda rng: ask(rng, 2, 3, 5, 7, 4, 6, silent=[int(rng.integers(3))])),
    Probe("two heads of four silent", "silent heads",
        lambda rng: ask(rng, 2, 4, 3, 5, 2, 6, silent=rng.permutation(4)[:2])),
    Probe("all cuts at once, all sizes equal", "silent heads", all_cuts),
)  # fmt: skip
