"""What a browser keeps leaves as a file, comes back merged, and goes when one says so."""

import json

import pytest
from test_site_tryit import FORBIDDEN, FULL

pytestmark = pytest.mark.browser
ADDRESS = "book/review.html"
QUIZ = "attention-course: quiz: /book/practice/interview-questions.html"
ANSWER = "attention-course: answer: four-steps"
TRIES = "attention-course: attempts: four-steps"
READ = "attention-course: read: /book/why/attention-by-hand.html"
GUESS = "attention-course: /book/why/rnn-bottleneck.html: How long?"
OTHERS = "another program"
ONE = json.dumps([{"numbers": 1, "when": "2026-11-01T10:00:00.000Z", "held": "2 of 3"}])
TWO = json.dumps([{"numbers": 2, "when": "2026-11-02T10:00:00.000Z", "held": "right"}])
MORE = {ANSWER: "def four_steps(): ...", TRIES: ONE, READ: "yes", GUESS: '{"guess":[3]}'}
# As the page's own script keeps it.
KEEP = "([key, value, when]) => acStorage.keep(key, value, when)"
HELD = """() => Object.fromEntries(Object.entries(localStorage).filter(
    ([key]) => key.startsWith("attention-course: ") && !key.includes(": when: ")))"""


class Kept:
    """The page, in a browser of its own, as somebody uses it."""

    def __init__(self, page):
        self.page = page

    def keep(self, kept, when=1000):
        for key, value in kept.items():
            self.page.evaluate(KEEP, [key, value, when])

    def held(self):
        return self.page.evaluate(HELD)

    def press(self, name):
        self.page.get_by_role("button", name=name).press("Enter")

    def said(self):
        return self.page.locator("#ac-kept").get_by_role("status").inner_text()

    def save(self, path):
        with self.page.expect_download() as download:
            self.press("Save it all as a file")
        download.value.save_as(path)
        return path

    def load(self, path):
        with self.page.expect_file_chooser() as chooser:
            self.press("Load a file")
        chooser.value.set_files(path)
        self.page.locator("#ac-kept [role=status]:not(:empty)").wait_for()
        return self.said()

    def forget(self, sure):
        asked = []

        def answer(dialog):
            asked.append(dialog.message)
            (dialog.accept if sure else dialog.dismiss)()

        self.page.once("dialog", answer)
        self.press("Forget me")
        return asked


@pytest.fixture
def visit(opened):
    """Opens the page in a new browser."""
    return lambda script="0", **more: Kept(opened(ADDRESS, script, **more))


def test_all_leaves_and_comes_back_in_another_browser(visit, tmp_path):
    first, second = visit(), visit()
    first.keep(MORE | {QUIZ: '{"quiz-order-of-steps":1}'})
    first.page.reload()
    first.page.get_by_label("Minutes a day").press("ArrowDown")
    counted = first.page.locator("#ac-kept > p").first.inner_text()
    assert "1 page read to its recap, 1 guess, 1 answer in code, 1 quiz" in counted
    path = first.save(tmp_path / "kept.json")
    names = json.loads(path.read_text("utf-8"))["kept"]  # fit a copy that stands elsewhere
    assert "read: ./book/why/attention-by-hand.html" in names
    assert "Taken from the file: 6." in second.load(path)
    assert second.page.get_by_label("Minutes a day").input_value() == "10"
    assert second.held() == first.held()
    assert "The same here: 6." in second.load(path)
    # The other pages know it.
    second.page.goto(second.page.url.replace("review", "index"))
    assert "✓ read" in second.page.locator(".ac-ticks").first.inner_text()


@pytest.mark.parametrize("newer", ["file", "here"])
def test_the_newer_of_two_stays_and_nothing_else_is_lost(visit, tmp_path, newer):
    there, here = visit(), visit()
    there.keep({ANSWER: "there", QUIZ: '{"a":0,"b":0}', TRIES: ONE, READ: "yes"}, when=5000)
    mine = {ANSWER: "here", QUIZ: '{"b":1,"c":1}', TRIES: TWO, GUESS: '{"guess":[3]}'}
    here.keep(mine, when=9000 if newer == "here" else 1000)
    before = here.held()
    said = here.load(there.save(tmp_path / "kept.json"))
    held = here.held()
    assert held[ANSWER] == ("here" if newer == "here" else "there")
    assert json.loads(held[QUIZ]) == {"a": 0, "b": int(newer == "here"), "c": 1}
    assert json.loads(held[TRIES]) == json.loads(ONE) + json.loads(TWO)
    assert (held[READ], held[GUESS]) == ("yes", '{"guess":[3]}')
    assert ("left as it is here: 1" in said) == (newer == "here")
    after = {GUESS: '{"guess":[4]}', READ: "yes, since"}
    here.keep(after, when=9500)
    here.press("Undo")
    assert here.held() == before | after  # what was done since stays
    assert "since it was loaded stays" in here.said()


def _file(**changed):
    kept = {"answer: four-steps": {"value": "theirs", "when": 9_000}}
    return {"course": "Attention, Measured", "format": 1, "kept": kept} | changed


BAD = {
    "cut short": (json.dumps(_file())[:-9], "not JSON"),
    "another's": (json.dumps({"cells": []}), "another program’s"),
    "of a newer edition": (json.dumps(_file(format=2)), "newer edition"),
    "a number": (json.dumps(_file(kept={"answer: x": {"value": 7, "when": 1}})), "answer: x"),
    "no time": (json.dumps(_file(kept={"answer: x": {"value": "7"}})), "answer: x"),
    "review": (json.dumps(_file(kept={"review: x": {"value": "7", "when": 1}})), "review: x"),
    "quiz": (json.dumps(_file(kept={"quiz: x": {"value": "[", "when": 1}})), "quiz: x"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_is_named_and_changes_nothing(visit, tmp_path, kind):
    content, told = BAD[kind]
    path = tmp_path / "other.json"
    path.write_text(content, "utf-8")
    one = visit()
    one.keep(MORE)
    before = one.held()
    said = one.load(path)
    assert "other.json was not taken" in said
    assert told in said
    assert "Nothing was changed" in said
    assert one.held() == before


@pytest.mark.parametrize("how", ["full", "full in the middle", "forbidden"])
def test_a_browser_without_room_says_so_and_stays_as_it_was(visit, tmp_path, how):
    there = visit()
    there.keep(MORE, when=5000)
    path = there.save(tmp_path / "kept.json")
    here = visit(FORBIDDEN if how == "forbidden" else "0")
    before = {}
    if how != "forbidden":
        here.keep({ANSWER: "mine"}, when=1000)
        before = here.held()
        stop = FULL if how == "full" else MIDDLE
        here.page.evaluate(f"() => {{ {stop} }}")
    assert "storage is full or switched off. Nothing was changed" in here.load(path)
    if how == "forbidden":
        assert "Nothing is kept" in here.page.locator("#ac-kept > p").first.inner_text()
    else:
        assert here.held() == before


# Room for three more writes, and for what makes the room no smaller.
MIDDLE = """const set = Storage.prototype.setItem;
let left = 3;
Storage.prototype.setItem = function (key, value) {
  if (key.includes("four-steps") && value.length < 14) return set.call(this, key, value);
  if (left-- <= 0) throw new DOMException('', 'QuotaExceededError');
  set.call(this, key, value);
};"""


def test_forget_me_asks_once_and_leaves_what_is_no_record(visit):
    one = visit()
    one.keep(MORE)
    one.page.evaluate("([k]) => localStorage.setItem(k, 'theirs')", [OTHERS])
    assert len(one.forget(sure=False)) == 1
    assert one.held() == MORE
    one.page.get_by_label("Minutes a day").press("ArrowDown")
    assert len(one.forget(sure=True)) == 1
    assert one.page.get_by_label("Minutes a day").input_value() == "5"
    left = one.page.evaluate("() => Object.keys(localStorage)")
    assert not [key for key in left if "attention-course" in key]
    assert OTHERS in left
    assert "Nothing is kept" in one.page.locator("#ac-kept > p").first.inner_text()
    assert one.forget(sure=True) == []


def test_two_tabs_know_of_each_other(visit, home, tmp_path):
    there, here = visit(), visit()
    there.keep({QUIZ: '{"quiz-order-of-steps":1,"quiz-spread-of-scores":0}'})
    path = there.save(tmp_path / "kept.json")
    quiz = here.page.context.new_page()
    quiz.goto(home + "book/practice/interview-questions.html")
    here.load(path)
    form = quiz.locator(".ac-quiz").nth(2)
    form.get_by_role("radio").first.check()
    form.get_by_role("button").press("Enter")
    assert len(json.loads(here.held()[QUIZ])) == 3
    other = here.page.context.new_page()
    other.goto(here.page.url)
    here.forget(sure=True)
    other.get_by_text("Nothing is kept in this browser").wait_for()
