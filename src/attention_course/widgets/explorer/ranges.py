"""Axes that stay where they are while the data moves."""

import math
from typing import Any

import numpy as np

_PAD = {"x": 0.025, "y": 0.06}


class Ranges:
    """One range for all charts that share an axis: its title, its type and its kind of marks.

    A range that the figure itself fixes is kept.
    """

    def __init__(self, charts: list[dict[str, Any]]) -> None:
        self._spans: dict[tuple[Any, ...], tuple[float, float]] = {}
        self._tops: dict[tuple[Any, ...], tuple[float, float]] = {}
        for chart in charts:
            self._add(chart)

    def _add(self, chart: dict[str, Any]) -> None:
        for letter in ("x", "y"):
            span = data_span(chart, letter)
            if span is not None:
                key = axis_key(chart, letter)
                self._spans[key] = _union(self._spans.get(key), span)
        for heat in _heats(chart):
            self._tops[heat_key(chart)] = _union(self._tops.get(heat_key(chart)), heat["own"])

    def apply(self, chart: dict[str, Any]) -> dict[str, Any]:
        """Return the chart with its ranges filled in."""
        chart = dict(chart)
        for letter in ("x", "y"):
            axis = chart[letter]
            if axis["type"] == "category" or "range" in axis:
                continue
            span = self._spans.get(axis_key(chart, letter), (0.0, 1.0))
            wide = letter == "x" and any(s["kind"] == "bar" for s in chart["series"])
            padded = pad(span, axis["type"] == "log", 0.0 if wide else _PAD[letter])
            if wide:
                padded = _half_a_bar_more(chart, padded)
            chart[letter] = axis | {"range": [short(v) for v in padded]}
        series = []
        for one in chart["series"]:
            own = one.get("own")
            if own is not None:
                top = self._tops.get(heat_key(chart), own)
                one = {k: v for k, v in one.items() if k != "own"}
                one["range"] = [short(v) for v in top]
            series.append(one)
        return chart | {"series": series}


def _heats(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [s for s in chart["series"] if s["kind"] == "heat"]


def _union(a: Any, b: Any) -> tuple[float, float]:
    return (b[0], b[1]) if a is None else (min(a[0], b[0]), max(a[1], b[1]))


def short(value: float) -> float:
    """Return a float with six significant digits."""
    return float(f"{value:.6g}")


def axis_key(chart: dict[str, Any], letter: str) -> tuple[Any, ...]:
    """Name an axis: charts with the same key share a range."""
    axis = chart[letter]
    return letter, axis["type"], axis["title"], chart["series"][0]["kind"] == "bar"


def heat_key(chart: dict[str, Any]) -> tuple[Any, ...]:
    """Name the colours of a heat map."""
    return chart["x"]["title"], chart["y"]["title"], _heats(chart)[0]["map"]


def data_span(chart: dict[str, Any], letter: str) -> tuple[float, float] | None:
    """Return the smallest and largest number drawn along an axis; bars start at zero."""
    log = chart[letter]["type"] == "log"
    names = ("x",) if letter == "x" else ("y", "low", "high")
    parts = [s[n] for s in chart["series"] if s["kind"] != "heat" for n in names if n in s]
    if not parts:
        return None
    if chart.get("stacked") and letter == "y":
        parts += _piles(chart)
    seen = np.concatenate(parts)
    seen = seen[np.isfinite(seen) & (seen > 0 if log else True)]
    if letter == "y" and not log and any(s["kind"] == "bar" for s in chart["series"]):
        seen = np.append(seen, 0.0)
    return (float(seen.min()), float(seen.max())) if seen.size else None


def _piles(chart: dict[str, Any]) -> list[np.ndarray]:
    """Return the heights that bars on top of one another reach."""
    heights: dict[tuple[Any, ...], float] = {}
    for s in (s for s in chart["series"] if s["kind"] == "bar"):
        for x, y in zip(s["x"], np.nan_to_num(s["y"]), strict=True):
            heights[x, y < 0] = heights.get((x, y < 0), 0.0) + y
    return [np.array(list(heights.values()))]


def pad(span: tuple[float, float], log: bool, share: float) -> tuple[float, float]:
    """Leave room at both ends; an end at zero stays there."""
    low, high = map(math.log10, span) if log else span
    if low == high:
        half = 0.5 if log or low == 0 else abs(low) / 2
        low, high = low - half, high + half
    room = (high - low) * share
    low, high = (
        v if v == 0 and not log else v + sign * room for v, sign in ((low, -1), (high, 1))
    )
    return (10.0**low, 10.0**high) if log else (low, high)


def _half_a_bar_more(chart: dict[str, Any], span: tuple[float, float]) -> tuple[float, float]:
    places = np.unique(np.concatenate([s["x"] for s in chart["series"] if s["kind"] == "bar"]))
    half = float(np.diff(places).min()) / 2 if len(places) > 1 else 0.5
    if chart["x"]["type"] == "log":
        return span[0] / 1.3, span[1] * 1.3
    return span[0] - half, span[1] + half
