"""One step of Bahdanau's gated unit: two gates and a candidate."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe


def ask(rng, d):
    draw = rng.standard_normal
    return Call("gated_unit", (draw(3 * d), draw(d), draw((3 * d, d))), returns=("state",))


def first(rng):
    """The state is zero, so that the candidate and the update gate alone count."""
    calls = [ask(rng, d) for d in (4, 5)]
    for call in calls:
        call.args[1][...] = 0
    return calls


def update_gate_keeps(call):
    """Return the call with the update gate's numbers under the other sign."""
    drive, s, U = call.args
    signs = np.repeat([1.0, -1.0, 1.0], len(s))
    return replace(call, args=(signs * drive, s, signs[:, None] * U))


def candidate_last(call):
    """Return the call with the rows of the candidate below those of the gates."""
    drive, s, U = call.args
    return replace(call, args=(np.roll(drive, -len(s)), s, np.roll(U, -len(s), axis=0)))


PROBES = (
    Probe("a state of zeros", "without a past", first),
    Probe("a state of four numbers", "one step", lambda rng: [ask(rng, 4)]),
    Probe("one number", "one step", lambda rng: [ask(rng, 1) for _ in range(3)]),
    Probe("seven numbers", "one step", lambda rng: [ask(rng, 7)]),
)  # fmt: skip
