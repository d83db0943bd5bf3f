"""Cells as people type and paste them get one verdict: in a notebook and in the page.

What the grader makes of the same cells: ``grader/tests/marking/test_pasted_cells.py``.
"""

import builtins
import json

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from pasted_cells import CELLS, FOUR, HEAD, MARKED, TWO
from traitlets.config import Config

from attention_course.exercises import cell, check
from attention_course.exercises.in_page import run
from attention_course.exercises.in_page_cells import run_cells

RIGHT = "four-steps: right. All 6 properties hold."


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """A notebook's kernel without its process; what the cells call does nothing."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setattr(builtins, "input", lambda prompt="": "Ada")
    one = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    for name in ("pip", "matplotlib"):
        one.register_magic_function(lambda line: None, "line", name)
    one.ask_exit = lambda: None
    cell.in_notebook()
    one.user_ns["check"] = check
    yield one
    InteractiveShell.clear_instance()


def ran(shell, *sources: str) -> tuple[str, str]:
    """What the cells print, and what ``check`` prints below them."""
    with capture_output() as before:
        for source in sources:
            shell.run_cell(source)
    with capture_output() as checked:
        shell.run_cell("check(four_steps)")
    return before.stdout + before.stderr, checked.stdout


def told(source: str, checked: bool = True) -> str:
    """What the page says of a cell."""
    said: list[str] = []
    run(source, FOUR.slug, checked, said.append)
    return "".join(said)


@pytest.mark.parametrize("name", CELLS)
def test_a_notebook_and_the_page_give_one_verdict_and_say_what_they_read(shell, name):
    case = CELLS[name]
    here = told(case.source)
    assert (RIGHT in here) is case.right, here
    assert case.says in here
    printed, there = ran(shell, case.source)
    assert (RIGHT in there) is (case.right and not case.stops), printed
    assert not case.stops or "Error" in printed
    odd = "Read differently: spaces" in here or "Read differently: typographic" in here
    assert ("Read differently" in printed) is odd


@pytest.mark.parametrize("name", TWO)
def test_of_two_cells_the_page_has_the_answers_own(shell, name):
    first, second = TWO[name]
    assert RIGHT in ran(shell, first, second)[1]
    said = " ".join(told(second).split())
    assert (RIGHT in said) is (second == MARKED)
    assert ("name 'soft' is not defined" in said) is (second != MARKED)


def test_what_is_run_unchecked_stops_where_a_notebook_does():
    said = told(f"{MARKED}\n1 / 0\nprint('below')", checked=False)
    assert said.endswith("ZeroDivisionError: division by zero\n")
    assert "below" in told(f"{MARKED}\n1 / 0\nprint('below')")


def test_a_chapters_cell_is_read_so_too():
    said: list[str] = []
    chapter = '{"before": "", "cells": [{"id": "a", "code": "1"}]}'
    mine = '{"a": "%matplotlib inline\\ndisplay(“two”)\\nawait_ = 3\\nawait_"}'
    assert run_cells(chapter, "a", mine, lambda text, at: said.append(text))
    assert "".join(said).endswith("(line 2).\n'two'\n3\n")


@pytest.mark.parametrize(
    "source",
    [
        'x = "“quoted”, 10\u00a0% – \u200b"\n',
        "# it’s – a\u00a0comment?\ny = 1\n",
        '"""\n%matplotlib inline\n>>> f?\n"""\n',
        "x = (10\n% 3)\n",
        "f = 'a' 'b'\n",
    ],
)
def test_what_python_knows_stays_as_it_was_typed(source):
    assert cell.read(source) == cell.Reading(source)
    assert cell.read(f"{source}%pip x\n").source == f"{source}# %pip x\n"


def test_a_cell_of_another_language_is_its_own(shell):
    with capture_output() as shown:
        shell.register_magic_function(lambda line, body: print(body, end=""), "cell", "words")
        shell.run_cell("%%words\n“it’s”\u00a0so\n")
    assert shown.stdout == "“it’s”\u00a0so\n"


def test_a_notebook_reads_once_however_often_the_course_is_imported(shell):
    cell.in_notebook()
    assert shell.input_transformers_cleanup.count(cell._typed) == 1


@pytest.mark.parametrize("piece", [" ", "a=", '\\"""', "x "])
def test_a_long_cell_is_read_at_once(piece):
    assert cell.readings(f"{piece * 200_000}x")[-1].source[-1] == "x"


def test_an_answer_reads_input_as_when_it_is_graded(shell):
    assert "raised EOFError" in ran(shell, MARKED.replace(HEAD, f"{HEAD}    input()\n"))[1]


def test_a_cell_fetches_the_kept_answer_to_an_exercise_where_it_names_one():
    code = "# ANSWER four-steps\nprint(globals().get('four_steps'))"
    chapter = json.dumps({"cells": [{"id": "a", "code": code}]})
    said = []
    say = lambda text, at: said.append(text)  # noqa: E731
    assert run_cells(chapter, "a", json.dumps({"kv-cache": "four_steps = 1"}), say)
    assert run_cells(chapter, "a", json.dumps({"four-steps": "four_steps = 'mine'"}), say)
    assert "".join(said) == "None\nmine\n"
