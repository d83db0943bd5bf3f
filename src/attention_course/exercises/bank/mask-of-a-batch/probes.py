"""The mask of a padded batch: padding, causal with cached keys, and a window."""

import numpy as np

from attention_course.exercises.probing import LONG, Call, Probe


def ask(lengths, n_q, n_k, **more):
    return Call("mask_of_a_batch", (np.array(lengths), n_q, n_k), more, returns=("mask",))


def drawn_lengths(rng, *possible):
    return rng.permutation(np.array(possible))


def in_window(rng):
    return [
        ask(drawn_lengths(rng, 6, 3, 5), 6, 6, window=2),
        ask(drawn_lengths(rng, 5, 4), 5, 5, window=1),
        ask(drawn_lengths(rng, 5, 2), 5, 5, window=9),
    ]


def window_cached(rng):
    return [
        ask(drawn_lengths(rng, 8, 5, 7), 4, 8, window=2),
        ask([7, 6], 2, 7, window=3),
        ask([LONG, 9], 2, LONG, window=LONG - 3),
    ]


PROBES = (
    Probe("a padded batch", "padding and causal",
        lambda rng: [ask(drawn_lengths(rng, 2, 5, 3), 5, 5),
            ask(drawn_lengths(rng, 4, 1, 5, 6), 7, 7)]),
    Probe("as many sequences as tokens", "padding and causal",
        lambda rng: [ask(drawn_lengths(rng, 4, 2, 3, 1), 4, 4)],
        "Here every wrong axis fits as well, so only the values tell."),
    Probe("an empty sequence, and a single token", "padding and causal",
        lambda rng: [ask(drawn_lengths(rng, 0, 6), 6, 6), ask([1], 1, 1)]),
    Probe("fewer queries than keys", "cached keys",
        lambda rng: [ask(drawn_lengths(rng, 7, 5), 3, 7),
            ask(drawn_lengths(rng, 6, 2, 4), 1, 6)],
        "The last query stands beside the last key."),
    Probe("a window", "window", in_window),
    Probe("a window over cached keys", "window", window_cached),
)  # fmt: skip
