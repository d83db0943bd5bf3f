"""Where the numbers of attention lie while a GPU computes it: in its memory or on the chip."""

from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch


def memory_and_chip() -> Sketch:
    """Draw the plain form, whose scores travel, above the tiled one, whose scores stay."""
    word = partial(Node, role="soft", shape="label")
    box = partial(Node, high=24)
    large = partial(Node, wide=62, high=44)
    up, down = 74.0, 172.0
    nodes = [
        word("head-plain", 2, 10, "plain: three kernels, and every score travels"),
        word("memory", 2, 36, "memory: large and slow"),
        word("chip", 2, 204, "chip: small and fast"),
        box("qk", 42, up, "Q, K", "key", wide=46),
        large("scores", 116, up, "scores\nn × n", "score"),
        large("weights", 198, up, "weights\nn × n", "weight"),
        box("v", 262, up, "V", "value", wide=30),
        box("c", 311, up, "C", "context", wide=30),
        box("multiply", 79, down, "Q K^⊤", "score", wide=66),
        box("softmax", 157, down, "softmax", "weight", wide=66),
        box("mix", 262, down, "A V", "context", wide=84),
        word("head-tiled", 2, 240, "in tiles: one kernel, and no score leaves the chip"),
        word("memory-tiled", 2, 265, "memory"),
        word("chip-tiled", 2, 424, "chip"),
        box("queries", 42, 290, "Q", "query", wide=46),
        box("keys", 140, 290, "K, V", "key", wide=60),
        box("contexts", 290, 290, "C", "context", wide=46),
        box("block", 42, 384, "Q_i", "query", wide=46),
        Node("tile", 140, 384, "scores of\none tile", "score", wide=84, high=44),
        Node("sums", 254, 384, "m, ℓ, a\nso far", "weight", wide=84, high=44),
        word("rule", 146, 322, "block by block", role="key"),
        word("once", 294, 322, "once", role="context"),
        word("once-q", 48, 322, "once", role="query"),
    ]
    edges = [
        Edge("border", [(2, 116), (338, 116)], "soft", tip=False, dashed=True),
        Edge("border", [(2, 346), (338, 346)], "soft", tip=False, dashed=True),
        Edge("qk", [(60, 86), (60, 160)], "key"),
        Edge("scores", [(100, 160), (100, 96)], "score"),
        Edge("scores", [(134, 96), (134, 160)], "score"),
        Edge("weights", [(180, 160), (180, 96)], "weight"),
        Edge("weights", [(226, 96), (226, 160)], "weight"),
        Edge("v", ["v", (262, 160)], "value"),
        Edge("c", [(298, 160), (298, 86)], "context"),
        Edge("queries", ["queries", "block"], "query"),
        Edge("keys", ["keys", "tile"], "key"),
        Edge("block", ["block", "tile"], "query"),
        Edge("tile", ["tile", "sums"], "score"),
        Edge("contexts", [(290, 362), "contexts"], "context"),
    ]
    alt = (
        "Two drawings: a GPU's large, slow memory above its small, fast chip. Plain attention "
        "takes three kernels: the first reads Q and K and writes n by n scores to memory, the "
        "second reads them and writes n by n weights, the third reads these and V and writes "
        "the context C. In tiles there is one kernel: a block of queries comes to the chip "
        "once, keys and values come block by block, each tile of scores is taken into three "
        "sums m, ℓ and a on the chip, and only C goes back."
    )
    return Sketch(340, 434, nodes, edges, alt)
