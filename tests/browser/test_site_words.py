"""Exercises in words: what is typed, and which points are ticked, is kept here, by keyboard."""

import json

import pytest
from built_site import LAID_OUT
from page_gates import grave_violations
from playwright.sync_api import expect
from test_site_tryit import FORBIDDEN, FULL

pytestmark = pytest.mark.browser
ADDRESS = "book/why/attention-by-hand.html"
NAME = "words-all-equal"
FLAWS = {
    "address": "book/recurrent/local-and-hard.html",
    "name": "words-cheaper-by-a-factor-of-196",
}


class Answer:
    """An exercise in words as somebody answers it."""

    def __init__(self, page, name=NAME):
        self.page, self.name = page, name
        page.wait_for_function(LAID_OUT)
        self.fold = page.locator(f"#{name}")
        for fold in page.locator(f"details:has(#{name}) > summary").all():
            fold.press("Enter")  # more exercises
        self.field = page.locator(f".ac-words-field:has(+ p + #{name}) textarea")
        self.said = page.locator(f"p:has(+ #{name})")

    def open(self):
        self.fold.locator("summary").press("Enter")

    def asks(self):
        return self.page.locator(f"fieldset:has(+ label + p + #{self.name})")

    def boxes(self):
        return self.fold.get_by_role("checkbox")

    def count(self):
        return self.fold.locator("output").text_content()


@pytest.fixture
def answer(opened):
    return lambda script="0", address=ADDRESS, name=NAME, **more: Answer(
        opened(address, script, **more), name
    )


def test_what_is_typed_and_ticked_by_keyboard_is_kept(answer):
    one = answer()
    one.field.focus()
    one.page.keyboard.type("The mean, 1/4 of each.")  # "/" leads nowhere
    assert one.field.input_value() == "The mean, 1/4 of each."
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    assert one.fold.evaluate("(fold) => fold.open")
    assert one.boxes().count() == 3
    assert one.count() == "0 of 3"
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Space")
    assert one.count() == "1 of 3"
    one.page.reload()
    assert one.field.input_value() == "The mean, 1/4 of each."
    one.open()
    assert [box.is_checked() for box in one.boxes().all()] == [True, False, False]
    one.boxes().first.press("Space")
    one.field.fill("")
    kept = one.page.evaluate("() => Object.keys(localStorage).filter((k) => /words/.test(k))")
    assert kept == []


def test_a_flaw_is_found_by_marking_its_sentence_by_keyboard(answer):
    one = answer(**FLAWS)
    asked = one.asks()
    assert "0 found" in asked.text_content()
    replies = asked.locator("output")
    for number, says in enumerate(("No flaw.", "A flaw.", "A flaw.")):
        assert replies.nth(number).text_content() == ""
        asked.get_by_role("checkbox").nth(number).press("Space")
        assert replies.nth(number).text_content().startswith(says)
        assert f"{number} found" in asked.text_content()
    one.page.reload()
    assert "2 found" in asked.text_content()
    one.open()
    expect(asked).to_contain_text("2 of 3 found")
    for box in asked.get_by_role("checkbox").all()[:3]:
        assert box.is_checked()
        box.press("Space")
    assert (
        one.page.evaluate("() => Object.keys(localStorage).join().includes('words')") is False
    )


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("3", "Not that."),
        ("4", "Only the work on pairs grows fourfold."),
        ("2.22", "Right: 2.22."),
        ("5120/2304", "Right: 2.22."),
        ("2,22", "Right: 2.22."),
        ("two", "Expected a number, such as 0.5, 1/2 or 2,080; got “two”."),
        ("1/0", "Expected a number"),
    ],
)
def test_a_number_is_typed_and_judged_within_its_tolerance(answer, typed, told):
    one = answer(address="book/scale/complexity.html", name="words-twice-the-words")
    first, second = one.asks().get_by_role("textbox").all()
    first.press_sequentially(typed)  # "/" leads nowhere
    second.fill("2,048")
    assert one.asks().locator("output").first.text_content().startswith(told)
    assert one.asks().locator("output").last.text_content() == "Right: 2048."
    one.page.reload()
    assert first.input_value() == typed
    assert one.asks().locator("output").first.text_content().startswith(told)


@pytest.mark.parametrize(
    "kept", ["null", "7", "{", '{"ticked":3,"numbers":7}', '{"ticked":["gone"]}']
)
def test_what_is_kept_may_be_anything(answer, kept):
    begin = "attention-course: words: why/attention-by-hand"
    keys = [f"{begin} all-equal", f"{begin} the-most-similar-word"]
    one = answer(f"{keys}.forEach((key) => localStorage.setItem(key, {kept!r}))")
    assert one.field.input_value() == ""
    assert one.page.locator(".ac-words-asks :checked").count() == 0
    one.open()
    assert one.count() == "0 of 3"


@pytest.mark.parametrize("storage", [FORBIDDEN, FULL])
def test_where_nothing_is_kept_it_is_said(answer, storage):
    one = answer(storage)
    one.field.fill("The mean.")
    assert "keeps nothing" in one.said.text_content()
    one.open()
    one.boxes().first.check()
    assert one.count() == "1 of 3"


def test_another_tab_does_not_write_over_what_one_types(answer, home):
    one = answer()
    page = one.page.context.new_page()
    page.goto(home + ADDRESS)
    other = Answer(page)
    one.page.bring_to_front()
    one.field.focus()
    one.page.keyboard.type("mine")
    other.page.wait_for_function(
        "() => [...document.querySelectorAll('textarea')].some((t) => t.value === 'mine')"
    )
    other.field.fill("theirs")
    one.said.get_by_role("button", name="Take it over here").wait_for()
    assert one.field.input_value() == "mine"
    one.said.get_by_role("button").press("Enter")
    assert one.field.input_value() == "theirs"


def test_without_scripts_points_and_solution_can_be_read(answer):
    page = answer(java_script_enabled=False).page
    assert page.locator(".ac-words-field").count() == 0
    page.locator(f"#{NAME} summary").press("Enter")
    points = page.locator(f"#{NAME} .ac-points li")
    assert points.count() == 3
    assert points.first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(answer, scheme):
    one = answer(width=360, scheme=scheme, **FLAWS)
    one.field.fill("word " * 80)
    one.open()
    for box in one.asks().get_by_role("checkbox").all():
        box.check()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert grave_violations(one.page) == []
    kept = one.page.evaluate("() => Object.entries(localStorage)")
    held = json.loads(next(v for k, v in kept if ": words: " in k and ": when: " not in k))
    assert held["answer"].strip()
    assert len(held["ticked"]) == 5
