"""One drawing for each model, by name; read from below, as the papers draw them."""

from collections.abc import Callable, Mapping
from functools import partial

from attention_course.drawing._family import family
from attention_course.drawing._sketch import CELL, Edge, Node, Sketch


def scaled_dot_product() -> Sketch:
    """Draw the five blocks of scaled dot-product attention, with the shapes between them."""
    x, right, mid = 102, 292, 175
    block = partial(Node, wide=172, high=30)
    nodes = [
        Node("q", 48, 362, "Q", "query", wide=64, high=28),
        Node("k", 156, 362, "K", "key", wide=64, high=28),
        Node("v", right, 362, "V", "value", wide=64, high=28),
        Node("shape-q", 48, 388, "n × d_k", "soft", "word"),
        Node("shape-k", 156, 388, "m × d_k", "soft", "word"),
        Node("shape-v", right, 388, "m × d_v", "soft", "word"),
        block("scores", x, 300, "product Q K^⊤", "score"),
        block("scaled", x, 244, "scale: ÷ √d_k", "score"),
        block("masked", x, 188, "mask (optional)", "score"),
        block("weights", x, 132, "softmax, row by row", "weight"),
        Node("mix", mid, 74, "product A V", "context", wide=318, high=30),
        Node("context", mid, 18, "C", "context", wide=64, high=28),
        Node("shape-e", x + 10, 272, "scores, n × m", "soft", "label"),
        Node("shape-m", x + 10, 160, "−∞ where not allowed", "soft", "label"),
        Node("shape-a", x + 10, 104, "weights A, n × m", "soft", "label"),
        Node("shape-c", mid + 10, 46, "n × d_v", "soft", "label"),
    ]
    edges = [
        Edge("flow", ["q", (48, 340), "scores"], "query"),
        Edge("flow", ["k", (156, 340), "scores"], "key"),
        Edge("flow", ["v", (right, 340), "mix"], "value"),
        Edge("flow", ["scores", "scaled"], "score"),
        Edge("flow", ["scaled", "masked"], "score"),
        Edge("flow", ["masked", "weights"], "score"),
        Edge("flow", ["weights", (x, 100), "mix"], "weight"),
        Edge("flow", ["mix", "context"], "context"),
    ]
    alt = (
        "Scaled dot-product attention, read from below. Queries Q (n by d_k) and keys K (m by "
        "d_k) are multiplied to scores (n by m), which are divided by the square root of d_k; "
        "a mask, where there is one, sets those that are not allowed to minus infinity. The "
        "softmax turns each row into weights A (n by m). Their product with the values V (m by "
        "d_v) is the context C (n by d_v)."
    )
    return Sketch(340, 398, nodes, edges, alt)


def four_states() -> Sketch:
    """Draw one decoder state that asks four encoder states."""
    at = [95.0 + 66 * j for j in range(4)]
    mid, wide, tall = sum(at) / 4, 58.0, 3 * CELL
    nodes = [
        *_labels({"context": 38, "shares": 126, "weights": 184, "scores": 300}),
        Node("s", 0, 252, "factor", "soft", "label", shows="factor"),
        Node("c", mid, 38, "c", "context", "column", wide, tall, "context", 3),
        Node("softmax", mid, 218, "softmax", wide=260, high=18),
        Node("q", 27, 370, "q", "query", "column", 40, tall, "query", 3),
        Node("name", 27, 411, "decoder", "soft", "word"),
    ]
    for j, x in enumerate(at):
        i = j + 1
        vector = partial(Node, shape="column", high=tall, cells=3)
        nodes += [
            Node(f"name-{j}", x, 411, f"state {i}", "soft", "word"),
            vector(f"k-{j}", x, 370, f"h_{i}", "key", wide=40, shows=f"k.{j}"),
            Node(f"dot-{j}", x, 327, "", "score", "dot"),
            Node(f"e-{j}", x, 300, f"e_{i}", "score", wide=wide, shows=f"scores.{j}"),
            Node(f"s-{j}", x, 252, f"e_{i}", "score", wide=wide, shows=f"scaled.{j}"),
            Node(f"a-{j}", x, 184, f"α_{i}", "weight", "weight", wide, shows=f"weights.{j}"),
            vector(
                f"v-{j}", x, 126, f"α_{i}\u2009h_{i}", "value", wide=wide, shows=f"shares.{j}"
            ),
        ]
    edges = [Edge("q", ["q", (27, 327), (at[-1], 327)], "query", tip=False)]
    for j, x in enumerate(at):
        edges += [
            Edge("k", [f"k-{j}", f"dot-{j}"], "key", tip=False),
            Edge("e", [f"dot-{j}", f"e-{j}"], "score"),
            Edge("s", [f"e-{j}", f"s-{j}"], "score"),
            Edge("softmax", [f"s-{j}", (x, 227)], "score"),
            Edge("a", [(x, 209), f"a-{j}"], "weight"),
            Edge("v", [f"a-{j}", f"v-{j}"], "value", f"weights.{j}", tip=False),
            Edge("c", [f"v-{j}", (x, 84), (mid, 84), "c"], "context", tip=False),
        ]
    alt = (
        "A decoder state and four encoder states, read from below. The dot product of the "
        "decoder state, the query, with each encoder state is a score. The scores are "
        "multiplied by a factor, and the softmax makes weights of them. Each encoder state is "
        "multiplied by its weight. The sum is the context."
    )
    return Sketch(328, 420, nodes, edges, alt)


def _labels(rows: Mapping[str, float]) -> list[Node]:
    """Name the rows at their left end."""
    return [Node("row", 0, y, text, "soft", "label") for text, y in rows.items()]


DRAWINGS: dict[str, Callable[[], Sketch]] = {
    "scaled-dot-product": scaled_dot_product,
    "four-states": four_states,
    "family": family,
}
