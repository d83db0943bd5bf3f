"""Probes that earn nothing and tell mistakes apart: in each only some of them can show.

They are made of the plainest probe of each part, with one of its arrays set to 0: without
queries all weights are equal, and only what is done with the values can be wrong; without
values only the weights can.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attention_course.exercises.exercise import Exercise, Probe
from attention_course.exercises.runner import Call

# Where an array stands: the function called, the argument, and its name in a dictionary.
Place = tuple[str, Any, str]


def derived(exercise: Exercise, calls_of: Mapping[str, Sequence[Call]]) -> Iterator[Probe]:
    """Yield the plainest probe of each part with one array set to 0, for every array.

    Args:
        exercise: what is asked.
        calls_of: for the name of each probe, its calls with the public inputs.
    """
    parts: set[str] = set()
    for probe in exercise.probes:
        if probe.part in parts or probe.alone:
            continue
        parts.add(probe.part)
        for place in dict.fromkeys(_places(calls_of[probe.name])):
            yield _without(probe, place)


def _without(probe: Probe, place: Place) -> Probe:
    target, key, inner = place
    return replace(
        probe,
        name=f"{probe.name}; argument {key} {inner} of {target} is 0",
        calls=lambda rng: [_zeroed(call, place) for call in probe.calls(rng)],
    )


def _places(calls: Sequence[Call]) -> Iterator[Place]:
    for call in calls:
        for key, value in (*enumerate(call.args), *call.kwargs.items()):
            if isinstance(value, dict):
                yield from ((call.target, key, name) for name in value)
            elif _is_numbers(value):
                yield call.target, key, ""


def _zeroed(call: Call, place: Place) -> Call:
    target, key, inner = place
    if call.target != target:
        return call

    def instead(own: Any, value: Any) -> Any:
        if own != key:
            return value
        if inner:
            return value | {inner: np.zeros_like(value[inner])}
        return np.zeros_like(value) if _is_numbers(value) else value

    return replace(
        call,
        args=tuple(instead(i, value) for i, value in enumerate(call.args)),
        kwargs={name: instead(name, value) for name, value in call.kwargs.items()},
    )


def _is_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
