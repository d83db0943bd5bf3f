"""No text of a student comes alive on a feedback page, in a real browser."""

import html
import re

import pytest
from playwright.sync_api import Error
from script_vectors import HOST, VECTORS

from attention_course.exercises import all_exercises
from course_grader.marking.engine import grade_answer
from course_grader.marking.graded import CodeGrade, StudentGrade, WrittenAnswer
from course_grader.reports.feedback import page

pytestmark = pytest.mark.browser
# What nobody reads twice: each must be able to come alive, or this file tests nothing.
NAIVE = """<!doctype html><meta charset="utf-8"><title>{0}</title>
<body><h1 title="{0}">x</h1><p id='{0}'>{0}</p><script>var text = "{0}";</script>
<style>p {{ color: {0} }}</style>"""


def grade_of(text: str) -> StudentGrade:
    """A grade with the text wherever a student's text, or a teacher's, can stand."""
    parts = {
        text: {"points": 3, "max": 3, "holds": True},
        f"large {text}": {"points": 0, "max": 2, "holds": False},
    }
    code = CodeGrade(
        slug=text, title=text, verdict=text, points=3, max_points=5, variant=text,
        parts=parts, failed=[text], message=text, misconception=text, hint=text, answer=text,
    )  # fmt: skip
    written = WrittenAnswer(id="why", title=text, criteria=[(text, 2.0)], answer=text)
    return StudentGrade(
        student=text, assignment=text, title=text, key="k", verdict="MALFORMED", reason=text,
        submission=text, code=[code], written=[written], notes=[text],
    )  # fmt: skip


def page_of(text: str) -> str:
    """The feedback page of that grade, with marks and a comment."""
    return page(grade_of(text), {"why": {text: {"mark": 1.5, "comment": text}}})


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """Opens a page as a student would, from a file, uses all of it, and says what lived."""
    path = tmp_path_factory.mktemp("feedback") / "page.html"
    context, lived = browser.new_context(), []

    def refuse(route):
        lived.append(f"a request for {route.request.url}")
        route.abort()

    def open_page(text: str) -> list[str]:
        path.write_text(text, encoding="utf-8", errors="replace")
        lived.clear()
        page = context.new_page()
        try:
            page.goto(path.as_uri())
            page.evaluate(USE)
            page.wait_for_function(DONE, polling=50, timeout=30_000)
            if page.evaluate("'hit' in window"):
                lived.append("a script")
        except Error as error:
            lived.append(f"it led away: {error.message.splitlines()[0]}")
        found = list(lived) + ["a window"] * (len(context.pages) > 1)
        for opened_page in context.pages:
            opened_page.close()
        return found

    context.route(re.compile(f"^{HOST}"), refuse)
    yield open_page
    context.close()


# Opens and clicks all there is, and gives what that sets off the time of two pictures.
USE = """() => {
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  document.querySelectorAll("a, button").forEach((e) => e.dispatchEvent(
    new MouseEvent("click", { bubbles: true, cancelable: true })));
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(
    () => setTimeout(() => (document.acUsed = true), 20))), 0);
}"""
DONE = "() => document.acUsed || location.protocol !== 'file:'"


# One of each kind, or all of them, each on a page of its own.
KINDS = ["a script element", "out of an attribute", "an SVG that loads", "a data: frame"]
KINDS += ["an image that counts readers", "a style sheet"]
EACH = [pytest.param(n, marks=[] if n in KINDS else pytest.mark.thorough) for n in VECTORS]


def test_a_vector_in_the_name_and_text_of_an_error_does_not_live(opened, sandbox):
    exercise = all_exercises()["four-steps"]
    for name in KINDS:
        text = VECTORS[name].replace("\0", "")
        raised = f"raise type({text!r}, (Exception,), {{}})({text!r})"
        source = f"def four_steps(q, k, v):\n    {raised}\n"
        found = grade_answer(sandbox, exercise, source, b"secret", text)
        grade = grade_of("plain")
        grade.code[0].message, grade.code[0].answer = found.message, source
        assert "raised" in found.message
        assert (name, opened(page(grade))) == (name, [])


def test_all_vectors_together_live_neither(opened):
    assert opened(page_of("\n".join(VECTORS.values()))) == []


@pytest.mark.gate("scripts in feedback", "a page that escapes nothing")
@pytest.mark.parametrize("name", KINDS)
def test_a_page_that_escapes_nothing_brings_one_of_each_kind_to_life(opened, name):
    assert opened(NAIVE.format(VECTORS[name]))


# A policy in the page cannot forbid to leave it: refreshing and links are the escaping's part.
LEAVING = {"a refresh", "another base", "a form that goes by itself", "a Markdown autolink"}


@pytest.mark.parametrize("name", [one for one in EACH if one.values[0] not in LEAVING])
def test_the_policy_alone_stops_what_runs_or_fetches(opened, name):
    mark = "the place of the text"
    raw = page(grade_of(mark)).replace(html.escape(mark), VECTORS[name])
    assert opened(raw) == []
