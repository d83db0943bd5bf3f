"""Five drawings: ways to look at a source, and models that look at a picture."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def ways_to_look() -> Sketch:
    """Draw global, local and hard attention, one below the other."""
    at = [22.0 + 27 * j for j in range(9)]
    right, chosen = 298.0, 6
    nodes: list[Node] = []
    edges: list[Edge] = []
    rows = (
        ("global and soft: all are mixed", range(9), range(9)),
        ("local and soft: a window is mixed", range(4, 9), range(4, 9)),
        ("global and hard: all have a weight, one is taken", range(9), [chosen]),
    )
    for r, (name, weighed, taken) in enumerate(rows):
        top = 12.0 + 122 * r
        high, low, rail = top + 28, top + 68, top + 92
        nodes += [
            Node(f"name{r}", 8, top, name, "soft", "label"),
            Node(f"q{r}", right, high, "q", "query", wide=44),
            Node(f"c{r}", right, low, "c", "context", wide=44),
        ]
        edges += [
            Edge(f"q{r}", [f"q{r}", f"a{r}-8"], "query"),
            Edge(f"c{r}", [(right, rail), f"c{r}"], "value"),
        ]
        for j, x in enumerate(at):
            seen = j in weighed
            weight, text, key = (
                ("weight", f"α_{j + 1}", "key") if seen else ("soft", "", "soft")
            )
            nodes += [
                Node(f"a{r}-{j}", x, high, text, weight, wide=25),
                Node(f"h{r}-{j}", x, low, f"h_{j + 1}", key, wide=25),
            ]
            if seen:
                edges.append(Edge(f"a{r}", [f"h{r}-{j}", f"a{r}-{j}"], "key"))
            if j in taken:
                line: list[str | tuple[float, float]]
                line = [f"h{r}-{j}", (x, rail), (right, rail)]
                edges.append(Edge(f"c{r}", line, "value", tip=False))
    alt = (
        "Three ways to look at nine source states; each state is a key and a value. Global and "
        "soft: the query q and all nine keys give nine weights, and lines lead from all nine "
        "values to the context c. Local and soft: only the five positions of a window have a "
        "weight, and these five values go into c. Global and hard: all nine have a weight, and "
        "one value alone, chosen by chance, becomes c."
    )
    return Sketch(328, 362, nodes, edges, alt)


def captioner() -> Sketch:
    """Draw one word of a captioner that looks at a picture."""
    mid, left = 212.0, 52.0
    block = partial(Node, wide=150, high=30)
    nodes = [
        Node("word", mid, 16, "word y_t", "", wide=96),
        block("out", mid, 62, "L_o (y + L_h h + L_z z)"),
        block("unit", mid, 116, "LSTM"),
        Node("z", mid, 168, "z_t", "context", wide=64),
        block("take", mid, 220, "soft: mix all 98\nhard: take one", "weight", high=40),
        block("weights", mid, 284, "weights α_t, 98", "weight"),
        block("scores", mid, 334, "scores e_t, 98", "score"),
        block("grid", mid, 396, "98 annotations a_i", "key"),
        block("net", mid, 446, "three convolutions"),
        Node("picture", mid, 494, "picture, 28 × 56", "", wide=124),
        Node("before", left, 116, "h_{t−1}", "query", wide=60),
        Node("fed", left, 66, "y_{t−1}", "", wide=60),
        Node("beta", left, 168, "gate β_t", "", wide=64),
        Node("keys", mid + 6, 366, "keys", "key", "label"),
        Node("values", 269, 255, "values", "value", "label"),
        Node("asks", 20, 352, "query", "query", "label"),
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
        "One word of the captioner, read from below. Three convolutions turn the picture of 28 "
        "by 56 pixels into 98 annotations, one for each cell of a grid; each is a key and a "
        "value. The decoder's state before the word is the query: with each key it gives a "
        "score, and the softmax makes 98 weights. Soft attention mixes all values with them; "
        "hard attention takes one. A gate scales the result z. With the last word and the old "
        "state, z goes into the LSTM; its new state, z and the last word choose the next word."
    )
    return Sketch(328, 510, nodes, edges, alt)


def vision_transformer() -> Sketch:
    """Draw a Vision Transformer's way from the patches to the class."""
    first, mid = 40.0, 202.0
    block = partial(Node, wide=150, high=28)
    wide = partial(Node, wide=228, high=26)
    nodes = [
        Node("class", first, 16, "class", "", wide=64),
        Node("out", first, 66, "W LN(z)", wide=72, high=28),
        wide("rest", 164, 118, "add, feed-forward; L such blocks", wide=312),
        Node("z", first, 168, "context", "context", wide=72),
        block("mix", mid, 168, "mix of all values"),
        block("weights", mid, 218, "weights, one a token", "weight"),
        block("scores", mid, 264, "scores, one a token", "score"),
        Node("asks", first, 264, "query", "query", wide=64),
        wide("keys", mid, 316, "keys and values of all tokens", "key"),
        wide("places", 164, 362, "+ a vector for each position", "", wide=312),
        Node("c", first, 408, "class\ntoken", "", wide=64, high=36),
        wide("E", mid, 408, "the same matrix E for each patch"),
    ]
    edges = [
        Edge("class", ["out", "class"]),
        Edge("out", [(first, 105), "out"], "context"),
        Edge("rest", ["z", (first, 131)], "context"),
        Edge("z", ["mix", "z"], "context"),
        Edge("mix", ["weights", "mix"], "weight"),
        Edge("weights", ["scores", "weights"], "score"),
        Edge("scores", ["asks", "scores"], "query"),
        Edge("scores", ["keys", "scores"], "key"),
        Edge("mix", [(306, 303), (306, 168), "mix"], "value"),
        Edge("asks", [(first, 349), "asks"], "query"),
        Edge("keys", [(mid, 349), "keys"]),
        Edge("places", ["c", (first, 375)]),
        Edge("places", ["E", (mid, 375)]),
    ]
    for j, x in enumerate((118.0, 174.0, 230.0, 286.0)):
        text = ("x_1", "x_2", "…", "x_n")[j]
        nodes.append(Node(f"x{j}", x, 462, text, "", wide=40, high=40))
        edges.append(Edge("E", [f"x{j}", (x, 421)]))
    alt = (
        "A Vision Transformer, read from below. The patches x_1 to x_n of a picture all go "
        "through the same matrix E; a class token, a learned vector, is put in front of them, "
        "and a vector for its position is added to each token. In a block every token asks; "
        "the drawing follows the class token. Its query and the keys of all tokens, its own "
        "among them, give the scores and the weights, with which the values of all tokens are "
        "mixed into its context. The context is added to what came in and goes through the "
        "feed-forward part. After L such blocks the class token's vector is normalised, and a "
        "matrix W makes the class of it."
    )
    return Sketch(328, 490, nodes, edges, alt)


def asker() -> Sketch:
    """Draw one look of a question at a picture."""
    mid, left = 206.0, 52.0
    block = partial(Node, wide=150, high=30)
    nodes = [
        Node("answer", left, 16, "answer", "", wide=80),
        Node("after", left, 66, "u_1", "query", wide=64),
        block("z", mid, 66, "context", "context"),
        block("mix", mid, 116, "mix of nine values"),
        block("weights", mid, 168, "weights α_1, nine", "weight"),
        block("scores", mid, 220, "scores, nine", "score"),
        block("both", mid, 282, "nine vectors a_i", "key"),
        block("places", mid, 332, "+ a vector a place"),
        block("net", mid, 382, "one encoder"),
        Node("picture", mid, 432, "picture, 9 places", "", wide=150),
        Node("asks", left, 220, "query", "query", wide=64),
        Node("u", left, 332, "u_0", "query", wide=64),
        Node("words", left, 382, "words, added", "", wide=96),
        Node("question", left, 432, "question", "", wide=96),
        Node("keys", mid + 8, 252, "keys", "key", "label"),
        Node("values", 268, 142, "values", "value", "label"),
    ]
    edges = [
        Edge("net", ["picture", "net"]),
        Edge("places", ["net", "places"]),
        Edge("both", ["places", "both"], "key"),
        Edge("scores", ["both", "scores"], "key"),
        Edge("mix", ["both", (312, 282), (312, 116), "mix"], "value"),
        Edge("words", ["question", "words"]),
        Edge("u", ["words", "u"], "query"),
        Edge("asks", ["u", "asks"], "query"),
        Edge("scores", ["asks", "scores"], "query"),
        Edge("weights", ["scores", "weights"], "score"),
        Edge("mix", ["weights", "mix"], "weight"),
        Edge("z", ["mix", "z"], "context"),
        Edge("after", ["z", "after"], "context"),
        Edge("after", ["u", (8, 332), (8, 66), "after"], "query"),
        Edge("answer", ["after", "answer"]),
    ]
    alt = (
        "One look of a question at a picture, read from below. The vectors of the question's "
        "words are added up to u_0, of which a small network makes the query. The picture is "
        "cut into nine places; one encoder makes a vector of each, and a vector that says "
        "which place it is comes on top. Each of the nine vectors gives a key and a value. The "
        "query and the keys give nine scores, the softmax nine weights, and with them the "
        "values are mixed. The result is added to u_0, which gives u_1. A second look asks "
        "with u_1 in the same way; the answer is read from the last u."
    )
    return Sketch(328, 450, nodes, edges, alt)


def attention_in_convolutions() -> Sketch:
    """Draw three kinds of attention that are between two convolutions, side by side."""
    block = partial(Node, wide=88, high=28)
    nodes: list[Node] = []
    edges: list[Edge] = []
    panels = (
        ("place", 58.0, "by place", "× (1 + m_p)", "sigmoid: m_p", "w · x_p + b", "mask, H W"),
        ("channel", 170.0, "by channel", "× s_c", "sigmoid: s_c", "two matrices", "gates, C"),
        ("pair", 286.0, "between places", "add", "softmax: A", "Q K^⊤", "weights, (H W)²"),
    )
    for name, x, title, join, gate, score, size in panels:
        side = x - 52
        nodes += [
            Node(f"title-{name}", x, 10, title, "", "word"),
            Node(f"out-{name}", x, 38, "maps", "", wide=64, high=26),
            block(f"join-{name}", x, 86, join),
            block(f"gate-{name}", x, 196, gate, "weight"),
            Node(f"size-{name}", x, 168, size, "weight", "word"),
            block(f"score-{name}", x, 246, score, "score"),
            Node(f"maps-{name}", x, 360, "maps X", "", wide=88, high=26),
        ]
        edges += [
            Edge("flow", [f"join-{name}", f"out-{name}"]),
            Edge("flow", [f"maps-{name}", (side, 360), (side, 86), f"join-{name}"]),
            Edge("flow", [f"score-{name}", f"gate-{name}"], "score"),
        ]
    place, channel, pair = (x for _, x, *_ in panels)
    nodes += [
        block("mean-channel", channel, 302, "mean of places"),
        Node("q", pair - 28, 302, "Q", "query", wide=24, high=24),
        Node("k", pair + 4, 302, "K", "key", wide=24, high=24),
        Node("v", pair + 36, 302, "V", "value", wide=24, high=24),
        block("mix", pair, 136, "A V, then W_z", "context"),
    ]
    edges += [
        Edge("flow", ["gate-place", (place, 176)], "weight", tip=False),
        Edge("flow", [(place, 158), "join-place"], "weight"),
        Edge("flow", ["maps-place", "score-place"]),
        Edge("flow", ["gate-channel", (channel, 176)], "weight", tip=False),
        Edge("flow", [(channel, 158), "join-channel"], "weight"),
        Edge("flow", ["maps-channel", "mean-channel"]),
        Edge("flow", ["mean-channel", "score-channel"]),
        Edge("flow", ["gate-pair", (pair, 176)], "weight", tip=False),
        Edge("flow", [(pair, 158), "mix"], "weight"),
        Edge("flow", ["mix", "join-pair"], "context"),
        *(
            Edge("flow", ["maps-pair", (pair + dx, 333), part])
            for dx, part in ((-28, "q"), (4, "k"), (36, "v"))
        ),
        Edge("flow", ["q", (pair - 28, 260)], "query"),
        Edge("flow", ["k", (pair + 4, 260)], "key"),
        Edge(
            "flow", ["v", (pair + 36, 276), (pair + 52, 276), (pair + 52, 136), "mix"], "value"
        ),
    ]
    alt = (
        "Three kinds of attention between two convolutions, each read from below. By place: "
        "one row w scores each place of the maps X, a sigmoid makes the mask m, a number for "
        "each place, and the maps are multiplied by one plus m. By channel: the mean of each "
        "channel over all places goes through two matrices, a sigmoid makes the gates s, a "
        "number for each channel, and the maps are multiplied by s. Between places: each place "
        "of X gives a query, a key and a value; Q times K transposed gives a score for each "
        "pair of places, a softmax the weights A; A times V goes through W_z and is added to X."
    )
    return Sketch(344, 376, nodes, edges, alt, letters=11)
