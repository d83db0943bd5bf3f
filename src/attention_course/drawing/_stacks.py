"""Decoders over several steps and layers: input feeding, a stack and its grid, a tape."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def input_feeding() -> Sketch:
    """Draw three steps of Luong's decoder, one beside the other."""
    box = partial(Node, wide=58, high=26)
    nodes = [Node("memory", 166, 18, "encoder states h̄_1, h̄_2, …", "value", wide=312, high=26)]
    edges = []
    for t, x in enumerate((56.0, 166.0, 276.0), start=1):
        nodes += [
            Node(f"word-{t}", x, 298, f"y_{t - 1}", "", "word", 24, 16),
            box(f"lstm-{t}", x, 252, "LSTM"),
            box(f"h-{t}", x, 206, f"h_{t}", "query"),
            box(f"c-{t}", x, 160, f"c_{t}", "context"),
            box(f"join-{t}", x, 114, "tanh W_c"),
            box(f"a-{t}", x, 68, f"h̃_{t}", "context"),
        ]
        edges += [
            Edge(f"read-{t}", [f"word-{t}", f"lstm-{t}"]),
            Edge(f"h-{t}", [f"lstm-{t}", f"h-{t}"]),
            Edge(f"ask-{t}", [f"h-{t}", f"c-{t}"], "query"),
            Edge(f"join-{t}", [f"c-{t}", f"join-{t}"], "context"),
            Edge(
                f"join-{t}",
                [f"h-{t}", (x - 38, 206), (x - 38, 114), f"join-{t}"],
                "query",
            ),
            Edge(f"join-{t}", [f"join-{t}", f"a-{t}"], "context"),
            Edge(f"look-{t}", [(x + 38, 31), (x + 38, 160), f"c-{t}"], "value"),
        ]
        if t < 3:
            after = f"lstm-{t + 1}"
            edges += [
                Edge("next", [f"lstm-{t}", after]),
                Edge(
                    "fed",
                    [f"a-{t}", (x + 54, 68), (x + 54, 282), (x + 90, 282), (x + 90, 265)],
                    "context",
                    dashed=True,
                ),
            ]
    alt = (
        "Three steps of Luong's decoder, side by side; each is read from below. An LSTM reads "
        "the last word and makes the state of this step. That state asks the encoder states, "
        "and the answer is the context. Context and state together go through the matrix W_c "
        "and a tanh and become the attentional vector. A dashed arrow, the input feeding, "
        "leads from each attentional vector to the LSTM of the next step."
    )
    return Sketch(332, 310, nodes, edges, alt)
