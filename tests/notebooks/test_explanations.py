"""What is claimed of explanations is shown: each entry leads to a section that holds to it."""

import functools
import json
import re
from collections import Counter

import pytest
from docutils.nodes import make_id
from rules.source import ROOT

from attention_course.exercises import exercise_named

PAGE = (ROOT / "book/appendix/what-explanations-get-wrong.md").read_text("utf-8")
ENTRY = re.compile(r'<a id="([a-z-]+)"></a>\n(\*\*.+?)(?=\n\n|\n*\Z)', re.DOTALL)
VERDICTS = "right|imprecise|wrong|cannot be computed"
VERDICT = re.compile(rf"\A\*\*.+?\*\*: \*({VERDICTS})[.*]", re.DOTALL)
LINK = re.compile(r"\]\(\.\./([\w/-]+)\.ipynb#([\w-]+)\)")
PASSAGE = re.compile(r"(?i)section|table|title|abstract")
HEADING = re.compile(r"(?m)^##+ (.+)$")
# Where a claim of numbers would be artificial: the exercise, and the mistake that it knows.
KNOWN = {
    "only-other-words": ("self-attention", "a word may not attend to itself"),
    "which-state-asks": ("bahdanau-step", "the look is taken with the new state"),
}


@functools.cache
def sections(page: str) -> list[tuple[set[str], list[bool]]]:
    """Return, for each section of a chapter, its anchors and which of its cells hold."""
    found: list[tuple[set[str], list[bool]]] = [(set(), [])]
    for cell in json.loads((ROOT / f"book/{page}.ipynb").read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            found[-1][1].append(bool(re.search(r"\bhold\(", text)))
            continue
        for part in re.split(r'(?m)^(?=(?:<a id="[\w-]+"></a>\n+)?## )', text):
            if re.search(r"(?m)^## ", part):
                found.append((set(), []))
            heads = (make_id(head.replace("*", "")) for head in HEADING.findall(part))
            found[-1][0].update(re.findall(r'<a id="([\w-]+)"', part), heads)
    return found


def complaints(text: str) -> list[str]:
    """Return what is amiss with the entries of a page."""
    amiss = []
    for anchor, entry in ENTRY.findall(text):
        verdict = VERDICT.match(entry)
        if not verdict and not anchor.startswith("course-"):
            amiss.append(f"{anchor}: no verdict")
        held = False
        for page, place in LINK.findall(entry):
            there = [held for anchors, held in sections(page) if place in anchors]
            amiss += [] if there else [f"{anchor}: no {place} in {page}"]
            if place.startswith("exercise-"):
                held |= anchor in KNOWN and place == f"exercise-{KNOWN[anchor][0]}"
            else:
                held |= any(map(any, there))
        by_source = verdict and verdict[1] == "cannot be computed"
        if by_source and not PASSAGE.search(entry):
            amiss.append(f"{anchor}: no passage of its source")
        if not held and not by_source:
            amiss.append(f"{anchor}: no section that holds to it")
    return amiss


def test_each_claim_has_its_verdict_and_is_shown_where_it_says():
    assert complaints(PAGE) == []


def test_every_claim_is_an_entry_of_its_own():
    claims = {anchor: VERDICT.match(entry) for anchor, entry in ENTRY.findall(PAGE)}
    said = Counter(verdict[1] for verdict in claims.values() if verdict)
    # One that turns over changes two counts; of a title, only its source can tell.
    known = {"imprecise": 37, "wrong": 21, "right": 4, "cannot be computed": 2}
    assert said == known, "look at each verdict that changed, then count them here"
    assert said.total() == PAGE.count("**: *")
    assert PAGE.count('<a id="course-') >= 4


@pytest.mark.parametrize("anchor", KNOWN)
def test_the_exercise_knows_the_mistake(anchor):
    slug, mistake = KNOWN[anchor]
    assert mistake in {wrong.name for wrong in exercise_named(slug).wrong}
