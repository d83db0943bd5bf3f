"""The parts that every figure of ``plots`` is put together from: template, checks, alt text."""

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_course.drawing import palette
from attention_course.drawing.palette import ROLES, SERIES, Look

INK = ROLES["context"].light
_HATCHES = ("", "/", ".", "x", "-", "|")
_RULE = "rgba(128,128,128,0.28)"
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_AXIS = {
    "gridcolor": _RULE,
    "linecolor": _RULE,
    "zeroline": False,
    "ticks": "outside",
    "tickcolor": _RULE,
    "ticklen": 4,
    "title": {"standoff": 10, "font": {"size": 14}},
    "automargin": True,
}


def _stops(colours: list[str]) -> list[list[Any]]:
    """Spread colours evenly over the scale from 0 to 1."""
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


SEQUENTIAL = _stops(palette.SEQUENTIAL["light"])
DIVERGING = _stops(palette.DIVERGING["light"])
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "inherit", "size": 14, "color": INK},
        "title": {
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 14, "l": 4},
            "font": {"size": 15, "weight": 600},
        },
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {**_AXIS, "showgrid": False, "showline": True},
        "yaxis": _AXIS,
        "bargap": 0.25,
        "hovermode": "closest",
        "margin": {"l": 56, "r": 16, "t": 64, "b": 48},
        "showlegend": False,
    }
)


def as_numbers(function: str, argument: str, values: object) -> np.ndarray:
    """Return a one-axis float array, or raise."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(
            f"{function}: {argument} must be a list of numbers, got {values!r:.60}"
        )
    return array


def check_positive(function: str, argument: str, values: np.ndarray, wanted: bool) -> None:
    """Raise where a logarithm is asked of something that has none."""
    if wanted and not np.all((values > 0) | np.isnan(values)):
        raise ValueError(
            f"{function}: {argument} must be positive on a log axis, "
            f"got {np.nanmin(values):.3g}"
        )


def as_series(function: str, series: Mapping[str, Any], length: int) -> dict[str, np.ndarray]:
    """Return label to array, every array of the given length, or raise."""
    if not isinstance(series, Mapping) or not series:
        raise ValueError(f"{function}: series must be a mapping of labels, got {series!r:.60}")
    data = {str(k): as_numbers(function, f"series {k!r}", v) for k, v in series.items()}
    for label, y in data.items():
        if len(y) != length:
            raise ValueError(
                f"{function}: series {label!r} must have {length} numbers, got {len(y)}"
            )
    return data


def choose_looks(series: Mapping[str, Any]) -> dict[str, Look]:
    """Give every label the next neutral look."""
    return dict(zip(series, itertools.cycle(SERIES.values()), strict=False))


def as_bands(
    bands: Mapping[str, Any] | None, series: Mapping[str, Any], length: int
) -> dict[str, Any]:
    """Return label to (low, high), checked against the lines they belong to."""
    checked = {}
    for label, pair in (bands or {}).items():
        if label not in series or len(pair) != 2:
            raise ValueError(f"lines: bands must map a label to (low, high), got {label!r}")
        checked[label] = tuple(as_series("lines", {label: p}, length)[label] for p in pair)
    return checked


def choose_names(argument: str, names: Sequence[str] | None, length: int) -> list[str]:
    """Return the names of rows or columns, or raise."""
    names = [str(i) for i in range(length)] if names is None else [str(n) for n in names]
    if len(set(names)) != length:
        raise ValueError(f"heatmap: {argument} must be {length} different names, got {names}")
    return names


def short(values: Sequence[Any] | np.ndarray) -> list[float | None]:
    """Return floats of six significant digits, with None for what is not finite."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in np.asarray(values, float)]


def three_digits(value: float) -> str:
    """Write a number for the alt text, with three significant digits."""
    return f"{value + 0.0:.3g}"


def describe_path(y: np.ndarray) -> str:
    """Say where a line starts and ends, and how far it strays."""
    seen = y[np.isfinite(y)]
    if not seen.size:
        return "no values"
    first, last, highest, lowest = map(
        three_digits, (seen[0], seen[-1], seen.max(), seen.min())
    )
    text = f"from {first} to {last}"
    # What is written alike is alike: 1 and a rounding above it.
    if highest not in (first, last):
        text += f", highest {highest}"
    if lowest not in (first, last):
        text += f", lowest {lowest}"
    return text


def empty_figure(title: str, x_title: str, y_title: str) -> go.Figure:
    """Start a figure: template, title and axis titles; the site sets the title itself."""
    wrapped = balanced(title, 64)
    figure = go.Figure(layout={"template": TEMPLATE, "height": 370 + 20 * (len(wrapped) - 1)})
    figure.update_layout(
        title_text="<br>".join(wrapped), margin_t=28 + 20 * len(wrapped), autosize=True
    )
    figure.update_xaxes(title_text="<br>".join(balanced(x_title, 34)))
    figure.update_yaxes(title_text="<br>".join(balanced(y_title, 34)))
    return figure


def balanced(text: str, longest: int) -> list[str]:
    """Break a text into as few lines as needed, of about the same length."""
    n_lines = len(textwrap.wrap(text, longest))
    width = next(w for w in range(1, longest + 1) if len(textwrap.wrap(text, w)) <= n_lines)
    return textwrap.wrap(text, width)


def line_trace(
    x: np.ndarray, y: np.ndarray, label: str, look: Look, i: int, marked: bool
) -> go.Scatter:
    """Return one line in its colour; dash and marker tell it apart without."""
    dash = _DASHES[(i + i // len(SERIES)) % len(_DASHES)]
    return go.Scatter(
        x=short(x),
        y=short(y),
        name=label,
        mode="lines+markers" if marked else "lines",
        line={"color": look.light, "width": 2.2, "dash": dash},
        marker={"symbol": look.marker, "size": 8, "color": look.light},
    )


def bar_marker(look: Look, i: int) -> dict[str, Any]:
    """Return the look of the bars of series ``i``; hatching tells it apart without colour."""
    marker: dict[str, Any] = {"color": look.light}
    if shape := _HATCHES[i % len(_HATCHES)]:
        marker["pattern"] = {
            "shape": shape,
            "fgcolor": palette.NEUTRALS["paper"][0],
            "fillmode": "overlay",
            "size": 7,
            "solidity": 0.18,
        }
    return marker


def point_trace(x: np.ndarray, y: np.ndarray, look: Look) -> go.Scatter:
    """Return open markers for single measurements."""
    marker = {"symbol": look.marker + "-open", "size": 13, "color": look.light}
    marker["line"] = {"width": 2, "color": look.light}
    return go.Scatter(x=short(x), y=short(y), mode="markers", marker=marker, name="this run")


def band_trace(x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> go.Scatter:
    """Return a shaded interval as one closed outline."""
    return go.Scatter(
        x=short(np.concatenate([x, x[::-1]])),
        y=short(np.concatenate([high, low[::-1]])),
        fill="toself",
        fillcolor=colour,
        opacity=0.18,
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        name="interval",
    )


def span_of(series: Mapping[str, Any], bands: Mapping[str, Any] | None) -> tuple[float, float]:
    """Return the lowest and highest number that is drawn."""
    parts = [*series.values(), *(edge for pair in (bands or {}).values() for edge in pair)]
    seen = np.concatenate([np.asarray(p, float) for p in parts])
    seen = seen[np.isfinite(seen)]
    return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)


def label_ends(
    figure: go.Figure,
    series: Mapping[str, np.ndarray],
    looks: Mapping[str, Look],
    limits: tuple[float, float],
    log_y: bool,
) -> None:
    """Write each label beside the last point of its line, moved apart where they collide."""
    scale = np.log10 if log_y else np.asarray
    ends = {k: y[np.isfinite(y)][-1] for k, y in series.items() if np.isfinite(y).any()}
    low, high = scale(limits[0]), scale(limits[1])
    pixels = 250 / ((high - low) or 1.0)
    # In pixels: between two labels, and their highest place; an axis that fits itself has room.
    apart, highest = 18, 253 if figure.layout.yaxis.range else 268
    order = sorted(ends, key=lambda name: ends[name])
    at = {k: float((scale(np.clip(ends[k], *limits)) - low) * pixels) for k in order}
    places, free = dict(at), -np.inf
    for label in order:  # upwards, and back down from the top where that is too high
        places[label] = free = max(at[label], free + apart)
    free = highest + apart
    for label in reversed(order):
        places[label] = free = min(places[label], free - apart)
    for label in order:
        figure.add_annotation(
            x=1,
            xref="paper",
            xanchor="left",
            xshift=6,
            y=short([scale(ends[label])])[0],
            yref="y",
            yshift=round(places[label] - at[label], 1),
            text=label,
            showarrow=False,
            font={"color": looks[label].light},
        )
    figure.update_layout(margin_r=24 + round(7.6 * max(map(len, ends), default=0)))


def show_legend(figure: go.Figure, n_series: int) -> None:
    """Add a legend above the picture if there is more than one series."""
    if n_series > 1:
        figure.update_layout(
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
            margin_t=figure.layout.margin.t + 22,
        )


def power_ticks(x: np.ndarray) -> dict[str, Any]:
    """Name every position that is a power of two; leave other axes to plotly."""
    powers = np.log2(x)
    if not np.allclose(powers, powers.round()):
        return {"exponentformat": "power"}
    ticks = x if len(x) <= 8 else x[:: -(-len(x) // 6)]
    return {"tickvals": short(ticks), "ticktext": [f"{v:g}" for v in ticks]}


def log_step(series: Mapping[str, Any]) -> int:
    """Return how many powers of ten to leave between two ticks."""
    low, high = np.log10(span_of(series, None))
    return max(1, int(np.ceil((high - low) / 6)))


def with_alt(
    figure: go.Figure,
    kind: str,
    title: str,
    x_title: str,
    y_title: str,
    parts: Sequence[str],
    x: np.ndarray | None = None,
) -> go.Figure:
    """Store the sentence that describes the figure, from the numbers it draws."""
    across = f"Across: {x_title}"
    if x is not None and len(x):
        across += f", from {three_digits(x.min())} to {three_digits(x.max())}"
    body = "; ".join(parts)
    figure.update_layout(meta={"alt": f"{kind}: {title}. {across}. Up: {y_title}. {body}."})
    return figure
