"""What programs for notebooks and students make of a notebook that was handed out."""

import json
from pathlib import Path

from attention_course.exercises import exercise_named
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import ANSWER, student_notebook

SAMPLES = Path(__file__).parents[3] / "assignments"
WORDS = "Because a sum of d_k products has the variance d_k, and *so*:\n\n- first\n- then"


def sample(name: str = "self-attention") -> Assignment:
    """Return a public sample."""
    return load_assignment(SAMPLES / name)


def source(cell: dict) -> str:
    """Return a cell's source as one text."""
    return "".join(cell["source"])


def released(assignment: Assignment) -> dict:
    """Return the notebook that is handed out."""
    return json.loads(student_notebook(assignment))


def answered(assignment: Assignment) -> dict:
    """Return the notebook with right answers, each where it belongs."""
    notebook = released(assignment)
    for cell in notebook["cells"]:
        first, _, rest = source(cell).partition("\n")
        if first.startswith("# EXERCISE"):
            cell["source"] = f"{first}\n{exercise_named(first.split()[-1]).solution}"
        elif ANSWER in rest:
            cell["source"] = f"{first}\n\n{WORDS}"
    return notebook


def place_of(notebook: dict, marker: str) -> int:
    """Return where the cell stands that begins so."""
    return next(
        i for i, cell in enumerate(notebook["cells"]) if source(cell).startswith(marker)
    )


def code(text: str) -> dict:
    """Return a new code cell."""
    return words(text, "code") | {"execution_count": None, "outputs": []}


def words(text: str, kind: str = "markdown") -> dict:
    """Return a new cell of words."""
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}


def colab(notebook: dict) -> dict:
    """Return the notebook as Colab saves it: with metadata of its own, and no others."""
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        own = {"metadata": {"id": f"x{number}"}, "source": source(cell).splitlines(True)}
        kept = {key: cell[key] for key in cell if key not in ("id", "metadata", "source")}
        cells.append(kept | own)
    metadata = {"colab": {"provenance": []}, "kernelspec": {"name": "python3"}}
    return {"nbformat": 4, "nbformat_minor": 0, "metadata": metadata, "cells": cells}


def jupyterlab(notebook: dict) -> dict:
    """Return the notebook as JupyterLab saves it after all cells ran: with outputs."""
    saved = json.loads(json.dumps(notebook))
    for number, cell in enumerate(saved["cells"]):
        if cell["cell_type"] == "code":
            shown = [{"output_type": "stream", "name": "stdout", "text": ["right\n"]}]
            cell |= {"execution_count": number, "outputs": shown}
            cell["metadata"] |= {"trusted": True, "execution": {"iopub.status.busy": "now"}}
    info = {"name": "python", "file_extension": ".py", "nbconvert_exporter": "python"}
    saved["metadata"] |= {"language_info": info}
    return saved


def vs_code(notebook: dict) -> dict:
    """Return the notebook as VS Code saves it: lines, a language for each cell, other ends."""
    saved = colab(notebook)
    for cell in saved["cells"]:
        language = "python" if cell["cell_type"] == "code" else "markdown"
        cell["metadata"] = {"vscode": {"languageId": language}}
        cell["source"] = source(cell).replace("\n", "\r\n").splitlines(True)
    return saved
