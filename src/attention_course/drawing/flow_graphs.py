"""What needs what: the quantities of one step as boxes, and arrows from each to its users."""

import math
from collections.abc import Mapping, Sequence

from attention_course.drawing._sketch import Edge, Node, Sketch
from attention_course.drawing.diagrams import Diagram, _named

_COLUMN, _ROW, _WIDE, _HIGH = 72, 56, 62, 26


def flow_graph(
    needs: Mapping[str, Sequence[str]],
    places: Mapping[str, tuple[float, float]],
    roles: Mapping[str | tuple[str, str], str] | None = None,
    title: str = "One step",
) -> Diagram:
    """Draw every quantity at its place, with an arrow from each input.

    The same ``needs`` can be handed to ``graphlib.TopologicalSorter``, which finds an order to
    compute them in, or a circle.

    Args:
        needs: for each quantity what it is computed from.
        places: column and row of every quantity, from 0; halves are allowed.
        roles: which of them are "query", "key", "value", "weight" or "context"; these get
            the role's colour. What is a key for one quantity and a value for another says so
            on its arrows: ("h", "weights") is the arrow from h to the weights.
        title: what is drawn; the description begins with it.

    Returns:
        The drawing.

    Raises:
        ValueError: if a quantity has no place, or two have the same.

    >>> needs = {"context": ["weights", "h"], "weights": ["h"]}
    >>> flow_graph(needs, {"h": (0, 1), "weights": (1, 0), "context": (2, 1)})
    One step: context needs weights, h; weights needs h.
    """
    names = [*dict.fromkeys([*needs, *(name for inputs in needs.values() for name in inputs)])]
    missing = [name for name in names if name not in places]
    if missing or len(set(places.values())) < len(places):
        raise ValueError(
            "flow_graph: places must give every quantity a place of its own, "
            f"got none for {missing} and {len(places) - len(set(places.values()))} shared"
        )
    roles = roles or {}
    centres = {
        name: (
            5 + _WIDE / 2 + places[name][0] * _COLUMN,
            5 + _HIGH / 2 + places[name][1] * _ROW,
        )
        for name in names
    }
    nodes = [
        Node(
            f"quantity{i}",
            x,
            y,
            name.replace("(", "{").replace(")", "}"),
            roles.get(name, ""),
            wide=_WIDE,
            high=_HIGH,
        )
        for i, (name, (x, y)) in enumerate(centres.items())
    ]
    edges = [
        Edge(
            "needs",
            [_rim(centres[one], centres[two]), _rim(centres[two], centres[one])],
            roles.get((one, two), ""),
        )
        for two, inputs in needs.items()
        for one in inputs
    ]
    said = "; ".join(f"{name} needs {', '.join(inputs)}" for name, inputs in needs.items())
    wide, high = (max(c[axis] for c in centres.values()) for axis in (0, 1))
    size = wide + _WIDE / 2 + 5, high + _HIGH / 2 + 5
    return _named(Sketch(*size, nodes, edges, f"{title}: {said}."))


def _rim(box: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return where the line between the centres of two boxes leaves the first."""
    dx, dy = other[0] - box[0], other[1] - box[1]
    share = min(
        abs(_WIDE / 2 / dx) if dx else math.inf, abs(_HIGH / 2 / dy) if dy else math.inf
    )
    return box[0] + share * dx, box[1] + share * dy
