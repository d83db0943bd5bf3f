"""Drawings of blocks: where positions enter, where normalisation stands, two stacks."""

from functools import partial
from itertools import pairwise

from attention_course.drawing._sketch import Edge, Node, Sketch


def positions() -> Sketch:
    """Draw a query and a key on their way to a score, with the places where positions enter."""
    q, k, v, side, mid = 62.0, 178.0, 262.0, 300.0, 120.0
    box, wide = partial(Node, wide=96, high=28), partial(Node, wide=212, high=28)
    label = partial(Node, role="soft", shape="label")
    nodes = [
        Node("word-i", q, 402, "word at i", "soft", "word"),
        Node("word-j", k, 402, "word at j", "soft", "word"),
        box("add-i", q, 354, "x + p_i", wide=96),
        box("add-j", k, 354, "x + p_j", wide=96),
        box("q", q, 300, "W_q", "query"),
        box("k", k, 300, "W_k", "key"),
        box("v", v, 300, "W_v", "value", wide=48),
        box("turn-i", q, 246, "turn by i", "query"),
        box("turn-j", k, 246, "turn by j", "key"),
        wide("score", mid, 186, "dot product ÷ √d_k", "score"),
        wide("bias", mid, 132, "− m · |i − j|", "score"),
        wide("softmax", mid, 78, "softmax over all j", "weight"),
        wide("context", mid, 24, "sum of the values", "context"),
        label("says-add", side, 346, "added to the word:"),
        label("kinds-add", side, 364, "sinusoidal, learned"),
        label("says-turn", side, 238, "query and key turned,"),
        label("kinds-turn", side, 256, "not the value: rotary"),
        label("says-bias", side, 124, "taken off the score:"),
        label("kinds-bias", side, 142, "ALiBi"),
    ]
    edges = [
        Edge("in", [(q, 390), "add-i"]),
        Edge("in", [(k, 390), "add-j"]),
        Edge("in", ["add-i", "q"]),
        Edge("in", ["add-j", "k"]),
        Edge("v", ["add-j", (v, 354), "v"], "value"),
        Edge("v", ["v", (v, 24), "context"], "value"),
        Edge("q", ["q", "turn-i"], "query"),
        Edge("k", ["k", "turn-j"], "key"),
        Edge("q", ["turn-i", (q, 201)], "query"),
        Edge("k", ["turn-j", (k, 201)], "key"),
        Edge("e", ["score", "bias"], "score"),
        Edge("e", ["bias", "softmax"], "score"),
        Edge("a", ["softmax", "context"], "weight"),
    ]
    alt = (
        "Three places where positions enter attention, read from below. Sinusoidal and learned "
        "positions are added to the word before anything else. Rotary positions turn the query "
        "by its position i and the key by its position j, after the projections; the value "
        "goes past, untouched. ALiBi takes a multiple of the distance between i and j off the "
        "score, before the softmax. Its weights then mix the values."
    )
    return Sketch(434, 414, nodes, edges, alt)


def residual_stream() -> Sketch:
    """Draw the vectors of three positions rising through two blocks that add to them."""
    at, side, tall = [40.0, 140.0, 240.0], 304.0, 424.0
    label = partial(Node, role="soft", shape="label")
    nodes: list[Node] = []
    edges: list[Edge] = []
    levels = [("a", 1, 336.0), ("f", 1, 252.0), ("a", 2, 168.0), ("f", 2, 84.0)]
    for j, (x, word) in enumerate(zip(at, ("the", "red", "dress"), strict=True)):
        nodes.append(Node(f"word-{j}", x, tall, word, "soft", "word"))
        places: list[str | tuple[float, float]] = [(x, tall - 14.0)]
        places += [f"{kind}{n}-{j}" for kind, n, _ in levels]
        places.append((x, 30.0))
        edges += [Edge("stream", [one, two]) for one, two in pairwise(places)]
        for kind, n, y in levels:
            nodes.append(Node(f"{kind}{n}-{j}", x, y, "+", "", "dot"))
            if kind == "f":
                nodes.append(Node(f"feed{n}-{j}", x + 36, y + 22, "FFN", wide=34, high=20))
                edges += [
                    Edge("feed", [(x, y + 54), (x + 36, y + 54), f"feed{n}-{j}"]),
                    Edge("feed", [f"feed{n}-{j}", (x + 36, y), f"{kind}{n}-{j}"]),
                ]
            else:
                edges.append(
                    Edge(
                        "v", [(x, y + 44), (x - 20, y + 44), (x - 20, y), f"a{n}-{j}"], "value"
                    )
                )
                edges += [
                    Edge("v", [(before, y + 44), f"a{n}-{j}"], "value") for before in at[:j]
                ]
    total = "x"
    nodes.append(label("sum-0", side, tall - 24, "x"))
    for kind, n, y in levels:
        total += f" + {kind}^{n}"
        says = f"attention {n} adds" if kind == "a" else f"feed-forward {n} adds"
        nodes += [label(f"says-{kind}{n}", side, y + 8, says)]
        nodes += [label(f"sum-{kind}{n}", side, y - 16, total)]
    alt = (
        "The residual stream under a causal mask, read from below. Three words, each with a "
        "vector that rises in a straight line. At four places something is added to it: what "
        "attention brings as values from its own position and those before, then what "
        "the feed-forward part makes of the position's own vector, and both once more in the "
        "second block. At the top each vector is a sum: the word's vector, two additions of "
        "attention and two of the feed-forward parts. Lines lead from one position to another "
        "only at attention."
    )
    return Sketch(440, 440, nodes, edges, alt)


def _asks_itself(
    name: str, x: float, below: float, rim: float
) -> tuple[list[Node], list[Edge]]:
    """Fork what comes from below into queries, keys and values, up to the rim of a box."""
    nodes: list[Node] = []
    edges = [Edge("flow", [(x, below), (x, rim + 12)], tip=False)]
    for letter, role, away in (("q", "query", -36), ("k", "key", 0), ("v", "value", 36)):
        nodes.append(Node(f"{name}-{letter}", x + away - 8, rim + 6, letter, role, "word"))
        edges.append(
            Edge(
                f"{name}-{letter}", [(x, rim + 12), (x + away, rim + 12), (x + away, rim)], role
            )
        )
    return nodes, edges


def block() -> Sketch:
    """Draw a block twice: normalised after the sums, and before the parts."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    orders = {
        "post": (86.0, ("attention", "+", "normalise", "feed-forward", "+", "normalise")),
        "pre": (248.0, ("normalise", "attention", "+", "normalise", "feed-forward", "+")),
    }
    roles = {"attention": "weight", "feed-forward": "", "normalise": "", "+": ""}
    for order, (x, parts) in orders.items():
        at = [340.0 - 52 * n for n in range(len(parts))]
        names = [f"{order}-{n}" for n in range(len(parts))]
        nodes += [
            Node(f"{order}-in", x, 396, "x", "soft", "word"),
            Node(f"{order}-out", x, 20, "output", "soft", "word"),
            Node(f"{order}-name", x, 424, f"{order}-norm", "", "word"),
        ]
        for name, part, y in zip(names, parts, at, strict=True):
            size = 30 if part == "+" else 124
            nodes.append(Node(name, x, y, part, roles[part], wide=size, high=28))
        places: list[str | tuple[float, float]] = [(x, 384), *names, (x, 34)]
        asks = names[parts.index("attention")]
        forked, arrows = _asks_itself(
            asks, x, 384.0 if order == "post" else at[0] - 14, at[parts.index("attention")] + 14
        )
        nodes += forked
        edges += arrows
        edges += [Edge("flow", [one, two]) for one, two in pairwise(places) if two != asks]
        sums = [n for n, part in enumerate(parts) if part == "+"]
        starts = [375.0, at[sums[0]] - 26 if order == "pre" else at[2] - 21]
        for n, start in zip(sums, starts, strict=True):
            way: list[str | tuple[float, float]] = [
                (x, start),
                (x - 76, start),
                (x - 76, at[n]),
                names[n],
            ]
            edges.append(Edge("around", way))
    alt = (
        "A block drawn twice, read from below. What enters attention is forked into queries, "
        "keys and values. After: attention, a sum with what went around "
        "it, normalisation; then feed-forward, a sum, normalisation. Before: normalisation and "
        "attention, a sum with what went around both; then normalisation, feed-forward, a sum. "
        "In the second, the way around is never normalised."
    )
    return Sketch(320, 434, nodes, edges, alt)


def encoder_decoder() -> Sketch:
    """Draw an encoder block and a decoder block with their residuals, as of 2017."""
    left, right, wide, floor, row = 82.0, 256.0, 132.0, 396.0, 48.0
    part = partial(Node, wide=wide, high=26)
    nodes: list[Node] = []
    edges: list[Edge] = []
    stacks = {
        "source": (left, ("self-attention", "feed-forward")),
        "target": (right, ("causal self-attention", "cross-attention", "feed-forward")),
    }
    for below, (x, parts) in stacks.items():
        nodes.append(
            Node(f"{below}-0", x, floor, f"{below} + positions", "soft", "word", wide, 16)
        )
        for n, text in enumerate(parts):
            y, role = floor - row * (2 * n + 1), "weight" if "attention" in text else ""
            before, now, after = (f"{below}-{2 * n + m}" for m in range(3))
            nodes += [part(now, x, y, text, role), part(after, x, y - row, "add, normalise")]
            edges.append(Edge("flow", [now, after]))
            start = y + 31
            if "self" in text:
                forked, arrows = _asks_itself(now, x, y + 35 + 5 * (n == 0), y + 13)
                nodes += forked
                edges += arrows
            elif "cross" in text:
                nodes.append(Node("q", x - 8, y + 22, "q", "query", "word"))
                edges.append(Edge("q", [before, now], "query"))
            else:
                edges.append(Edge("flow", [before, now]))
            way = [(x, start), (x - 76, start), (x - 76, y - row)]
            edges.append(Edge("around", [*way, after]))
    nodes.append(part("word", right, floor - 7 * row, "choose a word"))
    edges.append(Edge("flow", ["target-6", "word"]))
    top, cross = floor - 4 * row - 13, floor - 3 * row
    for letter, role, start, over, rail, low in (
        ("k", "key", left + 4, top - 9, left + 80, cross + 4),
        ("v", "value", left - 4, top - 16, left + 88, cross - 4),
    ):
        way = [(start, top), (start, over), (rail, over), (rail, low), (right - wide / 2, low)]
        edges.append(Edge(letter, way, role))
    nodes += [
        Node("k", left + 72, top + 6, "k", "key", "word"),
        Node("v", left + 84, top - 25, "v", "value", "word"),
    ]
    alt = (
        "Two columns, read from below: the encoder with self-attention and a feed-forward "
        "part, the decoder with causal self-attention, cross-attention (its queries come from "
        "below, its keys and values from the top of the encoder) and a feed-forward part. What "
        "enters self-attention is forked into queries, keys and values. A residual leads "
        "around every part to a box that adds and normalises."
    )
    return Sketch(328, floor + 14, nodes, edges, alt)
