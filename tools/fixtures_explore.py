"""What the JavaScript tests of `explore` and of the temperature compare with.

Every number here comes from Python: the reference, or the arrays as NumPy unpacks them.
``make_fixtures.py`` writes it.
"""

import itertools
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_course.reference import entropy, softmax
from attention_course.widgets import Explore, explore
from attention_course.widgets.explorer.packing import unpack


def temperature_settings() -> list[dict[str, Any]]:
    """Return 216 settings with the reference's answers: the worked example, ties, extremes."""
    random = np.random.RandomState(15)
    scores = [[15.0, 60.0, 15.0, 35.0], [0.0, 0.0], [-1000.0, 1000.0], [7.5, 7.5, -7.5]]
    scores += [random.uniform(-40, 60, size=n).round(2).tolist() for n in (2, 3, 4, 5, 8)]
    temperatures = np.geomspace(1, 100, 24).round(4)
    settings = []
    for row, temperature in itertools.product(scores, temperatures.tolist()):
        weights = softmax(np.array(row) / temperature)
        settings.append(
            {
                "scores": row,
                "temperature": temperature,
                "weights": weights.tolist(),
                "entropy": float(entropy(weights)),
            }
        )
    return settings


def attention_at(d_k: float, gap: int, scale: bool, shift: float) -> tuple[go.Figure, str]:
    """Return one figure that has every kind of mark and number that can be stored."""
    x = np.arange(1, 7)
    y = np.exp(-x * d_k / (16 if scale else 4)) + shift
    y[gap] = np.nan
    line = go.Scatter(x=x, y=y, name="decay", error_y={"array": y / 10})
    edge = go.Scatter(x=x, y=y * 0.5, line={"width": 0}, mode="lines", showlegend=False)
    band = go.Scatter(x=x, y=y * 2, fill="tonexty", mode="lines", name="twice")
    figure = go.Figure([line, edge, band])
    figure.update_layout(title=f"d_k = {d_k}", yaxis_type="log" if shift else "linear")
    return figure, f"d_k = {d_k}, gap {gap}, scale {scale}, shift {shift:g}"


def weights_of(n: int, signed: bool) -> go.Figure:
    """Return a heat map."""
    z = np.random.RandomState(n).standard_normal((n, n + 1))
    z = z if signed else softmax(z)
    return go.Figure(go.Heatmap(z=z, texttemplate="%{z:.2f}"))


def explore_case(widget: Explore) -> dict[str, Any]:
    """Return a widget's spec, and for each combination what the browser must find in it."""
    arrays = [[None if np.isnan(v) else v for v in a.tolist()] for a in unpack(widget.spec)]
    names = list(widget._controls)
    cases = []
    products = itertools.product(*(c.values for c in widget._controls.values()))
    for at, values in enumerate(products):
        widget.value = dict(zip(names, values, strict=True))
        chart = widget._charts[at]
        _, title, sentence, ids = widget.spec["charts"][at]
        cases.append(
            {
                "chosen": widget.chosen,
                "title": title,
                "sentence": widget.sentence,
                "stored": [arrays[i] for i in ids],
                "kinds": [series["kind"] for series in chart["series"]],
            }
        )
        if sentence != widget.sentence:
            raise ValueError(f"explore_case: sentence must be {widget.sentence!r}")
    return {"spec": widget.spec, "cases": cases}


def explore_cases() -> list[dict[str, Any]]:
    """Return two widgets with 210 combinations."""
    widget = explore(
        attention_at,
        d_k=[1, 2, 4, 8, 16],
        gap={"first": 0, "third": 2, "last": 5, "fourth": 3, "second": 1},
        scale=True,
        shift=(0.0, 0.6, 0.2),
    )
    return [explore_case(widget), explore_case(explore(weights_of, n=(1, 5), signed=False))]


FIXTURES = {"temperature": temperature_settings, "explore": explore_cases}
