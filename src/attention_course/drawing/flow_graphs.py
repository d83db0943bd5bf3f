"""What needs what: the quantities of one step as boxes, and arrows from each to its users."""

import html
import math
from collections.abc import Mapping, Sequence

from attention_course.drawing.diagrams import Diagram, _svg

_COLUMN, _ROW, _WIDE, _HIGH, _EDGE = 118, 64, 92, 32, 12
# How a role looks; a letter in the corner of the box says it too.
_ROLES = {
    "query": ("var(--ac-query,#1d3aa1)", "q"),
    "value": ("var(--ac-value,#1e7261)", "v"),
    "weight": ("var(--ac-weight,#651756)", "α"),
    "context": ("var(--ac-context,#101010)", "c"),
}


def flow_graph(
    needs: Mapping[str, Sequence[str]],
    places: Mapping[str, tuple[float, float]],
    roles: Mapping[str, str] | None = None,
    title: str = "One step",
) -> Diagram:
    """Draw every quantity at its place, with an arrow from each input.

    The same ``needs`` can be handed to ``graphlib.TopologicalSorter``, which finds an order to
    compute them in, or a circle.

    Args:
        needs: for each quantity what it is computed from.
        places: column and row of every quantity, from 0; halves are allowed.
        roles: which of them are "query", "value", "weight" or "context"; these get the
            role's colour and letter, and a heavier box.
        title: what is drawn; the description begins with it.

    Returns:
        The drawing.

    Raises:
        ValueError: if a quantity has no place, or two have the same.

    >>> needs = {"context": ["weights", "h"], "weights": ["h"]}
    >>> flow_graph(needs, {"h": (0, 1), "weights": (1, 0), "context": (2, 1)})
    One step: context needs weights, h; weights needs h.

    Used in ``recurrent/luong``.
    """
    names = [*dict.fromkeys([*needs, *(name for inputs in needs.values() for name in inputs)])]
    missing = [name for name in names if name not in places]
    if missing or len(set(places.values())) < len(places):
        raise ValueError(
            "flow_graph: places must give every quantity a place of its own, "
            f"got none for {missing} and {len(places) - len(set(places.values()))} shared"
        )
    roles = roles or {}
    corners = {
        name: (round(8 + places[name][0] * _COLUMN), round(14 + places[name][1] * _ROW))
        for name in names
    }
    parts = [
        _arrow_between(corners[source], corners[name])
        for name, inputs in needs.items()
        for source in inputs
    ]
    parts += [_quantity(*corners[name], name, roles.get(name)) for name in names]
    width = max(x for x, _ in corners.values()) + _WIDE + 8
    height = max(y for _, y in corners.values()) + _HIGH + _EDGE
    said = "; ".join(f"{name} needs {', '.join(inputs)}" for name, inputs in needs.items())
    alt = f"{title}: {said}."
    return Diagram(_svg(width, height, parts, alt), alt)


def _quantity(x: int, y: int, name: str, role: str | None) -> str:
    colour, letter = _ROLES[role] if role else ("currentColor", "")
    base, _, index = name.partition("_")
    index = index.strip("()")
    below = f'<tspan dy="4" font-size="11">{html.escape(index)}</tspan>' if index else ""
    mark = (
        f'<text x="{x + 6}" y="{y + 12}" font-size="11" fill="{colour}">{letter}</text>'
        if letter
        else ""
    )
    return (
        f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="5" '
        f'fill="var(--ac-paper,#fff)" stroke="{colour}" stroke-width="{2.5 if role else 1.2}"/>'
        f'<text x="{x + _WIDE // 2}" y="{y + 21}" text-anchor="middle" font-size="15" '
        f'font-style="italic" fill="{colour}">{html.escape(base)}{below}</text>{mark}'
    )


def _arrow_between(a: tuple[int, int], b: tuple[int, int]) -> str:
    """Draw a straight arrow from the rim of one box to the rim of another."""
    (x1, y1), (x2, y2) = ((x + _WIDE / 2, y + _HIGH / 2) for x, y in (a, b))
    length = math.hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    to_rim = min(
        _WIDE / 2 / abs(ux) if ux else math.inf, _HIGH / 2 / abs(uy) if uy else math.inf
    )
    x1, y1 = x1 + ux * to_rim, y1 + uy * to_rim
    x2, y2 = x2 - ux * (to_rim + 1), y2 - uy * (to_rim + 1)
    left, right = (
        (x2 - 8 * ux + side * 4 * uy, y2 - 8 * uy - side * 4 * ux) for side in (1, -1)
    )
    tip = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((x2, y2), left, right))
    return (
        f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" fill="none" stroke="currentColor" '
        f'stroke-width="1.2"/><polygon points="{tip}" fill="currentColor"/>'
    )
