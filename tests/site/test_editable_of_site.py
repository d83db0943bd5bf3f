"""What the page runs of a chapter: its tagged cells, in their order, print what is stored."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from rules.notebooks import ROOT, compared
from stored_text import differs, stored

from attention_course.exercises.in_page_cells import _run, as_written, run_cells
from attention_course.site.editable import chapter_code, script_of
from attention_course.site.tryit import PACKAGE, course_files

CHAPTERS = re.findall(r"file: (book/\w+/[\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
NOTEBOOKS = {
    name: nbformat.read(path, 4)
    for name in CHAPTERS
    if (path := ROOT / f"{name}.ipynb").is_file()
}
BOOK = {name: chapter_code(notebook) for name, notebook in NOTEBOOKS.items()}
PAGE, SOFTMAX, FORMATS = "book/why/attention-by-hand", "17ae9fe5", "0dbb9450"
# Their last lines need torch, or a record, and are left out.
FEWER_LINES = {"34ecbb23", "a6e8c8b9"}


@pytest.fixture(autouse=True)
def as_in_a_page(monkeypatch):
    """The course has no more than in a page: no torch, and of its parts two."""
    package = (path.relative_to(ROOT / "src") for path in PACKAGE.rglob("*.py"))
    for name in {"torch", "plotly"} | modules(package) - modules(course_files()):
        monkeypatch.setitem(sys.modules, name, None)


def modules(files):
    """The names under which files are imported."""
    parts = (Path(name).with_suffix("").parts for name in files)
    return {".".join(name).removesuffix(".__init__") for name in parts}


def chapter_json(code):
    """What the page hands to Python."""
    return script_of(code).split(" = ", 1)[1].rstrip(";\n")


@pytest.mark.parametrize("name", BOOK)
def test_each_tagged_cell_ends_and_prints_what_is_stored(name):
    cells = {cell.id: cell for cell in NOTEBOOKS[name].cells}
    offered = {cell["id"] for cell in BOOK[name] if cell["edit"]}
    for at, printed, ended in _run(chapter_json(BOOK[name]), {}):
        assert ended, printed
        if at in offered - FEWER_LINES and compared(cells[at]) and stored(cells[at]):
            assert not differs(cells[at], printed)


def test_a_cell_above_that_is_not_tagged_is_noticed():
    without = [cell for cell in BOOK[PAGE] if "states = " not in cell["code"]]
    ended = {name: ended for name, _, ended in _run(chapter_json(without), {})}
    assert not all(ended.values())


def test_an_edit_of_a_shown_function_reaches_the_cells_and_the_course():
    code = next(cell["code"] for cell in BOOK[PAGE] if cell["id"] == SOFTMAX)
    edits = {SOFTMAX: code.replace("exps = np.exp(x - top)", "exps = np.exp((x - top) / 2)")}
    heard: dict[str, str] = {}
    chapter = chapter_json(BOOK[PAGE])
    assert run_cells(chapter, SOFTMAX, json.dumps(edits), lambda t, at: heard.update({at: t}))
    assert "smallest 1.7e-10" in heard[FORMATS]
    from attention_course.reference import softmax

    assert softmax.__module__.startswith("attention_course.")
    assert "smallest 2.9e-20" in as_written(chapter)[FORMATS]


def test_what_needs_torch_is_left_out_and_what_is_unknown_is_said():
    code = [{"id": "a", "code": "import torch\ntorch.ones(2)\nprint(1)", "edit": True}]
    heard: list[str] = []
    say = lambda text, at: heard.append(text)  # noqa: E731
    assert run_cells(json.dumps({"cells": code}), "a", "{}", say) == "part"
    assert "".join(heard) == "1\n"
    edits = json.dumps({"a": "import nothing_of_the_kind"})
    assert run_cells(json.dumps({"cells": code}), "a", edits, say) is False
    assert "ModuleNotFoundError" in "".join(heard)


def test_a_shown_function_is_defined_before_all_cells_and_begins_its_own():
    assert BOOK[PAGE][0]["id"] == SOFTMAX
    positions = {cell["id"]: cell["code"] for cell in BOOK["book/transformer/positions"]}
    assert "def sinusoidal_positions" in positions["05d33f86"]
    assert "ac.show" not in positions["05d33f86"]
