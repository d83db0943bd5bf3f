"""Translators of the small world: how often they are right.

A run is what ``benchmarks/small_world.py`` records of one model and seed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from attention_course.drawing._plot_parts import balanced
from attention_course.drawing.plots import bars

Run = Mapping[str, Any]
NAMES = {
    "fixed": "fixed vector",
    "bahdanau": "attention",
    "transformer-1-4": "Transformer",
}
_LENGTHS = {f"to {last}": f"to {last}" for last in (6, 9, 12, 16, 20, 30)} | {"to 200": "more"}


def _grouped(runs: Sequence[Run], names: Mapping[str, str]) -> dict[str, list[Run]]:
    """Return the runs of each model, named with how many they are."""
    found = {}
    for model, name in names.items():
        own = [run for run in runs if run["model"] == model]
        if own:
            found[f"{name} ({len(own)} run{'s' * (len(own) > 1)})"] = own
    if not found:
        there = sorted({run["model"] for run in runs})
        raise ValueError(f"right_by: runs must have one of {[*names]}, got only {there}")
    if len({run["from"] for group in found.values() for run in group}) > 1:
        raise ValueError("right_by: runs must be from one language, got two")
    return found


def _bars(
    categories: Sequence[str],
    values: Mapping[str, Sequence[Sequence[float]]],
    *,
    title: str,
    x_title: str,
    y_title: str,
) -> go.Figure:
    """Draw means over runs, and half their range where there are several."""
    columns = {name: [*zip(*rows, strict=True)] for name, rows in values.items()}
    means = {n: [sum(column) / len(column) for column in own] for n, own in columns.items()}
    halves = {
        name: [(max(column) - min(column)) / 2 for column in own]
        for name, own in columns.items()
        if len(values[name]) > 1
    }
    return bars(
        categories, means, errors=halves or None, title=title, x_title=x_title, y_title=y_title
    )


def right_by(
    runs: Sequence[Run], what: str, *, title: str, names: Mapping[str, str] = NAMES
) -> go.Figure:
    """Draw which share of sentences each model translates rightly.

    Bars are means over the recorded runs, and the lines on them half the range of several.

    Args:
        runs: of one source language.
        what: "length", in words of the source, or "phenomenon".
        title: the point of the figure, as a sentence.
        names: which models are drawn, and what they are called; those without a run are not.

    Returns:
        The figure; its alternative text stands in ``layout.meta``.

    Raises:
        ValueError: if no run is of one of the models, the runs are from two languages, or
            ``what`` is another.
    """
    if what not in ("length", "phenomenon"):
        raise ValueError(f"right_by: what must be 'length' or 'phenomenon', got {what!r}")
    groups = _grouped(runs, names)
    rows = {name: [run[f"right_by_{what}"] for run in own] for name, own in groups.items()}
    there = [*next(iter(rows.values()))[0]]
    keys = [key for key in _LENGTHS if key in there] if what == "length" else there
    values = {
        name: [[row[key][0] for key in keys] for row in own] for name, own in rows.items()
    }
    called = [_LENGTHS.get(key, key) for key in keys]
    x_title = "words of the sentence" if what == "length" else "what a sentence has"
    figure = _bars(called, values, title=title, x_title=x_title, y_title="share right")
    folded = ["<br>".join(balanced(name, 12)) for name in called]
    return figure.update_xaxes(tickmode="array", tickvals=called, ticktext=folded)
