"""Who attends to whom: small tables of queries and keys, side by side."""

import html
from collections.abc import Mapping

import numpy as np

from attention_course.drawing._sketch import _coloured, _n, where_trusted
from attention_course.drawing.diagrams import Diagram

_SIDE, _GAP, _TOP = 150.0, 20.0, 24.0


class _Patterns(Diagram):
    def _repr_html_(self) -> str:
        words = f"{self.alt} Run the cell, or trust the notebook, to see the drawing."
        drawing = where_trusted(self.svg, words)
        return f'<figure class="ac-diagram" style="margin:1rem 0">{drawing}</figure>'


def patterns(tables: Mapping[str, np.ndarray], columns: int = 2) -> Diagram:
    """Draw tables of queries (down) and keys (across), a square for each pair.

    Args:
        tables: a name for each; booleans fill squares, whole numbers are written into them,
            and a negative one leaves its square empty.
        columns: tables in a row.

    Returns:
        The drawing; its description counts the squares.

    Raises:
        ValueError: if there is no table, or one is not of booleans or whole numbers.

    >>> patterns({"causal": np.tri(3, dtype=bool)}).alt
    'Queries down, keys across. causal: 6 of 9 pairs.'

    Used in ``scale/long-sequences``.
    """
    if not tables or columns < 1:
        raise ValueError("patterns: expected at least one table and one column, got none")
    drawn, said = [], []
    for i, (name, table) in enumerate(tables.items()):
        if table.ndim != 2 or table.dtype.kind not in "bi":
            raise ValueError(
                f"patterns: tables must be of booleans or whole numbers, got {table.dtype}"
            )
        x = 1 + i % columns * (_SIDE + _GAP)
        y = i // columns * (_SIDE + _GAP + _TOP)
        on = table if table.dtype.kind == "b" else table >= 0
        drawn.append(_table(name, table, on, x, y))
        said.append(f"{name}: {int(on.sum())} of {on.size} pairs")
    alt = f"Queries down, keys across. {'; '.join(said)}."
    wide = 2 + min(columns, len(tables)) * (_SIDE + _GAP) - _GAP
    high = 1 - (-len(tables) // columns) * (_SIDE + _GAP + _TOP) - _GAP
    svg = (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {_n(wide)} {_n(high)}" '
        f'width="{_n(1.3 * wide)}" height="{_n(1.3 * high)}" fill="currentColor" '
        'text-anchor="middle" font-size="12" style="max-width:100%;height:auto;'
        'forced-color-adjust:auto;color:var(--ac-ink,inherit);font-family:var(--ac-sans,inherit)">'
        f"{''.join(drawn)}</svg>"
    )
    return _Patterns(svg, alt)


def _table(name: str, table: np.ndarray, on: np.ndarray, x: float, y: float) -> str:
    rows, cells = table.shape
    wide, high = _SIDE / cells, _SIDE / rows
    top = y + _TOP
    squares = "".join(
        f"M{_n(x + start * wide)} {_n(top + i * high)}h{_n(long * wide)}v{_n(high)}"
        f"h{_n(-long * wide)}z"
        for i, row in enumerate(on)
        for start, long in _runs(row)
    )
    text = f'<text x="{_n(x + _SIDE / 2)}" y="{_n(y + 16)}">{html.escape(name)}</text>'
    frame = (
        f'<rect x="{_n(x)}" y="{_n(top)}" width="{_n(_SIDE)}" height="{_n(_SIDE)}" '
        'fill="none" stroke="currentColor" stroke-width="1"/>'
    )
    strength = "0.75" if table.dtype.kind == "b" else "0.2"
    filled = (
        f'<g{_coloured("weight")}><path d="{squares}" opacity="{strength}" '
        'stroke="var(--pst-color-background,white)" stroke-width="0.6"/></g>'
    )
    numbers = ""
    if table.dtype.kind != "b":
        numbers = "".join(
            f'<text x="{_n(x + (j + 0.5) * wide)}" y="{_n(top + (i + 0.5) * high + 4)}">'
            f"{table[i, j]}</text>"
            for i, j in np.argwhere(on).tolist()
        )
    return text + filled + frame + numbers


def _runs(row: np.ndarray) -> list[tuple[int, int]]:
    """Return start and length of each run of squares that are on."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [(start, end - start) for start, end in pairs]
