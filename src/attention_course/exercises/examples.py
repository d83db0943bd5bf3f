"""A teacher's own exercise as students get it: public examples, and nothing else of its probes.

A released notebook carries it as JSON, to be read by people too: the inputs of the public
probes, what is right for them, the hints. Solution and hidden probes stay with the teacher.
"""

import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np

from attention_course.exercises import bank
from attention_course.exercises.examine import public_calls, public_right
from attention_course.exercises.exercise import Exercise, Probe
from attention_course.exercises.runner import Blocks, Call, NextLogits, Outcome, Result

# Of the exercise itself, what ``check`` and ``hint`` need.
_KEPT = (
    *("slug", "variant", "title", "target", "minutes", "stub", "points"),
    *("uses", "rtol", "atol"),
)
_TEXTS = ("hints", "forbidden")


def own_exercise(text: str) -> str:
    """Let this session know a teacher's own exercise by its public examples.

    Args:
        text: what :func:`as_text` wrote.

    Returns:
        The exercise's name, as ``check`` takes it.

    Raises:
        ValueError: if the text is another one.
    """
    try:
        exercise = _exercise(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            "own_exercise: the public examples must be as they were handed out, and are not: "
            "copy the cell again from the notebook that you were given"
        ) from error
    bank.know(replace(exercise, own=hashlib.sha256(text.encode()).hexdigest()))
    return exercise.name


def _exercise(held: dict[str, Any]) -> Exercise:
    kept = {name: held[name] for name in _KEPT} | {n: tuple(held[n]) for n in _TEXTS}
    kept["solution"] = held["stub"]  # what is right is in the probes
    probes = tuple(map(_probe, held["probes"]))
    return Exercise(**kept, statement="", contract=(), probes=probes)


def as_text(exercise: Exercise) -> str:
    """Return an exercise's public examples, a line each.

    Raises:
        ValueError: if an input is of a kind that cannot be written down.
        RuntimeError: if the solution raises.
    """
    head = {name: getattr(exercise, name) for name in (*_KEPT, *_TEXTS)}
    asked = [one for one in exercise.probes if one.public and not one.holds and not one.read]
    examples = [_example(exercise, probe) for probe in asked]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in examples)
    text = json.dumps(head, ensure_ascii=False, indent=0)
    return f'{text[:-2]},\n"probes": [\n{lines}\n]}}'


def _example(exercise: Exercise, probe: Probe) -> dict[str, Any]:
    right = public_right(exercise, probe)
    values = [_written(value) for value in right.values]
    outputs = list(zip(right.names, right.kinds, values, strict=True))
    try:
        calls = [_call_written(call) for call in public_calls(exercise, probe)]
    except TypeError as error:
        raise ValueError(f"the inputs of {probe.name!r} cannot be released: {error}") from error
    told = {"name": probe.name, "part": probe.part, "hint": probe.hint, "dtype": probe.dtype}
    return told | {"calls": calls, "right": outputs, "state": right.state}


def _probe(held: dict[str, Any]) -> Probe:
    calls = [_call_read(call) for call in held["calls"]]
    names, kinds, values = zip(*held["right"], strict=True) if held["right"] else ((), (), ())
    right = Outcome(list(names), list(map(_read, values)), list(kinds), state=held["state"])
    told = {name: held[name] for name in ("name", "part", "hint", "dtype")}
    return Probe(**told, calls=lambda rng: calls, public=True, right=right)


def _call_written(call: Call) -> dict[str, Any]:
    every = {name: _written(getattr(call, name)) for name in Call.__dataclass_fields__}
    return {name: value for name, value in every.items() if value not in (None, [], {"of": {}})}


def _call_read(held: dict[str, Any]) -> Call:
    return Call(**{name: _read(value) for name, value in held.items()})


def _written(value: Any) -> Any:
    """Return a value as JSON has it: an array and a dictionary get a name of their kind."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        order = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
        flat = value.ndim > 1 and (not value.size or order == "F")
        kind = {} if value.dtype == float else {"dtype": str(value.dtype)}
        more = {"shape": list(value.shape), "order": order} if flat else {}
        return {"array": value.tolist(), **kind, **more}
    if isinstance(value, Result):
        return {"result": value.of}
    if isinstance(value, dict):
        return {"of": {str(key): _written(inner) for key, inner in value.items()}}
    if isinstance(value, tuple | list):
        inner = [_written(each) for each in value]
        return {"list": inner} if isinstance(value, list) else inner
    if isinstance(value, Blocks):
        return {"blocks": _written(value.pairs), "factors": _written(value.factors)}
    if isinstance(value, NextLogits):
        return {"logits": _written(value.table)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} is no array, number, text, tuple or dictionary")


def _read(held: Any) -> Any:
    if isinstance(held, list):
        return tuple(map(_read, held))
    if not isinstance(held, dict):
        return held
    if "result" in held:
        return Result(held["result"])
    if "list" in held:
        return list(map(_read, held["list"]))
    if "blocks" in held:
        return Blocks(_read(held["blocks"]), _read(held["factors"]))
    if "logits" in held:
        return NextLogits(_read(held["logits"]))
    if "of" in held:
        return {key: _read(inner) for key, inner in held["of"].items()}
    array = np.array(held["array"], held.get("dtype", "float64"))
    order = held.get("order", "C")
    return np.array(array.reshape(held.get("shape", array.shape)), order=order)
