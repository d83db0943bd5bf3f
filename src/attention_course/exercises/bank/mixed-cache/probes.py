"""Bytes of caches in a stack where some layers have windows."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe


def ask(lengths, windows, numbers, *each):
    args = (np.array(lengths), np.array(windows), np.array(numbers), *each)
    return Call("cache_bytes", args, returns=("bytes",))


def some(rng, layers, texts, numbers=None, each=()):
    windows = rng.integers(3, 40, size=layers)
    windows[rng.permutation(layers)[: layers // 3]] = 0
    lengths = np.append(rng.integers(45, 90, size=texts - 1), rng.integers(1, 3))
    if numbers is None:
        numbers = np.full(layers, int(rng.integers(4, 300)))
    return ask(lengths, windows, numbers, *each)


def differing(rng):
    return [
        some(rng, 7, 4, rng.integers(5, 900, size=7)),
        some(rng, 3, 5, np.array([8, 1, 64])),
    ]


PROBES = (
    Probe("windows and full layers", "windows", lambda rng: [some(rng, 6, 4)]),
    Probe("nothing but windows", "windows",
        lambda rng: [ask([9, 30, 3], [4, 4, 4], [int(rng.integers(8, 99))] * 3)]),
    Probe("no window at all", "windows",
        lambda rng: [ask([int(rng.integers(5, 50)), 7], [0, 0, 0], [16, 16, 16])]),
    Probe("texts of 100,000 tokens", "windows",
        lambda rng: [ask([100_000, 9], [0, 4096], [int(rng.integers(8, 99))] * 2)]),
    Probe("a text as long as its window, and one token more", "windows",
        lambda rng: [ask([12, 13, 11], [12, 0], [int(rng.integers(2, 50))] * 2)]),
    Probe("a layer keeps more than another", "layers that differ", differing),
    Probe("as many texts as layers", "layers that differ",
        lambda rng: [some(rng, 4, 4, rng.integers(5, 900, size=4))],
        "Here a wrong axis fits as well, so only the numbers tell."),
    Probe("numbers of one and of four bytes", "layers that differ",
        lambda rng: [some(rng, 5, 3, rng.integers(5, 90, size=5), each=(e,)) for e in (1, 4)]),
)  # fmt: skip


def one_fewer(call):
    lengths, windows, *rest = call.args
    return replace(call, args=(lengths, np.where(windows > 1, windows - 1, windows), *rest))
