"""The traces of a plotly figure as series of a chart."""

import html
import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_course.drawing.palette import FAINT, ROLES, SERIES, Look

TRACES = (
    "scatter (lines, markers, error_y, filled bands), bar (vertical) and heatmap traces on one "
    "pair of axes"
)
MARKERS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "star",
    "hexagon",
    "cross",
    "x",
)
_LOOKS: dict[str, Look] = {**ROLES, **SERIES}
_NAME_OF = {look.light: name for name, look in _LOOKS.items()}
_RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWERED = str.maketrans("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋")


def unsupported(what: str) -> ValueError:
    """Return the error for a figure that cannot be drawn."""
    return ValueError(f"explore: figure must have {TRACES}, got {what}")


def plain_text(text: Any) -> str:
    """Turn plotly's small HTML into plain text: line breaks, powers and indices stay."""
    text = re.sub(r"<br\s*/?>", " ", str(text or ""))
    text = re.sub(r"<sup>(.*?)</sup>", lambda m: m[1].translate(_RAISED), text)
    text = re.sub(r"<sub>(.*?)</sub>", lambda m: m[1].translate(_LOWERED), text)
    return html.unescape(re.sub(r"<[^>]*>", "", text)).strip()


def as_floats(values: Any, what: str) -> np.ndarray:
    """Return an array of floats with NaN for None, or raise."""
    try:
        numbers = [np.nan if v is None else float(v) for v in np.asarray(values, dtype=object)]
    except (TypeError, ValueError):
        raise unsupported(f"{what} that are not numbers") from None
    return np.array(numbers)


def read_series(
    traces: Sequence[Any], axes: dict[str, Any], labelled: bool, notes: set[str]
) -> list[dict[str, Any]]:
    """Return one or more series for each trace, in order."""
    series: list[dict[str, Any]] = []
    before: dict[str, Any] | None = None
    for trace in traces:
        name = plain_text(trace.name)
        seen = labelled and trace.showlegend is not False
        # A note that repeats a name is that line's label, which the chart places itself.
        head = {"name": name, "label": bool(name and (seen or name in notes))}
        read = _read_bar if trace.type == "bar" else _read_scatter
        series += read(trace, axes, head, before)
        before = series[-1] if series else None
    return _finish(series)


def _finish(series: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop invisible edges, colour what has no colour, and tie each band to its line."""
    series = [s for s in series if not s.pop("hidden", False)]
    free = itertools.cycle(SERIES)
    for one in series:
        if not one["colour"]:
            one["colour"] = {"role": next(free)}
        if one.get("marker") == "":
            one["marker"] = _LOOKS[one["colour"].get("role", "series-1")].marker
    for one in series:
        same = [
            i
            for i, s in enumerate(series)
            if s["kind"] == "line" and s["colour"] == one["colour"]
        ]
        if one["kind"] == "band" and same:
            one["of"] = same[0]
    return series


def read_colour(*candidates: Any) -> dict[str, str]:
    """Return the first colour given: by its name if it is one of the palette's."""
    for colour in candidates:
        if isinstance(colour, str) and colour:
            role = _NAME_OF.get(colour.lower()[:7])
            if not role and (rgb := re.match(r"rgba?\((\d+),\s*(\d+),\s*(\d+)", colour)):
                role = _NAME_OF.get("#" + bytes(map(int, rgb.groups())).hex())
            return {"role": role} if role else {"css": colour}
        if colour is not None and not isinstance(colour, str):
            raise unsupported("a trace whose marks have several colours")
    return {}


def _errors(trace: Any, y: np.ndarray) -> dict[str, np.ndarray]:
    bars = trace.error_y
    if trace.error_x.array is not None or (trace.error_x.type or "data") != "data":
        raise unsupported("error_x")
    if bars.visible is False or (bars.array is None and bars.value is None):
        return {}
    if bars.type in ("percent", "sqrt"):
        raise unsupported(f"error_y of type {bars.type}")
    if bars.array is None:
        up = np.full(len(y), float(bars.value))
        down = up if bars.valueminus is None else np.full(len(y), float(bars.valueminus))
    else:
        up = as_floats(bars.array, "error_y")
        one_sided = bars.arrayminus is not None and bars.symmetric is not True
        down = as_floats(bars.arrayminus, "error_y") if one_sided else up
    return {"low": y - down, "high": y + up}


def _read_bar(
    trace: Any, axes: dict[str, Any], head: dict[str, Any], _: Any
) -> list[dict[str, Any]]:
    if trace.orientation == "h":
        raise unsupported("horizontal bars")
    y = as_floats(trace.y, "heights")
    x = axes["x"].place(trace.x, len(y))
    bar = {"kind": "bar", **head, "colour": read_colour(trace.marker.color), "x": x, "y": y}
    if trace.opacity is not None:
        bar["opacity"] = float(trace.opacity)
    return [bar | _errors(trace, y)]


def _read_scatter(
    trace: Any, axes: dict[str, Any], head: dict[str, Any], before: dict[str, Any] | None
) -> list[dict[str, Any]]:
    mode = trace.mode or ("lines+markers" if len(trace.y) < 20 else "lines")
    if "text" in mode:
        raise unsupported("a scatter trace with text")
    if trace.line.shape not in (None, "linear", "hv", "spline"):
        raise unsupported(f"a line of shape {trace.line.shape}")
    y = axes["y"].place(trace.y, 0)
    x = axes["x"].place(trace.x, len(y))
    colour = read_colour(trace.line.color, trace.marker.color)
    bands = _read_fill(trace, x, y, colour, before)
    if trace.fill == "toself":
        return bands
    line: dict[str, Any] = {
        "kind": "line",
        **head,
        "colour": colour,
        "x": x,
        "y": y,
        "lines": "lines" in mode,
        "marker": _marker(trace.marker.symbol) if "markers" in mode else None,
        "dash": trace.line.dash,
        "opacity": trace.opacity,
        "steps": trace.line.shape == "hv" or None,
    }
    width = trace.line.width
    line["width"] = None if width is None else float(width)
    # The invisible edge of a band is kept until the band has used it.
    line["hidden"] = mode == "none" or (width == 0 and "markers" not in mode)
    return [*bands, {k: v for k, v in line.items() if v is not None} | _errors(trace, y)]


def _read_fill(
    trace: Any, x: Any, y: Any, colour: dict[str, Any], before: dict[str, Any] | None
) -> list[dict[str, Any]]:
    if trace.fill in (None, "none"):
        return []
    half = len(x) // 2
    if trace.fill == "tozeroy":
        low, high = np.zeros(len(y)), y
    elif trace.fill == "tonexty" and before is not None and np.array_equal(before["x"], x):
        low, high = before["y"], y
    elif (
        trace.fill == "toself"
        and len(x) == 2 * half
        and np.array_equal(x[:half], x[half:][::-1])
    ):
        x, high, low = x[:half], y[:half], y[half:][::-1]
    else:
        raise unsupported(f"a fill ({trace.fill}) that is no band over shared x values")
    band = {"kind": "band", "colour": read_colour(trace.fillcolor) or colour, "x": x}
    if "rgba" in band["colour"].get("css", ""):
        band["opacity"] = 1.0  # the colour has its own
    return [band | {"low": np.minimum(low, high), "high": np.maximum(low, high)}]


def _marker(symbol: Any) -> str:
    if symbol is None:
        return ""  # the role's own, once the role is known
    shape = str(symbol).removesuffix("-open")
    if shape not in MARKERS:
        raise unsupported(f"the marker {symbol!r}; known are {', '.join(MARKERS)}")
    return shape


def read_heat(trace: Any, axes: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a heatmap; ``own`` is the range of its own values."""
    rows = [as_floats(row, "cells") for row in trace.z]
    if not rows or len({len(row) for row in rows}) != 1 or not len(rows[0]):
        raise unsupported("a heatmap without cells, or with rows of several lengths")
    z = np.array(rows)
    for letter, count in (("x", z.shape[1]), ("y", z.shape[0])):
        names = getattr(trace, letter)
        names = range(count) if names is None else names
        texts = [plain_text(v) if isinstance(v, str) else f"{float(v):.6g}" for v in names]
        if len(texts) != count:
            raise unsupported(f"a heatmap with {len(texts)} {letter} names for {count} cells")
        axes[letter].names = texts
    seen = z[np.isfinite(z)]
    low, high = (seen.min(), seen.max()) if seen.size else (0.0, 1.0)
    signed = trace.zmid is not None or low < 0 < high
    stops = trace.colorscale
    if stops and len(stops) == 3 and stops[1][1].lower() == FAINT[0]:
        signed = True
    if signed:
        low, high = -max(abs(low), abs(high)), max(abs(low), abs(high))
    heat: dict[str, Any] = {
        "kind": "heat",
        "name": plain_text(trace.name),
        "z": z.ravel(),
        "columns": z.shape[1],
        "map": "diverging" if signed else "sequential",
        "own": [float(low), float(high)],
        "bar": trace.showscale is not False,
    }
    if trace.zmin is not None and trace.zmax is not None:
        heat["own"] = [float(trace.zmin), float(trace.zmax)]
    template = re.search(r"%\{z(?::\.(\d)f)?\}", trace.texttemplate or "")
    if template:
        heat["digits"] = int(template[1] or 2)
    elif trace.texttemplate:
        raise unsupported(f"the cell text {trace.texttemplate!r}; known is '%{{z:.2f}}'")
    return heat
