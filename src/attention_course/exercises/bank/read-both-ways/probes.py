"""Two gated units read a sentence, one from each end."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe


def ask(rng, n, d_x, d):
    def unit():
        draw = rng.standard_normal
        return draw((3 * d, d_x)) / np.sqrt(d_x), draw((3 * d, d)) / np.sqrt(d), draw(3 * d)

    args = (rng.standard_normal((n, d_x)), *unit(), *unit())
    return Call("read_both_ways", args, returns=("annotations",))


def sized(*sizes):
    return lambda rng: [ask(rng, *sizes)]


def palindrome(rng):
    """A sentence that reads the same from both ends, with one unit for both readers."""
    calls = [ask(rng, 5, 3, 4), ask(rng, 1, 2, 3)]
    for call in calls:
        call.args[0][...] += call.args[0][::-1].copy()
        for mine, theirs in zip(call.args[1:4], call.args[4:], strict=True):
            theirs[...] = mine
    return calls


def update_gates_keep(call):
    """Return the call with the update gates' numbers under the other sign."""
    signs = np.repeat([1.0, -1.0, 1.0], call.args[2].shape[1])
    arrays = ((signs * x.T).T for x in call.args[1:])
    return replace(call, args=(call.args[0], *arrays))


PROBES = (
    Probe("a sentence that reads the same from both ends", "one way", palindrome),
    Probe("six words", "both ways", sized(6, 3, 4)),
    Probe("one word", "both ways", sized(1, 4, 2)),
    Probe("two words", "both ways", sized(2, 5, 3)),
    Probe("all sizes equal", "both ways", sized(4, 4, 4)),
)  # fmt: skip
