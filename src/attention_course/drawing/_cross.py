"""Cross-attention: the words of one sentence ask those of another."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def cross_attention() -> Sketch:
    """Draw three target words that ask five source words: a rectangle of weights."""
    at, rows = [124.0 + 42 * j for j in range(5)], [104.0, 130.0, 156.0]
    asks, gives, rail, top = 68.0, 346.0, 380.0, 18.0
    source, target = ("the", "dress", "is", "too", "red"), ("la", "robe", "est")
    box = partial(Node, wide=40, high=22)
    label = partial(Node, x=0, role="soft", shape="label")
    nodes = [
        label("side", y=76, text="decoder"),
        label("side", y=262, text="encoder"),
        Node("memory", at[2], 262, wide=208, high=24),
        Node("W", at[0] + 6, 234, "W_k", "key", "label"),
        Node("W", asks - 8, 82, "W_q", "query", "label"),
        Node("W", rail - 24, 34, "W_v", "value", "label"),
    ]
    edges: list[Edge] = []
    for i, (word, y) in enumerate(zip(target, rows, strict=True), 1):
        nodes += [
            label(f"word-{i}", y=y, text=word),
            box(f"q-{i}", asks, y, f"q_{i}", "query"),
            box(f"c-{i}", gives, y, f"c_{i}", "context"),
        ]
        nodes += [
            box(f"a{i}-{j}", x, y, f"α_{{{i}{j}}}", "weight") for j, x in enumerate(at, 1)
        ]
        edges += [
            Edge("q", [(34, y), f"q-{i}"], "query"),
            Edge("asks", [f"q-{i}", f"a{i}-1"], "query"),
            Edge("c", [f"a{i}-5", f"c-{i}"], "context"),
        ]
    for j, (word, x) in enumerate(zip(source, at, strict=True), 1):
        nodes += [
            Node(f"name-{j}", x, 292, word, "soft", "word"),
            Node(f"y-{j}", x, 262, f"y_{j}", shape="word"),
            box(f"k-{j}", x, 208, f"k_{j}", "key", high=24),
            box(f"v-{j}", x, 54, f"v_{j}", "value", high=24),
        ]
        edges += [
            Edge("k", [(x, 250), f"k-{j}"], "key"),
            Edge("asked", [f"k-{j}", f"a3-{j}"], "key"),
            Edge("v", [(x, top), f"v-{j}"], "value"),
            Edge("given", [f"v-{j}", f"a1-{j}"], "value"),
        ]
    edges.append(
        Edge("v", ["memory", (rail, 262), (rail, top), (at[0], top)], "value", tip=False)
    )
    alt = (
        "Cross-attention. Below, five words of the source, as the encoder has left them, "
        "become keys and, by a line round the outside, values. On the left three words of the "
        "target become queries. A rectangle of three rows and five columns holds the weights: "
        "a row for each target word, over all five source words, with none struck out. With "
        "the values above its columns each row gives the context of its word. No arrow leads "
        "from the target to the source."
    )
    return Sketch(388, 302, nodes, edges, alt)
