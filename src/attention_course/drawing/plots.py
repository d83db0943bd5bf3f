"""Plotly figures with one look: quiet, direct labels, and a sentence that says what is drawn.

Every figure is a plain ``go.Figure`` of scatter, bar and heatmap traces. Its colours are
the palette's light hexes (a shaded band has two more digits, its opacity), so that the site
changes to the dark theme by replacing text (``palette.DARK``). ``layout.meta.alt`` describes
the figure in words, from the same numbers that are drawn. Numbers are stored as short lists
with six significant digits: notebooks stay small and their differences readable.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_course.drawing._plot_parts import (
    DIVERGING,
    INK,
    SEQUENTIAL,
    as_bands,
    as_numbers,
    as_series,
    band_trace,
    bar_marker,
    check_positive,
    choose_looks,
    choose_names,
    describe_path,
    empty_figure,
    label_ends,
    line_trace,
    log_step,
    point_trace,
    power_ticks,
    short,
    show_legend,
    span_of,
    three_digits,
    with_alt,
)


def lines(
    x: Sequence[Any] | np.ndarray,
    series: Mapping[str, Sequence[Any] | np.ndarray],
    *,
    title: str,
    x_title: str,
    y_title: str,
    bands: Mapping[str, tuple[Any, ...]] | None = None,
    points: Mapping[str, Sequence[Any] | np.ndarray] | None = None,
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw one line for each label, named at its right end.

    Args:
        x: positions, shared by all lines.
        series: label to heights; NaN leaves a gap.
        title: the point of the figure, as a sentence.
        x_title: what the horizontal axis shows, with its unit.
        y_title: the same for the vertical axis.
        bands: label to (low, high), drawn as a shaded interval behind that line.
        points: label to heights of single measurements, drawn as open markers in the colour
            of that line; NaN where there is none.
        log_x: draw the horizontal axis in powers of ten.
        log_y: draw the vertical axis in powers of ten.
        y_range: limits of the vertical axis, in data units.

    Returns:
        The figure; the alt text is in ``layout.meta``.

    Raises:
        ValueError: if a length differs, or a logarithm has no value.

    Source:
        Direct labels: common practice in printed charts.

    >>> figure = lines([1, 2], {"a": [3, 4]}, title="T", x_title="x", y_title="y")
    >>> figure.layout.meta["alt"]
    'Line chart: T. Across: x, from 1 to 2. Up: y. a: from 3 to 4.'
    """
    x = as_numbers("lines", "x", x)
    check_positive("lines", "x", x, log_x)
    series = as_series("lines", series, len(x))
    looks = choose_looks(series)
    figure = empty_figure(title, x_title, y_title)
    for label, (low, high) in as_bands(bands, series, len(x)).items():
        figure.add_trace(band_trace(x, low, high, looks[label].light))
    for i, (label, y) in enumerate(series.items()):
        check_positive("lines", f"series {label!r}", y, log_y)
        figure.add_trace(line_trace(x, y, label, looks[label], i, log_x or len(x) <= 16))
    for label, y in (as_series("lines", points, len(x)) if points else {}).items():
        if label not in series:
            raise ValueError(f"lines: points must belong to a line, got {label!r}")
        figure.add_trace(point_trace(x, y, looks[label]))
    if log_x:
        figure.update_xaxes(type="log", **power_ticks(x))
    if log_y:
        figure.update_yaxes(type="log", exponentformat="power", dtick=log_step(series))
    limits = y_range or span_of(series, bands)
    if y_range:
        figure.update_yaxes(range=list(np.log10(y_range)) if log_y else list(y_range))
    label_ends(figure, series, looks, limits, log_y)
    parts = [f"{label}: {describe_path(y)}" for label, y in series.items()]
    return with_alt(figure, "Line chart", title, x_title, y_title, parts, x)


def bars(
    categories: Sequence[str],
    series: Mapping[str, Sequence[Any] | np.ndarray],
    *,
    title: str,
    x_title: str,
    y_title: str,
    errors: Mapping[str, Sequence[Any] | np.ndarray] | None = None,
) -> go.Figure:
    """Draw bars, side by side where there are several series.

    Args:
        categories: names under the bars.
        series: label to heights.
        title: the point of the figure, as a sentence.
        x_title: what the categories are.
        y_title: what the heights are, with their unit.
        errors: label to half-widths of an interval around each height.

    Returns:
        The figure; the alt text is in ``layout.meta``.

    Source:
        Common practice.

    >>> figure = bars(["a", "b"], {"w": [0.25, 0.75]}, title="T", x_title="x", y_title="y")
    >>> figure.layout.meta["alt"]
    'Bar chart: T. Across: x. Up: y. w: a 0.25, b 0.75.'
    """
    names = [str(c) for c in categories]
    series = as_series("bars", series, len(names))
    looks = choose_looks(series)
    errors = as_series("bars", errors, len(names)) if errors else {}
    figure = empty_figure(title, x_title, y_title)
    for i, (label, y) in enumerate(series.items()):
        bar = go.Bar(x=names, y=short(y), name=label, marker=bar_marker(looks[label], i))
        if label in errors:
            bar.error_y = {"array": short(errors[label]), "color": INK, "thickness": 1.5}
        figure.add_trace(bar)
    figure.update_xaxes(type="category")
    figure.update_layout(barmode="group")
    show_legend(figure, len(series))
    parts = [
        f"{label}: "
        + ", ".join(f"{n} {three_digits(v)}" for n, v in zip(names, y, strict=True))
        for label, y in series.items()
    ]
    return with_alt(figure, "Bar chart", title, x_title, y_title, parts)


def heatmap(
    values: np.ndarray,
    *,
    title: str,
    x_title: str,
    y_title: str,
    x_labels: Sequence[str] | None = None,
    y_labels: Sequence[str] | None = None,
    signed: bool = False,
    digits: int = 2,
) -> go.Figure:
    """Draw a matrix, first row on top, with its numbers where they fit.

    Args:
        values: the matrix; weights from 0 to 1, or anything if ``signed``.
        title: the point of the figure, as a sentence.
        x_title: what the columns are (keys, as a rule).
        y_title: what the rows are (queries, as a rule).
        x_labels: names of the columns; 0, 1, ... unless given.
        y_labels: names of the rows.
        signed: use the diverging map, with 0 in the middle.
        digits: decimals of the numbers written into the cells.

    Returns:
        The figure; the alt text is in ``layout.meta``.

    Raises:
        ValueError: if ``values`` is not a matrix of finite numbers, if a name is missing, or
            if a weight lies outside 0 to 1.

    Source:
        Common practice.

    >>> figure = heatmap(np.eye(2), title="T", x_title="key", y_title="query")
    >>> figure.layout.meta["alt"].endswith("Row 0: largest 1 at 0. Row 1: largest 1 at 1.")
    True
    >>> figure = heatmap(-np.eye(2), title="T", x_title="key", y_title="query", signed=True)
    >>> figure.layout.meta["alt"][-33:]
    ' Row 1: farthest from 0: -1 at 1.'
    """
    z = np.asarray(values, dtype=float)
    if z.ndim != 2 or not z.size or not np.isfinite(z).all():
        raise ValueError(f"heatmap: values must be a finite matrix, got shape {z.shape}")
    if not signed and (z.min() < -1e-9 or z.max() > 1 + 1e-9):
        raise ValueError(
            "heatmap: values must be weights from 0 to 1 (or pass signed=True), "
            f"got {z.min():.3g} to {z.max():.3g}"
        )
    columns = choose_names("x_labels", x_labels, z.shape[1])
    rows = choose_names("y_labels", y_labels, z.shape[0])
    limit = float(np.abs(z).max()) or 1.0
    trace = go.Heatmap(
        z=[short(row) for row in z],
        x=columns,
        y=rows,
        zmin=short([-limit])[0] if signed else 0,
        zmax=short([limit])[0] if signed else 1,
        colorscale=DIVERGING if signed else SEQUENTIAL,
        xgap=1,
        ygap=1,
        colorbar={"thickness": 10, "outlinewidth": 0, "len": 0.9},
    )
    if z.size <= 100 and z.shape[1] <= 12:
        trace.texttemplate = f"%{{z:.{digits}f}}"
        trace.showscale = False
    figure = empty_figure(title, x_title, y_title)
    figure.add_trace(trace)
    figure.update_xaxes(type="category", showline=False, ticks="")
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, ticks="")
    parts = []
    for name, row in zip(rows, z, strict=True):
        top = int(np.abs(row).argmax())
        most = "farthest from 0:" if signed else "largest"
        parts.append(f"Row {name}: {most} {three_digits(row[top])} at {columns[top]}")
    return with_alt(figure, "Heat map", title, x_title, y_title, [". ".join(parts[:12])])
