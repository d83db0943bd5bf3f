"""Who attends to whom: small tables of queries and keys, side by side."""

import html
from collections.abc import Mapping

import numpy as np

from attention_course.drawing._sketch import _coloured, _n, where_trusted
from attention_course.drawing.diagrams import Diagram

_SIDE, _TOP = 150.0, 24.0


class _Patterns(Diagram):
    def _repr_html_(self) -> str:
        words = f"{self.alt} Run the cell, or trust the notebook, to see the drawing."
        drawing = where_trusted(self.svg, words)
        return f'<figure class="ac-diagram" style="margin:1rem 0">{drawing}</figure>'


def patterns(tables: Mapping[str, np.ndarray]) -> Diagram:
    """Draw tables of queries (down) and keys (across), a square for each pair.

    Four stand side by side where there is room, two on a phone.

    Args:
        tables: a name for each; booleans fill squares, whole numbers are written into them,
            and a negative one leaves its square empty.

    Returns:
        The drawing; its description counts the squares.

    Raises:
        ValueError: if there is no table, or one is not of booleans or whole numbers.

    >>> patterns({"causal": np.tri(3, dtype=bool)}).alt
    'Queries down, keys across. causal: 6 of 9 pairs.'
    """
    if not tables:
        raise ValueError("patterns: expected at least one table, got none")
    drawn, said = [], []
    for name, table in tables.items():
        if table.ndim != 2 or table.dtype.kind not in "bi":
            raise ValueError(
                "patterns: tables must be of booleans or whole numbers with two axes, "
                f"got {table.dtype} of shape {table.shape}"
            )
        on = table if table.dtype.kind == "b" else table >= 0
        drawn.append(_table(name, table, on))
        said.append(f"{name}: {int(on.sum())} of {on.size} pairs")
    alt = f"Queries down, keys across. {'; '.join(said)}."
    svg = (
        f'<div role="img" aria-label="{html.escape(alt)}" '
        'style="display:flex;flex-wrap:wrap;gap:0.8rem">'
        f"{''.join(drawn)}</div>"
    )
    return _Patterns(svg, alt)


def _table(name: str, table: np.ndarray, on: np.ndarray) -> str:
    rows, cells = table.shape
    wide, high = _SIDE / cells, _SIDE / rows
    whole = table.dtype.kind == "b"
    squares = "".join(
        f"M{_n(1 + start * wide)} {_n(_TOP + i * high)}h{_n(long * wide)}v{_n(high)}"
        f"h{_n(-long * wide)}z"
        for i, row in enumerate(on)
        for start, long in (
            _runs(row) if whole else [(j, 1) for j in np.flatnonzero(row).tolist()]
        )
    )
    filled = (
        f'<g{_coloured("weight")}><path d="{squares}" opacity="{"0.75" if whole else "0.2"}" '
        'stroke="var(--pst-color-background,white)" stroke-width="0.6"/></g>'
    )
    numbers = "".join(
        f'<text x="{_n(1 + (j + 0.5) * wide)}" y="{_n(_TOP + (i + 0.5) * high + 4)}">'
        f"{table[i, j]}</text>"
        for i, j in ([] if whole else np.argwhere(on).tolist())
    )
    return (
        f'<svg aria-hidden="true" viewBox="0 0 {_n(_SIDE + 2)} {_n(_SIDE + _TOP + 1)}" '
        'fill="currentColor" text-anchor="middle" font-size="12" '
        'style="width:min(9.4rem,46%);height:auto;forced-color-adjust:auto;'
        'color:var(--ac-ink,inherit);font-family:var(--ac-sans,inherit)">'
        f'<text x="{_n(_SIDE / 2 + 1)}" y="15">{html.escape(name)}</text>{filled}'
        f'<rect x="1" y="{_n(_TOP)}" width="{_n(_SIDE)}" height="{_n(_SIDE)}" fill="none" '
        f'stroke="currentColor"/>{numbers}</svg>'
    )


def _runs(row: np.ndarray) -> list[tuple[int, int]]:
    """Return start and length of each run of squares that are on."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [(start, end - start) for start, end in pairs]
