"""What the page has of a chapter's code: the copied list, and it prints the stored numbers."""

import sys

import nbformat
import pytest
from rules.notebooks import ROOT, compared
from stored_text import differs, stored

from attention_course.exercises.in_page_cells import as_written
from attention_course.site.editable import book_code, script_of

BOOK = book_code(ROOT)
PAGE, SOFTMAX = "book/why/attention-by-hand", "17ae9fe5"


def notebook(name):
    return nbformat.read(ROOT / f"{name}.ipynb", 4)


def chapter_json(name):
    """What the page hands to Python."""
    return script_of(BOOK[name]).split(" = ", 1)[1].rstrip(";\n")


def printing(name):
    """Those of a chapter's cells that a page can run and that store what they print."""
    code = BOOK[name]
    cells = [c for c in notebook(name).cells if c.get("id") in code.editable]
    return [cell for cell in cells if compared(cell) and stored(cell)]


@pytest.mark.parametrize("name", BOOK)
def test_unedited_every_cell_prints_what_is_stored_without_torch(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "import torch" not in chapter_json(name)
    fresh = as_written(chapter_json(name))
    part = {cell["id"] for cell in BOOK[name].cells if "part" in cell}
    told = {cell.id: differs(cell, fresh[cell.id]) for cell in printing(name)}
    assert not {cell: line for cell, line in told.items() if line and cell not in part}


def test_most_chapters_have_cells_to_edit_and_say_what_needs_torch():
    assert len(BOOK) >= 23
    assert sum(len(code.editable) for code in BOOK.values()) >= 120
    assert sum(len(printing(name)) for name in BOOK) >= 60
    positions = BOOK["book/transformer/positions"]
    assert positions.elsewhere["91e57e6b"] == ("torch", "25954ff7")
    kernels = BOOK["book/scale/triton-kernel"].elsewhere.values()
    assert {needs for needs, _ in kernels} == {"torch", "Triton"}
    assert not any(code.editable & code.elsewhere.keys() for code in BOOK.values())


def test_what_trains_or_reads_a_record_is_not_edited():
    sources = [
        cell.source
        for name, code in BOOK.items()
        for cell in notebook(name).cells
        if cell.get("id") in code.editable
    ]
    assert not [text for text in sources if "training.fit" in text or "recorded" in text]
    trains = next(c for c in notebook(PAGE).cells if c.source.startswith("learned = "))
    assert trains.id not in BOOK[PAGE].editable


def test_a_shown_function_runs_above_all_and_with_its_cell_where_that_has_more():
    code = BOOK["book/transformer/positions"]
    places = [
        n for n, cell in enumerate(code.cells) if "def sinusoidal_positions" in cell["code"]
    ]
    assert len(places) == 2
    assert "id" not in code.cells[places[0]]
    assert code.cells[places[1]]["id"] == "05d33f86"
    assert BOOK[PAGE].cells[0]["id"] == SOFTMAX


def test_what_is_left_out_is_said():
    assert {"4c4220d9"} == {
        c["id"] for c in BOOK["book/transformer/positions"].cells if "part" in c
    }
