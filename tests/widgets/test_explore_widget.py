"""explore: once for every combination of its sliders, then without Python."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_course.drawing import plots
from attention_course.widgets.explorer.figures import read_figure, share_ranges
from attention_course.widgets.explorer.tables import chart_table
from attention_course.widgets.explorer.widget import Explore, explore, spoken

WORDS = {"title": "T", "x_title": "x", "y_title": "y"}
X = np.arange(1, 6)


def decay(width=32, power=1):
    figure = plots.lines(X, {"kept": np.exp(-X / width) ** power}, **WORDS)
    return figure, f"{width} numbers, to the power {power}."


def made(**more) -> Explore:
    return explore(decay, **{"width": [16, 32, 64], "power": (1, 3), **more})


def test_the_function_is_called_once_for_each_combination():
    calls = []

    def figure(a, b):
        calls.append((a, b))
        return plots.lines([0, 1], {"l": [a, b]}, **WORDS)

    explore(figure, a=(1, 3), b=[0.5, 2.5])
    assert calls == [(a, b) for a in (1, 2, 3) for b in (0.5, 2.5)]


def test_it_starts_with_the_functions_defaults_and_says_its_sentence():
    widget = made()
    assert widget.chosen == {"width": 32, "power": 1}
    assert widget.sentence == "32 numbers, to the power 1."
    assert repr(widget) == "explore(decay, width=32, power=1)"
    assert widget.initial == {"chosen": {"width": 32, "power": 1}}
    assert widget.key == "decay"


def test_without_scripts_there_is_the_sentence_and_a_table():
    fallback = made().fallback
    assert fallback.startswith("<p>32 numbers, to the power 1.</p>")
    assert "width=32, power=1" in fallback
    assert "<td>0.969</td>" in fallback  # exp(-1/32)


@pytest.mark.parametrize("chosen", [{"width": 63}, {"width": "wide"}, {"power": True}, {}])
def test_a_value_that_was_not_stored_is_refused_and_changes_nothing(chosen):
    widget = made()
    with pytest.raises(ValueError, match=r"explore: (width|power) must be one of"):
        widget.chosen = {"width": 16, **chosen} if chosen else {}
    assert widget.sentence == "32 numbers, to the power 1."


def test_what_the_browser_chooses_is_taken():
    widget = made()
    widget.set_state({"chosen": {"width": 64, "power": 3}})
    assert widget.sentence == "64 numbers, to the power 3."


def test_a_failing_combination_is_named_and_its_cause_is_kept():
    def figure(n):
        if n == 2:
            raise KeyError("no such run")
        return plots.lines([0, 1], {"l": [n, n]}, **WORDS)

    said = r"figure\(n=2\) must return .*no such run"
    with pytest.raises(ValueError, match=said) as error:
        explore(figure, n=[1, 2])
    assert isinstance(error.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("sliders", "said"),
    [
        ({"wdith": [1, 2]}, r"the arguments of the function \(width, power\), got wdith"),
        ({}, "got none"),
        ({"width": "ab", "power": [1, 2]}, "width must be whole numbers"),
        ({"width": [3, 1], "power": [1, 2]}, "rising numbers, got"),
        ({"width": [1], "power": [1, 2]}, "rising numbers, got"),
        ({"width": (0, 1, 0), "power": [1, 2]}, "rising numbers, got"),
        ({"width": [True, 2], "power": [1, 2]}, "rising numbers, got"),
        ({"width": (0, 99), "power": (0, 3)}, "at most 300 combinations, got 400"),
        ({"width": [1, 2], "power": [1, 2], "play": "n"}, r"must name a slider .*got 'n'"),
    ],
)
def test_a_bad_slider_is_named_with_what_is_expected(sliders, said):
    with pytest.raises(ValueError, match=said):
        explore(decay, **sliders)


def test_too_much_data_is_refused_with_its_size():
    def figure(n):
        y = np.random.RandomState(n).standard_normal(5000)
        return plots.lines(np.arange(5000), {"l": y}, **WORDS)

    with pytest.raises(ValueError, match=r"fit into 400 kB, got \d{3} kB in 10 combinations"):
        explore(figure, n=(1, 10))


def test_a_figure_without_a_sentence_is_described_by_its_alt_text():
    def figure(n):
        return plots.lines([1, 2], {"a": [n, 2]}, **WORDS)

    said = "Across: x, from 1 to 2. Up: y. a: from 1 to 2."
    assert explore(figure, n=[1, 5]).sentence == said


def test_a_slider_that_is_played_starts_at_its_beginning():
    stays, played = made(), made(play="width")
    assert (stays.chosen["width"], played.chosen["width"]) == (32, 16)
    assert played.spec["play"] == "width"
    assert "play" not in stays.spec


def test_heat_map_lines_and_bars_are_read_as_they_are_drawn():
    heat = read_figure(plots.heatmap(np.eye(2), x_labels=["p", "q"], **WORDS))
    (cells,) = heat["series"]
    assert (cells["z"], cells["columns"], cells["range"]) == ([1, 0, 0, 1], 2, [0, 1])
    assert (cells["map"], cells["digits"], cells["bar"]) == ("sequential", 2, False)
    assert (heat["x"]["categories"], heat["y"]["reversed"]) == (["p", "q"], True)
    signed = read_figure(plots.heatmap(np.eye(2) - 0.5, signed=True, **WORDS))
    assert signed["series"][0]["map"] == "diverging"
    two = {"a": [1, np.nan, 3], "b": [3, 2, 1]}
    chart = read_figure(plots.lines([1, 2, 3], two, y_range=(0, 9), **WORDS))
    assert [s["y"] for s in chart["series"]] == [[1, None, 3], [3, 2, 1]]
    assert [s["colour"]["role"] for s in chart["series"]] == ["series-1", "series-2"]
    assert [s["marker"] for s in chart["series"]] == ["circle", "triangle-down"]
    assert chart["y"]["range"] == [0, 9]
    bars = read_figure(plots.bars(["p", "q"], {"a": [1, 2]}, **WORDS))
    assert (bars["series"][0]["kind"], bars["x"]["categories"]) == ("bar", ["p", "q"])


BAND = {"a": ([0, 0], [2, 2])}


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (None, "got NoneType"),
        (go.Figure(), "got Figure"),
        (go.Figure(go.Pie(values=[1])), "got a pie trace"),
        (plots.lines([1, 2], {"a": [1, 2]}, bands=BAND, **WORDS), "got a band"),
        (plots.lines([1, 2], {"a": [1, 2]}, points={"a": [1, 2]}, **WORDS), "single points"),
        (plots.lines([1, 2], {"a": [1, 2]}, log_y=True, **WORDS), "a log axis"),
        (plots.bars(["p"], {"a": [1]}, errors={"a": [1]}, **WORDS), "error bars"),
        (go.Figure(go.Scatter(x=[1], y=[1], line_color="red")), "the colour 'red'"),
    ],
)
def test_what_is_not_drawn_is_refused_by_name(figure, said):
    with pytest.raises(ValueError, match=r"must be a heatmap, lines or bars .*, got") as error:
        read_figure(figure)
    assert said in str(error.value)


def test_charts_share_their_axes_and_bars_start_at_zero():
    lines = [read_figure(plots.lines([0, 1], {"l": [0, v]}, **WORDS)) for v in (1, 5)]
    share_ranges(lines)
    assert [chart["y"]["range"] for chart in lines] == [[0, 5.3], [0, 5.3]]
    bars = [read_figure(plots.bars(["p"], {"l": [v]}, **WORDS)) for v in (2, 5)]
    share_ranges(bars)
    assert [chart["y"]["range"] for chart in bars] == [[0, 5.3], [0, 5.3]]


def test_the_table_for_readers_without_scripts_is_small_and_has_the_ends():
    x = np.arange(100)
    head, rows = chart_table(read_figure(plots.lines(x, {"a": x}, **WORDS)))
    assert head == ["x", "a"]
    assert (rows[0], rows[-1], len(rows)) == (["0", "0"], ["99", "99"], 10)
    z = np.arange(400).reshape(20, 20)
    head, rows = chart_table(read_figure(plots.heatmap(z, signed=True, **WORDS)))
    assert (len(head), len(rows), rows[-1][-1]) == (9, 10, "399")
