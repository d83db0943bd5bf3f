#!/usr/bin/env python3
"""Write the exercises of the bank into the chapters that hold them.

    python tools/fill_in_exercises.py book/why/attention-by-hand.ipynb

Where a Markdown cell begins with ``<!-- exercise SLUG -->``, the tool puts the statement with
its hints, the cell to write in, the cell that checks it and the folded solution. What it wrote
before is replaced, so a chapter never says anything else than the bank does. All exercises of a
chapter, those in words too, are numbered in their order. Execute the chapter afterwards; a cell
of code that did not change keeps its output. A chapter of more than seven exercises is refused
and stays as it is; the one whose exercises are a model's parts may hold twelve.
"""

import re
import sys
from itertools import count
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from normalise import dump, normalise

from attention_course.exercises import Exercise, exercise_named

PLACE = re.compile(r"<!-- exercise ([a-z0-9-]+) -->")
MOST = {"your-own-transformer": 12}  # of other chapters 7
IMPORT = "from attention_course.exercises import check, hint"
KINDS = ("write code", "predict, then run", "explain", "find the flaw", "read a table")
KINDS += ("read a figure", "design an experiment")
KIND = re.compile(
    rf"^\*\*(\d*\. )?(?P<title>[^*]+)\*\* \((?P<kind>{'|'.join(KINDS)})(?=[,)])", re.M
)


def written(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook with every exercise as the bank has it."""
    cells, left = [], list(notebook.cells)
    while left:
        cell = left.pop(0)
        place = PLACE.match(cell.source) if cell.cell_type == "markdown" else None
        if not place:
            cells.append(cell)
            continue
        exercise = exercise_named(place[1])
        stood = {}
        while left and _belongs(left[0], exercise):
            old = left.pop(0)
            stood[old.source] = old
        fresh = cells_of(exercise, cells)
        cells += [stood.get(cell.source, cell) for cell in fresh]
    notebook.cells = cells
    return numbered(notebook)


def numbered(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook with its exercises counted from 1, in their order."""
    number = count(1)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            head = lambda f: f"**{next(number)}. {f['title']}** ({f['kind']}"  # noqa: E731
            cell.source = KIND.sub(head, cell.source)
    return notebook


def cells_of(exercise: Exercise, before: list) -> list:
    """Return the four cells of an exercise; what was imported before is not imported again."""
    above = "\n".join(cell.source for cell in before if cell.cell_type == "code").splitlines()
    imports = [line for line in exercise.imports if line not in above]
    answer = "\n".join([exercise.marker, *imports, *([""] * bool(imports)), exercise.stub])
    call = f"check({exercise.target})"
    checking = call if IMPORT in above else f"{IMPORT}\n\n{call}"
    return [
        new_markdown_cell(statement(exercise)),
        new_code_cell(answer.rstrip(), metadata={"tags": ["exercise"]}),
        new_code_cell(checking),
        new_markdown_cell(solution(exercise)),
    ]


def statement(exercise: Exercise) -> str:
    """Return what the exercise asks, in Markdown, with its hints folded."""
    contract = "\n".join(f"- {sentence}" for sentence in exercise.contract)
    hints = "\n\n".join(
        folded(f"Hint {i} of {len(exercise.hints)}", hint)
        for i, hint in enumerate(exercise.hints, start=1)
    )
    tests = [f"{exercise.minutes} min", *([exercise.tests] if exercise.tests else [])]
    return (
        f'<!-- exercise {exercise.slug} -->\n<a id="exercise-{exercise.slug}"></a>\n'
        f"**{exercise.title}** (write code, {', '.join(tests)})\n\n"
        f"{exercise.statement}\n\nWhat is agreed, the *contract*:\n\n{contract}\n\n{hints}"
    )


def solution(exercise: Exercise) -> str:
    """Return the folded solution."""
    code = f"```python\n{exercise.solution.rstrip()}\n```"
    return f"<!-- solution {exercise.slug} -->\n{folded('Solution', code)}"


def folded(title: str, text: str) -> str:
    """Return a closed fold; the empty lines let every front end read the text as Markdown."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"


def kinds(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the kind of every exercise in a chapter, in order."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return [found["kind"] for found in KIND.finditer(prose)]


def _belongs(cell: nbformat.NotebookNode, exercise: Exercise) -> bool:
    source = cell.source
    if cell.cell_type == "markdown":
        return source.startswith(f"<!-- solution {exercise.slug} -->")
    return source.startswith(exercise.marker) or source.endswith(f"check({exercise.target})")


def main(paths: list[str]) -> int:
    """Rewrite the notebooks at the paths."""
    for path in map(Path, paths):
        notebook, most = written(nbformat.read(path, as_version=4)), MOST.get(path.stem, 7)
        if len(kinds(notebook)) > most:
            print(
                f"{path}: a chapter has at most {most} exercises, got {len(kinds(notebook))}: "
                "take one out, or choose another chapter. Nothing was written.",
                file=sys.stderr,
            )
            return 1
        path.write_text(dump(normalise(notebook, path.stem)), encoding="utf-8")
        print(f"{path}: {', '.join(kinds(notebook))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
