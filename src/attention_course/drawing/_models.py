"""One drawing for each model, by name; read from below, as the papers draw them."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

from attention_course.drawing._blocks import (
    block,
    encoder_decoder,
    positions,
    residual_stream,
)
from attention_course.drawing._cross import cross_attention
from attention_course.drawing._decoder import decoder_with_attention
from attention_course.drawing._formats import number_formats
from attention_course.drawing._history import family
from attention_course.drawing._latents import latents
from attention_course.drawing._local_and_vision import (
    asker,
    attention_in_convolutions,
    captioner,
    vision_transformer,
    ways_to_look,
)
from attention_course.drawing._memory import memory_and_chip
from attention_course.drawing._scores import ways_to_score
from attention_course.drawing._sketch import CELL, Edge, Node, Sketch
from attention_course.drawing._stacks import fixed_vector, gnmt, input_feeding, tape, time_grid


def scaled_dot_product() -> Sketch:
    """Draw the five blocks of scaled dot-product attention, with the shapes between them."""
    x, right, mid = 102, 292, 175
    block = partial(Node, wide=172, high=30)
    nodes = [
        Node("q", 48, 306, "Q", "query", wide=64, high=28),
        Node("k", 156, 306, "K", "key", wide=64, high=28),
        Node("v", right, 306, "V", "value", wide=64, high=28),
        Node("shape-q", 48, 331, "n × d_k", "soft", "word"),
        Node("shape-k", 156, 331, "m × d_k", "soft", "word"),
        Node("shape-v", right, 331, "m × d_v", "soft", "word"),
        Node("from-q", 48, 349, "X W_q", "query", "word"),
        Node("from-k", 156, 349, "X′ W_k", "key", "word"),
        Node("from-v", right, 349, "X′ W_v", "value", "word"),
        block("scores", x, 252, "product Q K^⊤", "score"),
        block("scaled", x, 205, "scale: ÷ √d_k", "score"),
        block("masked", x, 158, "mask (optional)", "score"),
        block("weights", x, 111, "softmax, row by row", "weight"),
        Node("mix", mid, 64, "product A V", "context", wide=318, high=30),
        Node("context", mid, 18, "C", "context", wide=64, high=28),
        Node("shape-e", x + 10, 228.5, "scores, n × m", "soft", "label"),
        Node("shape-m", x + 10, 134.5, "−∞ where not allowed", "soft", "label"),
        Node("shape-a", x + 10, 87.5, "weights A, n × m", "soft", "label"),
        Node("shape-c", mid + 10, 39.5, "n × d_v", "soft", "label"),
    ]
    edges = [
        Edge("flow", ["q", (48, 288), "scores"], "query"),
        Edge("flow", ["k", (156, 288), "scores"], "key"),
        Edge("flow", ["v", (right, 288), "mix"], "value"),
        Edge("flow", ["scores", "scaled"], "score"),
        Edge("flow", ["scaled", "masked"], "score"),
        Edge("flow", ["masked", "weights"], "score"),
        Edge("flow", ["weights", (x, 92), "mix"], "weight"),
        Edge("flow", ["mix", "context"], "context"),
    ]
    alt = (
        "Scaled dot-product attention, read from below. Queries Q come from the words X that "
        "ask, keys K and values V from the words X′ that are asked, by a matrix each; in "
        "self-attention these are the same words. Q (n by d_k) and K (m by "
        "d_k) are multiplied to scores (n by m), which are divided by the square root of d_k; "
        "a mask, where there is one, sets those that are not allowed to minus infinity. The "
        "softmax turns each row into weights A (n by m). Their product with the values V (m by "
        "d_v) is the context C (n by d_v)."
    )
    return Sketch(340, 360, nodes, edges, alt)


def four_states() -> Sketch:
    """Draw one decoder state that asks four encoder states."""
    at = [95.0 + 66 * j for j in range(4)]
    mid, wide, tall = sum(at) / 4, 54.0, 3 * CELL
    nodes = [
        *_labels({"context": 38, "shares": 126, "weights": 184, "scores": 300}),
        Node("s", 0, 252, "factor", "soft", "label", shows="factor"),
        Node("c", mid, 38, "c", "context", "column", wide, tall, "context", 3),
        Node("softmax", 0, 218, "softmax", "weight", "label"),
        Node("q", 27, 370, "q", "query", "column", 40, tall, "query", 3),
        Node("name", 27, 411, "decoder", "soft", "word"),
    ]
    for j, (x, word) in enumerate(zip(at, ("big", "animal", "cross", "street"), strict=True)):
        i = j + 1
        vector = partial(Node, shape="column", high=tall, cells=3)
        nodes += [
            Node(f"name-{j}", x, 411, word, "soft", "word"),
            vector(f"k-{j}", x, 370, f"h_{i}", "key", wide=40, shows=f"k.{j}"),
            Node(f"dot-{j}", x, 327, "•", "score", "dot"),
            Node(f"e-{j}", x, 300, f"e_{i}", "score", wide=wide, shows=f"scores.{j}"),
            Node(f"s-{j}", x, 252, f"e_{i}", "score", wide=wide, shows=f"scaled.{j}"),
            Node(f"a-{j}", x, 184, f"α_{i}", "weight", "weight", wide, shows=f"weights.{j}"),
            vector(
                f"v-{j}", x, 126, f"α_{i}\u2009h_{i}", "value", wide=wide, shows=f"shares.{j}"
            ),
        ]
    edges = [
        Edge("q", ["q", (27, 327), (at[-1], 327)], "query", tip=False),
        Edge("softmax", [(at[0], 218), (at[-1], 218)], "weight", tip=False),
    ]
    for j, x in enumerate(at):
        edges += [
            Edge("k", [f"k-{j}", f"dot-{j}"], "key", tip=False),
            Edge("e", [f"dot-{j}", f"e-{j}"], "score"),
            Edge("s", [f"e-{j}", f"s-{j}"], "score"),
            Edge("softmax", [f"s-{j}", (x, 227)], "score"),
            Edge("a", [(x, 209), f"a-{j}"], "weight"),
            Edge("v", [f"k-{j}", (x + 33, 370), (x + 33, 229)], "value", tip=False),
            Edge("v", [(x + 33, 207), (x + 33, 126), f"v-{j}"], "value"),
            Edge("a", [f"a-{j}", f"v-{j}"], "weight", f"weights.{j}", tip=False),
            Edge("c", [f"v-{j}", (x, 84), (mid, 84), "c"], "context", tip=False),
        ]
    alt = (
        "A decoder state and four encoder states, of the words big, animal, cross and street, "
        "read from below. The dot product of the "
        "decoder state, the query, with each encoder state, as a key, is a score. The scores "
        "are multiplied by a factor, and the softmax makes weights of them. Each encoder state "
        "goes up beside its score a second time, as a value, and is multiplied by its weight. "
        "The sum is the context."
    )
    return Sketch(332, 420, nodes, edges, alt)


_SIX = [66.0 + 46 * j for j in range(6)]
_SIX_WIDE = 39.0


def _handed_on(x: float, low: float, high: float) -> list[tuple[float, float]]:
    """Return the way of a value: out of a word's vector, up beside its column, and in."""
    return [
        (x + 13, low),
        (x + 13, low - 8),
        (x + 23, low - 8),
        (x + 23, high + 10),
        (x + 13, high + 10),
        (x + 13, high),
    ]


def self_attention() -> Sketch:
    """Draw one word of six that asks all six."""
    at, wide = _SIX, _SIX_WIDE
    mid = sum(at) / 6
    bars = partial(Node, shape="bars", wide=wide, high=28)
    nodes = [
        *_labels({"context": 18, "values": 82, "weights": 134, "scores": 252}),
        Node("s", 0, 202, "scaled", "soft", "label", shows="factor"),
        bars("c", mid, 18, "c", "context", shows="context"),
        Node("softmax", 0, 168, "softmax", "weight", "label"),
        bars("q", 22, 318, "q", "query", shows="query"),
        Node("q-W", 0, 346, "W_q", "query", "label"),
        Node("k-W", 44, 346, "W_k", "key", "label"),
        Node("v-W", 91, 346, "W_v", "value", "label"),
        bars("asks-x", 22, 374, "x", "", shows="asking"),
        Node("asks-word", 22, 406, "is", "query", "word", shows="words.word"),
    ]
    edges = [
        Edge("q", ["asks-x", "q"], "query"),
        Edge("dot", ["q", (22, 284), (at[-1], 284)], "query", tip=False),
        Edge("softmax", [(at[0], 168), (at[-1], 168)], "weight", tip=False),
    ]
    sentence = ("Life", "is", "short", "eat", "dessert", "first")
    for j, (x, word) in enumerate(zip(at, sentence, strict=True)):
        i = j + 1
        nodes += [
            Node("name", x, 406, word, "soft", "word", shows=f"words.{j}"),
            bars(f"x-{j}", x, 374, f"x_{i}", "", shows=f"x.{j}"),
            bars(f"k-{j}", x, 318, f"k_{i}", "key", shows=f"k.{j}"),
            Node(f"dot-{j}", x, 284, "•", "score", "dot"),
            Node(f"e-{j}", x, 252, f"e_{i}", "score", wide=wide, shows=f"scores.{j}"),
            Node(f"s-{j}", x, 202, f"e_{i}", "score", wide=wide, shows=f"scaled.{j}"),
            Node(f"a-{j}", x, 134, f"α_{i}", "weight", "weight", wide, shows=f"weights.{j}"),
            bars(f"v-{j}", x, 82, f"v_{i}", "value", shows=f"v.{j}"),
        ]
        edges += [
            Edge("k", [f"x-{j}", f"k-{j}"], "key"),
            Edge("v", _handed_on(x, 360, 96), "value"),
            Edge("dot", [f"k-{j}", f"dot-{j}"], "key", tip=False),
            Edge("e", [f"dot-{j}", f"e-{j}"], "score"),
            Edge("s", [f"e-{j}", f"s-{j}"], "score"),
            Edge("softmax", [f"s-{j}", (x, 169)], "score"),
            Edge("a", [(x, 168), f"a-{j}"], "weight"),
            Edge("v", [f"a-{j}", f"v-{j}"], "weight", f"weights.{j}", tip=False),
            Edge("c", [f"v-{j}", (x, 50), (mid, 50)], "value", f"weights.{j}", tip=False),
        ]
    edges.append(Edge("c", [(mid, 50), "c"], "context"))
    alt = (
        "Self-attention in a sentence of six words, read from below. One of the words asks: "
        "the matrix W_q makes a query of its vector. The vectors of all six, its own among "
        "them, become keys by the matrix W_k and, by lines of their own beside the columns, "
        "values by the matrix W_v. The dot product of the query with each key is a score; the "
        "scores are scaled, and the softmax makes weights of them. The values, each as much as "
        "its weight says, add up to the context of the asking word."
    )
    return Sketch(328, 418, nodes, edges, alt, letters=11.2)


def bare_self_attention() -> Sketch:
    """Draw one word of six that asks all six, with nothing to learn."""
    at, wide = _SIX, _SIX_WIDE
    mid = sum(at) / 6
    bars = partial(Node, shape="bars", wide=wide, high=28)
    nodes = [
        *_labels({"context": 18, "values": 82, "weights": 134, "scores": 218}),
        bars("c", mid, 18, "c_2", "context"),
        Node("softmax", 0, 176, "softmax", "weight", "label"),
        bars("q", 22, 294, "x_2", "query"),
        Node("asks", 22, 334, "asks", "query", "word"),
        Node("are", mid + 46, 334, "are asked, and handed on", "soft", "word"),
    ]
    edges = [
        Edge("q", ["k-1", (at[1], 318), (22, 318), "q"], "query"),
        Edge("dot", ["q", (22, 252), (at[-1], 252)], "query", tip=False),
        Edge("softmax", [(at[0], 176), (at[-1], 176)], "weight", tip=False),
    ]
    for j, x in enumerate(at):
        i = j + 1
        nodes += [
            bars(f"k-{j}", x, 294, f"x_{i}", "key"),
            Node(f"dot-{j}", x, 252, "•", "score", "dot"),
            Node(f"e-{j}", x, 218, f"e_{i}", "score", wide=wide),
            Node(f"a-{j}", x, 134, f"α_{i}", "weight", "weight", wide),
            bars(f"v-{j}", x, 82, f"x_{i}", "value"),
        ]
        edges += [
            Edge("v", _handed_on(x, 280, 96), "value"),
            Edge("dot", [f"k-{j}", f"dot-{j}"], "key", tip=False),
            Edge("e", [f"dot-{j}", f"e-{j}"], "score"),
            Edge("softmax", [f"e-{j}", (x, 177)], "score"),
            Edge("a", [(x, 176), f"a-{j}"], "weight"),
            Edge("v", [f"a-{j}", f"v-{j}"], "weight", tip=False),
            Edge("c", [f"v-{j}", (x, 50), (mid, 50)], "value", tip=False),
        ]
    edges.append(Edge("c", [(mid, 50), "c"], "context"))
    alt = (
        "Self-attention without matrices, in a sentence of six words, read from below. The "
        "vector of the second word asks: its dot product with the vector of each of the six, "
        "itself among them, is a score. The softmax makes weights of the scores. Lines beside "
        "the columns hand the same six vectors on as values: each as much as its weight says, "
        "they add up to the context of the second word."
    )
    return Sketch(328, 346, nodes, edges, alt, letters=11.2)


def causal_mask() -> Sketch:
    """Draw the scores and weights of five words, of which none sees a later one."""
    at = [127.0 + 42 * j for j in range(5)]
    up, down = [[y + 24.0 * i for i in range(5)] for y in (84, 250)]
    wide, high, rail = 40.0, 22.0, 322.0
    pair = partial(Node, shape="column", wide=wide, high=2 * CELL, cells=2)
    nodes = [
        Node("row", 0, 36, "values", "soft", "label"),
        Node("row", 0, 60, "contexts", "soft", "label"),
        Node("row", 0, 386, "keys", "soft", "label"),
        Node("row", 0, 226, "queries, by W_q", "soft", "label"),
        Node("softmax", at[2], 210, "softmax, row by row", wide=208, high=18),
        Node("k-x", at[2], 438, wide=208, high=24),
        Node("k-W", at[0] + 4, 415, "W_k", "key", "label"),
        Node("v-W", 298, 64, "W_v", "value", "label"),
    ]
    edges = [
        Edge("softmax", [(at[2], 239), "softmax"], "score"),
        Edge("softmax", ["softmax", (at[2], 191)], "weight"),
        Edge("v", ["k-x", (rail, 438), (rail, 8), (at[0], 8)], "value", tip=False),
    ]
    sentence = ("la", "robe", "est", "trop", "rouge")
    for i, (top, low, word) in enumerate(zip(up, down, sentence, strict=True)):
        row = partial(Node, shape="row", wide=66, high=high, cells=2)
        nodes += [
            Node("name", 0, top, word, "soft", "label", shows=f"words.{i}"),
            row(f"c{i}", 72, top, f"c_{i + 1}", "context", shows=f"contexts.{i}"),
            Node("name", 0, low, word, "soft", "label", shows=f"words.{i}"),
            row(f"q{i}", 72, low, f"q_{i + 1}", "query", shows=f"q.{i}"),
        ]
        for j, x in enumerate(at):
            ij = f"_{{{i + 1}{j + 1}}}"
            cell = partial(Node, wide=wide, high=high)
            nodes += [
                cell(f"e{i}-{j}", x, low, f"e{ij}", "score", shows=f"matrix.{i}.{j}"),
                cell(
                    f"a{i}-{j}", x, top, f"α{ij}", "weight", "weight", shows=f"weights.{i}.{j}"
                ),
            ]
        nodes += [
            Node(f"m{i}-{j}", x, low, "", "", "strike", wide, high)
            for j, x in enumerate(at)
            if j > i
        ]
    for j, (x, word) in enumerate(zip(at, sentence, strict=True)):
        nodes += [
            pair(f"v-{j}", x, 36, f"v_{j + 1}", "value", shows=f"v.{j}"),
            pair(f"k-{j}", x, 386, f"k_{j + 1}", "key", shows=f"k.{j}"),
            Node("k-name", x, 438, f"x_{j + 1}", "", "word"),
            Node("name", x, 462, word, "soft", "word", shows=f"words.{j}"),
        ]
        edges += [
            Edge("k", [(x, 426), f"k-{j}"], "key"),
            Edge("v", [(x, 8), f"v-{j}"], "value"),
        ]
    alt = (
        "Self-attention in a decoder, read from below. Five words become keys and, by a line "
        "round the outside, values; on the left the same five become queries. A square of "
        "scores: a row for each word that asks, a column for each that is asked. In each row "
        "the words that come later are struck out. The softmax makes weights of what is left, "
        "row by row, in a second square. With the values above its columns each row gives the "
        "context of its word."
    )
    return Sketch(328, 472, nodes, edges, alt)


def multi_head() -> Sketch:
    """Draw two heads on a sentence of four words: split, attend, join, project."""
    step, wide, pair, four = 36.0, 35.0, 76.0, 152.0
    heads = [[left + step * j for j in range(4)] for left in (26.5, 193.5)]
    row = partial(Node, shape="row", high=22)
    nodes = [
        row("o", 164, 14, "o", "context", wide=four, shows="output", cells=4),
        Node("o-W", 172, 35, "W_o", "", "label"),
        row("j", 164, 56, "c^1 c^2", "context", wide=four, shows="joined", cells=4),
        row("x", 164, 468, "x", "", wide=four, shows="asking", cells=4),
        Node("x-word", 58, 468, "", "query", "word", shows="words.word"),
        Node("q-W", 172, 447, "W_q", "query", "label"),
    ]
    edges = [Edge("o", ["j", "o"], "context"), Edge("q", ["x", (164, 437)], "query")]
    for letter, y in (("v", 146), ("α", 200), ("e", 246), ("k", 306), ("x", 358)):
        nodes.append(Node("row", 164, y, letter, "soft", "word"))
    for h, at in enumerate(heads):
        n, mid, inner = h + 1, sum(at) / 4, 157 + 14 * h
        middle, outer = 126 + 76 * h, 4 + 320 * h
        nodes += [
            Node("name", mid, 402, f"head {n}", "soft", "word"),
            Node(f"x-all{h}", mid, 358, wide=4 * step - 1, high=22),
            Node("k-W", at[0] + 3, 336, "W_k", "key", "label"),
            Node("v-W", 7 + 299 * h, 223, "W_v", "value", "label"),
            row(f"q-{h}", middle, 426, f"q^{n}", "query", wide=pair, shows=f"q.{h}", cells=2),
            row(
                f"c-{h}", mid, 98, f"c^{n}", "context", wide=pair, shows=f"context.{h}", cells=2
            ),
        ]
        first, last = (at[0], at[-1]) if h == 0 else (at[-1], at[0])
        edges += [
            Edge(
                "dot",
                [f"q-{h}", (middle, 408), (inner, 408), (inner, 276), (first, 276)],
                "query",
                tip=False,
            ),
            Edge("j", [f"c-{h}", (mid, 76), (middle, 76), (middle, 67)], "context"),
            Edge(
                "v",
                [f"x-all{h}", (outer, 358), (outer, 176), (last - 10, 176)],
                "value",
                tip=False,
            ),
        ]
        for j, x in enumerate(at):
            i = j + 1
            column = partial(Node, shape="column", wide=wide, high=2 * CELL, cells=2)
            box = partial(Node, wide=wide)
            place = f"{h}.{j}"
            nodes += [
                Node("name", x, 381, "", "soft", "word", shows=f"words.{j}"),
                Node(f"x-{h}{j}", x, 358, f"x_{i}", "", "word"),
                column(f"k-{h}{j}", x, 306, f"k_{i}", "key", shows=f"k.{place}"),
                Node(f"dot-{h}{j}", x, 276, "•", "score", "dot"),
                box(f"e-{h}{j}", x, 246, f"e_{i}", "score", shows=f"scores.{place}"),
                box(
                    f"a-{h}{j}", x, 200, f"α_{i}", "weight", "weight", shows=f"weights.{place}"
                ),
                column(f"v-{h}{j}", x, 146, f"v_{i}", "value", shows=f"v.{place}"),
            ]
            edges += [
                Edge("k", [(x, 347), f"k-{h}{j}"], "key"),
                Edge("v", [(x - 10, 176), (x - 10, 164)], "value"),
                Edge("dot", [f"k-{h}{j}", f"dot-{h}{j}"], "key", tip=False),
                Edge("e", [f"dot-{h}{j}", f"e-{h}{j}"], "score"),
                Edge("a", [f"e-{h}{j}", f"a-{h}{j}"], "weight"),
                Edge("v", [f"a-{h}{j}", f"v-{h}{j}"], "weight", f"weights.{place}", tip=False),
                Edge(
                    "c",
                    [f"v-{h}{j}", (x, 118), (mid, 118), f"c-{h}"],
                    "value",
                    f"weights.{place}",
                    tip=False,
                ),
            ]
    alt = (
        "Multi-head attention with two heads, read from below. The vector of the asking word "
        "becomes a query by W_q, which is cut into two pieces, one for each head. Both heads "
        "have the same four words: W_k makes keys of them and, by a line round the outside, "
        "W_v makes values, cut likewise. Each head scores its piece of the query with its "
        "pieces of the four keys, has its own softmax and weights, and mixes its pieces of the "
        "values into a context. The two contexts are joined, and the matrix W_o mixes them "
        "into the output."
    )
    return Sketch(328, 482, nodes, edges, alt, letters=11.2)


def bahdanau() -> Sketch:
    """Draw one step of Bahdanau's decoder: the state before the step asks."""
    nodes, edges = _encoder("h")
    state = partial(Node, shape="column", wide=44, high=2 * CELL, cells=2)
    nodes += [
        state("q", 56, 84, "s_{i−1}", "query", shows="query"),
        Node("unit", 193, 84, "gated unit", wide=92, high=30),
        state("new", 296, 84, "s_i", shows="state"),
        Node("y", 193, 24, "y_{i−1}", "", "row", 72, 22, "y", 2),
        Node("name-b", 56, 56, "before", "soft", "word"),
        Node("name-a", 296, 56, "after", "soft", "word"),
        Node("dot", 60, 294, "W_a", "", "label"),
    ]
    edges += [
        Edge("dot", ["q", (56, 306), (_SOURCE[-1], 306)], "query", tip=False),
        Edge("new", ["q", "unit"], "query"),
        Edge("new", ["y", "unit"]),
        Edge("new", ["c", "unit"], "context"),
        Edge("new", ["unit", "new"]),
    ]
    alt = (
        "One step of Bahdanau's decoder. Below, a two-way encoder gives an annotation for each "
        "of four source words: each is a key and a value. The decoder's state before the step "
        "is the query. The query goes through the matrix W_a, each key through U_a, and the "
        "two together give an additive score; the softmax makes weights. A line leads from the "
        "annotations, now the values, to the weighted sum, which is the context. Only then the "
        "gated unit makes the new state out of the old state, the last word and the context."
    )
    return Sketch(328, 404, nodes, edges, alt)


def luong() -> Sketch:
    """Draw one step of Luong's decoder: the state after the step asks."""
    nodes, edges = _encoder("h̄")
    state = partial(Node, shape="column", wide=40, high=2 * CELL, cells=2)
    nodes += [
        state("before", 22, 84, "h_{t−1}", "", shows="before"),
        Node("unit", 84, 84, "LSTM", wide=48, high=30),
        state("q", 150, 84, "h_t", "query", shows="query"),
        Node("join", 222, 84, "tanh W_c", wide=64, high=30),
        state("new", 300, 84, "h̃_t", "context", shows="state"),
        Node("y", 84, 24, "y_{t−1}, h̃_{t−1}", "", "row", 140, 22, "y", 4),
        Node("name", 22, 56, "before", "soft", "word"),
        Node("name", 150, 56, "after", "soft", "word"),
    ]
    edges += [
        Edge("unit", ["before", "unit"]),
        Edge("unit", ["y", "unit"]),
        Edge("unit", ["unit", "q"], "query"),
        Edge(
            "dot",
            ["q", (150, 124), (56, 124), (56, 306), (_SOURCE[-1], 306)],
            "query",
            tip=False,
        ),
        Edge("new", ["q", "join"], "query"),
        Edge("new", ["c", (193, 107), (222, 107), "join"], "context"),
        Edge("new", ["join", "new"], "context"),
    ]
    alt = (
        "One step of Luong's decoder. First the LSTM takes its step: out of the state before, "
        "the last word and the last attentional vector it makes the state of this step. That "
        "state is the query, and each of four encoder states is a key and a value. The dot "
        "product of query and key is a score; the softmax makes weights. A line leads from the "
        "encoder states, now the values, to the weighted sum, which is the context. Context "
        "and state together become the attentional vector, from which the word is chosen and "
        "which is fed into the next step."
    )
    return Sketch(328, 404, nodes, edges, alt)


_SOURCE = [100.0 + 62 * j for j in range(4)]


def _encoder(letter: str) -> tuple[list[Node], list[Edge]]:
    """Draw what a step of both recurrent decoders looks back at, from the words to c."""
    mid, wide = sum(_SOURCE) / 4, 48.0
    low, rail = 376.0, 320.0  # the values leave the states below, and come in at the right
    word = partial(Node, "row", 0, shape="label")
    nodes = [
        *_labels({"context": 132, "weights": 206, "scores": 274}),
        word(306, "query", "query"),
        word(346, "keys", "key"),
        word(low, "values", "value"),
        Node("c", mid, 132, "c", "context", "column", 44, 2 * CELL, "context", 2),
        Node("c-sum", mid, 172, f"sum of α_j\u2009{letter}_j", wide=236, high=20),
        Node("softmax", mid, 240, "softmax", wide=236, high=18),
    ]
    edges = [
        Edge("c", ["c-sum", "c"], "context"),
        Edge("c", [(_SOURCE[0], low), (rail, low), (rail, 172), "c-sum"], "value"),
    ]
    for j, x in enumerate(_SOURCE):
        i = j + 1
        nodes += [
            Node("name", x, 394, "", "soft", "word", shows=f"words.{j}"),
            Node(f"k-{j}", x, 350, f"{letter}_{i}", "key", "column", 40, 2 * CELL, f"k.{j}", 2),
            Node(f"dot-{j}", x, 306, "+" if letter == "h" else "•", "score", "dot"),
            Node(f"e-{j}", x, 274, f"e_{i}", "score", wide=wide, shows=f"scores.{j}"),
            Node(f"a-{j}", x, 206, f"α_{i}", "weight", "weight", wide, shows=f"weights.{j}"),
        ]
        edges += [
            Edge("dot", [f"k-{j}", f"dot-{j}"], "key", tip=False),
            Edge("e", [f"dot-{j}", f"e-{j}"], "score"),
            Edge("softmax", [f"e-{j}", (x, 249)], "score"),
            Edge("a", [(x, 231), f"a-{j}"], "weight"),
            Edge("c", [f"a-{j}", (x, 182)], "weight", f"weights.{j}", tip=False),
            Edge("c", [f"k-{j}", (x, low)], "value", tip=False),
        ]
        if letter == "h":  # the additive score has a matrix for each of its two sides
            nodes.append(Node("dot", x + 4, 321, "U_a", "", "label"))
    for x, y in pairwise(_SOURCE):
        edges.append(Edge("k", [(x + 20, 344), (y - 20, 344)], "key"))
        if letter == "h":  # the encoder reads both ways
            edges.append(Edge("k", [(y - 20, 357), (x + 20, 357)], "key"))
    return nodes, edges


def _labels(rows: Mapping[str, float]) -> list[Node]:
    """Name the rows at their left end."""
    return [Node("row", 0, y, text, "soft", "label") for text, y in rows.items()]


DRAWINGS: dict[str, Callable[[], Sketch]] = {
    "scaled-dot-product": scaled_dot_product,
    "decoder-with-attention": decoder_with_attention,
    "ways-to-score": ways_to_score,
    "four-states": four_states,
    "self-attention": self_attention,
    "bare-self-attention": bare_self_attention,
    "causal-mask": causal_mask,
    "cross-attention": cross_attention,
    "multi-head": multi_head,
    "latents": latents,
    "bahdanau": bahdanau,
    "luong": luong,
    "input-feeding": input_feeding,
    "gnmt": gnmt,
    "time-grid": time_grid,
    "tape": tape,
    "fixed-vector": fixed_vector,
    "ways-to-look": ways_to_look,
    "captioner": captioner,
    "attention-in-convolutions": attention_in_convolutions,
    "vision-transformer": vision_transformer,
    "asker": asker,
    "family": family,
    "memory-and-chip": memory_and_chip,
    "number-formats": number_formats,
    "positions": positions,
    "block": block,
    "residual-stream": residual_stream,
    "encoder-decoder": encoder_decoder,
}
