"""A released assignment is solved in its one file, and what the file saves is graded."""

import base64
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from attention_course.exercises import bank, exercise_named
from course_grader import example_exercise
from course_grader.cli.command import main
from course_grader.marking.graded import Book

pytestmark = pytest.mark.browser
START_MS = 120_000
VARIANT = "four-steps:context-first"
ITEMS = """
[[items]]
exercise = "four-steps"
variants = ["context-first"]

[[items]]
own = "mine.py"

[[items]]
written = "why"
title = "Why?"
prompt = "Why $\\\\sqrt{d}$?"
points = 4
minutes = 5
rubric = [["says why", 4]]
model_answer = "Aardvarks multiply: the variance grows with the width."
"""
WHY = "Because the variance grows.\n\n<!-- no comment --> é"
SECRET = "5" * 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An assignment of a variant, an exercise of the teacher's own and a question, released."""
    folder = tmp_path_factory.mktemp("class")
    home = folder / "work"
    home.mkdir()
    (home / "mine.py").write_bytes(Path(example_exercise.__file__).read_bytes())
    (home / "assignment.toml").write_text(f'title = "At work"\n{ITEMS}', encoding="utf-8")
    (home / "secret").write_text(SECRET, encoding="utf-8")
    (home / "secret").chmod(0o600)
    assert main(["release", str(home), "--out", str(folder / "out")]) == 0
    assert main(["offline", str(folder / "out" / "work.ipynb")]) == 0
    return folder


class Work:
    """The file in a browser."""

    def __init__(self, context, path):
        self.page, self.amiss, self.path = context.new_page(), [], path
        self.page.on("pageerror", lambda error: self.amiss.append(str(error)))
        self.page.on("console", lambda said: self.amiss.append(said.text))
        self.page.on("request", lambda asked: self.amiss.append(asked.url))
        self.page.goto(path.as_uri())

    def complaints(self):
        """What was asked for, thrown or complained of, less the file itself."""
        own = (self.path.as_uri(), "blob:", "data:font/")
        return [one for one in self.amiss if not one.startswith(own)]

    def place(self, slug):
        return self.page.locator(f'.ac-try-here:has([aria-label="Your answer: {slug}"])')

    def typed(self, slug):
        return self.place(slug).evaluate("(place) => place.acEditor.state.doc.toString()")

    def check(self, slug, source):
        place = self.place(slug)
        place.evaluate("(place, source) => place.acSet(source)", source)
        return self.press(slug, "Check", "Checked in")

    def press(self, slug, button, words):
        place = self.place(slug)
        place.get_by_role("button", name=button, exact=True).click()
        place.locator(".ac-try-status", has_text=words).wait_for(timeout=START_MS)
        return place.locator(".ac-try-output").text_content()

    def saved(self):
        with self.page.expect_download() as waiting:
            self.page.get_by_role("button", name="Save work.ipynb").click()
        assert waiting.value.suggested_filename == "work.ipynb"
        return waiting.value.path().read_text(encoding="utf-8")

    def load(self, path):
        status = self.page.locator(".ac-hand-in .ac-try-status")
        status.evaluate("(place) => (place.textContent = '')")
        self.page.locator(".ac-hand-in input[type=file]").set_input_files(path)
        expect(status).not_to_be_empty()
        return status.text_content()


@pytest.fixture
def context(browser):
    context = browser.new_context(accept_downloads=True)
    yield context
    context.close()


@pytest.fixture
def work(context, folder):
    work = Work(context, folder / "out" / "work.html")
    yield work
    assert work.complaints() == []


def solution(slug, text):
    return f"# EXERCISE {slug}\n{text.strip()}\n"


FOUR = solution("four-steps", exercise_named(VARIANT).solution)
SINK = solution(example_exercise.EXERCISE.slug, example_exercise.SOLUTION)


def test_it_is_solved_checked_saved_handed_in_and_graded(work, folder, monkeypatch):
    monkeypatch.setattr(bank, "_OWN", {})
    plain = solution("four-steps", exercise_named("four-steps").solution)
    said = work.check("four-steps", plain)
    assert "0 of 6 properties hold" in said
    assert "is what comes if" not in said
    case = work.press("four-steps", "Failing case", "Ran in")
    assert "expected weights" in case
    assert "got weights" in case
    assert "right on the public examples. All 6" in work.check("four-steps", FOUR)
    slug = example_exercise.EXERCISE.slug
    assert "right on the public examples" in work.check(slug, SINK)
    work.page.get_by_label("Your answer: why").fill(WHY)
    notebook = work.saved()
    released = json.loads((folder / "out" / "work.ipynb").read_text(encoding="utf-8"))
    filled = json.loads(notebook)
    for before, after in zip(released["cells"], filled["cells"], strict=True):
        text = "".join(before.pop("source"))
        now = "".join(after.pop("source"))
        after["metadata"].pop("attempts", None)
        assert before == after
        assert now == text or now in (FOUR, SINK, f"<!-- WRITTEN why -->\n\n{WHY}")
    assert released["metadata"] == filled["metadata"]
    for student, text in {"ada": notebook, "ben": notebook.replace("exps /", "1 /")}.items():
        hand_in = folder / "sub" / student / "work.ipynb"
        hand_in.parent.mkdir(parents=True)
        hand_in.write_text(text, encoding="utf-8")
    words = ["grade", "sub", "--assignment", "work", "--out", "graded"]
    monkeypatch.chdir(folder)
    assert main(words) == 0
    ada, ben = (Book(folder / "graded").grade(student) for student in ("ada", "ben"))
    assert [(code.verdict, code.points) for code in ada.code] == [
        ("OK", code.max_points) for code in ada.code
    ]
    assert len(ada.code) == 2
    assert ada.written[0].answer == WHY
    assert sum(code.points for code in ben.code) < sum(code.points for code in ada.code)


def test_answers_stay_in_the_browser_and_what_is_not_theirs_is_refused(context, folder):
    work = Work(context, folder / "out" / "work.html")
    work.place("four-steps").evaluate("(place, source) => place.acSet(source)", FOUR)
    work.page.get_by_label("Your answer: why").fill(WHY)
    saved = folder / "saved.ipynb"
    saved.write_text(work.saved(), encoding="utf-8")
    again = Work(context, folder / "out" / "work.html")
    assert again.typed("four-steps") == FOUR
    assert again.page.get_by_label("Your answer: why").input_value() == WHY
    again.page.get_by_label("Your answer: why").fill("")
    asked = []
    again.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    for number, text in enumerate(("{", "[]", "null", '{"cells": [null, 3]}', '{"cells": 1}')):
        other = folder / f"other-{number}.ipynb"
        other.write_text(text, encoding="utf-8")
        assert "holds no answer to what is asked here" in again.load(other)
    other.write_text(saved.read_text("utf-8").replace("four-steps", "five-steps"), "utf-8")
    again.load(other)
    assert again.typed("four-steps") == FOUR
    assert "Answers loaded: four-steps" in again.load(saved)
    assert again.page.get_by_label("Your answer: why").input_value() == WHY
    assert again.complaints() == work.complaints() == []


def test_nothing_is_in_it_that_the_notebook_does_not_hold(folder):
    page = (folder / "out" / "work.html").read_text(encoding="utf-8")
    blobs = [base64.b64decode(text) for text in re.findall(r'"([A-Za-z0-9+/=]{1000,})"', page)]
    assert len(blobs) == 6
    course = next(blob for blob in blobs if b"exercises/handed_out" in blob)
    texts = [page.encode(), *_inside(course)]
    hidden = ("Aardvarks", SECRET, "np.exp(sink - top)", "scores.max()", "context @")

    def found(inside):
        return [word for word in hidden if any(word.encode() in text for text in inside)]

    assert found(texts) == []
    for word in hidden:  # put in, each is found
        assert found([*texts, f"# {word}".encode()]) == [word]
    assert any(b'"slug": "four-steps"' in text for text in texts)


def _inside(content):
    """Yield what lies in a zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        yield from map(file.read, file.namelist())


def test_a_copy_that_broke_off_says_what_is_missing(context, folder):
    whole = (folder / "out" / "work.html").read_bytes()
    broken = folder / "broken.html"
    broken.write_bytes(whole[: len(whole) * 2 // 3])
    work = Work(context, broken)
    said = work.place("four-steps")
    said.get_by_role("button", name="Run", exact=True).click()
    said.locator(".ac-try-status", has_text="is missing here").wait_for(timeout=START_MS)
    assert work.typed("four-steps").startswith("# EXERCISE four-steps")


def test_the_solutions_are_no_released_notebook(folder, capsys):
    assert main(["solutions", str(folder / "work"), "--out", str(folder / "mine")]) == 0
    assert main(["offline", str(folder / "mine" / "work-solutions.ipynb")]) == 2
    assert "holds the solutions" in capsys.readouterr().err
    assert not (folder / "mine" / "work-solutions.html").exists()
