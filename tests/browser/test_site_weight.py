"""What a page costs its reader, counted as it travels (compressed). The numbers are printed."""

import json
import re

import pytest
from built_site import PAGES, SITE, read_through
from page_gates import Visit, compressed

pytestmark = pytest.mark.browser

KB = 1000
BEFORE_SCROLLING = 1200 * KB
IN_ALL = 2500 * KB
STATE = 200 * KB
MODULE = 30 * KB
STATE_JSON = re.compile(
    r'<script type="application/vnd.jupyter.widget-state\+json">(.*?)</script>', re.DOTALL
)


def _weigh(names: set[str]) -> int:
    files = (SITE / name for name in names)
    return sum(compressed(file.read_bytes()) for file in files if file.is_file())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_until_one_scrolls_and_bearable_after(new_context, home, name):
    page = new_context(width=360).new_page()
    visit = Visit(page, home)
    page.goto(home + name, wait_until="networkidle")
    before = visit.own_files()
    read_through(page)
    after = visit.own_files()
    print(
        f"\n{name}: {_weigh(before) // KB} kB before scrolling, {_weigh(after) // KB} kB in all"
    )
    assert not [file for file in before if "plotly" in file]
    assert _weigh(before) <= BEFORE_SCROLLING
    assert _weigh(after) <= IN_ALL


def test_plotly_comes_when_a_figure_does(new_context, home):
    """On a page whose first figure is far down; there must be one."""
    far = []
    for name in PAGES:
        page = new_context(width=360).new_page()
        visit = Visit(page, home)
        page.goto(home + name, wait_until="networkidle")
        figure = page.locator("figure.ac-figure").first
        if not page.locator("figure.ac-figure").count():
            continue
        assert not [file for file in visit.own_files() if "plotly" in file]
        figure.scroll_into_view_if_needed()
        page.wait_for_function(
            "(e) => e.dataset.acState === 'drawn'", arg=figure.element_handle()
        )
        assert [file for file in visit.own_files() if "plotly" in file]
        far.append(name)
    assert far


@pytest.mark.parametrize("name", PAGES)
def test_the_widgets_of_a_page_fit_their_budget(name):
    found = STATE_JSON.search((SITE / name).read_text(encoding="utf-8"))
    if not found:
        return
    states = json.loads(found[1])["state"].values()
    modules = [
        compressed(s["state"]["_esm"].encode())
        for s in states
        if isinstance(s["state"].get("_esm"), str)
    ]
    print(f"\n{name}: state {compressed(found[1].encode()) // KB} kB, modules {modules}")
    assert compressed(found[1].encode()) <= STATE
    assert max(modules, default=0) <= MODULE


def test_a_page_over_its_budget_is_noticed(tmp_path):
    """Random bytes do not compress, so a budget of them cannot be met by luck."""
    import numpy as np

    heavy = np.random.RandomState(0).bytes(BEFORE_SCROLLING + 1)
    assert compressed(heavy) > BEFORE_SCROLLING
