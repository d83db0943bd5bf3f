"""What was measured live, over what was recorded, over what others published."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from attention_course.drawing._plot_parts import (
    describe_path,
    empty_figure,
    log_step,
    power_ticks,
    short,
    three_digits,
    with_alt,
)
from attention_course.drawing.palette import SERIES, Look

_RECORDED = ("solid", "dash", "longdash", "dashdot")


class _Line(NamedTuple):
    """One series: its variant gives the colour, its source the style."""

    variant: str
    source: str
    kind: str
    x: np.ndarray
    y: np.ndarray

    @property
    def name(self) -> str:
        return f"{self.variant}, {self.source}"


def measured(
    results: Any,
    quantity: str,
    *,
    title: str,
    x_title: str = "sequence length n",
    y_title: str | None = None,
    x: str = "n",
    variants: Sequence[str] | None = None,
    published: Sequence[Any] = (),
    log_y: bool = True,
    over: str | None = None,
    **size: Any,
) -> go.Figure:
    """Draw a benchmark: this run's series, open and dotted, over those that were recorded.

    What comes from this run's clock is marked, so that the course's tests compare everything
    about it save its heights. What others published is drawn thin, and named as theirs.

    Args:
        results: of ``benchmarks.run``, or one of its ``recorded``.
        quantity: what is drawn: "milliseconds", "TFLOP/s", "extra_bytes", ...
        title: the point of the figure, as a sentence that holds on any device.
        x_title: what the horizontal axis shows.
        y_title: what the vertical axis shows; the quantity unless given.
        x: which of the sizes is the horizontal axis.
        variants: which are drawn; all, unless given.
        published: rows of ``data.published``, in the same unit.
        log_y: draw the vertical axis in powers of ten.
        over: divide each height by that of this variant at the same size, of the same source.
            It must be among those that are drawn; its own series, all ones, is left out.
        **size: which of the other sizes, such as ``causal=False``.

    Returns:
        The figure; the alt text is in ``layout.meta``.

    Raises:
        ValueError: if there is nothing to draw, or a published row has another unit.
    """
    kept = list(variants or results.variants)
    lines = [*_recorded(results, kept, x, quantity, size)]
    lines += [_theirs(row, quantity) for row in published]
    if results.live:
        lines += _of(results, "live", "live", kept, x, quantity, size)
    if over is not None:
        lines = list(_divided(lines, over))
    if not lines:
        raise ValueError(f"measured: expected something to draw of {kept} at {size}, got none")
    names = list(dict.fromkeys([*kept, *(line.variant for line in lines)]))
    looks = dict(zip(names, list(SERIES.values()) * len(names), strict=False))
    devices = list(dict.fromkeys(line.source for line in lines if line.kind == "recorded"))
    figure = empty_figure(title, x_title, y_title or quantity)
    clocked = not quantity.startswith("extra")  # which is counted
    for line in lines:
        dash = _RECORDED[devices.index(line.source) % 4] if line.kind == "recorded" else "dot"
        figure.add_trace(_trace(line, looks[line.variant], dash, clocked))
    all_x = np.unique(np.concatenate([line.x for line in lines]))
    figure.update_xaxes(type="log", **power_ticks(all_x))
    if log_y:
        step = log_step({line.name: line.y for line in lines})
        figure.update_yaxes(type="log", exponentformat="power", dtick=step)
    else:
        figure.update_yaxes(rangemode="tozero")
    _name_below(figure, len(lines))
    parts = [f"{line.name}: {_described(line, clocked)}" for line in lines]
    return with_alt(figure, "Line chart", title, x_title, y_title or quantity, parts, all_x)


def _recorded(
    results: Any, variants: list[str], x: str, quantity: str, size: dict[str, Any]
) -> Iterator[_Line]:
    """Yield what was recorded: on every device, for a live run; else the results themselves."""
    for found in results.recorded if results.live else [results]:
        name = found.device["name"].removeprefix("NVIDIA ")
        yield from _of(found, name, "recorded", variants, x, quantity, size)


def _of(
    results: Any,
    source: str,
    kind: str,
    variants: list[str],
    x: str,
    quantity: str,
    size: dict[str, Any],
) -> Iterator[_Line]:
    for variant in variants:
        at, heights = results.series(variant, x, quantity, **size)
        if at:
            yield _Line(variant, source, kind, np.array(at, float), np.array(heights, float))


def _divided(lines: Sequence[_Line], over: str) -> Iterator[_Line]:
    """Yield the other lines, divided by the heights of ``over`` in the same source."""
    unit = {
        line.source: dict(zip(line.x, line.y, strict=True))
        for line in lines
        if line.variant == over
    }
    for line in lines:
        below = unit.get(line.source, {})
        x = np.array([n for n in line.x if n in below])
        if line.variant != over and x.size:
            y = line.y[np.isin(line.x, x)] / np.array([below[n] for n in x])
            yield line._replace(x=x, y=y)


def _theirs(row: Any, quantity: str) -> _Line:
    if row.unit != quantity:
        raise ValueError(f"measured: expected published rows in {quantity!r}, got {row.unit!r}")
    source = f"{row.device}: {row.cite}"
    return _Line(
        row.variant, source, "published", np.array(row.n, float), np.array(row.values, float)
    )


def _trace(line: _Line, look: Look, dash: str, clocked: bool) -> go.Scatter:
    live, theirs = line.kind == "live", line.kind == "published"
    marker: dict[str, Any] = {"symbol": look.marker, "size": 8, "color": look.light}
    if live:
        marker |= {"symbol": f"{look.marker}-open", "size": 13, "line": {"width": 2}}
    if theirs:
        marker |= {"symbol": "x-thin-open", "size": 7}
    return go.Scatter(
        x=short(line.x),
        y=short(line.y),
        name=line.name,
        mode="lines+markers",
        line={"color": look.light, "width": 1.2 if theirs or live else 2.2, "dash": dash},
        marker=marker,
        meta={"live": True} if live and clocked else None,
    )


def _described(line: _Line, clocked: bool) -> str:
    if line.kind == "live" and clocked:
        first, last = (three_digits(height) for height in line.y[[0, -1]])
        # Never "≈ 4" before a full stop, which would read like the decimal point of "≈ 4.".
        return f"from ≈ {first} to ≈ {last if '.' in last or 'e' in last else f'{last}.0'}"
    return describe_path(line.y)


def _name_below(figure: go.Figure, n_lines: int) -> None:
    """Name the lines in a list below, which a telephone shows as it is."""
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "v", "x": 0, "y": -0.3, "yanchor": "top"},
        height=figure.layout.height + 22 * n_lines,
    )
