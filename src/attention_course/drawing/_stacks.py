"""Decoders over several steps and layers: input feeding, a stack and its grid, a tape."""

from functools import partial

from attention_course.drawing._sketch import CELL, Edge, Node, Sketch


def input_feeding() -> Sketch:
    """Draw three steps of Luong's decoder, one beside the other."""
    box = partial(Node, wide=58, high=26)
    nodes = [Node("memory", 166, 18, "encoder states h̄_1, h̄_2, …", wide=312, high=26)]
    edges = []
    for t, x in enumerate((56.0, 166.0, 276.0), start=1):
        nodes += [
            Node(f"word-{t}", x, 344, f"y_{t - 1}", "", "word", 24, 16),
            box(f"lstm-{t}", x, 298, "LSTM"),
            box(f"h-{t}", x, 252, f"h_{t}", "query"),
            box(f"look-{t}", x, 206, f"a_{t}", "weight"),
            box(f"c-{t}", x, 160, f"c_{t}", "context"),
            box(f"join-{t}", x, 114, "tanh W_c"),
            box(f"a-{t}", x, 68, f"h̃_{t}", "context"),
        ]
        aside = [(x - 38, 252), (x - 38, 114)]
        edges += [
            Edge(f"read-{t}", [f"word-{t}", f"lstm-{t}"]),
            Edge(f"h-{t}", [f"lstm-{t}", f"h-{t}"]),
            Edge(f"ask-{t}", [f"h-{t}", f"look-{t}"], "query"),
            Edge(f"look-{t}", [(x + 44, 31), (x + 44, 206), f"look-{t}"], "key"),
            Edge(f"c-{t}", [f"look-{t}", f"c-{t}"], "weight"),
            Edge(f"c-{t}", [(x + 36, 31), (x + 36, 160), f"c-{t}"], "value"),
            Edge(f"join-{t}", [f"c-{t}", f"join-{t}"], "context"),
            Edge(f"join-{t}", [f"h-{t}", *aside, f"join-{t}"], "query"),
            Edge(f"join-{t}", [f"join-{t}", f"a-{t}"], "context"),
        ]
        if t < 3:
            up = x + 54
            edges += [
                Edge("next", [f"lstm-{t}", f"lstm-{t + 1}"]),
                Edge(
                    "fed",
                    [f"a-{t}", (up, 68), (up, 328), (x + 90, 328), (x + 90, 311)],
                    "context",
                    dashed=True,
                ),
            ]
    alt = (
        "Three steps of Luong's decoder, side by side; each is read from below. An LSTM reads "
        "the last word and makes the state of this step, h_t, which is the query. With the "
        "encoder states as keys it gives the weights a_t; with the same encoder states as "
        "values these give the context c_t. Context and state together go through the matrix "
        "W_c and a tanh and become the attentional vector. A dashed arrow, the input feeding, "
        "leads from each attentional vector to the LSTM of the next step."
    )
    return Sketch(332, 356, nodes, edges, alt)


def gnmt() -> Sketch:
    """Draw GNMT at one word: two stacks of eight, the bottom writer asks, all of them hear."""
    left, right, ask, rail, keys = 72.0, 274.0, 176.0, 224.0, 134.0
    rows = {1: 300.0, 2: 256.0, 3: 208.0, 8: 118.0}
    nodes = [
        Node("word-x", left, 342, "source words", "soft", "word", 90, 16),
        Node("word-y", right, 342, "last word", "soft", "word", 60, 16),
        Node("enc-1a", left - 28, rows[1], "1 →", "", wide=46, high=24),
        Node("enc-1b", left + 28, rows[1], "← 1", "", wide=46, high=24),
        Node("weights", ask, 244, "weights", "weight", wide=60, high=24),
        Node("sum", ask, 180, "context", "context", wide=60, high=24),
        Node("keys", 90, 70, "keys", "key", "label"),
        Node("values", 90, 30, "values", "value", "label"),
        Node("query", 184, 320, "query", "query", "label"),
        Node("softmax", right, 52, "softmax", "", wide=70, high=24),
        Node("out", right, 16, "next word", "soft", "word", 60, 16),
    ]
    edges = [
        Edge("read", ["word-x", (left, 322), (left - 28, 322), "enc-1a"]),
        Edge("read", ["word-x", (left, 322), (left + 28, 322), "enc-1b"]),
        Edge("up", ["enc-1a", (left - 28, rows[2] + 12)]),
        Edge("up", ["enc-1b", (left + 28, rows[2] + 12)]),
        Edge("read", ["word-y", "dec-1"]),
        Edge("out", ["softmax", "out"]),
        Edge("up", ["plus-dec8", "softmax"]),
        Edge("keys", ["plus-enc8", (left, 54), (keys, 54), (keys, 244), "weights"], "key"),
        Edge("values", [(left, 54), (left, 44), (ask, 44), "sum"], "value"),
        Edge("query", [(right - 35, 306), (ask, 306), "weights"], "query", dashed=True),
        Edge("weigh", ["weights", "sum"], "weight"),
        Edge("rail", ["sum", (rail, 180), (rail, rows[8])], "context", tip=False),
        Edge("rail", [(rail, 180), (rail, rows[1] - 6)], "context", tip=False),
    ]
    for name, x, side in (("enc", left, -1), ("dec", right, 1)):
        rim = x + 56 * side
        for layer, y in rows.items():
            if name == "enc" and layer == 1:
                continue
            wide = 102.0 if name == "enc" else 70.0
            nodes.append(Node(f"{name}-{layer}", x, y, f"{layer}", wide=wide, high=24))
            if name == "dec":
                at = y - 6 if layer == 1 else y
                edges.append(Edge("hear", [(rail, at), (x - 35, at)], "context"))
            if layer < 3:
                continue
            plus = f"plus-{name}{layer}"
            nodes.append(Node(plus, x, y - 30, "+", "", "dot"))
            edges += [
                Edge("up", [f"{name}-{layer}", plus]),
                Edge("add", [(x, y + 20), (rim, y + 20), (rim, y - 30), plus]),
                Edge("up", [(x, y + 20), f"{name}-{layer}"]),
            ]
        nodes.append(Node(f"dots-{name}", x, 154, "⋮", "", "word", 10, 10))
        edges += [
            Edge("up", [f"{name}-2", (x, rows[3] + 20)], tip=False),
            Edge("up", [f"plus-{name}3", (x, 164)], tip=False),
            Edge("up", [(x, 146), (x, rows[8] + 20)], tip=False),
        ]
    edges.append(Edge("up", ["dec-1", "dec-2"]))
    alt = (
        "GNMT at one word, read from below. On the left eight layers read: the bottom one has "
        "two units, one for each direction; from the third layer on a second arrow leads round "
        "each layer, and what enters is added to what comes out. On the right eight layers "
        "write, with the same additions. The output that the bottom writer gave one step ago "
        "is the query, by a dashed arrow; the top reader's outputs are the keys, which with it "
        "give the weights, and the values, which the weights mix. The context goes into all "
        "eight writers. A softmax above the top writer gives the next word."
    )
    return Sketch(338, 354, nodes, edges, alt)


GRID_WORDS = ("I", "love", "you", ".")
GRID = len(GRID_WORDS), 3  # words and layers of the time grid


def grid_steps(words: int, layers: int, asks: int) -> list[list[int]]:
    """Return for each layer, bottom first, the step at which each word is done.

    Args:
        words: how many are written.
        layers: of the decoder.
        asks: the layer that asks for the next word's context, from 1.

    >>> grid_steps(words=2, layers=3, asks=3)
    [[1, 4], [2, 5], [3, 6]]
    """
    done = [[0] * (words + 1) for _ in range(layers + 1)]
    for word in range(1, words + 1):
        for layer in range(1, layers + 1):
            waits = done[layer - 1][word], done[layer][word - 1], done[asks][word - 1]
            done[layer][word] = 1 + max(waits)
    return [row[1:] for row in done[1:]]


def time_grid() -> Sketch:
    """Draw when each layer of each word is done: if the bottom layer asks, and if the top."""
    (words, layers), wide, high = GRID, 30.0, 26.0
    nodes, edges = [], []
    nodes += [Node("axis", 0, 22, "layer", "soft", "label")]
    nodes += [Node("axis", 0, 148, "word", "soft", "label")]
    for left, asks, name in ((26.0, 1, "bottom"), (178.0, layers, "top")):
        xs = [left + 17 + 36 * w for w in range(words)]
        ys = [118 - 34.0 * layer for layer in range(layers)]
        nodes.append(Node("title", left + 17, 22, f"the {name} layer asks", "soft", "label"))
        done = grid_steps(words, layers, asks)
        for w, x in enumerate(xs):
            nodes.append(Node("word", x, 148, GRID_WORDS[w], "soft", "word", 34, 10))
            for layer, y in enumerate(ys):
                step = done[layer][w]
                role = "query" if layer == asks - 1 else ""
                cell = f"t{step}-{name}-{w}"
                shows = f"{name}.{layer}.{w}"  # empty until it is played
                nodes.append(Node(cell, x, y, "", role, "box", wide, high, shows))
            if w:
                right, up = xs[w - 1] + wide / 2, ys[asks - 1]
                path = [(right, up), (right + 3, up), (right + 3, ys[0]), (right + 6, ys[0])]
                edges.append(Edge(f"t{done[0][w]}", path, "context", tip=False))
    for layer, y in enumerate(ys):
        nodes.append(Node("layer", 0, y, f"{layer + 1}", "soft", "label"))
    alt = (
        "Two grids of three layers, from bottom to top, and four words, “I love you .”, from "
        "left to right. In each cell stands when it is done. If the bottom layer asks, the "
        "numbers grow by one from word to word and from layer to layer, up to 6. If the top "
        "layer asks, a word's bottom layer waits for the top layer of the word before, and the "
        "last cell is done at 12."
    )
    return Sketch(326, 158, nodes, edges, alt)


def fixed_vector() -> Sketch:
    """Draw a gated unit that reads four words, and the one vector that is handed on."""
    at, last = (92.0, 150.0, 208.0, 266.0), 330.0
    pair = partial(Node, shape="column", wide=44, high=2 * CELL, cells=2)
    nodes = [
        Node("row", 0, 50, "decoder", "soft", "label"),
        Node("row", 0, 122, "encoder", "soft", "label"),
        Node("gap-row", 0, 194, "difference", "soft", "label"),
        pair("c", last, 122, "c", "context", shows="c"),
    ]
    edges = [
        Edge("c", ["r4-h", "c"], "context"),
        Edge("s", ["c", (last, 84), (at[0], 84), "s-1"], "context"),
        Edge("s", ["s-1", "s-2"]),
        Edge("s", ["s-2", "s-3"]),
    ]
    for j, x in enumerate(at):
        i = j + 1
        nodes += [
            Node(f"name-{i}", x, 166, f"x_{i}", "soft", "word", 44, 14, f"words.{j}"),
            pair(f"r{i}-h", x, 122, f"h_{i}", shows=f"h.{j}"),
            Node(f"gap-{i}", x, 194, f"δ_{i}", wide=44, high=22, shows=f"gaps.{j}"),
        ]
        edges.append(Edge(f"r{i}", [f"name-{i}", f"r{i}-h"]))
        if j:
            edges.append(Edge(f"r{i}", [f"r{j}-h", f"r{i}-h"]))
    for i, (x, word) in enumerate(zip(at, ("I\u2009", "coveted", "…"), strict=False), 1):
        nodes += [
            Node(f"s-{i}", x, 50, f"s_{i}", wide=44, high=22),
            Node(f"out-{i}", x, 12, word, "soft", "word", 44, 14),
        ]
        edges.append(Edge("out", [f"s-{i}", f"out-{i}"]))
    alt = (
        "A fixed vector, read from below. An encoder reads four words from left to right; its "
        "state after each goes on to the next. The state after the last word is the vector c, "
        "and from c alone a decoder writes one word after the other. Below the words stands "
        "how far each state would move if the first word were another."
    )
    return Sketch(354, 208, nodes, edges, alt)


def tape() -> Sketch:
    """Draw one step of LSTMN: the fourth word looks back at three states and cells."""
    at, mid, ask = (86.0, 146.0, 206.0), 146.0, 272.0
    pair = partial(Node, shape="column", wide=44, high=2 * CELL, cells=2)
    row = partial(Node, shape="row", wide=72, high=22, cells=2)
    left, right = mid - 31, mid + 31  # states, cells
    low, rail, sums = 424.0, 51.0, 172.0  # the values leave the tape below
    word = partial(Node, "row", 0, shape="label")
    nodes = [
        word(330, "tape", "soft"),
        word(350, "keys", "key"),
        word(low, "values", "value"),
        word(274, "scores", "soft"),
        word(206, "weights", "soft"),
        word(134, "summaries", "soft"),
        Node("row", ask - 40, 268, "query", "query", "label"),
        row("q-x", ask, 292, "x_4", "query", shows="x"),
        row("q-s", ask, 318, "h̃_3", "query", shows="summary"),
        Node("softmax", mid, 240, "softmax", wide=176, high=18),
        pair("c-h", left, 134, "h̃_4", "context", shows="context"),
        pair("c-c", right, 134, "c̃_4", "context", shows="cell"),
        Node("c-sum", mid, sums, "sums of s_i\u2009h_i and s_i\u2009c_i", wide=152, high=18),
        Node("unit", mid, 86, "LSTM gates", wide=118, high=26),
        pair("new-h", left, 30, "h_4", shows="state"),
        pair("new-c", right, 30, "c_4", shows="memory"),
        Node("slot", 284, 370, "h_4\nc_4", "", wide=44, high=76),
        Node("name", 284, 442, "x_4", "soft", "word", 44, 14, "words.3"),
    ]
    edges = [
        Edge("dot", [(ask - 36, 306), (at[0], 306)], "query", tip=False),
        Edge("c", [(left, sums - 9), "c-h"], "context"),
        Edge("c", [(right, sums - 9), "c-c"], "context"),
        Edge("c", [(at[-1], low), (rail, low), (rail, sums), "c-sum"], "value"),
        Edge("new", ["c-h", (left, 99)], "context"),
        Edge("new", ["c-c", (right, 99)], "context"),
        Edge("new", ["q-x", (ask, 86), "unit"], "query"),
        Edge("new", [(left, 73), "new-h"]),
        Edge("new", [(right, 73), "new-c"]),
        Edge("slot", ["new-c", (321, 30), (321, 370), "slot"], dashed=True),
    ]
    for j, x in enumerate(at):
        i = j + 1
        nodes += [
            Node("name", x, 442, f"x_{i}", "soft", "word", 44, 14, f"words.{j}"),
            pair(f"k-h{i}", x, 350, f"h_{i}", "key", shows=f"k.{j}"),
            pair(f"k-c{i}", x, 390, f"c_{i}", "value", shows=f"cells.{j}"),
            Node(f"dot-{i}", x, 306, "+", "score", "dot"),
            Node(f"e-{i}", x, 274, f"a_{i}", "score", shows=f"scores.{j}"),
            Node(f"a-{i}", x, 206, f"s_{i}", "weight", "weight", shows=f"weights.{j}"),
        ]
        edges += [
            Edge("dot", [f"k-h{i}", f"dot-{i}"], "key", tip=False),
            Edge("e", [f"dot-{i}", f"e-{i}"], "score"),
            Edge("softmax", [f"e-{i}", (x, 249)], "score"),
            Edge("a", [(x, 231), f"a-{i}"], "weight"),
            Edge("c", [f"a-{i}", (x, sums + 9)], "weight", f"weights.{j}", tip=False),
            Edge("c", [(x - 22, 350), (x - 26, 350), (x - 26, low)], "value", tip=False),
            Edge("c", [f"k-c{i}", (x, low)], "value", tip=False),
        ]
    alt = (
        "One step of LSTMN, read from below. A tape holds a state and a cell for each of three "
        "words. The fourth word, together with the last summary, is the query; the states are "
        "the keys. Query and key give an additive score; the softmax makes weights. The values "
        "are the states and the cells: a line leads from them to two sums, which are weighted "
        "alike and are the summaries. An LSTM's gates make a new state and a new cell of them, "
        "and both go onto the tape."
    )
    return Sketch(328, 454, nodes, edges, alt)
