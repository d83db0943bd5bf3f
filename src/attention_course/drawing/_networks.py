"""Networks of any size: an answer at every step, one vector for all, heads side by side."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from attention_course.drawing._sketch import Edge, Node, Sketch

_LETTER = 6.6  # about the width of one


def aligned(source: Sequence[str], target: Sequence[str], alt: str) -> Sketch:
    """Draw a state for each word that is read, and above it the word that is written."""
    step, at = _columns(source, target)
    nodes, edges = [], []
    for i, (x, read, written) in enumerate(zip(at, source, target, strict=False), 1):
        nodes += [
            Node(f"out-{i}", x, 12, written, "", "token", 20, 16),
            Node(f"h-{i}", x, 56, f"h_{i}", wide=step - 10),
            Node(f"in-{i}", x, 100, read, "", "token", 20, 16),
        ]
        edges += [Edge("in", [f"in-{i}", f"h-{i}"]), Edge("out", [f"h-{i}", f"out-{i}"])]
    edges += [Edge("h", [f"h-{i}", f"h-{j}"]) for i, j in pairwise(range(1, len(at) + 1))]
    return Sketch(at[-1] + at[0], 112, nodes, edges, alt)


def one_vector(source: Sequence[str], target: Sequence[str], alt: str) -> Sketch:
    """Draw a row of states that reads, the vector that is left, and a row that writes."""
    step, at = _columns(source, target)
    middle, last = (at[0] + at[-1]) / 2, at[len(source) - 1]
    nodes = [Node("c", middle, 98, "c", "context", wide=step + 6, high=28)]
    edges: list[Edge] = []
    rows = ("h", source, 52.0, 12.0, "read"), ("s", target, 144.0, 184.0, "write")
    for state, words, y, outside, name in rows:
        for i, (x, word) in enumerate(zip(at, words, strict=False), 1):
            nodes += [
                Node(f"{name}-{i}", x, outside, word, "", "token", 20, 16),
                Node(f"{state}-{i}", x, y, f"{state}_{i}", wide=step - 10),
            ]
            ends = [f"{name}-{i}", f"{state}-{i}"]
            edges.append(Edge(name, ends if name == "read" else ends[::-1]))
        numbers = pairwise(range(1, len(words) + 1))
        edges += [Edge(state, [f"{state}-{i}", f"{state}-{j}"]) for i, j in numbers]
    edges += [
        Edge("c", [f"h-{len(source)}", (last, 74), (middle, 74), "c"], "context"),
        Edge("c", ["c", (middle, 122), (at[0], 122), "s-1"], "context"),
    ]
    return Sketch(at[-1] + at[0], 196, nodes, edges, alt)


def _columns(*rows: Sequence[str]) -> tuple[float, list[float]]:
    """Return the distance of the columns, in which no words meet, and their centres."""
    pairs = [(a, b) for row in rows for a, b in pairwise(row)]
    step = max([46.0, *(_LETTER * (len(a) + len(b)) / 2 + 8 for a, b in pairs)])
    ends = [len(row[0]) for row in rows] + [len(row[-1]) for row in rows]
    edge = max(step - 6, _LETTER * max(ends))
    longest = max(map(len, rows))
    return step, [edge / 2 + 2 + step * i for i in range(longest)]


def heads(n_heads: int, groups: int, alt: str) -> Sketch:
    """Draw heads side by side, each with its query, and the keys and values they share."""
    step = 80.0 if n_heads <= 4 else 48.0
    wide, share = n_heads * step - 10, n_heads // groups
    mid, query = 3 + wide / 2, 0.3 * step
    box = partial(Node, high=26)
    nodes = [
        box("output", mid, 16, "output", wide=wide),
        box("join", mid, 62, "mixed by W_o", wide=wide),
    ]
    edges = [Edge("output", ["join", "output"])]
    for i in range(n_heads):
        left, name = 3 + i * step, f"head {i + 1}" if n_heads <= 4 else f"{i + 1}"
        nodes += [
            box(f"head-{i}", left + step / 2 - 5, 114, name, "weight", wide=step - 10),
            box(f"q-{i}", left + query - 6, 166, "q", "query", wide=0.4 * step),
        ]
        edges += [
            Edge("head", [f"head-{i}", (left + step / 2 - 5, 75)], "weight"),
            Edge("q", [f"q-{i}", (left + query - 6, 127)], "query"),
            Edge("k", [(left + 0.62 * step, 197), (left + 0.62 * step, 127)], "key"),
            Edge("v", [(left + 0.76 * step, 190), (left + 0.76 * step, 127)], "value"),
            Edge("q", [(left + query - 6, 265), f"q-{i}"], "query"),
        ]
    for g in range(groups):
        left = 3 + g * share * step
        k, v, far = left + 0.62 * step, left + 0.76 * step, (share - 1) * step
        nodes.append(box(f"kv-{g}", (k + v) / 2, 218, "k, v", wide=0.41 * step))
        edges += [
            Edge("k", [(k, 205), (k, 197), (k + far, 197)], "key", tip=False),
            Edge("v", [(v, 205), (v, 190), (v + far, 190)], "value", tip=False),
            Edge("k", [(k, 265), (k, 231)], "key"),
            Edge("v", [(v, 265), (v, 231)], "value"),
        ]
    nodes.append(box("x", mid, 278, "x, by W_q, W_k and W_v", wide=wide))
    return Sketch(wide + 6, 294, nodes, edges, alt)
