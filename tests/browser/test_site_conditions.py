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
    assert [mark.is_visible(), said.is_visible()] == [False, False]
    page.emulate_media(media="screen")
    mark.scroll_into_view_if_needed()
    shown = [said.is_visible()]
    mark.hover()
    shown += [said.is_visible()]
    page.mouse.move(0, 0)
    shown += [said.is_visible()]
    mark.tap()
    page.mouse.move(0, 0)
    assert [*shown, said.is_visible()] == [False, True, False, True]
    assert said.inner_text() == SAID
    box, size = said.bounding_box(), page.viewport_size
    assert box["x"] >= 0 <= size["width"] - box["x"] - box["width"]
    assert box["y"] >= 0 <= size["height"] - box["y"] - box["height"]
    none(sideways_scrolling(page) if scripts else [])
    page.keyboard.press("Escape")
    mark.press("Enter")  # the link is the next stop
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/try-to-break-it.html#a-cosine")
    none(visit.console)
