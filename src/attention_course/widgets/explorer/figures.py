"""A heat map, lines or bars of ``drawing.plots`` as a chart that ``chart.js`` draws."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_course.drawing.palette import ROLES, SERIES, Look

_LOOKS: dict[str, Look] = {**ROLES, **SERIES}
_NAME_OF = {look.light: name for name, look in _LOOKS.items()}
_ROOM = {"x": 0.025, "y": 0.06}


def _not_drawn(what: str) -> ValueError:
    drawn = "a heatmap, lines or bars of attention_course.drawing.plots"
    return ValueError(f"explore: figure must be {drawn}, without more on it, got {what}")


def read_figure(figure: Any) -> dict[str, Any]:
    """Turn a figure into a chart: title, alternative text, axes and series.

    Args:
        figure: of ``drawing.plots``: a heatmap, lines without bands and points, or bars.
    """
    if not hasattr(figure, "to_plotly_json") or not figure.data:
        raise _not_drawn(type(figure).__name__)
    layout = figure.layout
    axes = {"x": _axis(layout.xaxis), "y": _axis(layout.yaxis)}
    return {
        "title": layout.title.text or "",
        "alt": str((layout.meta or {}).get("alt", "")),
        **axes,
        "series": [_series(trace, axes) for trace in figure.data],
    }


def _axis(axis: Any) -> dict[str, Any]:
    if axis.type not in (None, "-", "linear", "category"):
        raise _not_drawn(f"a {axis.type} axis")
    chart: dict[str, Any] = {"title": axis.title.text or "", "type": "linear"}
    if axis.autorange == "reversed":
        chart["reversed"] = True
    if axis.range is not None:
        chart["range"] = [float(end) for end in axis.range]
    return chart


def _series(trace: Any, axes: dict[str, Any]) -> dict[str, Any]:
    if trace.type == "heatmap":
        for letter in ("x", "y"):
            axes[letter] |= {"type": "category", "categories": [*trace[letter]]}
        template = trace.texttemplate  # "%{z:.2f}"
        return {
            "kind": "heat",
            "z": _short(np.ravel(trace.z)),
            "columns": len(trace.x),
            "map": "diverging" if trace.zmin < 0 else "sequential",
            "range": [float(trace.zmin), float(trace.zmax)],
            "bar": trace.showscale is not False,
        } | ({"digits": int(template[-3])} if template else {})
    if trace.type not in ("bar", "scatter"):
        raise _not_drawn(f"a {trace.type} trace")
    if trace.error_y.array is not None or trace.error_y.value is not None:
        raise _not_drawn("error bars")
    series = {"kind": "bar", "name": trace.name, "label": True, "y": _short(trace.y)}
    if trace.type == "bar":
        axes["x"] |= {"type": "category", "categories": [str(name) for name in trace.x]}
        places = np.arange(len(trace.x))
        return series | {"x": _short(places), "colour": _role(trace.marker.color)}
    if trace.fill not in (None, "none") or "lines" not in (trace.mode or "lines"):
        raise _not_drawn("a band or single points")
    marker = trace.marker.symbol if "markers" in (trace.mode or "") else None
    return (
        series
        | {"kind": "line", "x": _short(trace.x), "colour": _role(trace.line.color)}
        | {"dash": trace.line.dash or "solid", "width": float(trace.line.width or 2)}
        | ({"marker": str(marker).removesuffix("-open")} if marker else {})
    )


def _role(colour: Any) -> dict[str, str]:
    if colour not in _NAME_OF:
        raise _not_drawn(f"the colour {colour!r}")
    return {"role": _NAME_OF[colour]}


def _short(values: Sequence[Any] | np.ndarray) -> list[float | None]:
    """Return numbers with five digits; a gap is None."""
    numbers = np.asarray(values, dtype=float)
    return [float(f"{v:.5g}") if np.isfinite(v) else None for v in numbers]


def share_ranges(charts: list[dict[str, Any]]) -> None:
    """Give all charts the same axes where the figures fix none: what moves is the data."""
    for letter in ("x", "y"):
        rows = [s[letter] for chart in charts for s in chart["series"] if letter in s]
        seen = [v for row in rows for v in row if v is not None]
        if not seen:
            continue
        bars = letter == "y" and charts[0]["series"][0]["kind"] == "bar"
        low, high = (min(0, *seen), max(0, *seen)) if bars else (min(seen), max(seen))
        room = ((high - low) or 1.0) * _ROOM[letter]
        ends = [end and end + way * room for end, way in ((low, -1), (high, 1))]
        for chart in charts:
            if chart[letter]["type"] == "linear":
                chart[letter].setdefault("range", [float(f"{end:.6g}") for end in ends])
