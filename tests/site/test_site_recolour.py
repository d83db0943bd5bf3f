"""``figures.js`` runs in a bare V8 with a page of three objects; what it draws is looked at."""

import json

import pytest
from py_mini_racer import MiniRacer

from attention_course.drawing import palette, plots
from attention_course.site.assets import SITE, palette_css
from attention_course.site.figures import figure_html

PAGE = """
const drawn = [];
const place = {
  clientWidth: WIDTH,
  firstElementChild: null,
  closest: () => null,
  querySelectorAll: () => [],
  on() {},
  _fullLayout: {},
  _fullData: [],
};
const figure = {
  dataset: {},
  closest: () => null,
  clientWidth: WIDTH,
  querySelector: (what) => (what === "script" ? { textContent: SOURCE } : place),
};
const theme = { theme: THEME };
let toggled;
const document = {
  currentScript: { dataset: { plotly: "plotly.js" } },
  querySelectorAll: () => [figure],
  documentElement: { dataset: theme },
  createElement: () => ({}),
  head: { append: (script) => { loaded.push(script.src); script.onload(); } },
};
const loaded = [];
const window = { Plotly: {
  react: async (...given) => drawn.push(given.slice(1)),
  Plots: { resize() {} },
} };
const addEventListener = () => {};
const valueOf = (name) => (name === "--ac-swap" ? SWAP : "");
const getComputedStyle = () => ({ getPropertyValue: valueOf });
class IntersectionObserver {
  constructor(seen) { this.seen = seen; }
  observe(target) { this.seen([{ isIntersecting: true, target }]); }
  unobserve() {}
}
class MutationObserver { constructor(tell) { toggled = tell; } observe() {} }
"""


class Browser:
    """Draws one figure and hands back what plotly was given."""

    def __init__(self, figure, theme="dark", width=640):
        swap = palette_css().split("--ac-swap:", 1)[1].split(";", 1)[0]
        values = {"WIDTH": width, "SOURCE": json.dumps(figure), "THEME": theme, "SWAP": swap}
        page = PAGE
        for name, value in values.items():
            page = page.replace(name, json.dumps(value))
        self.engine = MiniRacer()
        self.engine.eval(page + (SITE / "static" / "figures.js").read_text("utf-8"))

    def drawn(self):
        return json.loads(self.engine.eval("JSON.stringify(drawn)"))


def in_query(colour):
    return {"data": [{"y": [1], "line": {"color": colour}}], "layout": {}}


QUERY = palette.ROLES["query"]


@pytest.mark.parametrize(
    ("theme", "before", "after"),
    [
        ("light", QUERY.light, QUERY.light),
        ("dark", QUERY.light, QUERY.dark),
        ("dark", QUERY.light.upper(), QUERY.dark),
        ("dark", QUERY.light + "2e", QUERY.dark + "2e"),
        ("dark", "#123456", "#123456"),
        ("dark", "red", "red"),
    ],
)
def test_palette_colours_follow_the_theme_and_others_stay(theme, before, after):
    (data, _, _) = Browser(in_query(before), theme).drawn()[0]

    assert data[0]["line"]["color"] == after


def test_colours_in_scales_annotations_and_templates_follow_too():
    scale = [[0, palette.FAINT[0]], [1, QUERY.light]]
    layout = {
        "template": {"layout": {"font": {"color": QUERY.light}}},
        "annotations": [{"font": {"color": QUERY.light}}],
    }
    figure = {"data": [{"z": [[1]], "colorscale": scale}], "layout": layout}
    (data, drawn, _) = Browser(figure).drawn()[0]

    assert data[0]["colorscale"] == [[0, palette.FAINT[1]], [1, QUERY.dark]]
    assert drawn["template"]["layout"]["font"]["color"] == QUERY.dark
    assert drawn["annotations"][0]["font"]["color"] == QUERY.dark


def test_when_the_theme_changes_the_figure_is_drawn_again_from_its_source():
    browser = Browser(in_query(QUERY.light))
    browser.engine.eval("theme.theme = 'light'; toggled()")

    colours = [data[0]["line"]["color"] for data, _, _ in browser.drawn()]
    assert colours == [QUERY.dark, QUERY.light]
    assert json.loads(browser.engine.eval("JSON.stringify(loaded)")) == ["plotly.js"]


def test_the_figure_takes_the_width_of_its_place_without_a_tool_bar():
    (_, layout, options) = Browser({"data": [], "layout": {"width": 900}}, width=320).drawn()[0]

    assert "width" not in layout
    assert layout["autosize"] is True
    assert layout["font"]["size"] == 12
    assert options["displayModeBar"] is False
    assert options["responsive"] is True


def test_the_title_stands_above_the_picture_and_its_room_goes():
    words = {
        "title": "A title that needs two lines where it is short of room, as here",
        "x_title": "x",
    }
    figure = json.loads(plots.lines([1, 2], {"a": [1, 2]}, y_title="y", **words).to_json())
    (_, drawn, _) = Browser(figure, width=320).drawn()[0]
    made = figure_html(figure)

    assert f">{words['title']}</p>" in made
    assert "title" not in drawn
    assert f'style="min-height:{drawn["height"]}px"' in made
    plot_area = [part["height"] - part["margin"]["t"] for part in (figure["layout"], drawn)]
    assert plot_area[0] == plot_area[1]
