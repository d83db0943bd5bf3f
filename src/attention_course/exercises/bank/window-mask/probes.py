"""The mask of a sliding window that keeps the first tokens in sight."""

from dataclasses import replace

from attention_course.exercises.probing import LONG, Call, Probe


def ask(n_q, n_k, width, first):
    return Call("long_mask", (n_q, n_k, width, first), returns=("mask",))


def windows(rng):
    n = int(rng.integers(6, 9))
    return [ask(n, n, 3, 0), ask(n + 1, n + 1, 1, 0), ask(5, 5, 9, 0)]


def cached(rng):
    n = int(rng.integers(7, 10))
    return [ask(3, n, 2, 0), ask(1, n, 4, 0), ask(n - 1, n, 3, 0)]


def anchored(rng):
    n = int(rng.integers(7, 10))
    return [ask(n, n, 2, 1), ask(n, n, 2, 3), ask(4, 4, 1, 9)]


def keys_before(call):
    n_q, n_k, width, first = call.args
    return replace(call, args=(n_q, n_k, width - 1, first))


PROBES = (
    Probe("as many queries as keys", "window", windows),
    Probe("fewer queries than keys", "cached keys", cached,
        "The last query stands beside the last key."),
    Probe("the first tokens stay", "first tokens", anchored),
    Probe("the first tokens stay, with cached keys", "first tokens",
        lambda rng: [ask(3, 9, 2, 2), ask(1, 6, 1, int(rng.integers(1, 4))),
            ask(2, LONG, 7, 3)]),
)  # fmt: skip
