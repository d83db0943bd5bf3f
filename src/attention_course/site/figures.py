"""What remains of a plotly figure when it is not drawn: its sentence and its numbers.

The numbers come from the figure's own traces, so the table cannot say anything else than the
picture. plotly 6 and later store arrays as base64 text; they are decoded here with NumPy,
because the site must build without plotly.
"""

import base64
import html
import itertools
import json
from typing import Any

import numpy as np

# More rows than this are thinned evenly; first and last always stay.
MAX_ROWS = 24


def decode(value: Any) -> Any:
    """Return a plotly value with every base64 array in it as nested lists.

    >>> decode({"dtype": "i1", "bdata": "AQIDBA==", "shape": "2, 2"})
    [[1, 2], [3, 4]]
    """
    if isinstance(value, dict) and {"dtype", "bdata"} <= value.keys():
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=f"<{value['dtype']}")
        if "shape" in value:
            array = array.reshape([int(size) for size in str(value["shape"]).split(",")])
        return array.tolist()
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decode(item) for item in value]
    return value


def figure_html(figure: dict[str, Any]) -> str:
    """Return the page's element for a plotly figure: place, data, sentence and table.

    The sentence is in ``layout.meta.alt`` of its JSON, else there is a ValueError. Without
    scripts the element shows the sentence and the table.
    """
    layout = figure.get("layout", {})
    meta = layout.get("meta")
    alt = meta.get("alt") if isinstance(meta, dict) else None
    if not alt:
        where = "figure must have its sentence in layout.meta.alt"
        raise ValueError(f"figure_html: {where}, got {meta!r}")
    said = html.escape(alt)
    height = int(layout.get("height") or 420)
    title = _title(layout)
    if title and layout.get("margin", {}).get("t") and layout.get("height"):
        height -= title_room(layout)
    title = f'<p class="ac-title">{title}</p>' if title else ""
    data = json.dumps(figure, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    return (
        f'<figure class="ac-figure">{title}'
        f'<div class="ac-plot pst-js-only" role="img" aria-label="{said}"'
        f' style="min-height:{height}px"></div>'
        f'<script type="application/json">{data}</script><figcaption>'
        '<details class="ac-data" open><summary>The numbers in this figure</summary>'
        f"<p>{said}</p>{_tables(figure)}</details>"
        # Closed at once where scripts run; it stays open where they do not.
        "<script>document.currentScript.previousElementSibling.open=false</script>"
        "</figcaption></figure>"
    )


def title_room(layout: dict[str, Any]) -> int:
    """Return the pixels that ``figures.js`` takes from a figure whose title the page sets.

    >>> title_room({"title": {"text": "One<br>two"}})
    48
    """
    title = layout["title"]
    text = title.get("text", "") if isinstance(title, dict) else title
    return 8 + 20 * len(str(text).split("<br>"))


def _tables(figure: dict[str, Any]) -> str:
    layout = figure.get("layout", {})
    titles = [_title(layout.get(axis, {})) for axis in ("xaxis", "yaxis")]
    traces = [decode(trace) for trace in figure.get("data", [])]
    traces = [t for t in traces if t.get("hoverinfo") != "skip"]
    parts = [_matrix_table(trace, *titles) for trace in traces if "z" in trace]
    series = [trace for trace in traces if "z" not in trace and ("x" in trace or "y" in trace)]
    for positions, group in itertools.groupby(series, _positions):
        parts.append(_series_table(list(group), positions, titles[0] or "x", titles[1]))
    return "".join(parts)


def _title(part: dict[str, Any]) -> str:
    """Return the title of an axis or of the whole figure, for the page."""
    title = part.get("title") or ""
    return _plain(title.get("text", "") if isinstance(title, dict) else title)


def _plain(text: object) -> str:
    return html.escape(html.unescape(str(text).replace("<br>", " ")))


def _positions(trace: dict[str, Any]) -> list[Any]:
    if trace.get("x") is not None:
        return list(trace["x"])
    return list(range(len(trace.get("y") or [])))


def _series_table(
    traces: list[dict[str, Any]], positions: list[Any], x_title: str, y_title: str
) -> str:
    names = [_plain(trace.get("name") or y_title or "value") for trace in traces]
    rows = (
        [positions[i], *((trace.get("y") or [None] * len(positions))[i] for trace in traces)]
        for i in thinned(len(positions))
    )
    return _table([x_title, *names], rows, len(positions), y_title)


def _matrix_table(trace: dict[str, Any], x_title: str, y_title: str) -> str:
    values = trace["z"]
    width = len(values[0]) if values else 0
    across = trace.get("x") or list(range(width))
    down = trace.get("y") or list(range(len(values)))
    columns = thinned(width, 12)
    rows = ([down[i], *(values[i][j] for j in columns)] for i in thinned(len(values)))
    head = [f"{y_title or 'row'} \\ {x_title or 'column'}", *(across[j] for j in columns)]
    return _table(head, rows, len(values), "", width, len(columns))


def thinned(length: int, at_most: int = MAX_ROWS) -> list[int]:
    """Return at most so many positions of 0..length-1, evenly spread, both ends included.

    >>> thinned(100, 4)
    [0, 33, 66, 99]
    """
    if length <= at_most:
        return list(range(length))
    return np.linspace(0, length - 1, at_most).round().astype(int).tolist()


def _table(
    head: Any, rows: Any, length: int, caption: str, width: int = 0, shown: int = 0
) -> str:
    header = "".join(f'<th scope="col">{_cell(name)}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row">{_cell(row[0])}</th>'
        + "".join(f"<td>{_cell(value)}</td>" for value in row[1:])
        + "</tr>"
        for row in rows
    )
    notes = [f"{MAX_ROWS} of {length} rows"] if length > MAX_ROWS else []
    notes += [f"{shown} of {width} columns"] if width > shown else []
    note = f"<p>Shown: {' and '.join(notes)}, evenly spread.</p>" if notes else ""
    title = f"<caption>{caption}</caption>" if caption else ""
    return (
        '<div class="ac-scroll" role="group" aria-label="Table of the numbers">'
        f"<table>{title}<thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>{note}"
    )


def _cell(value: object) -> str:
    if value is None or value != value:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    return _plain(value)
