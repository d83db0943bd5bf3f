"""The map of the family: how attention came from recurrent translators to the Transformer."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def family() -> Sketch:
    """Draw the ideas of the course in the order of their years; read from above."""
    left, right, mid = 113.0, 269.0, 191.0
    box = partial(Node, wide=128, high=32)
    broad = partial(Node, wide=284, high=32)
    years = {2014: 20, 2015: 148, 2016: 200, 2017: 268}
    sides = [
        ("luong", left, 148, "Luong: dot product"),
        ("hard", right, 148, "local and hard"),
        ("gnmt", left, 200, "GNMT: eight layers"),
        ("lstmn", right, 200, "LSTMN: inward"),
    ]
    nodes = [
        *(Node(f"year-{year}", 0, y, str(year), "soft", "label") for year, y in years.items()),
        broad("fixed", mid, 20, "encoder and decoder, one vector"),
        broad("bahdanau", mid, 88, "Bahdanau: additive attention"),
        *(box(name, x, y, text) for name, x, y, text in sides),
        broad("self", mid, 268, "self-attention, scaled, many heads"),
        broad("transformer", mid, 336, "the Transformer"),
    ]
    edges = [
        Edge("fixed", ["fixed", "bahdanau"]),
        Edge("bahdanau", ["bahdanau", "self"]),
        *(Edge(name, [(mid, y), name], tip=False) for name, _, y, _ in sides),
        Edge("self", ["self", "transformer"]),
    ]
    alt = (
        "A map, read from above. 2014: an encoder hands a decoder one vector; Bahdanau's "
        "additive attention lets the decoder look back at all states. 2015: Luong's dot "
        "product, and local and hard attention, which look at less. 2016: GNMT stacks eight "
        "layers; in LSTMN a sentence looks back at itself. 2017: self-attention, scaled, with "
        "many heads, without recurrence; out of it the Transformer."
    )
    return Sketch(340, 356, nodes, edges, alt)
