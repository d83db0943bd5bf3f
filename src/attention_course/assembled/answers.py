"""Parts as texts: what a reader wrote in an exercise or for a slot, and named mistakes."""

import ast
import re
from collections.abc import Callable
from importlib import import_module
from textwrap import wrap
from typing import Any

import numpy as np

from attention_course.assembled.one_file import PREFIX, course_source
from attention_course.assembled.slots import LINES, line_with
from attention_course.exercises.bank import exercise_named, targets
from attention_course.exercises.in_page import execute

_SHOWN = "`softmax` or `attend_in_heads`"
# The line that names a part, and the comment that says its shapes.
_STUB = re.compile(r"(def [^:]*\):\n)((?:    #.*\n)*)")


def part_from(slot: str, text: str, space: dict[str, Any] | None = None) -> Callable[..., Any]:
    """Return the part that a text defines.

    Args:
        slot: where it is put.
        text: an answer to the slot's exercise, or code that defines the part by its own name,
            by the slot's, or by one that pages give it.
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
    asked = {targets()[place.exercise]: place.adapter} if place.exercise else {}
    adapters = {place.name: "", **asked, slot: "", **place.also}
    found = next((name for name in adapters if callable(space.get(name))), None)
    if found is None:
        raise ValueError(f"{slot}: must define {' or '.join(adapters)}")
    if adapters[found]:
        execute(adapters[found], space, f"<adapter of {slot}>")
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


def stub_of(slot: str) -> str:
    """Return what a reader begins a part with: its name and its contract, and no answer.

    It is that of the slot's exercise, or else has the shapes that the course's part says.
    """
    place = LINES[line_with(slot)].slots[slot]
    if place.exercise and not place.adapter:
        exercise = exercise_named(place.exercise)
        text, told = exercise.stub, [line.replace("$", "") for line in exercise.contract]
    else:
        head, shapes = _STUB.match(course_part(slot)).groups()  # type: ignore[union-attr]
        module, _, name = place.course.rpartition(".")
        summary = str(getattr(import_module(module), name).__doc__).partition("\n")[0]
        text = f'{head}    """{summary}"""\n    ...  # your code\n'
        told = [f"It is called with {place.call}."]
        told += [f"Shapes: {' '.join(shapes.replace('#', '').split())}."] if shapes else []
    told += [f"A name that pages show, such as {_SHOWN}, calls what is in its slot."]
    more = "".join(
        f"\n{one}"
        for line in told
        for one in wrap(line, 76, initial_indent="    - ", subsequent_indent="      ")
    )
    return re.sub(
        r'"""(.*?)\n?\s*"""',
        lambda m: f'r"""{m[1]}\n{more}\n    """',
        text,
        count=1,
        flags=re.S,
    )
