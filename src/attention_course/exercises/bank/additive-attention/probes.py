"""Additive attention over a padded batch: one query a sentence, padding weighs nothing."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw

RETURNS = ("context", "weights")


def ask(s, h, W_a, U_a, v_a, mask):
    return Call("additive_attention", (s, h, W_a, U_a, v_a, mask), returns=RETURNS)


def drawn(rng, batch, n_x, d_s, d_h, d_a):
    return draw(rng, (batch, d_s), (batch, n_x, d_h), (d_a, d_s), (d_a, d_h), d_a)


def whole(batch, n_x):
    return np.ones((batch, n_x), dtype=bool)


def up_to(lengths, n_x):
    return np.arange(n_x) < np.array(lengths)[:, None]


def padded(rng):
    s, h, *arrays = drawn(rng, 3, 6, 4, 2, 5)
    mask = up_to([6, 2, 4], 6)
    alone = ask(*drawn(rng, 1, 5, 3, 4, 2), up_to([3], 5))
    return [ask(s, np.where(mask[..., None], h, 50 * h), *arrays, mask), alone]


def nan_padded(rng):
    s, h, *arrays = drawn(rng, 3, 5, 2, 4, 6)
    mask = up_to([3, 5, 1], 5)
    return [ask(s, np.where(mask[..., None], h, np.nan), *arrays, mask)]


def holes(rng):
    mask = np.array([[False, True, False, True, True], [True, False, True, True, False]])
    return [ask(*drawn(rng, 2, 5, 3, 4, 6), mask)]


def steep(rng, levels, s):
    """Scores that rise with the level of a word, in steps so wide that one word takes all."""
    levels = np.asarray(levels)
    d_s, d_h, d_a = s.shape[1], 2, 6
    h = np.repeat(levels[..., None], d_h, axis=-1)
    W_a, U_a = 0.5 + rng.random((d_a, d_s)), 0.5 + rng.random((d_a, d_h))
    return s, h, W_a, U_a, 600 * (0.5 + rng.random(d_a))


def large(rng):
    levels = [rng.permutation(np.linspace(-0.4, 0.4, 5)) for _ in range(2)]
    s = np.array([[0.3, 0.3, 0.3], [-0.3, -0.3, -0.3]])
    return [ask(*steep(rng, levels, s), whole(2, 5))]


def large_padding(rng):
    levels = [rng.permutation(4) / 5 - 0.7 for _ in range(3)]
    mask = up_to([4, 2, 3], 4)
    levels = np.where(mask, levels, 0.9)
    return [ask(*steep(rng, levels, rng.normal(0, 0.1, (3, 5))), mask)]


def to_blocked(call):
    return replace(call, args=(*call.args[:5], ~call.args[5]))


def to_rows(call):
    s, h, W_a, U_a, *others = call.args
    return replace(call, args=(s, h, W_a.T, U_a.T, *others))


PROBES = (
    Probe("two sentences of five words", "scores and context",
        lambda rng: [ask(*drawn(rng, 2, 5, 3, 4, 6), whole(2, 5))]),
    Probe("a batch of one sentence", "scores and context",
        lambda rng: [ask(*drawn(rng, 1, 4, 5, 6, 3), whole(1, 4))]),
    Probe("sentences of a single word", "scores and context",
        lambda rng: [ask(*drawn(rng, 3, 1, 2, 5, 4), whole(3, 1))]),
    Probe("all five sizes equal", "scores and context",
        lambda rng: [ask(*drawn(rng, 4, 4, 4, 4, 4), whole(4, 4))], EVERY_AXIS_FITS),
    Probe("padding behind the words, with large numbers in it", "padding", padded,
        "What stands in the padding must not matter."),
    Probe("nan in the padding", "padding", nan_padded, "0 times nan is nan."),
    Probe("as many sentences as words", "padding",
        lambda rng: [ask(*drawn(rng, 4, 4, 3, 5, 2), up_to([4, 1, 2, 3], 4))]),
    Probe("words left out in the middle", "padding", holes),
    Probe("a sentence of nothing but padding", "padding",
        lambda rng: [ask(*drawn(rng, 3, 5, 4, 2, 6), up_to([3, 0, 5], 5))],
        "There is nobody to attend to: see the contract."),
    Probe("scores in the thousands", "large scores", large),
    Probe("padding whose scores are larger by thousands", "large scores", large_padding,
        "The largest of which scores is taken away?"),
)  # fmt: skip
