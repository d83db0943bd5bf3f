"""Exercises in words: what is typed, and which points are ticked, is kept here, by keyboard."""

import json

import pytest
from built_site import LAID_OUT
from page_gates import grave_violations
from test_site_tryit import FORBIDDEN, FULL

pytestmark = pytest.mark.browser
ADDRESS = "book/why/attention-by-hand.html"
NAME = "words-all-equal"


class Answer:
    """An exercise in words as somebody answers it."""

    def __init__(self, page, address, name=NAME):
        self.page, self.name = page, name
        page.goto(address)
        page.wait_for_function(LAID_OUT)
        self.fold = page.locator(f"#{name}")
        self.field = page.locator(f".ac-words-field:has(+ p + #{name}) textarea")
        self.said = page.locator(f"p:has(+ #{name})")

    def open(self):
        self.fold.locator("summary").press("Enter")

    def boxes(self):
        return self.fold.get_by_role("checkbox")

    def count(self):
        return self.fold.locator("output").text_content()


@pytest.fixture
def answer(new_context, home):
    def opened(script="0", address=ADDRESS, name=NAME, **more):
        context = new_context(**more)
        context.add_init_script(script)
        return Answer(context.new_page(), home + address, name)

    return opened


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


@pytest.mark.parametrize("kept", ["null", "7", "{", '{"ticked":3}', '{"ticked":["gone"]}'])
def test_what_is_kept_may_be_anything(answer, kept):
    key = "attention-course: words: why/attention-by-hand all-equal"
    one = answer(f"localStorage.setItem({key!r}, {kept!r})")
    assert one.field.input_value() == ""
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
    other = Answer(one.page.context.new_page(), home + ADDRESS)
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
    one = answer(width=360, scheme=scheme)
    one.field.fill("word " * 80)
    one.open()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert grave_violations(one.page) == []
    kept = one.page.evaluate("() => Object.entries(localStorage)")
    assert json.loads(next(v for k, v in kept if ": words: " in k))["answer"].strip()
