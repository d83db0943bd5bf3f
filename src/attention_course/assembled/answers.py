"""Parts as texts: what a reader wrote in an exercise or for a slot, and named mistakes."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from attention_course.assembled.one_file import PREFIX, course_source
from attention_course.assembled.slots import LINES, line_with
from attention_course.exercises.bank import exercise_named, targets
from attention_course.exercises.in_page import execute


def part_from(slot: str, text: str, space: dict[str, Any] | None = None) -> Callable[..., Any]:
    """Return the part that a text defines.

    Args:
        slot: where it is put.
        text: an answer to the slot's exercise, or code that defines the part by its own name.
        space: gets the names that the text defines and sees; if None, nobody else has them.

    Raises:
        ValueError: if there is no such slot, or the text defines no part of it.
        Exception: what the text itself raises.

    >>> part_from("positions", "def sinusoidal_table(n, d_model, offset=0): ...").__name__
    'sinusoidal_table'
    """
    place = LINES[line_with(slot)].slots[slot]
    space = {} if space is None else space
    space |= {"__name__": "__main__", "np": np}
    execute(text, space, f"<your {slot}>")
    names = [place.name, *(targets()[place.exercise] for _ in [0] if place.exercise)]
    found = next((name for name in names if callable(space.get(name))), None)
    if found is None:
        raise ValueError(f"{slot}: must define {' or '.join(dict.fromkeys(names))}")
    if place.adapter and found != place.name:
        execute(place.adapter, space, f"<adapter of {slot}>")
        found = place.name
    part: Callable[..., Any] = space[found]
    return part


def mistakes_of(slot: str) -> dict[str, str]:
    """Return the named mistakes of a slot's exercise: the text of each answer, by name."""
    slug = LINES[line_with(slot)].slots[slot].exercise
    if not slug:
        return {}
    exercise = exercise_named(slug)
    return {wrong.name: exercise.source_of(wrong) for wrong in exercise.wrong}


def course_part(slot: str) -> str:
    """Return the course's part as a text to be changed; what it calls has the prefix."""
    line = line_with(slot)
    name, text = LINES[line].slots[slot].name, course_source(line)
    [node] = [x for x in ast.parse(text).body if getattr(x, "name", "") == PREFIX + name]
    lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
    return "\n".join([lines[0].replace(PREFIX, "", 1), *lines[1:]]) + "\n"
