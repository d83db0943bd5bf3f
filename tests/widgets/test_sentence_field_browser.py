"""The field for a sentence of the small world, in Chromium: keys typed, chips touched."""

import json
import shutil

import pytest
from playwright.sync_api import expect

from attention_course.data.world import for_the_page
from attention_course.widgets.kit.compose import WIDGETS, compose

pytestmark = pytest.mark.browser
SCRIPT = """import { reading } from "../kit/reading.js";
import { sentenceField } from "../kit/sentence_field.js";
import { unpacked } from "../kit/world.js";
export default (packed, language) => sentenceField({
  label: "Your sentence",
  language,
  reader: () => reading(unpacked(packed), language, 16),
  about: "At most 16 words and marks.",
});
"""
TOLD = "window.told.join('|')"


@pytest.fixture
def field(browser, tmp_path):
    """Opens a page with a field and a button; gives the field, and complains of any error."""
    contexts, said = [], []
    shutil.copytree(WIDGETS / "kit", tmp_path / "kit")
    (tmp_path / "top").mkdir()
    (tmp_path / "top" / "page.js").write_text(SCRIPT, "utf-8")
    script = compose("top/page", tmp_path).replace("export default", "window.make =")
    style = (WIDGETS / "kit" / "style.css").read_text("utf-8")

    def open_field(language="english", phone=False):
        size = {"width": 360, "height": 640} if phone else {"width": 900, "height": 500}
        context = browser.new_context(viewport=size, has_touch=phone, is_mobile=phone)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: said.append(str(error)))
        page.set_content(
            '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">'
            f'<title>Field</title><style>{style}</style><main class="ac-root"></main>'
            f"<button>after</button><script type='module'>{script}\n"
            f"const field = make({json.dumps(for_the_page())}, {language!r});"
            "window.told = []; field.onInput((text) => told.push(text));"
            'document.querySelector("main").append(field.element);</script>'
        )
        return page.get_by_role("combobox", name="Your sentence")

    yield open_field
    for context in contexts:
        context.close()
    assert said == []


def offered(field):
    return field.page.get_by_role("listbox", name="Words that can stand here")


def test_words_are_completed_by_key(field):
    box = field()
    box.click()
    keys = box.page.keyboard
    keys.type("The lawyer eats the avo")
    expect(offered(box).get_by_role("option")).to_have_text(["avocado", "avocados"])
    expect(box).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    second = offered(box).get_by_role("option", selected=True)
    expect(second).to_have_text("avocados")
    expect(box).to_have_attribute("aria-activedescendant", second.get_attribute("id"))
    expect(box.page.get_by_text("2 words can stand here")).to_be_attached()
    keys.press("ArrowUp")
    keys.press("Enter")
    expect(box).to_have_value("The lawyer eats the avocado ")
    keys.type("because he is hun")
    keys.press("Tab")
    expect(box).to_have_value("The lawyer eats the avocado because he is hungry ")
    expect(box).to_be_focused()
    keys.press("Escape")
    expect(offered(box)).to_be_hidden()
    assert box.page.evaluate(TOLD) == ""
    keys.press("Tab")  # with no list, it leaves the field
    expect(box.page.get_by_role("button", name="after")).to_be_focused()
    assert box.page.evaluate(TOLD) == "The lawyer eats the avocado because he is hungry"


def test_a_word_that_is_whole_lets_tab_go_and_what_was_chosen_can_be_undone(field):
    box = field()
    box.click()
    keys = box.page.keyboard
    keys.type("the girl slee")
    keys.press("Tab")
    expect(box).to_have_value("the girl sleeps ")
    keys.press("Control+z")
    expect(box).to_have_value("the girl slee")
    keys.type("ps")
    keys.press("Tab")
    expect(box.page.get_by_role("button", name="after")).to_be_focused()
    assert box.page.evaluate(TOLD) == "the girl sleeps"


def test_unknown_words_are_replaced_by_a_button_and_nothing_typed_is_lost(field):
    box = field()
    box.click()
    keys = box.page.keyboard
    keys.type("The lawer eats the avacado")
    keys.press("Enter")
    expect(box).to_have_value("The lawer eats the avacado")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(box.page.get_by_text("“lawer”, “avacado” are not among")).to_be_visible()
    box.page.get_by_role("button", name="avocado in place of avacado").click()
    expect(box).to_have_value("The lawer eats the avocado ")
    assert box.page.evaluate(TOLD) == ""
    box.page.get_by_role("button", name="lawyer in place of lawer").click()
    expect(box).to_have_value("The lawyer eats the avocado ")
    expect(box).not_to_have_attribute("aria-invalid", "true")
    assert box.page.evaluate(TOLD) == "The lawyer eats the avocado"


def test_where_it_stops_being_a_sentence_is_said(field):
    box = field()
    box.click()
    keys = box.page.keyboard
    keys.press("Enter")
    expect(box.page.get_by_text("Write a sentence of the small world")).to_be_visible()
    keys.type("the red eats the apple")
    keys.press("Enter")
    said = box.page.locator(".ac-below > .ac-hint")
    expect(said).to_contain_text("up to “the red”; then “eats” cannot follow")
    box.page.locator(".ac-mend button").first.click()
    expect(said).not_to_contain_text("up to “the red”;")
    keys.press("Control+a")
    keys.type("the girl runs")
    keys.press("Enter")
    expect(said).to_have_text("At most 16 words and marks.")
    assert box.page.evaluate(TOLD) == "the girl runs"
    box.press("End")
    keys.type(" and the boy runs and the man runs and the king runs and the queen runs")
    keys.press("Enter")
    expect(said).to_contain_text("At most 16 words and marks can be read here")
    assert box.page.evaluate(TOLD) == "the girl runs"


def test_on_a_phone_chips_are_touched(field):
    box = field("french", phone=True)
    box.tap()
    chips = offered(box).get_by_role("option")
    expect(chips.first).to_be_visible()
    box.page.keyboard.type("l'ecole ")
    chips.get_by_text("est", exact=True).tap()
    expect(box).to_have_value("l'ecole est ")
    expect(box).to_be_focused()
    for chip in chips.all():
        size = chip.bounding_box()
        assert size["height"] >= 44
        assert size["width"] >= 44
    assert box.page.evaluate("document.documentElement.scrollWidth") <= 360
    box.page.keyboard.type("clai")
    chips.get_by_text("claire", exact=True).tap()
    chips.get_by_text(".", exact=True).tap()
    expect(box).to_have_value("l'ecole est claire.")
    assert box.page.evaluate(TOLD) == "l'ecole est claire."
