"""A plotly figure as a chart that ``chart.js`` draws: the subset that the course uses.

Read: scatter (lines, markers, error bars, filled bands), bar and heatmap traces, straight
reference lines, notes at a point, linear, logarithmic and named axes. Anything that would
change the picture and is not in this list raises an error that names it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_course.widgets.explorer.traces import (
    as_floats,
    plain_text,
    read_colour,
    read_heat,
    read_series,
    unsupported,
)

_MODES = {"relative": "stacked", "stack": "stacked", "overlay": "overlay"}


def read_figure(figure: Any) -> dict[str, Any]:
    """Turn a figure into a chart: axes, series, rules and notes, numbers still as arrays.

    Args:
        figure: a ``plotly.graph_objects.Figure``.

    Returns:
        ``title``, ``alt``, ``x``, ``y``, ``series``, ``rules``, ``notes`` and bar options.

    Raises:
        ValueError: if it is no figure, or has something that is not drawn here.
    """
    traces = _check_traces(figure)
    layout = figure.layout
    axes = {"x": _Axis(layout.xaxis, "x"), "y": _Axis(layout.yaxis, "y")}
    texts = {plain_text(note.text) for note in layout.annotations}
    if traces[0].type == "heatmap":
        series = [read_heat(traces[0], axes)]
    else:
        series = read_series(traces, axes, layout.showlegend is not False, texts)
    meta = layout.meta if isinstance(layout.meta, dict) else {}
    rules, told = _read_rules(layout)
    chart: dict[str, Any] = {
        "title": plain_text(layout.title.text),
        "alt": str(meta.get("alt", "")),
        "x": axes["x"].chart(),
        "y": axes["y"].chart(),
        "series": series,
        "rules": rules,
        "notes": _read_notes(layout, told | {s.get("name") for s in series}),
    }
    if layout.barmode in _MODES:
        chart[_MODES[layout.barmode]] = True
    if layout.bargap is not None:
        chart["gap"] = float(layout.bargap)
    return chart


def _check_traces(figure: Any) -> list[Any]:
    if not hasattr(figure, "to_plotly_json") or not hasattr(figure, "layout"):
        raise ValueError(
            "explore: figure_function must return a plotly Figure, or a (figure, sentence) "
            f"pair, got {type(figure).__name__}"
        )
    traces = [t for t in figure.data if t.visible not in (False, "legendonly")]
    if not traces:
        raise unsupported("no trace")
    for trace in traces:
        if trace.type not in ("scatter", "bar", "heatmap"):
            raise unsupported(f"a {trace.type} trace")
        if (trace.xaxis or "x", trace.yaxis or "y") != ("x", "y"):
            raise unsupported("a second pair of axes")
    if len(traces) > 1 and any(t.type == "heatmap" for t in traces):
        raise unsupported("a heatmap together with other traces")
    return traces


class _Axis:
    """An axis while its traces are read: named values get their places one by one."""

    def __init__(self, axis: Any, letter: str) -> None:
        self.axis, self.letter = axis, letter
        self.names: list[str] | None = None
        if axis.type not in (None, "-", "linear", "log", "category"):
            raise unsupported(f"a {axis.type} axis")
        if axis.type == "category":
            self.names = []
        if axis.categoryarray is not None:
            self.names = [plain_text(c) for c in axis.categoryarray]

    def place(self, values: Any, count: int) -> np.ndarray:
        """Return positions as floats: numbers as they are, names as 0, 1, ..."""
        if values is None:
            return np.arange(count, dtype=float)
        values = list(values)
        if self.names is None and not any(isinstance(v, str) for v in values):
            return as_floats(values, f"{self.letter} values")
        self.names = self.names or []
        texts = [plain_text(v) for v in values]
        self.names += [t for t in dict.fromkeys(texts) if t not in self.names]
        return np.array([self.names.index(t) for t in texts], dtype=float)

    def chart(self) -> dict[str, Any]:
        """Return the axis as the browser needs it."""
        axis = self.axis
        kind = "log" if axis.type == "log" else "linear"
        chart: dict[str, Any] = {"title": plain_text(axis.title.text)}
        limits = None if axis.range is None or None in axis.range else axis.range
        if axis.autorange == "reversed" or (limits and limits[0] > limits[1]):
            chart["reversed"] = True
        if self.names is not None:
            return chart | {"type": "category", "categories": self.names}
        if limits:
            # plotly writes the range of a log axis as powers of ten.
            ends = sorted(10.0 ** float(v) if kind == "log" else float(v) for v in limits)
            chart["range"] = ends
        if axis.tickvals is not None:
            texts = axis.tickvals if axis.ticktext is None else axis.ticktext
            pairs = zip(axis.tickvals, texts, strict=False)
            chart["ticks"] = [{"at": float(at), "text": plain_text(text)} for at, text in pairs]
        return chart | {"type": kind}


def _read_rules(layout: Any) -> tuple[list[dict[str, Any]], set[str]]:
    """Return straight lines across the plot, and the texts that stand beside them."""
    rules: list[dict[str, Any]] = []
    told: set[str] = set()
    for shape in layout.shapes:
        across = shape.y0 == shape.y1 and str(shape.xref or "").endswith(("domain", "paper"))
        upright = shape.x0 == shape.x1 and str(shape.yref or "").endswith(("domain", "paper"))
        if shape.type != "line" or across == upright:
            raise unsupported(f"a {shape.type} shape; known are add_hline and add_vline")
        letter, at = ("y", shape.y0) if across else ("x", shape.x0)
        rule: dict[str, Any] = {
            "axis": letter,
            "at": float(at),
            "dash": shape.line.dash or "dash",
        }
        rule["colour"] = read_colour(shape.line.color) or {"role": "context"}
        for note in layout.annotations:
            if getattr(note, letter) == at and "domain" in f"{note.xref}{note.yref}":
                rule["text"] = plain_text(note.text)
                told.add(rule["text"])
        rules.append(rule)
    return rules, told


def _read_notes(layout: Any, told: set[Any]) -> list[dict[str, Any]]:
    """Return the notes at a point; what ``told`` has stands elsewhere already."""
    notes = []
    for note in layout.annotations:
        text = plain_text(note.text)
        if not text or text in told:
            continue
        if (note.xref or "x", note.yref or "y") != ("x", "y"):
            raise unsupported(f"the note {text!r:.60} that is not placed by both axes")
        x, y = (
            10.0 ** float(v) if axis.type == "log" else float(v)
            for v, axis in ((note.x, layout.xaxis), (note.y, layout.yaxis))
        )
        colour = read_colour(note.font.color) or {"role": "context"}
        notes.append({"x": x, "y": y, "text": text, "colour": colour})
    return notes


def walk(chart: dict[str, Any], visit: Callable[[dict[str, Any], str], Any]) -> dict[str, Any]:
    """Return the chart with every array of every series replaced by ``visit(series, name)``."""
    series = [
        {k: visit(one, k) if isinstance(v, np.ndarray) else v for k, v in one.items()}
        for one in chart["series"]
    ]
    return chart | {"series": series}
