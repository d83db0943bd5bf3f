"""Four forms of a score: a product, a matrix between, a network on the pair, a place."""

from attention_course.drawing._sketch import Edge, Node, Sketch


def ways_to_score() -> Sketch:
    """Draw how query and key meet in each form."""
    product, matrix, network, place = 44.0, 132.0, 224.0, 314.0
    low, mid, top = 170.0, 108.0, 46.0
    nodes = [
        Node("name", product, 12, "product", "soft", "word"),
        Node("name", matrix, 12, "matrix", "soft", "word"),
        Node("name", network, 12, "network", "soft", "word"),
        Node("name", place, 12, "place", "soft", "word"),
        Node("dot-1", product, mid, "•", "score", "dot"),
        Node("W-2", matrix - 20, mid + 8, "W", "", wide=28),
        Node("dot-2", matrix + 12, mid - 18, "•", "score", "dot"),
        Node("tanh-3", network, mid + 16, "tanh", "", wide=52),
        Node("w-3", network, mid - 20, "w_v", "", wide=36, high=20),
        Node("W-4", place - 20, mid, "W", "", wide=28),
        Node("names", product, 206, "dot, scaled,", "soft", "word"),
        Node("names", product, 222, "cosine, kernel", "soft", "word"),
        Node("names", matrix, 206, "general", "soft", "word"),
        Node("names", network, 206, "additive,", "soft", "word"),
        Node("names", network, 222, "concat", "soft", "word"),
        Node("names", place, 206, "location", "soft", "word"),
    ]
    for i, x in enumerate((product, matrix, network, place), 1):
        nodes += [
            Node(f"q-{i}", x - 20, low, "q", "query", wide=30),
            Node(f"k-{i}", x + 20, low, "k", "key", wide=30),
            Node(f"e-{i}", x, top, "e", "score", wide=36),
        ]
    edges = [
        Edge("q", ["q-1", "dot-1"], "query"),
        Edge("k", ["k-1", "dot-1"], "key"),
        Edge("e", ["dot-1", "e-1"], "score"),
        Edge("q", ["q-2", "W-2"], "query"),
        Edge("q", ["W-2", "dot-2"], "query"),
        Edge("k", ["k-2", "dot-2"], "key"),
        Edge("e", ["dot-2", "e-2"], "score"),
        Edge("q", ["q-3", "tanh-3"], "query"),
        Edge("k", ["k-3", "tanh-3"], "key"),
        Edge("e", ["tanh-3", "w-3"], "score"),
        Edge("e", ["w-3", "e-3"], "score"),
        Edge("q", ["q-4", "W-4"], "query"),
        Edge("e", ["W-4", "e-4"], "score"),
    ]
    alt = (
        "Four forms of a score, read from below. Product: query and key are multiplied (dot, "
        "scaled dot, cosine, kernel). Matrix: the query goes through a matrix first (general). "
        "Network: query and key go into a tanh layer that a vector reads (additive, concat). "
        "Place: the query goes through a matrix, and no arrow comes from the key (location)."
    )
    return Sketch(358, 232, nodes, edges, alt)
