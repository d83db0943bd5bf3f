"""How far a signal travels in a layer, drawn from what each position reads."""

from functools import partial
from itertools import pairwise

from attention_course.drawing._sketch import Edge, Node, Sketch
from attention_course.drawing.diagrams import Diagram, _Named
from attention_course.reference.scale.costs import (
    RECURRENT,
    positions_read,
    signal_path,
    waiting_steps,
)

_STEP, _ROW, _LEFT = 50, 42, 20


def path_network() -> Diagram:
    """Draw a recurrent, a convolutional and a self-attention layer, with a signal's way.

    Arrows are what each position reads; the heavy ones are a shortest way from the first input
    to the last output.

    Returns:
        The drawing.

    >>> print(path_network().alt.partition(". ")[0])
    Three layers over 7 positions, each read from below
    """
    n, width = 7, 5
    nodes: list[Node] = []
    edges: list[Edge] = []
    said, top = [], 0
    for layer, name in {
        "rnn": "recurrent layer",
        "convolution": f"convolution, width {width}",
        "self-attention": "self-attention",
    }.items():
        path = signal_path(layer, n, 0, n - 1, width)
        layers, length = path[-1][0], len(path) - 1
        stacked = f"{layers} layers of {name}" if layers > 1 else name
        waits = layers * waiting_steps(layer, n)
        title = f"{stacked}: path {length}, {waits} step{'s' if waits > 1 else ''} in a row"
        floor = top + 40 + _ROW * layers
        nodes.append(Node("title", 0, top + 12, title, "", "label"))
        _panel(nodes, edges, layer, n, width, floor, path)
        said.append(f"{stacked}: {length} step{'s' if length > 1 else ''}")
        top = floor + 44
    alt = (
        f"Three layers over {n} positions, each read from below. The heavy arrows lead from "
        f"the first input to the last output. Shortest way: {'; '.join(said)}."
    )
    sketch = Sketch(2 * _LEFT + _STEP * (n - 1), top - 8, nodes, edges, alt)
    return _Named(sketch.svg({"path": 0.5, "rest": 0.0}), alt)


def _panel(
    nodes: list[Node],
    edges: list[Edge],
    layer: str,
    n: int,
    width: int,
    floor: float,
    path: list[tuple[int, int]],
) -> None:
    """Add the positions of a stack of layers and what they read."""
    dot = partial(Node, wide=18, high=14)
    trail = {*pairwise(path)}

    def name(depth: int, i: int) -> str:
        return f"{layer}{depth}-{i}"

    def arrow(before: tuple[int, int], after: tuple[int, int]) -> None:
        heavy = (before, after) in trail
        kind = "path" if heavy else "rest"
        points = [name(*before), name(*after)]
        edges.append(Edge(kind, points, "" if heavy else "soft", kind, tip=heavy))

    for depth in range(path[-1][0] + 1):
        for i in range(n):
            y = floor - _ROW * depth
            nodes.append(dot(name(depth, i), _LEFT + _STEP * i, y))
            if not depth:
                nodes.append(Node("x", _LEFT + _STEP * i, y + 19, f"x_{i + 1}", "soft", "word"))
                continue
            for j in positions_read(layer, i, n, width, depth - 1):
                arrow((depth - 1, j), (depth, i))
            if layer in RECURRENT and i:
                arrow((depth, i - 1), (depth, i))
