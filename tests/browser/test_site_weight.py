"""What a page costs its reader, counted as it travels (compressed). The numbers are printed."""

import json
import re

import numpy as np
import pytest
from built_site import PAGES, SITE
from page_gates import BEFORE_SCROLLING, IN_ALL, KB, Visit, compressed, none, too_heavy

pytestmark = pytest.mark.browser

STATE = 200 * KB
MODULE = 30 * KB
STATE_JSON = re.compile(
    r'<script type="application/vnd.jupyter.widget-state\+json">(.*?)</script>', re.DOTALL
)


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


def test_the_widgets_of_every_page_fit_their_budget(looked_at):
    heavy, weighed = {}, 0
    for name in PAGES:
        if found := STATE_JSON.search((SITE / name).read_text(encoding="utf-8")):
            states = [
                model["state"].get("_esm") for model in json.loads(found[1])["state"].values()
            ]
            modules = [compressed(esm.encode()) for esm in states if isinstance(esm, str)]
            state = compressed(found[1].encode())
            weighed += len(modules)
            if state > STATE or max(modules, default=0) > MODULE:
                heavy[name] = f"state {state // KB} kB, modules {modules}"
    assert heavy == {}
    looked_at("weight of widgets: modules", weighed)


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
