"""A decoder that may look back at every state of its encoder: attention as an interface."""

from attention_course.drawing._sketch import Edge, Node, Sketch


def decoder_with_attention() -> Sketch:
    """Draw one step of a decoder, with the attention layer between it and the encoder."""
    at = dict(zip(("the", "red", "dress"), (34.0, 104.0, 174.0), strict=True))
    mid, s, low = at["red"], 300.0, 206.0
    nodes = [
        Node("attend", mid, 140, "scores, softmax, sum", "weight", wide=188, high=28),
        Node("c", mid, 84, "c", "context"),
        Node("s", s, low, "s", "query", wide=76),
        Node("write", s, 84, "next word", wide=76),
        Node("word", s, 24, "robe", "", "word", 40, 20),
        Node("layer", 188, 168, "keys", "key", "label"),
        Node("layer", 188, 184, "values", "value", "label"),
        Node("asks", 222, 132, "query", "query", "label"),
        Node("names", mid, 270, "encoder", "soft", "word"),
        Node("names", s, 270, "decoder", "soft", "word"),
    ]
    edges = [
        Edge("s", [(284, low - 12), (284, 140), "attend"], "query"),
        Edge("c", ["attend", "c"], "context"),
        Edge("c", ["c", "write"], "context"),
        Edge("s", [(316, low - 12), (316, 97)]),
        Edge("word", ["write", "word"]),
        Edge("next", ["word", (362, 24), (362, low), "s"], "soft", dashed=True),
        Edge("start", ["h-3", "s"], "soft", dashed=True),
    ]
    for j, (word, x) in enumerate(at.items(), 1):
        nodes += [
            Node(f"h-{j}", x, low, f"h_{j}", "key"),
            Node(f"x-{j}", x, 246, word, "", "word", 40, 20),
        ]
        edges += [
            Edge("h", [f"x-{j}", f"h-{j}"]),
            Edge("k", [(x - 8, low - 12), (x - 8, 155)], "key"),
            Edge("v", [(x + 8, low - 12), (x + 8, 155)], "value"),
        ]
        if j > 1:
            edges.append(Edge("h", [f"h-{j - 1}", f"h-{j}"]))
    alt = (
        "An encoder reads the, red, dress and keeps a state for each word. The decoder's state "
        "is a query to the attention layer, which also gets all encoder states, each as a key "
        "and as a value. It computes "
        "scores, a softmax and a sum, and returns the context. From the context and its own "
        "state the decoder writes the next word, robe, which it reads in its next step. The "
        "last encoder state has started the decoder."
    )
    return Sketch(372, 282, nodes, edges, alt)
