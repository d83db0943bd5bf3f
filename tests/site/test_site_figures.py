import base64
import html
import json
import re

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_course.site.figures import MAX_ROWS, decode, figure_html


def packed(array):
    coded = base64.b64encode(array.tobytes()).decode()
    shape = {"shape": ", ".join(map(str, array.shape))} if array.ndim > 1 else {}
    return {"dtype": array.dtype.str.lstrip("<|"), "bdata": coded, **shape}


def with_alt(*traces, **layout):
    return {"data": list(traces), "layout": {"meta": {"alt": "It rises."}, **layout}}


def rows_of(made):
    return [
        [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", made)
    ]


def test_what_plotly_writes_is_what_the_table_shows():
    figure = go.Figure(go.Scatter(x=np.array([1, 2, 5]), y=np.array([0.5, -0.25, 2.0])))
    figure.update_layout(meta={"alt": "A line."})
    stored = json.loads(figure.to_json())

    assert "bdata" in stored["data"][0]["y"]
    assert rows_of(figure_html(stored))[1:] == [["1", "0.5"], ["2", "−0.25"], ["5", "2"]]


A, B = {"x": [1, 2], "y": [3, 4], "name": "a"}, {"x": [1, 2], "y": [5, 6], "name": "b"}
HEAT = {"type": "heatmap", "z": [[1, 2], [3, 4]], "x": ["k", "l"]}
BAND = {"x": [9], "y": [9], "hoverinfo": "skip"}


@pytest.mark.parametrize(
    ("traces", "rows"),
    [
        ([A, B], [["x", "a", "b"], ["1", "3", "5"], ["2", "4", "6"]]),  # they share places
        ([HEAT], [["row \\ column", "k", "l"], ["0", "1", "2"], ["1", "3", "4"]]),
        ([{"x": [1], "y": [2]}, BAND], [["x", "value"], ["1", "2"]]),
    ],
)
def test_traces_become_one_table(traces, rows):
    assert rows_of(figure_html(with_alt(*traces))) == rows


def test_a_long_table_is_thinned_and_says_so():
    made = figure_html(with_alt({"y": list(range(500))}))
    rows = rows_of(made)[1:]

    assert len(rows) == MAX_ROWS
    assert rows[0] == ["0", "0"]
    assert rows[-1] == ["499", "499"]
    assert f"{MAX_ROWS} of 500 rows" in made
    assert "rows" not in figure_html(with_alt({"y": [1, 2]}))


@pytest.mark.parametrize("layout", [{}, {"meta": None}, {"meta": {"alt": ""}}])
def test_a_figure_without_a_sentence_is_refused(layout):
    with pytest.raises(ValueError, match="figure_html: figure must have its sentence"):
        figure_html({"data": [], "layout": layout})


def test_text_of_the_figure_cannot_end_its_script_or_add_markup():
    evil = "</script><b>"
    figure = {"data": [{"y": [1], "name": evil}], "layout": {"meta": {"alt": evil}}}
    made = figure_html(figure)
    stored = re.search(r'<script type="application/json">(.*?)</script>', made).group(1)

    assert json.loads(stored) == figure
    assert "<b>" not in made.replace(stored, "")
