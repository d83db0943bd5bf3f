"""A chart as a small table, for readers without scripts."""

from typing import Any

import numpy as np

_ROWS, _COLUMNS = 10, 8


def thin(count: int, most: int) -> list[int]:
    """Return at most ``most`` of ``count`` places, evenly, with the first and the last."""
    return sorted(set(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()))


def _say(value: float | None) -> str:
    return "no value" if value is None else f"{value:.3g}"


def chart_table(chart: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows: every series at some places, or some cells of a heat map."""
    x, y, series = chart["x"], chart["y"], chart["series"]
    if series[0]["kind"] == "heat":
        (heat,) = series
        columns = thin(heat["columns"], _COLUMNS)
        head = [f"{y['title']} \\ {x['title']}", *(x["categories"][c] for c in columns)]
        return head, [
            [y["categories"][r], *(_say(heat["z"][r * heat["columns"] + c]) for c in columns)]
            for r in thin(len(y["categories"]), _ROWS)
        ]
    names = x.get("categories") or [f"{at:.4g}" for at in series[0]["x"]]
    return [x["title"], *(one["name"] for one in series)], [
        [names[i], *(_say(one["y"][i]) for one in series)] for i in thin(len(names), _ROWS)
    ]
