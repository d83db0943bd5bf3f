"""Figures: what they draw, what they say, and what they refuse."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_course.drawing.palette import DARK, SERIES
from attention_course.drawing.plots import bars, heatmap, lines

WORDS = {"title": "The point", "x_title": "width", "y_title": "norm"}


def make_all():
    x = [1, 4, 16]
    return {
        "lines": lines(x, {"a": [1, 2, 3], "b": [3, 2, 1]}, log_x=True, **WORDS),
        "bars": bars(["p", "q"], {"a": [1, 2]}, **WORDS),
        "heatmap": heatmap(np.array([[0.25, 0.75], [0.5, 0.5]]), **WORDS),
    }


@pytest.mark.parametrize("kind", ["lines", "bars", "heatmap"])
def test_a_figure_is_plain_describes_itself_and_has_dark_twins_and_plain_numbers(kind):
    figure = make_all()[kind]
    assert type(figure) is go.Figure
    assert {trace.type for trace in figure.data} <= {"scatter", "bar", "heatmap"}
    assert {"The point", "width"} <= {
        w for w in WORDS.values() if w in figure.layout.meta["alt"]
    }
    assert figure.layout.xaxis.title.text == "width"
    assert figure.layout.yaxis.title.text
    text = figure.to_json()
    hexes = {text[i : i + 7] for i in range(len(text)) if text[i] == "#"}
    assert hexes
    assert hexes <= set(DARK)
    assert "bdata" not in text


def test_the_alt_text_of_a_line_names_its_ends_and_its_extremes():
    for y, said in (
        ([1, 5, 2], "from 1 to 2, highest 5"),
        ([1, 0, 7], "from 1 to 7, lowest 0"),
    ):
        assert f"a: {said}" in lines([1, 2, 3], {"a": y}, **WORDS).layout.meta["alt"]


def test_lines_are_told_apart_without_colour():
    figure = make_all()["lines"]
    assert figure.data[0].line.dash != figure.data[1].line.dash
    assert figure.data[0].marker.symbol != figure.data[1].marker.symbol
    assert [note.text for note in figure.layout.annotations] == ["a", "b"][::-1]


def test_end_labels_that_would_collide_are_moved_apart():
    figure = lines([1, 2], {"a": [0, 1.0], "b": [9, 1.0], "c": [5, 1.0]}, **WORDS)
    shifts = sorted(note.yshift for note in figure.layout.annotations)
    assert np.diff(shifts).min() >= 17


def test_end_labels_stay_inside_a_range_that_is_given():
    ends = {name: [0, y] for name, y in zip("abcd", (0.97, 1.0, 1.0, 0.2), strict=True)}
    figure = lines([1, 2], ends, y_range=(0, 1.05), **WORDS)
    places = [250 * note.y / 1.05 + note.yshift for note in figure.layout.annotations]
    assert max(places) <= 254
    assert np.diff(sorted(places)).min() >= 17
    assert figure.layout.annotations[0].yshift == 0  # d, far below


def test_a_band_goes_there_and_back_around_its_line():
    figure = lines([1, 2], {"a": [1, 2]}, bands={"a": ([0, 1], [2, 3])}, **WORDS)
    assert list(figure.data[0].x) == [1, 2, 2, 1]
    assert list(figure.data[0].y) == [2, 3, 1, 0]
    assert figure.data[0].fillcolor.startswith(SERIES["series-1"].light)


def test_a_gap_in_the_data_is_a_gap_in_the_line():
    figure = lines([1, 2, 3], {"a": [1, np.nan, 2]}, **WORDS)
    assert json.loads(figure.to_json())["data"][0]["y"] == [1.0, None, 2.0]


def test_long_titles_break_into_even_lines_on_the_figure_and_not_in_its_sentence():
    title = "one two three four five six seven eight nine ten eleven"
    figure = lines([1, 2], {"a": [1, 2]}, title=title, x_title="x", y_title="y")
    rows = figure.layout.title.text.split("<br>")
    assert " ".join(rows) == title
    assert max(map(len, rows)) - min(map(len, rows)) < 10
    assert title in figure.layout.meta["alt"]


def test_the_first_row_of_a_matrix_is_drawn_on_top():
    figure = make_all()["heatmap"]
    assert figure.layout.yaxis.autorange == "reversed"
    assert [list(row) for row in figure.data[0].z] == [[0.25, 0.75], [0.5, 0.5]]


def test_a_signed_map_has_zero_in_the_middle():
    trace = heatmap(np.array([[-1.0, 3.0]]), signed=True, **WORDS).data[0]
    assert (trace.zmin, trace.zmax) == (-3.0, 3.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lines([1, 2], {"a": [1]}, **WORDS), "lines: series 'a' must have 2 numbers"),
        (lambda: lines([1, 2], {}, **WORDS), "lines: series must be a mapping"),
        (
            lambda: lines([0, 2], {"a": [1, 2]}, log_x=True, **WORDS),
            "lines: x must be positive",
        ),
        (
            lambda: lines([1, 2], {"a": [1, -2]}, log_y=True, **WORDS),
            "lines: series 'a' must be positive",
        ),
        (lambda: lines("abc", {"a": [1]}, **WORDS), "lines: x must be a list of numbers"),
        (
            lambda: lines([1], {"a": [1]}, bands={"b": ([1], [2])}, **WORDS),
            "lines: bands must map a label",
        ),
        (
            lambda: lines([1], {"a": [1]}, points={"b": [1]}, **WORDS),
            "lines: points must belong to a line",
        ),
        (lambda: bars(["p"], {"a": [1, 2]}, **WORDS), "bars: series 'a' must have 1 numbers"),
        (lambda: heatmap(np.ones(3), **WORDS), "heatmap: values must be a finite matrix"),
        (lambda: heatmap(np.array([[2.0]]), **WORDS), "heatmap: values must be weights"),
        (
            lambda: heatmap(np.array([[np.nan]]), **WORDS),
            "heatmap: values must be a finite matrix",
        ),
        (
            lambda: heatmap(np.eye(2), x_labels=["a"], **WORDS),
            "heatmap: x_labels must be 2 different names",
        ),
    ],
)
def test_bad_input_is_refused_with_the_function_the_argument_and_what_came(make, message):
    with pytest.raises(ValueError, match=message):
        make()
