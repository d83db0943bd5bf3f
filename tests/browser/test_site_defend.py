"""*Defend it*: a right answer is asked about one change in it, and shows what comes of that."""

import json

import pytest
from editing import START_MS, Editor
from page_gates import none

from attention_course.exercises import exercise_named
from attention_course.site.offline import offline_page

pytestmark = pytest.mark.browser
ONE = exercise_named("four-steps")
RIGHT = f"{ONE.marker}\n{ONE.solution}"
# No place of it can be changed as the course changes one.
PLAIN = f"""{ONE.marker}
import numpy as np


def four_steps(q, k, v):
    scores = k.dot(q)
    exps = np.e ** scores.__sub__(sorted(scores).pop())
    weights = exps.__truediv__(np.add.reduce(exps))
    return tuple([weights, weights.dot(v)])
"""


@pytest.fixture
def place(new_context, tmp_path):
    """The exercise in an assignment's file, on a telephone."""
    sources = [f"{ONE.marker}\n{ONE.stub}", 'check(four_steps, "four-steps")']
    cells = [{"cell_type": "code", "source": source} for source in sources]
    path = tmp_path / "work.html"
    path.write_text(offline_page(json.dumps({"cells": cells}), "work.ipynb"), "utf-8")
    page = new_context(width=360).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(path.as_uri())
    yield page.locator(".ac-try-here:has(.ac-try-editor)")
    none(complaints)


def check(place, source):
    Editor(place).type(source)
    Editor(place).press("Check")
    Editor(place).says("Checked in")


def test_a_right_answer_is_changed_guessed_and_run(place):
    defend = place.get_by_role("button", name="Defend it")
    check(place, ONE.source_of(ONE.wrong[0]))
    assert defend.is_hidden()
    check(place, RIGHT)
    defend.click()
    field = place.get_by_role("group", name="Which properties fail then?")
    field.wait_for(timeout=START_MS)
    choices = [one.strip() for one in field.locator("label").all_text_contents()]
    assert 3 <= len(choices) == len(set(choices))
    assert all(one.startswith(("all", "only")) for one in choices)
    before, after = (
        place.locator(f".ac-try-defence {tag}").text_content() for tag in ("del", "ins")
    )
    assert before[2:].rstrip("\n") in RIGHT
    assert after[2:] != before[2:]
    run = place.get_by_role("button", name="Run the changed answer")
    assert run.is_disabled()
    assert place.locator(".ac-try-defence").evaluate("(one) => one === document.activeElement")
    for source in (PLAIN, RIGHT):  # what was not checked is not asked about
        Editor(place).type(source)
        assert defend.is_disabled() == (source == PLAIN) == run.is_hidden()
        said = place.locator(".ac-try-status").text_content()
        assert ("has changed since it last ran" in said) == (source == PLAIN)
    guess = field.get_by_label(choices[0], exact=True)
    guess.check()
    run.click()
    Editor(place).says("what check says")
    output = Editor(place).output()
    changed = RIGHT.replace(before[2:].rstrip("\n"), after[2:].rstrip("\n"))
    said = place.locator(".ac-try-status").text_content()
    assert said.startswith("You were right." if "You said" not in said else "You said: ")
    assert choices[0] in said or "You were right." in said
    assert "With the inputs of “" in said
    failed = [line[4:] for line in output.splitlines() if line.startswith("  ×")]
    first = said.split("With the inputs of “")[1].split("”")[0]
    assert failed[:1] in ([first], [])
    assert Editor(place).typed() == RIGHT
    assert changed != RIGHT
    assert place.page.evaluate("document.documentElement.scrollWidth") <= 360
    editor = place.locator(".cm-scroller")
    assert editor.evaluate("(one) => one.scrollWidth <= one.clientWidth")  # long lines wrap


def test_an_answer_in_which_nothing_can_be_changed_is_not_asked_about(place):
    check(place, PLAIN)
    Editor(place).press("Defend it")
    Editor(place).says("Nothing is asked: no change")
    assert place.locator("fieldset").count() == 0
