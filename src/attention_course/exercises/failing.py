"""The inputs on which an answer failed, to try them by hand."""

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_course.exercises.examine import (
    Finding,
    Report,
    compare,
    public_calls,
    public_right,
    trial_of,
)
from attention_course.exercises.exercise import Exercise
from attention_course.exercises.runner import Call


@dataclass(frozen=True)
class FailingCase:
    """One call on which an answer fails.

    Args:
        property: which property fails.
        complaint: how.
        call: what is called: the function asked for, or a method of the class asked for.
        inputs: the arguments by name.
        expected: what is right, by the outputs' names.
        got: what the answer gave; empty if it raised an error.
        before: the calls that are made first: those that make an object, for example.
    """

    property: str
    complaint: str
    call: str
    inputs: dict[str, Any]
    expected: dict[str, Any]
    got: dict[str, Any]
    before: tuple[Call, ...] = ()

    def __repr__(self) -> str:
        """Return the case as it is read: the inputs, the right result, the result."""
        lines = [self.property, f"  {self.complaint}", f"{self.call}({', '.join(self.inputs)})"]
        if self.before:
            lines.insert(2, f"after {', '.join(call.target for call in self.before)}:")
        lines += [_shown(f"  {name}", value) for name, value in self.inputs.items()]
        lines += [_shown(f"expected {name}", value) for name, value in self.expected.items()]
        lines += [_shown(f"got {name}", value) for name, value in self.got.items()]
        return "\n".join(lines)


def case_of(report: Report, name: str = "") -> FailingCase:
    """Return the failing call of a report's failing property with the fewest numbers.

    Args:
        report: what was found of an answer.
        name: the property, if another one is wanted.

    Raises:
        ValueError: if nothing fails, or not this property.
    """
    exercise = report.exercise
    failed = [one for one in report.failed if name in ("", one.probe.name)]
    if not failed:
        fails = ", ".join(repr(one.probe.name) for one in report.failed) or "nothing"
        wanted = f"{name!r}" if name else "a property"
        raise ValueError(f"failing_case: {exercise.name}: {wanted} must fail, {fails} fails")
    return _case(exercise, min(failed, key=lambda one: _size(exercise, one)))


def _case(exercise: Exercise, finding: Finding) -> FailingCase:
    calls = public_calls(exercise, finding.probe)
    right, came = public_right(exercise, finding.probe), finding.outcome
    at = 0  # of the outputs
    for number, call in enumerate(calls):
        names = right.names[at : at + len(call.returns) + len(call.gradients)]
        expected = dict(zip(names, right.values[at:], strict=False))
        got = dict(zip(names, came.values[at:], strict=False))
        at += len(names)
        wrong = got.keys() != expected.keys() or any(
            compare(exercise, key, expected[key], got[key]) for key in names
        )
        if number == len(calls) - 1 or (wrong and names):
            break
    return FailingCase(
        finding.probe.name,
        finding.complaint,
        call.target,
        _named(exercise, call),
        expected,
        got,
        tuple(calls[:number]) if call.on is not None else (),
    )


def _named(exercise: Exercise, call: Call) -> dict[str, Any]:
    """Return a call's arguments by name: as in our solution."""
    defined = trial_of(exercise, exercise.solution)
    target = defined[exercise.target] if isinstance(defined, dict) else None
    own = call.target != exercise.target
    function = getattr(target, call.target, None) if own else target
    try:
        names = list(inspect.signature(function).parameters) if callable(function) else []
    except ValueError:
        names = []
    names = names[1:] if own and names[:1] == ["self"] else names
    names += [f"argument {i}" for i in range(len(names), len(call.args))]
    return dict(zip(names, call.args, strict=False)) | dict(call.kwargs)


def _size(exercise: Exercise, finding: Finding) -> int:
    calls = public_calls(exercise, finding.probe)
    values = [value for call in calls for value in (*call.args, *call.kwargs.values())]
    return sum(value.size if isinstance(value, np.ndarray) else 1 for value in values)


def _shown(name: str, value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return f"{name} = {value!r}"
    text = np.array2string(value, precision=4, suppress_small=True, threshold=60, edgeitems=2)
    return f"{name}, {value.shape}:\n    " + text.replace("\n", "\n    ")
