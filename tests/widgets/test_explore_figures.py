"""Figures are read as they are drawn, or refused by name."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_course.drawing import plots
from attention_course.drawing.palette import ROLES
from attention_course.widgets.explorer.figures import read_figure
from attention_course.widgets.explorer.ranges import Ranges, pad
from attention_course.widgets.explorer.tables import chart_table
from attention_course.widgets.explorer.traces import plain_text

X = [1, 2, 3]


def one(trace, **layout):
    return read_figure(go.Figure(trace, layout=layout))


def test_a_line_keeps_its_numbers_its_gap_and_its_look():
    line = {"color": ROLES["key"].light, "dash": "dot", "width": 3}
    series = one(go.Scatter(x=X, y=[1, None, 3], mode="lines", name="a", line=line))["series"]
    (s,) = series
    assert (s["kind"], s["name"], s["label"]) == ("line", "a", True)
    assert (s["colour"], s["dash"], s["width"]) == ({"role": "key"}, "dot", 3.0)
    assert np.array_equal(s["y"], [1, np.nan, 3], equal_nan=True)
    assert "marker" not in s


def test_lines_without_a_colour_take_the_neutral_ones_in_turn_with_their_markers():
    series = read_figure(go.Figure([go.Scatter(x=X, y=X) for _ in range(3)]))["series"]
    assert [s["colour"]["role"] for s in series] == ["series-1", "series-2", "series-3"]
    assert [s["marker"] for s in series] == ["circle", "triangle-down", "square"]


def test_error_bars_are_limits():
    error = {"array": [1, 1, 1], "arrayminus": [0, 0, 2], "symmetric": False}
    (s,) = one(go.Scatter(x=X, y=[5, 5, 5], error_y=error))["series"]
    assert (s["low"].tolist(), s["high"].tolist()) == ([5, 5, 3], [6, 6, 6])
    (s,) = one(go.Bar(x=X, y=[5, 5, 5], error_y={"type": "constant", "value": 2}))["series"]
    assert (s["low"].tolist(), s["high"].tolist()) == ([3, 3, 3], [7, 7, 7])


@pytest.mark.parametrize(
    "traces",
    [
        [
            go.Scatter(x=X, y=[0, 1, 2], mode="lines", line={"width": 0}),
            go.Scatter(x=X, y=[2, 3, 4], mode="lines", line={"width": 0}, fill="tonexty"),
        ],
        [go.Scatter(x=[1, 2, 3, 3, 2, 1], y=[2, 3, 4, 2, 1, 0], fill="toself")],
    ],
)
def test_a_band_is_found_however_it_is_written(traces):
    series = read_figure(go.Figure([*traces, go.Scatter(x=X, y=X)]))["series"]
    band = series[0]
    assert [s["kind"] for s in series] == ["band", "line"]
    assert band["x"].tolist() == X
    assert (band["low"].tolist(), band["high"].tolist()) == ([0, 1, 2], [2, 3, 4])


def test_a_band_belongs_to_the_line_of_its_colour():
    figure = plots.lines(
        X,
        {"a": [1, 2, 3], "b": [3, 2, 1]},
        bands={"b": ([2, 1, 0], [4, 3, 2])},
        title="T",
        x_title="x",
        y_title="y",
    )
    series = read_figure(figure)["series"]
    assert [s["kind"] for s in series] == ["band", "line", "line"]
    assert series[0]["of"] == 2


def test_every_figure_of_plots_can_be_read():
    words = {"title": "T", "x_title": "x", "y_title": "y"}
    figures = [
        plots.lines(
            [1, 2, 4], {"a": [1, 2, 3], "b": [2, 3, 4]}, log_x=True, log_y=True, **words
        ),
        plots.bars(["p", "q"], {"a": [1, 2], "b": [2, 3]}, errors={"a": [0.1, 0.1]}, **words),
        plots.heatmap(np.eye(3), **words),
        plots.heatmap(np.eye(3) - 0.5, signed=True, **words),
        plots.histogram({"a": [0.0, 1.0, 2.0]}, title="T", x_title="x"),
    ]
    charts = [read_figure(f) for f in figures]
    assert [c["series"][0]["kind"] for c in charts] == ["line", "bar", "heat", "heat", "bar"]
    assert [c["series"][0].get("map") for c in charts[2:4]] == ["sequential", "diverging"]
    assert charts[0]["x"]["type"] == charts[0]["y"]["type"] == "log"
    assert charts[0]["x"]["ticks"][2] == {"at": 4.0, "text": "4"}
    # labels at the ends of lines are notes in the figure, and not drawn twice
    assert not charts[0]["notes"]
    assert [s["label"] for s in charts[0]["series"]] == [True, True]


def test_named_axes_keep_their_order():
    chart = read_figure(
        go.Figure([go.Bar(x=["b", "a"], y=[1, 2]), go.Bar(x=["a", "c"], y=[3, 4])])
    )
    assert chart["x"]["categories"] == ["b", "a", "c"]
    assert chart["series"][1]["x"].tolist() == [1, 2]


def test_reference_lines_and_notes_are_kept():
    figure = go.Figure(go.Scatter(x=X, y=X), layout={"xaxis_type": "log"})
    figure.add_hline(y=2, annotation_text="chance", line_color=ROLES["score"].light)
    figure.add_vline(x=3)
    figure.add_annotation(x=0, y=1, text="start")
    chart = read_figure(figure)
    rules = [(r["axis"], r["at"], r.get("text"), r["colour"]["role"]) for r in chart["rules"]]
    assert rules == [("y", 2.0, "chance", "score"), ("x", 3.0, None, "context")]
    (note,) = chart["notes"]
    assert (note["x"], note["y"], note["text"]) == (1.0, 1.0, "start")  # 10**0 on the log axis


def test_text_loses_its_tags_but_not_its_powers():
    assert (
        plain_text("d<sub>2</sub> = 10<sup>-3</sup><br><b>big</b> &lt; 1")
        == "d₂ = 10⁻³ big < 1"
    )


@pytest.mark.parametrize(
    ("trace", "layout", "said"),
    [
        (go.Pie(values=[1]), {}, "got a pie trace"),
        (go.Scatter3d(x=X, y=X, z=X), {}, "got a scatter3d trace"),
        (go.Scatter(x=X, y=X, yaxis="y2"), {}, "got a second pair of axes"),
        (go.Scatter(x=X, y=X, mode="text"), {}, "got a scatter trace with text"),
        (go.Scatter(x=X, y=X, fill="tonexty"), {}, "that is no band"),
        (go.Scatter(x=X, y=X, marker_symbol="bowtie"), {}, "the marker 'bowtie'"),
        (go.Scatter(x=X, y=X, marker_color=X), {}, "several colours"),
        (go.Scatter(x=X, y=X, error_x={"array": X}), {}, "got error_x"),
        (go.Scatter(x=X, y=X, error_y={"type": "percent", "value": 5}), {}, "type percent"),
        (go.Bar(y=["a", "b"], x=[1, 2], orientation="h"), {}, "horizontal bars"),
        (go.Heatmap(z=[[1]], texttemplate="%{x}"), {}, "the cell text '%{x}'"),
        (go.Scatter(x=["2020-01-01"], y=[1]), {"xaxis": {"type": "date"}}, "a date axis"),
        (go.Scatter(x=X, y=X), {"shapes": [{"type": "circle"}]}, "a circle shape"),
        (
            go.Scatter(x=X, y=X),
            {"annotations": [{"text": "up there", "xref": "paper", "x": 0, "y": 0}]},
            "the note 'up there'",
        ),
    ],
)
def test_what_is_not_drawn_is_refused_by_name(trace, layout, said):
    with pytest.raises(ValueError, match=r"figure must have scatter .*, got") as error:
        one(trace, **layout)
    assert said in str(error.value)


@pytest.mark.parametrize("result", [None, "a figure", {"data": []}])
def test_something_else_than_a_figure_is_refused(result):
    with pytest.raises(ValueError, match=f"plotly Figure.*got {type(result).__name__}"):
        read_figure(result)


def test_a_figure_without_traces_is_refused():
    with pytest.raises(ValueError, match="got no trace"):
        read_figure(go.Figure())


def test_charts_that_share_an_axis_share_its_range():
    charts = [one(go.Scatter(x=X, y=[0, v, v]), yaxis_title="loss") for v in (1, 5)]
    charts.append(one(go.Scatter(x=X, y=[0, 99, 99]), yaxis_title="another"))
    ranges = Ranges(charts)
    first, second, other = (ranges.apply(c)["y"]["range"] for c in charts)
    assert first == second == [0, 5.3]
    assert other[1] > 99


def test_a_range_that_the_figure_fixes_is_kept():
    charts = [one(go.Scatter(x=X, y=X), yaxis_range=[0, v]) for v in (3, 30)]
    assert [Ranges(charts).apply(c)["y"]["range"] for c in charts] == [[0, 3], [0, 30]]
    log = one(go.Scatter(x=X, y=X), xaxis_type="log", xaxis_range=[0, 2])
    assert log["x"]["range"] == [1, 100]


def test_bars_start_at_zero_and_stacked_ones_fit():
    bars = [go.Bar(x=[0, 1], y=[2, 3]), go.Bar(x=[0, 1], y=[4, 5])]
    beside = read_figure(go.Figure(bars))
    stacked = read_figure(go.Figure(bars, layout={"barmode": "stack"}))
    assert Ranges([beside]).apply(beside)["y"]["range"] == [0, 5.3]
    assert Ranges([stacked]).apply(stacked)["y"]["range"] == [0, 8.48]


@pytest.mark.parametrize(
    ("span", "log"),
    [((0.0, 0.0), False), ((3.0, 3.0), False), ((-2.0, -2.0), False), ((5.0, 5.0), True)],
)
def test_a_constant_still_gets_a_range_around_it(span, log):
    low, high = pad(span, log, 0.06)
    assert low <= span[0] <= high
    assert high > low


def test_heat_maps_share_their_colours():
    charts = [one(go.Heatmap(z=[[0, v]])) for v in (1, 4)]
    ranges = Ranges(charts)
    assert [ranges.apply(c)["series"][0]["range"] for c in charts] == [[0, 4], [0, 4]]


def test_the_table_for_readers_without_scripts_is_small_and_has_the_ends():
    head, rows = chart_table(one(go.Scatter(x=list(range(100)), y=list(range(100)), name="a")))
    assert head == ["x", "a"]
    assert (rows[0], rows[-1], len(rows)) == (["0", "0"], ["99", "99"], 10)
    head, rows = chart_table(one(go.Heatmap(z=np.arange(400).reshape(20, 20))))
    assert (len(head), len(rows), rows[-1][-1]) == (9, 10, "399")
