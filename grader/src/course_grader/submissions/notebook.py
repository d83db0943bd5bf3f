"""Makes an assignment's notebook: for students, or with the solutions filled in.

The metadata of its cells is nbgrader's (schema 3), so that nbgrader, JupyterHub and CoCalc can
hand it out and collect it. The bytes are the same on every run. The file is written as JSON
and needs no nbformat; a test validates it.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from attention_course.exercises.protocol import Exercise, __version__, as_text, setup_cell
from course_grader.submissions.assignment import Assignment, CodeItem, WrittenItem
from course_grader.submissions.teacher_exercise import TeacherError, TeacherExercise
from course_grader.tables import texts_beside

SETUP = setup_cell(torch=False, drawing=False) + "\nfrom attention_course.exercises import "
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    # Without the rest, a notebook that never ran is exported as a text without its words.
    "language_info": {
        "name": "python",
        "file_extension": ".py",
        "nbconvert_exporter": "python",
    },
}


_SAYS = texts_beside(__file__)
ANSWER, ADAPTED, SOLVED = (_SAYS[name] for name in ("answer", "adapted", "solved"))
MOST_EXAMPLES = 20_000

Cell = dict[str, Any]


def student_notebook(assignment: Assignment, student: str = "") -> str:
    """Return the notebook that a student gets, as the text of its file.

    If the assignment varies, it must be said whose variants these are.
    """
    return _file(assignment, student, solved=False)


def solution_notebook(assignment: Assignment, student: str = "") -> str:
    """Return the notebook with solutions, model answers and rubrics, for the teacher."""
    return _file(assignment, student, solved=True)


def _file(assignment: Assignment, student: str, solved: bool) -> str:
    cells = list(_cells(assignment, student, solved))
    for cell in cells:
        cell["source"] = cell["source"].strip("\n").splitlines(keepends=True)
    course = {"assignment": assignment.name, "version": __version__, "student": student}
    notebook = {
        "cells": cells,
        "metadata": METADATA | {"attention_course": course},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _cells(assignment: Assignment, student: str, solved: bool) -> Iterator[Cell]:
    yield _text("title", _opening(assignment, student, solved))
    own = any(item.own for item in assignment.code)
    names = ["check", "hint"] + ["defend"] * any(item.defend for item in assignment.code)
    yield _code("setup", SETUP + ", ".join(names + ["own_exercise"] * own))
    exercises = assignment.exercises(student)
    for number, item in enumerate(assignment.items, start=1):
        if isinstance(item, CodeItem):
            yield from _code_item(number, item, exercises[item.slug], student, solved)
        else:
            yield from _written_item(number, item, solved)


def _opening(assignment: Assignment, student: str, solved: bool) -> str:
    due = f", due {assignment.due:%Y-%m-%d %H:%M %Z}" if assignment.due else ""
    rows = [
        f"| {number} | {_title(item)} | {item.minutes} | {item.points} |"
        for number, item in enumerate(assignment.items, start=1)
    ]
    table = ["|  | item | minutes | points |", "|---|---|---|---|", *rows]
    pieces = [
        f"# {assignment.title}" + (": solutions" if solved else ""),
        assignment.introduction,
        f"{assignment.max_points} points, about {assignment.minutes} minutes{due}."
        + _lateness(assignment)
        + (f" This notebook is for {student}." if student else ""),
        "\n".join(table),
        _SAYS["sample"] if assignment.sample else "",
        SOLVED if solved else _SAYS["how"],
    ]
    return "\n\n".join(piece for piece in pieces if piece)


def _lateness(assignment: Assignment) -> str:
    """Return in a sentence what handing in late costs; nothing where it costs nothing."""
    if not (assignment.due and assignment.late_percent_per_day):
        return ""
    percent, grace = f"{assignment.late_percent_per_day:g}", assignment.grace_minutes
    free = f" (the first {grace} minutes are free)" if grace else ""
    return f" Each day late that has begun costs {percent} % of the points reached{free}."


def _title(item: CodeItem | WrittenItem) -> str:
    return item.title if isinstance(item, WrittenItem) else item.exercise.title


def _code_item(
    number: int, item: CodeItem, exercise: Exercise, student: str, solved: bool
) -> Iterator[Cell]:
    slug = item.slug
    contract = "\n".join(f"- {sentence}" for sentence in exercise.contract)
    parts = ", ".join(f"{part} ({points})" for part, points in item.all_parts.items())
    note = f"\n\n{ADAPTED}" if solved and exercise.variant else ""
    yield _text(
        f"{slug}-task",
        f"## {number}. {exercise.title}\n\n*{item.minutes} minutes, {item.points} points: "
        f"{parts}.*\n\n{exercise.statement}\n\nWhat is agreed, the *contract*:\n\n{contract}"
        f"{note}",
    )
    answer = exercise.solution if solved else _stub(exercise)
    yield _code(slug, f"{exercise.marker}\n{answer}", _nbgrader(slug, "code", solution=True))
    if item.own:
        metadata = _nbgrader(f"{slug}-check", "code", locked=True)
        yield _code(f"{slug}-check", _own_check(item.own, exercise), metadata)
    else:
        name = json.dumps(exercise.name, ensure_ascii=False)
        yield _code(f"{slug}-check", f"check({exercise.target}, {name})")
    if item.defend:
        yield _text(f"{slug}-defend-task", _SAYS["defend"].format(points=item.defend))
        name = json.dumps(exercise.name, ensure_ascii=False)
        me = json.dumps(student, ensure_ascii=False)
        call = f"defend({exercise.target}, {name}, me={me}, choice=0)"
        yield _code(f"{slug}-defend", f"# DEFEND {slug}\n{call}")


# The public examples of own exercises: drawn once, and the same in every notebook.
_EXAMPLES: dict[tuple[str, ...], str] = {}


def _own_check(own: TeacherExercise, exercise: Exercise) -> str:
    """Return the cell that checks an own exercise; it carries the public examples.

    Raises:
        TeacherError: if they cannot be made, or are too large for a notebook.
    """
    if exercise.key not in _EXAMPLES:
        try:
            _EXAMPLES[exercise.key] = as_text(exercise)
        except RuntimeError as error:  # the solution fails
            raise TeacherError(f"{own.file}: {error}") from error
    text = _EXAMPLES[exercise.key]
    if len(text.encode()) > MOST_EXAMPLES:
        raise TeacherError(
            f"{own.file}: the public examples may take {MOST_EXAMPLES} bytes in the notebook, "
            f"take {len(text.encode())}: let public probes draw less"
        )
    return (
        "# Public examples: inputs, and what is right for them. The cell stays as it is.\n"
        f'check({exercise.target}, own_exercise(r"""\n{text}\n"""))'
    )


def _stub(exercise: Exercise) -> str:
    """Return the stub with the imports that it needs and does not bring itself."""
    there = exercise.stub.splitlines()
    imports = [line for line in exercise.imports if line not in there]
    return "\n".join([*imports, *([""] * 2 * bool(imports)), exercise.stub])


def _written_item(number: int, item: WrittenItem, solved: bool) -> Iterator[Cell]:
    rubric = "\n".join(f"- {criterion} ({points})" for criterion, points in item.rubric)
    yield _text(
        f"{item.id}-task",
        f"## {number}. {item.title}\n\n*{item.minutes} minutes, {item.points} points.*\n\n"
        f"{item.prompt}\n\nWhat earns points:\n\n{rubric}",
    )
    answer = item.model_answer if solved else ANSWER
    metadata = _nbgrader(item.id, "markdown", points=item.points, solution=True)
    yield _text(item.id, f"<!-- WRITTEN {item.id} -->\n\n{answer}", metadata)


def _nbgrader(
    name: str,
    kind: str,
    points: int | None = None,
    locked: bool = False,
    solution: bool = False,
) -> dict[str, Any]:
    """Return nbgrader's metadata; a cell with points is graded, by hand if it is a solution."""
    entry: dict[str, Any] = {
        "schema_version": 3,
        "cell_type": kind,
        "grade_id": name,
        "grade": points is not None,
        "solution": solution,
        "locked": locked,
        "task": False,
    }
    metadata: dict[str, Any] = {"nbgrader": entry}
    if points is not None:
        entry["points"] = points
    if locked:
        metadata |= {"deletable": False, "editable": False}
    elif solution:
        metadata["deletable"] = False
    return metadata


def _text(name: str, source: str, metadata: dict[str, Any] | None = None) -> Cell:
    return {
        "cell_type": "markdown",
        "id": hashlib.sha256(name.encode()).hexdigest()[:8],  # the same on every run
        "metadata": metadata or {},
        "source": source,
    }


def _code(name: str, source: str, metadata: dict[str, Any] | None = None) -> Cell:
    return _text(name, source, metadata) | {
        "cell_type": "code",
        "execution_count": None,
        "outputs": [],
    }
