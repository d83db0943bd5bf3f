"""Each sentence of *Try to break it* is a chapter's, and falls without its condition."""

import re

import nbformat
import pytest
from rules.notebooks import ROOT

from attention_course.reference import softmax

PAGE = nbformat.read(ROOT / "book" / "practice" / "try-to-break-it.ipynb", 4)
SOLUTION = re.search(r"```python\n(.*?)```", "".join(c.source for c in PAGE.cells), re.DOTALL)[
    1
]
HEAD = re.compile(
    r"^### (.+)\n\n“(.+?)” \(\[.+?\]\((.+?)\.ipynb#what-we-showed\)\)", re.MULTILINE
)
OFFER = re.compile(r"^(\w+ = ).+?  # (?:try |None: .*)(.*)$", re.MULTILINE)
SOURCES = [cell.source for cell in PAGE.cells]
PAIRS = [  # of a fold the heading is alone in its cell
    (*found.groups(), code)
    for head, text, code in zip(SOURCES, SOURCES[1:], SOURCES[2:], strict=False)
    if "ac.break_it(" in code and (found := HEAD.search(f"{head}\n\n{text}"))
]
OFFERED = [
    pytest.param(code, offer, id=f"{head}: {offer[1]}{offer[2]}")
    for head, _, _, code in PAIRS
    for offer in OFFER.finditer(code)
]


def ran(code, capsys):
    """Return what a cell prints first, after the cell that imports."""
    space = {}
    exec("import numpy as np\nimport attention_course as ac", space)
    space["softmax"] = softmax
    exec(code, space)
    return capsys.readouterr().out


def test_there_are_twenty_and_each_offers_something():
    assert len(PAIRS) >= 20
    assert {code for *_, code in PAIRS} == {code for *_, code in PAIRS if OFFER.search(code)}


@pytest.mark.parametrize(("head", "says", "page", "code"), PAIRS, ids=[one[0] for one in PAIRS])
def test_a_sentence_is_its_chapters_which_links_here_and_holds(head, says, page, code, capsys):
    path = (ROOT / "book" / "practice" / f"{page}.ipynb").resolve()
    prose = "".join(c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown")
    recap = " ".join(
        prose.partition("## What we showed")[2].partition("## Exercises")[0].split()
    )
    assert says in recap
    link = f"try-to-break-it.ipynb#{re.sub('[^a-z0-9]+', '-', head.lower())})"
    assert link in recap[recap.index(says) :].partition("- ")[0]
    assert ran(code, capsys).startswith("No counter-example in ")


@pytest.mark.parametrize(("code", "offer"), OFFERED)
def test_it_falls_without_its_condition(code, offer, capsys):
    loosened = code.replace(offer[0], f"{offer[1]}{offer[2]}")
    assert ran(loosened, capsys).startswith("Counter-example, draw ")


def test_the_solution_in_code_breaks_its_sentence_and_mends_it(capsys):
    assert ran(SOLUTION, capsys).startswith("Counter-example, draw 1")
    mended = SOLUTION.replace("RATE = None", "RATE = 0.9")
    assert ran(mended, capsys).startswith("No counter-example")
