"""Every chapter ends with exercises, and says what the bank says."""

import copy
import re

import nbformat
import pytest
from execute_notebooks import ROOT, book_notebooks
from fill_in_exercises import MOST, kinds, main, written
from nbclient import NotebookClient
from normalise import normalise
from rules.notebooks import NOT_CHAPTERS

from attention_course.exercises import all_exercises

CHAPTERS = {
    path.relative_to(ROOT / "book").with_suffix("").as_posix(): path
    for path in book_notebooks()
    if path.stem not in NOT_CHAPTERS
}


SHORTCUT, SHORTCUT_ITSELF = "scaled_dot_product_attention", "scaled-dot-product-attention"


def read(chapter):
    return nbformat.read(CHAPTERS[chapter], as_version=4)


def sources(notebook):
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_exercises_of_a_chapter_are_those_of_the_bank(chapter):
    stored = read(chapter)
    fresh = normalise(written(copy.deepcopy(stored)), CHAPTERS[chapter].stem)
    assert sources(fresh) == sources(stored), "run tools/fill_in_exercises.py on this chapter"


def test_a_chapter_has_two_to_seven_exercises_of_more_than_one_kind():
    found = {chapter: kinds(read(chapter)) for chapter in CHAPTERS}
    most = {chapter: MOST.get(CHAPTERS[chapter].stem, 7) for chapter in found}
    assert [c for c, f in found.items() if not 2 <= len(f) <= most[c] or len(set(f)) == 1] == []
    assert [chapter for chapter, kinds_ in found.items() if "write code" not in kinds_] == []
    assert sum(map(len, found.values())) >= 130


def test_an_exercise_too_many_is_refused_and_nothing_is_written(tmp_path, capsys):
    words = "\n\n".join("**Why?** (explain, objective 1)" for _ in range(6))
    for marks, status in ((["four-steps"], 0), (["four-steps", "kv-cache"], 1)):
        path = tmp_path / "full.ipynb"
        texts = [words, *(f"<!-- exercise {slug} -->" for slug in marks)]
        cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        before = path.read_bytes()
        assert main([str(path)]) == status
        assert (path.read_bytes() == before) == bool(status)
    assert "at most 7 exercises, got 8" in capsys.readouterr().err


def test_every_exercise_of_the_bank_stands_in_its_chapter_once_and_has_no_shortcut():
    closed = {s for s, e in all_exercises().items() if SHORTCUT in e.forbidden}
    assert closed == {"half-attention", "multi-head-attention", SHORTCUT_ITSELF, "soft-cap"}
    for exercise in all_exercises().values():
        cells = [cell.source for cell in read(exercise.chapter).cells]
        assert sum(cell.startswith(exercise.marker + "\n") for cell in cells) == 1, (
            exercise.slug
        )


def test_exercises_are_numbered_in_their_order_whatever_was_typed():
    texts = [
        "**Before** (explain)\n\nWhy?",
        "<!-- exercise four-steps -->",
        "**7. After** (predict, then run)\n\n**Bold.** (explain later)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_markdown_cell, texts)])
    first = "\n".join(cell.source for cell in written(notebook).cells)
    found = re.findall(r"^\*\*(\d.+?)\*\* \((\w+)", first, re.M)
    assert [title[:7] for title, _ in found] == ["1. Befo", "2. Atte", "3. Afte"]
    assert [kind for _, kind in found] == ["explain", "write", "predict"]
    assert "\n".join(cell.source for cell in written(notebook).cells) == first


TORCH = [slug for slug, one in all_exercises().items() if one.uses == "torch"]


@pytest.mark.thorough
@pytest.mark.parametrize("slug", TORCH)
def test_an_answer_in_torch_is_right_in_its_chapter(slug):
    exercise = all_exercises()[slug]
    notebook = read(exercise.chapter)
    cells = [cell.source.startswith(exercise.marker) for cell in notebook.cells]
    at = cells.index(True)
    notebook.cells[at].source = exercise.solution  # pasted over everything
    del notebook.cells[at + 2 :]
    NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    words = f"{slug}: right. All {len(exercise.probes)} properties hold."
    assert words in notebook.cells[-1].outputs[0].text
