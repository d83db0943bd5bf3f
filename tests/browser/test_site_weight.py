"""What a page costs its reader, counted as it travels (compressed). The numbers are printed."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from built_site import PAGES, SITE, read_through
from page_gates import Visit, compressed, none

pytestmark = pytest.mark.browser

KB = 1000
BEFORE_SCROLLING = 1200 * KB
IN_ALL = 2500 * KB
STATE = 200 * KB
MODULE = 30 * KB
STATE_JSON = re.compile(
    r'<script type="application/vnd.jupyter.widget-state\+json">(.*?)</script>', re.DOTALL
)


def weigh(folder: Path, names: set[str]) -> int:
    """Bytes of some of a folder's files, as they travel."""
    files = (folder / name for name in names)
    return sum(compressed(file.read_bytes()) for file in files if file.is_file())


def too_heavy(folder: Path, before: set[str], after: set[str]) -> list[str]:
    """What is over budget, of the files asked for before and after scrolling."""
    complaints = [f"{file} before anybody scrolled" for file in before if "plotly" in file]
    for when, names, budget in (("before", before, BEFORE_SCROLLING), ("after", after, IN_ALL)):
        if (weight := weigh(folder, names)) > budget:
            complaints.append(f"{weight // KB} kB {when} scrolling, of {budget // KB}")
    return complaints


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_until_one_scrolls_and_bearable_after(new_context, home, name):
    page = new_context(width=360).new_page()
    visit = Visit(page, home)
    page.goto(home + name, wait_until="networkidle")
    before = visit.own_files()
    read_through(page)
    after = visit.own_files()
    kilobytes = [weigh(SITE, names) // KB for names in (before, after)]
    print(f"\n{name}: {kilobytes[0]} kB before scrolling, {kilobytes[1]} kB in all")
    none(too_heavy(SITE, before, after))


def test_plotly_comes_when_a_figure_does(new_context, home):
    """On a page whose first figure is far down; there must be one."""
    figures = [
        n for n in PAGES if '<figure class="ac-figure' in (SITE / n).read_text(encoding="utf-8")
    ]
    page = new_context(width=360).new_page()
    visit = Visit(page, home)
    page.goto(home + figures[0], wait_until="networkidle")
    none(too_heavy(SITE, visit.own_files(), set()))
    figure = page.locator("figure.ac-figure").first
    figure.scroll_into_view_if_needed()
    page.wait_for_function("(e) => e.dataset.acState === 'drawn'", arg=figure.element_handle())
    assert [file for file in visit.own_files() if "plotly" in file]


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


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"heavy.js"}, {"heavy.js"}, "kB before scrolling"),
        (set(), {"heavy.js", "heavier.js"}, "kB after scrolling"),
        ({"plotly.js"}, {"plotly.js"}, "plotly.js before anybody scrolled"),
    ],
)
def test_a_page_over_its_budget_is_noticed(tmp_path, before, after, words):
    noise = np.random.RandomState(0)  # which does not compress
    (tmp_path / "heavy.js").write_bytes(noise.bytes(BEFORE_SCROLLING + 1))
    (tmp_path / "heavier.js").write_bytes(noise.bytes(IN_ALL - BEFORE_SCROLLING))
    (tmp_path / "plotly.js").write_bytes(b"1")
    complaints = too_heavy(tmp_path, before, after)
    assert len(complaints) == 1
    assert words in complaints[0]


def test_a_page_within_its_budget_passes(tmp_path):
    (tmp_path / "light.js").write_bytes(b"1" * IN_ALL)  # which does
    assert too_heavy(tmp_path, {"light.js"}, {"light.js"}) == []
