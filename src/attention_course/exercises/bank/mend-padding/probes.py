"""Attention over a padded batch with three planted bugs, to be found and mended."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe, draw


def ask(rng, n, d, n_heads, *lengths):
    (x,) = draw(rng, (len(lengths), n, d))
    return Call("attend_padded", (x, np.array(lengths), n_heads), returns=("output",))


def far_padding(rng):
    call = ask(rng, 5, 6, 2, 3, 5, 2)
    x, lengths, n_heads = call.args
    far = np.arange(5) >= lengths[:, None]
    return [replace(call, args=(np.where(far[..., None], 9 * x, x), lengths, n_heads))]


def one_head_masks(rng):
    """All words of a sentence are alike, so that a wrong cut does not show."""
    call = ask(rng, 4, 6, 2, 4, 4, 2)
    x, lengths, n_heads = call.args
    word = (3.5 + rng.random((3, 1, 1))) * np.sign(rng.standard_normal((3, 1, 1)))
    x = np.repeat(word, 4, axis=1) * np.ones(6)
    x[np.arange(4) >= lengths[:, None]] = 20.0
    return [replace(call, args=(x, lengths, n_heads))]


# Whole numbers and d_k = 4: these scores are exact in single precision too.
def large(rng):
    call = ask(rng, 4, 8, 2, 3, 4)
    call.args[0][...] = 40 * np.rint(call.args[0])
    return [call]


def padded_in_front(call):
    """Return the call with every sentence's words in the opposite order."""
    x, lengths, n_heads = call.args
    return replace(call, args=(np.ascontiguousarray(x[:, ::-1]), lengths, n_heads))


def words_first(call):
    """Return the call with the first two axes of the batch exchanged."""
    x, *rest = call.args
    return replace(call, args=(np.ascontiguousarray(x.swapaxes(0, 1)), *rest))


PROBES = (
    Probe("the heads alone: full sentences", "the heads",
        lambda rng: [ask(rng, 5, 6, 3, 5), ask(rng, 4, 8, 2, 4, 4)],
        "Shuffle the words: are the outputs shuffled likewise?"),
    Probe("the masks alone: words that are all alike", "the masks", one_head_masks,
        "Is the shorter sentence answered as it is alone?"),
    Probe("the empty sentence alone: one head", "the empty sentence",
        lambda rng: [ask(rng, 3, 4, 1, 0), ask(rng, 4, 5, 1, 2, 0, 4)],
        "What is minus infinity minus minus infinity?"),
    Probe("sentences of different lengths, several heads", "together",
        lambda rng: [ask(rng, 5, 6, 3, 2, 5, 3, 1), ask(rng, 4, 10, 2, 1, 4),
            ask(rng, 5, 4, 2, 3)],
        "Is the shorter sentence answered as it is alone?"),
    Probe("large numbers in the padding", "together", far_padding),
    Probe("all sizes equal, one sentence empty", "together",
        lambda rng: [ask(rng, 4, 4, 2, 4, 0, 3, 1), ask(rng, 3, 9, 3, 1, 2, 0)],
        EVERY_AXIS_FITS),
    Probe("scores in the thousands", "together", large,
        "np.exp(1000) is inf, and inf / inf is nan."),
)  # fmt: skip
