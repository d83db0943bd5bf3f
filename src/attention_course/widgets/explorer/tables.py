"""Controls and charts in words and as a small table, for readers without scripts."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

_ROWS, _COLUMNS = 10, 8


def spoken(name: str) -> str:
    """Write a Python name for readers; a symbol such as d_k stays as it is.

    >>> spoken("hidden_width"), spoken("d_k")
    ('hidden width', 'd_k')
    """
    return name if any(len(part) == 1 for part in name.split("_")) else name.replace("_", " ")


def short_list(labels: Iterable[str]) -> str:
    """Write a list of labels, the middle left out if it is long."""
    labels = list(labels)
    if len(labels) > 8:
        labels = [*labels[:4], "...", *labels[-2:]]
    return ", ".join(labels)


def choice_text(values: Mapping[str, Any]) -> str:
    """Write chosen values as arguments: ``d_k=64, scale='sqrt'``."""
    return ", ".join(f"{name}={_short_repr(value)}" for name, value in values.items())


def _short_repr(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{type(value).__name__}"


def _say(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "no value"


def thin(count: int, most: int) -> list[int]:
    """Return at most ``most`` of ``count`` places, evenly, with the first and the last."""
    return sorted(set(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()))


def chart_table(chart: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows: every series at some places, or some cells of a heat map."""
    heat = next((s for s in chart["series"] if s["kind"] == "heat"), None)
    if heat is not None:
        return _heat_table(chart, heat)
    shown = [s for s in chart["series"] if s["kind"] != "band"]
    places = np.unique(np.concatenate([s["x"] for s in shown]))
    places = places[np.isfinite(places)]
    head = [chart["x"]["title"] or "x"]
    head += [s.get("name") or chart["y"]["title"] or "y" for s in shown]
    rows = []
    for at in places[thin(len(places), _ROWS)] if len(places) else []:
        cells = [_value_at(s, at) for s in shown]
        names = chart["x"].get("categories")
        rows.append([names[int(at)] if names else f"{at:.4g}", *cells])
    return head, rows


def _value_at(series: dict[str, Any], at: float) -> str:
    found = np.flatnonzero(series["x"] == at)
    return _say(series["y"][found[0]]) if found.size else "no value"


def _heat_table(
    chart: dict[str, Any], heat: dict[str, Any]
) -> tuple[list[str], list[list[str]]]:
    z = heat["z"].reshape(-1, heat["columns"])
    rows, columns = thin(z.shape[0], _ROWS), thin(z.shape[1], _COLUMNS)
    titles = " \\ ".join(filter(None, (chart["y"]["title"], chart["x"]["title"])))
    head = [titles or "row", *(chart["x"]["categories"][c] for c in columns)]
    return head, [
        [chart["y"]["categories"][r], *(_say(z[r, c]) for c in columns)] for r in rows
    ]
