"""The mark behind a general sentence: what it shows to whom, and where it leads."""

import pytest
from built_site import SITE
from page_gates import Visit, none, sideways_scrolling

pytestmark = pytest.mark.browser
PAGE = SITE / "book/recurrent/score-functions.html"
SAID = "Conditions: 16 keys; no factor before the cosine. Shown in Try to break it"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scripts", [True, False])
def test_pointer_finger_and_keys_show_the_conditions_and_lead_to_the_owner(
    new_context, width, scripts
):
    page = new_context(width, java_script_enabled=scripts, has_touch=True).new_page()
    visit = Visit(page, "file:")
    page.goto(PAGE.as_uri())  # from disk, where no server helps
    line = page.locator("#what-we-showed li", has_text="A cosine needs a strength")
    mark, said = line.locator(".ac-if"), line.locator("[popover]")
    page.emulate_media(media="print")
    assert [mark.is_visible(), said.locator("a").is_visible()] == [False, False]
    assert line.inner_text().endswith(SAID.partition(" Shown")[0])
    page.emulate_media(media="screen")
    said.wait_for(state="hidden")
    mark.scroll_into_view_if_needed()
    shown = [said.is_visible()]
    mark.hover()
    shown += [said.is_visible()]
    at, box, size = mark.bounding_box(), said.bounding_box(), page.viewport_size
    below = box["y"] - at["y"] - at["height"]
    assert min(abs(below), abs(at["y"] - box["y"] - box["height"])) < 9
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=2)  # aslant
    page.wait_for_timeout(900)
    shown += [said.is_visible()]
    page.mouse.move(0, 0)
    said.wait_for(state="hidden")
    mark.tap()
    page.mouse.move(0, 0)
    page.wait_for_timeout(900)
    assert [*shown, said.is_visible()] == [False, True, True, True]
    assert said.inner_text() == SAID
    box = said.bounding_box()
    assert box["x"] >= 0 <= size["width"] - box["x"] - box["width"]
    assert box["y"] >= 0 <= size["height"] - box["y"] - box["height"]
    none(sideways_scrolling(page) if scripts else [])
    page.keyboard.press("Escape")
    mark.press("Enter")  # the link is the next stop
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/try-to-break-it.html#a-cosine")
    none(visit.console)


def test_slides_keep_the_conditions_and_their_keys(new_context):
    page = new_context().new_page()
    page.goto((SITE / "slides/recurrent/score-functions.html").as_uri())
    line = page.locator("li", has_text="A cosine needs a strength")
    mark, said = line.locator(".ac-if"), line.locator("[popover]")
    here = page.locator(".page", has=line).get_attribute("id")
    page.evaluate(f"location.hash = '{here[6:]}'")
    mark.press(" ")
    assert said.inner_text() == SAID
    assert page.locator(".page.current").get_attribute("id") == here
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/book/practice/try-to-break-it.html#a-cosine")
