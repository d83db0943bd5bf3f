"""Requests that come, wait for a place, are read in chunks and answered token by token."""

import numpy as np

from attention_course.exercises.probing import Call, Probe

ALL_AT_ONCE = 10**6


def ask(arrivals, prompts, outputs, most, chunk):
    given = (np.array(x) for x in (arrivals, prompts, outputs))
    return Call("schedule", (*given, most, chunk), returns=("first", "last"))


def drawn(rng, n, most, chunk, every=0, longest=9, answers=9):
    """Draw n requests, one every so many steps on average; 0 means that all come at once."""
    arrivals = 2 * every + np.sort(rng.integers(0, n * every + 1, n))
    prompts, outputs = rng.integers(1, longest + 1, n), rng.integers(1, answers + 1, n)
    prompts[rng.integers(n)] = longest
    return ask(arrivals, prompts, outputs, most, chunk)


def alone(rng):
    """A prompt that one step reads, some that take several, an answer of one token."""
    came = rng.permutation(np.arange(2, 7))
    return [
        ask([came[0]], [6], [4], 3, 8),
        ask([came[1]], [7], [3], 1, 3),
        ask([came[2]], [6], [5], 2, 2),
        ask([came[3]], [5], [1], 2, 5),
        ask([came[4]], [1], [1], 1, 1),
    ]


def unlike_answers(rng, n, most):
    """All are there, and a short answer ends long before the others."""
    outputs = rng.permutation(np.concatenate([[1, 2, 12], rng.integers(3, 9, n - 3)]))
    return ask([2] * n, rng.integers(1, 6, n), outputs, most, ALL_AT_ONCE)


def one_long_prompt(rng, n, chunk):
    """While it is read, those before it write, and those after it wait to be read."""
    prompts = rng.integers(1, 4, n)
    prompts[n // 2] = 5 * chunk + 2
    arrivals = np.repeat([1, 3], [n // 2, n - n // 2])
    return ask(arrivals, prompts, rng.integers(4, 12, n), n, chunk)


def with_gaps(rng):
    """Two requests, nothing for a long while, three more, and once more."""
    arrivals = np.repeat([3, 40 + rng.integers(5), 90 + rng.integers(5)], [2, 3, 2])
    return ask(arrivals, rng.integers(1, 6, 7), rng.integers(1, 6, 7), 2, 4)


PROBES = (
    Probe("a request that is alone", "one request", alone),
    Probe("more requests than places", "places",
        lambda rng: [unlike_answers(rng, n, most) for n, most in ((7, 3), (9, 4), (5, 2))],
        "When is the place of a short answer given to somebody else?"),
    Probe("a single place", "places",
        lambda rng: [drawn(rng, 5, 1, ALL_AT_ONCE, every) for every in (0, 3)]),
    Probe("requests that come while others are answered", "places",
        lambda rng: [drawn(rng, 9, 3, ALL_AT_ONCE, every) for every in (1, 2, 3)]),
    Probe("prompts that share a chunk", "reading",
        lambda rng: [drawn(rng, 6, 8, chunk) for chunk in (5, 8, 13)],
        "How much may a step read in all?"),
    Probe("a long prompt among short ones", "reading",
        lambda rng: [one_long_prompt(rng, n, chunk) for n, chunk in ((6, 4), (7, 3))]),
    Probe("one token at a time", "reading", lambda rng: [drawn(rng, 5, 5, 1, 1, longest=6)]),
    Probe("few places and small chunks", "reading",
        lambda rng: [drawn(rng, 10, most, chunk, 1) for most, chunk in ((3, 4), (4, 7))]),
    Probe("steps in which there is nothing to do", "idle steps",
        lambda rng: [with_gaps(rng) for _ in range(3)]),
)  # fmt: skip
