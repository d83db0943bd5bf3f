"""Takes answers out of honest, odd, spoilt and hostile files."""

import ast
import json
import symtable

import pytest

from course_grader.submissions import intake, parsing
from course_grader.submissions.cells import MOST_BYTES
from course_grader.submissions.intake import read_submission
from course_grader.submissions.notebook import ANSWER as PLACEHOLDER
from course_grader.verdicts import Verdict

ASKED, WRITTEN = {"four-steps": "four_steps", "masks": "x"}, ("why",)
ANSWER = "# EXERCISE four-steps\ndef four_steps(q, k, v):\n    return 1\n"
STUB = "# EXERCISE four-steps\ndef four_steps(q, k, v):\n    raise NotImplementedError\n"
MASKS = "# EXERCISE masks\nx = 1\n"
WHY = "<!-- WRITTEN why -->\n\nBecause the sum is 1.\n"


def cell(source, kind="code", name="", **more):
    metadata = {"nbgrader": {"grade_id": name, "schema_version": 3}} if name else {}
    return {"cell_type": kind, "metadata": metadata, "source": source, **more}


def notebook(*cells, **more):
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return json.dumps(content | more).encode()


def read(data, **more):
    return read_submission(data, ASKED, WRITTEN, **more)


def test_answers_are_found_by_their_first_line():
    came = read(notebook(cell("y = 0"), cell(ANSWER), cell(MASKS), cell(WHY, "markdown")))
    assert came.verdict == Verdict.OK
    assert came.answers == {"four-steps": ANSWER, "masks": MASKS}
    assert came.written == {"why": "Because the sum is 1."}
    assert came.notes == []


def test_a_source_in_lines_is_joined():
    came = read(notebook(cell(ANSWER.splitlines(keepends=True))))
    assert came.answers["four-steps"] == ANSWER


def test_a_cell_that_lost_its_first_line_is_found_by_its_name():
    came = read(notebook(cell("y = 2", name="four-steps"), cell("Text", "markdown", "why")))
    assert came.answers == {"four-steps": "y = 2"}
    assert came.written == {"why": "Text"}
    assert "four-steps: its first line is gone; found by its name" in came.notes


def test_the_first_line_counts_more_than_the_name():
    came = read(notebook(cell(MASKS, name="four-steps"), cell(ANSWER, name="masks")))
    assert came.answers == {"four-steps": ANSWER, "masks": MASKS}


def test_what_is_missing_is_named():
    came = read(notebook())
    assert came.verdict == Verdict.OK
    assert came.answers == {}
    assert came.notes == [
        "four-steps: no answer cell was found",
        "masks: no answer cell was found",
        "why: no written answer was found",
    ]


def test_of_several_the_last_that_is_written_is_taken_and_the_others_are_kept():
    first = ANSWER.replace("1", "0")
    came = read(notebook(cell(first), cell(ANSWER), cell(STUB), cell(MASKS)))
    assert came.answers["four-steps"] == ANSWER
    assert came.notes[0] == "four-steps: cell 1 defines four_steps too"
    assert came.rivals == {"four-steps": {1: first, 2: ANSWER}}
    assert came.looks == {"why": "no written answer was found"}
    assert read(notebook(cell(STUB), cell(STUB))).answers["four-steps"] == STUB


@pytest.mark.parametrize("before", ["\ufeff", "\n\n", "%%time\n", "  ", "\u00a0"])
def test_the_first_line_is_found_below_blanks_and_marks(before):
    taken = (before.strip("\ufeff") + ANSWER).replace("%%", "# %%")
    answer = read(notebook(cell(before + ANSWER))).answers["four-steps"]
    assert answer == taken.replace("\u00a0", " ")


def test_an_answer_whose_cell_became_markdown_is_taken_and_noted():
    came = read(notebook(cell(ANSWER, "markdown")))
    assert came.answers["four-steps"] == ANSWER
    assert "four-steps: its cell is not a code cell; taken as code" in came.notes


def test_an_answer_in_a_text_or_comment_of_another_cell_is_none_and_is_named():
    for source in (f"x = '''\n{ANSWER}'''", "y = 1\n" + ANSWER.replace("\n", "\n# ")):
        came = read(notebook(cell(source)))
        assert "four-steps" not in came.answers
        assert "cell 1 may hold four_steps" in came.looks["four-steps"]
        assert source in came.unread["four-steps"]


NESTED = 100_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xff\x00", "not text"),
        (b"{", "cut off or damaged"),
        (b"PK\3\4rest", "a zip: take the notebook out of it"),
        (ANSWER.encode(), "no notebook: hand in the .ipynb itself"),
        (b"[]", "no cells"),
        (b'{"cells": 1}', "no cells"),
        (b"{" * NESTED, "nested deeper"),
        (b'{"a":' * NESTED, "nested deeper"),
        (b"[" * NESTED + b"]" * NESTED, "nested deeper"),
        (b'{"' + b'\\"' * 500_000, "cut off"),
        (b'{"cells": [], "nbformat": 3}', "format 4"),
        (notebook(1), "cell 1 is not a cell"),
        (notebook(cell(None)), "cell 1 has no source"),
        (notebook(cell(["x", 1])), "cell 1 has no source"),
        (notebook(*[cell("")] * 5001), "may have 5000 cells"),
        (b" " * (MOST_BYTES + 1), "may have"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_no_notebook_is_malformed_and_says_why(data, reason):
    came = read(data)
    assert came.verdict == Verdict.MALFORMED
    assert reason in came.reason
    assert came.answers == {}


@pytest.mark.parametrize(
    "cells",
    [
        [cell(ANSWER + "x;" * 30_000)],
        [cell(ANSWER + "x = '" + "𠀀" * 13_000 + "'")],
        [cell(ANSWER + "x;" * 30_000, "markdown")],
        [cell(ANSWER), cell('check(x, "' + "a" * 200_000)],
        [cell(ANSWER), *(cell("x = 1\n" * 7_000) for _ in range(15))],
    ],
)
def test_code_that_would_keep_a_parser_busy_is_refused(cells):
    came = read(notebook(*cells))
    assert came.verdict == Verdict.MALFORMED
    assert "bytes of code" in came.reason


@pytest.mark.parametrize("filling", [" ", "\n", "\t", "a"])
def test_long_runs_of_one_character_are_read_at_once(filling):
    run = filling * 49_000
    pieces = ("#" + run, run + "raise", 'check(x, "' + run, "# EXERCISE" + run)
    came = read(notebook(cell(ANSWER), *(cell("x" + piece) for piece in pieces)))
    assert came.answers["four-steps"] == ANSWER


# Python joins a dotted name piece by piece: quadratic in time and memory.
# One wide letter makes each of the pieces four times as large.
CHAINS = ["import a" + ".a" * 24_000, "import 𠀀" + ".a" * 24_000]


@pytest.mark.parametrize("kind", ["code", "markdown"])
@pytest.mark.parametrize("chain", CHAINS, ids=["letters", "a-wide-letter"])
def test_code_that_no_parser_should_meet_is_parsed_by_a_child_only(chain, kind, monkeypatch):
    def here(*unused):
        raise AssertionError("parsed in the grader's own process")

    data = notebook(*[cell("# EXERCISE four-steps\n" + chain, kind)] * 9)
    with monkeypatch.context() as patched:
        patched.setattr(ast, "parse", here)
        patched.setattr(symtable, "symtable", here)
        came = read(data)
    assert came.verdict == Verdict.MALFORMED
    assert "to be parsed" in came.reason


def test_each_cell_is_parsed_once_whatever_is_taken_along_from_it(monkeypatch):
    parsed, parse = [], ast.parse
    others = [f"import numpy as np\nx = {number}" for number in range(20)]
    with monkeypatch.context() as patched:
        patched.setattr(ast, "parse", lambda source: parsed.append(source) or parse(source))
        came = read(notebook(cell(ANSWER + "np"), cell(MASKS + "np"), *map(cell, others)))
    assert came.answers["masks"].endswith("import numpy as np\n")
    # The last three might be answers as well: what they use is looked up.
    assert [parsed.count(other) for other in others] == [1] * 17 + [2] * 3


IMPORTS = "# EXERCISE four-steps\nimport numpy as np\n"


@pytest.mark.parametrize(
    "cells",
    [
        [cell(ANSWER), cell("# EXERCISE four-steps\nprint(four_steps)")],
        [cell(ANSWER), cell(IMPORTS)],
        [cell(IMPORTS), cell(ANSWER)],
        [cell(IMPORTS), cell(ANSWER.split("\n", 1)[1], name="four-steps")],
    ],
)
def test_of_several_cells_one_that_defines_the_function_counts(cells):
    came = read(notebook(*cells))
    assert "def four_steps" in came.answers["four-steps"]
    assert came.rivals == {}


def test_a_copy_of_the_empty_cell_does_not_delete_a_written_answer():
    empty = cell(f"<!-- WRITTEN why -->\n\n{PLACEHOLDER}", "markdown")
    came = read(notebook(cell(WHY, "markdown"), empty))
    assert came.written == {"why": "Because the sum is 1."}
    assert not any(note.startswith("why") for note in came.notes)
    assert read(notebook(empty)).written == {"why": ""}
    two = read(notebook(cell(WHY, "markdown"), cell(WHY.replace("1", "2"), "markdown")))
    assert two.written == {"why": "Because the sum is 2."}
    assert "why: 2 cells answer it; the last one that is written counts" in two.notes


def test_a_parsing_child_that_is_killed_from_outside_says_nothing_about_the_code(monkeypatch):
    monkeypatch.setattr(parsing, "_CHILD", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(OSError, match="was killed"):
        read(notebook(cell(ANSWER)))


def test_each_cell_is_parsed_once_by_the_child(monkeypatch):
    asked = []
    monkeypatch.setattr(
        intake, "are_python", lambda all_: asked.extend(all_) or [True] * len(all_)
    )
    read(notebook(cell(ANSWER), cell(ANSWER), cell("%pip x"), cell(WHY, "markdown")))
    assert asked == [ANSWER, "%pip x", "# %pip x"]
