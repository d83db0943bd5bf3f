"""Registers of a thread, so that as many programs as wanted are resident."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import Call, Probe

WHOLE = 65_536


def ask(warps, programs, registers=WHOLE):
    args = (np.array(warps), np.array(programs), registers)
    return Call("most_registers", args, returns=("registers",))


def one(rng):
    return [ask(rng.permutation([8, 12, 16, 20]), [1, 1, 1, 1], n) for n in (WHOLE, 40_960)]


def several(rng):
    programs = rng.permutation([2, 3, 4, 5])
    return [ask([8, 12, 4, 8], programs), ask([12, 8, 8, 16], programs, 40_960)]


def uneven(rng):
    order = rng.permutation(4)
    warps, programs = np.array([1, 3, 5, 6])[order], np.array([13, 7, 5, 3])[order]
    return [ask(warps, programs), ask(warps, programs, 40_960)]


def unfilled(rng):
    warps = rng.permutation([9, 10, 13, 15])
    return [ask(warps, [1, 1, 1, 1], n) for n in (WHOLE, 49_152)]


PROBES = (
    Probe("one program, warps that fill the parts evenly", "one program", one),
    Probe("one program, warps that do not", "one program", unfilled),
    Probe("several programs, warps that fill the parts evenly", "several programs", several),
    Probe("several programs, warps that do not", "several programs", uneven,
        "Warps of one program may live in different parts, beside those of others."),
    Probe("more programs than there is room for", "several programs",
        lambda rng: [ask([16, 8, 4], rng.permutation([24, 40, 80]))], "Then the number is 0."),
    Probe("few warps, which could have more than a thread may", "the most of a thread",
        lambda rng: [ask(rng.permutation([1, 2, 4, 8]), [1, 1, 1, 1])]),
)  # fmt: skip


def in_threads(call):
    warps, *rest = call.args
    return replace(call, args=(32 * warps, *rest))
