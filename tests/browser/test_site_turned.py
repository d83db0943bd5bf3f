"""The pages that have turned: as long as one reads, and nothing that the column cuts off."""

import pytest
from built_site import read_through
from page_gates import SCREEN, clipped, none, screens
from page_rules import TURNED

pytestmark = pytest.mark.browser
MOST_SCREENS = 15


@pytest.fixture
def desk(new_context):
    page = new_context(1280).new_page()
    page.set_viewport_size({"width": 1280, "height": SCREEN})
    return page


@pytest.mark.parametrize("name", TURNED)
def test_the_main_path_takes_fifteen_screens_and_no_line_is_cut_off(desk, home, name):
    desk.goto(f"{home}book/{name}.html", wait_until="networkidle")
    read_through(desk)
    desk.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = false")
    assert screens(desk) <= MOST_SCREENS
    none(clipped(desk))


def test_the_built_pages_that_have_turned_were_measured(looked_at):
    looked_at("pages that show: built pages measured", len(TURNED), may_be_zero=not TURNED)


PAGE = """<!doctype html><html lang="en"><head><title>x</title><style>
body {{ margin: 0; }} pre {{ width: 300px; overflow: auto; }}</style></head><body><main>
<div style="height: {main}px"></div>{code}<section id="exercises"><h2>Exercises</h2>
<div style="height: 9000px"></div></section></main></body></html>"""


@pytest.mark.gate("page: main path of 15 screens", "16 screens of words before the exercises")
@pytest.mark.parametrize("count", [2, 16])
def test_screens_are_counted_up_to_the_exercises(desk, count):
    desk.set_content(PAGE.format(main=count * SCREEN, code=""))
    desk.evaluate("scrollTo(0, 2000)")
    assert screens(desk) == pytest.approx(count, abs=0.05)


@pytest.mark.gate("page: nothing cut off", "a line too long for its box, open or in a fold")
@pytest.mark.parametrize("where", ["{}", "<details><summary>More</summary>{}</details>"])
def test_a_line_that_is_cut_off_is_noticed(desk, where):
    for line, expected in (("x" * 10, 0), ("x" * 100, 1)):
        desk.set_content(PAGE.format(main=10, code=where.format(f"<pre>{line}</pre>")))
        assert len(clipped(desk)) == expected
