"""Two drawings: three ways to look at a source, and a captioner that looks at a picture."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def ways_to_look() -> Sketch:
    """Draw global, local and hard attention, one below the other."""
    at = [22.0 + 27 * j for j in range(9)]
    right, chosen = 296.0, 6
    nodes: list[Node] = []
    edges: list[Edge] = []
    rows = (
        ("global and soft: all are mixed", range(9), range(9)),
        ("local and soft: a window is mixed", range(4, 9), range(4, 9)),
        ("global and hard: all have a weight, one is taken", range(9), [chosen]),
    )
    for r, (name, weighed, taken) in enumerate(rows):
        top = 12.0 + 92 * r
        rail, low = top + 24, top + 58
        nodes += [
            Node(f"name{r}", 8, top, name, "soft", "label"),
            Node(f"c{r}", right, low, "c", "context", wide=44),
        ]
        for j, x in enumerate(at):
            seen = j in weighed
            role, text = ("weight", f"α_{j + 1}") if seen else ("soft", "")
            nodes.append(Node(f"a{r}-{j}", x, low, text, role, wide=25))
            if j in taken:
                line: list[str | tuple[float, float]]
                line = [f"a{r}-{j}", (x, rail), (right, rail)]
                edges.append(Edge(f"c{r}", line, "value", tip=False))
        edges.append(Edge(f"c{r}", [(right, rail), f"c{r}"], "context"))
    alt = (
        "Three ways to look at nine source positions. Global and soft: all nine have a weight, "
        "and all values go into the context c. Local and soft: only the five positions of a "
        "window have a weight, and these five go into c. Global and hard: all nine have a "
        "weight, and one value alone, chosen by chance, becomes c."
    )
    return Sketch(328, 270, nodes, edges, alt)


def captioner() -> Sketch:
    """Draw one word of a captioner that looks at a picture."""
    mid, left = 212.0, 52.0
    block = partial(Node, wide=150, high=30)
    nodes = [
        Node("word", mid, 16, "word y_t", "", wide=96),
        block("out", mid, 62, "L_o (y + L_h h + L_z z)"),
        block("unit", mid, 116, "LSTM"),
        Node("z", mid, 168, "z_t", "context", wide=64),
        block("take", mid, 220, "soft: mix all 36\nhard: take one", "weight", high=40),
        block("weights", mid, 284, "weights α_t, 36", "weight"),
        block("scores", mid, 334, "scores e_t, 36", "score"),
        block("grid", mid, 396, "36 annotations a_i", "key"),
        block("net", mid, 446, "two convolutions"),
        Node("picture", mid, 494, "picture, 24 × 24", "", wide=124),
        Node("before", left, 116, "h_{t−1}", "query", wide=60),
        Node("fed", left, 66, "y_{t−1}", "", wide=60),
        Node("beta", left, 168, "gate β_t", "", wide=64),
    ]
    edges = [
        Edge("net", ["picture", "net"]),
        Edge("grid", ["net", "grid"], "key"),
        Edge("scores", ["grid", "scores"], "key"),
        Edge("scores", ["before", (12, 116), (12, 334), "scores"], "query"),
        Edge("weights", ["scores", "weights"], "score"),
        Edge("take", ["weights", "take"], "weight"),
        Edge("take", ["grid", (312, 396), (312, 220), "take"], "value"),
        Edge("z", ["take", "z"], "context"),
        Edge("z", ["beta", "z"]),
        Edge("beta", ["before", "beta"], "query"),
        Edge("unit", ["z", "unit"], "context"),
        Edge("unit", ["before", "unit"]),
        Edge("unit", ["fed", (110, 66), (110, 106), (137, 106)]),
        Edge("out", ["unit", "out"]),
        Edge("word", ["out", "word"]),
    ]
    alt = (
        "One word of the captioner, read from below. Two convolutions turn the picture of 24 "
        "by 24 pixels into 36 annotations, one for each cell of a grid. The decoder's state "
        "before the word is the query: with each annotation it gives a score, and the softmax "
        "makes 36 weights. Soft attention mixes all annotations with them; hard attention "
        "takes one. A gate scales the result z. With the last word and the old state, z goes "
        "into the LSTM; its new state, z and the last word choose the next word."
    )
    return Sketch(328, 510, nodes, edges, alt)
