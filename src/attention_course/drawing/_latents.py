"""Multi-head latent attention: where its queries, keys and values come from, in two ways."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch

HALF = 212.0  # from the left half to the right one
_box = partial(Node, wide=40, high=24)


def latents() -> Sketch:
    """Draw one head: keys and values made of latents, and queries that go to the latents."""
    alt = (
        "One head of multi-head latent attention, twice. In both halves the token that asks "
        "becomes a query in two parts, q and q_r; the second is turned by its position. A "
        "token that is looked at becomes a latent c, by W_c, and a turned key k_r, by W_r: "
        "these two are kept. On the left, W_k makes a key of the latent and W_v a value; the "
        "two parts of the query meet the key and the turned key, and the weight brings the "
        "value to the context. On the right the projections are absorbed: W_k turns the query, "
        "which meets the latent itself; the weights sum latents, and W_v makes the context of "
        "the sum."
    )
    halves = [_common("m", 0.0), _made(), _common("a", HALF), _absorbed(HALF)]
    nodes = [node for some, _ in halves for node in some]
    edges = [edge for _, some in halves for edge in some]
    return Sketch(2 * HALF - 14, 316, nodes, edges, alt)


def _common(half: str, at: float) -> tuple[list[Node], list[Edge]]:
    """Draw what both halves have: two tokens, what is kept of one, a weight, a context."""
    titles = {"m": "keys and values made", "a": "projections absorbed"}
    nodes = [
        Node(f"title-{half}", at + 100, 10, titles[half], "soft", "word"),
        Node(f"x-{half}i", at + 44, 306, "x_i", shape="word"),
        Node(f"x-{half}j", at + 148, 306, "x_j", shape="word"),
        Node(f"kept-{half}", at + 148, 274, "kept", "soft", "word"),
        _box(f"latent-{half}", at + 126, 242, "c"),
        _box(f"r-{half}", at + 170, 242, "k_r", "key"),
        _box(f"q-{half}", at + 22, 242, "q", "query"),
        _box(f"p-{half}", at + 66, 242, "q_r", "query"),
        _box(f"a-{half}", at + 66, 122, "α", "weight", wide=52),
        _box(f"o-{half}", at + 100, 40, "context", "context", wide=64),
        Node(f"W-{half}q", at, 276, "W_q", "query", "label"),
        Node(f"W-{half}c", at + 104, 284, "W_c", shape="label"),
        Node(f"W-{half}r", at + 175, 284, "W_r", "key", "label"),
    ]
    edges = [
        Edge("kept", [(at + 104, 262), (at + 192, 262)], "soft", tip=False),
        Edge("q", [f"x-{half}i", f"q-{half}"], "query"),
        Edge("p", [f"x-{half}i", f"p-{half}"], "query"),
        Edge("latent", [f"x-{half}j", f"latent-{half}"]),
        Edge("r", [f"x-{half}j", f"r-{half}"], "key"),
        Edge("a", [f"p-{half}", f"a-{half}"], "query"),
        Edge("a", [f"r-{half}", (at + 170, 122), f"a-{half}"], "key"),
    ]
    return nodes, edges


def _made() -> tuple[list[Node], list[Edge]]:
    nodes = [
        _box("k", 104, 176, "k", "key"),
        _box("v", 148, 176, "v", "value"),
        Node("W-k", 92, 212, "W_k", "key", "label"),
        Node("W-v", 143, 212, "W_v", "value", "label"),
    ]
    edges = [
        Edge("k", ["latent-m", "k"], "key"),
        Edge("v", ["latent-m", "v"], "value"),
        Edge("a", ["q-m", "a-m"], "query"),
        Edge("a", ["k", "a-m"], "key"),
        Edge("o", ["a-m", "o-m"], "context"),
        Edge("o", ["v", (148, 40), "o-m"], "value"),
    ]
    return nodes, edges


def _absorbed(at: float) -> tuple[list[Node], list[Edge]]:
    nodes = [
        _box("asked", at + 22, 176, "asked", "query", wide=44),
        _box("sum", at + 126, 80, "Σ α c", wide=54),
        Node("W-k", at, 208, "W_k", "key", "label"),
        Node("W-v", at + 136, 60, "W_v", "value", "label"),
    ]
    edges = [
        Edge("asked", ["q-a", "asked"], "query"),
        Edge("a", ["asked", "a-a"], "query"),
        Edge("a", ["latent-a", "a-a"]),
        Edge("sum", ["latent-a", "sum"]),
        Edge("sum", ["a-a", "sum"], "weight"),
        Edge("o", ["sum", "o-a"], "context"),
    ]
    return nodes, edges
