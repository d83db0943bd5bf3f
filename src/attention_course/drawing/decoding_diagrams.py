"""What a decoder keeps, drawn: a cache that grows, and texts whose pages are shared."""

from collections.abc import Mapping, Sequence
from functools import partial

from attention_course.drawing._sketch import Edge, Node, Sketch
from attention_course.drawing.diagrams import Diagram, _Named

_ROOM, _STEP, _FIRST, _ROW = 7, 37, 92, 62


def growing_cache() -> Diagram:
    """Draw a cache while a prompt is read at once and a text written word by word.

    Returns:
        The drawing.

    >>> growing_cache().alt.partition(". ")[0]
    'A cache with room for 7 keys and values, before and after each step'
    """
    n_prompt, n_written = 4, 2
    nodes: list[Node] = []
    edges: list[Edge] = []
    said = []
    for row in range(n_written + 1):
        end = n_prompt + row
        new = n_prompt if row == 0 else 1
        y = 46.0 + _ROW * row
        title = f"write: token {end} alone; {end - 1} are there" if row else "read: "
        title += "" if row else f"tokens 1 to {n_prompt} at once"
        said.append(f"{new} written, {end} there to be read")
        nodes.append(Node("title", 0, y - 28, title, "", "label"))
        asks = f"q_{{{end}}}" if new == 1 else f"q_1…q_{{{end}}}"
        nodes.append(Node(f"q{row}", 30, y, asks, "query", wide=58))
        edges.append(Edge("ask", [f"q{row}", (_FIRST - 19.0, y)], "query"))
        for slot in range(_ROOM):
            kept, is_new = slot < end, end - new <= slot < end
            text = f"k_{{{slot + 1}}} v_{{{slot + 1}}}" if kept else ""
            x = float(_FIRST + _STEP * slot)
            role = "key" if is_new else "soft"
            nodes.append(Node(f"k{row}-{slot}", x, y, text, role, wide=_STEP - 3))
    alt = (
        f"A cache with room for {_ROOM} keys and values, before and after each step. Reading "
        f"the prompt: {said[0]}. "
        + " ".join(f"Writing: {line}." for line in said[1:])
        + " Nothing that is there is computed again, and all of it is read."
    )
    wide, high = _FIRST + _STEP * _ROOM - 18.0, 70.0 + _ROW * n_written
    sketch = Sketch(wide, high, nodes, edges, alt, letters=11)
    return _Named(sketch.svg(), alt)


def shared_pages(
    tables: Mapping[int, Sequence[int]], lengths: Mapping[int, int], size: int, n_blocks: int
) -> Diagram:
    """Draw two texts whose tables name blocks, some of them the same.

    Args:
        tables: for each of the two texts, the blocks that hold it, in order.
        lengths: for each, how many positions it has.
        size: positions of a block.
        n_blocks: how many blocks there are.

    Returns:
        The drawing.

    Raises:
        ValueError: if there are not two texts.

    >>> shared_pages({0: [0, 1], 1: [0, 2]}, {0: 6, 1: 5}, 4, 4).alt.partition(". ")[0]
    'Two texts and 4 blocks of 4 positions'
    """
    if len(tables) != 2:
        raise ValueError(f"shared_pages: expected the tables of two texts, got {len(tables)}")
    cell = partial(Node, wide=62, high=24)
    nodes, edges, middle = [], [], 164.0
    users = {b: [t for t in tables if b in tables[t]] for b in range(n_blocks)}
    for block in range(n_blocks):
        filled = 0
        for text in users[block]:
            before = list(tables[text]).index(block) * size
            filled = max(filled, min(size, lengths[text] - before))
        words = f"block {block}: {filled} of {size}" if filled else f"block {block}: free"
        place = (middle, 44.0 + 34 * block)
        role = "key" if filled else "soft"
        nodes.append(Node(f"b{block}", *place, words, role, wide=112, high=26))
    for text, x, side in zip(tables, (31.0, 297.0), (1, -1), strict=True):
        nodes.append(Node("name", x, 14, f"text {text}", "", "word"))
        for i, block in enumerate(tables[text]):
            first, last = i * size + 1, min((i + 1) * size, lengths[text])
            name, y = f"t{text}-{i}", 44.0 + 34 * i
            nodes.append(cell(name, x, y, f"{first} to {last}"))
            ends = (x + side * 31, y), (middle - side * 56, 44.0 + 34 * block)
            edges.append(Edge(f"e{text}", ends, "key"))
    both = [str(b) for b, who in users.items() if len(who) == 2]
    named = "; ".join(f"text {t}: blocks {', '.join(map(str, tables[t]))}" for t in tables)
    alt = (
        f"Two texts and {n_blocks} blocks of {size} positions. {named}. "
        f"Both name {', '.join(both) or 'none'}."
    )
    return _Named(Sketch(328, 62 + 34 * (n_blocks - 1), nodes, edges, alt).svg(), alt)


def guessing_ahead() -> Diagram:
    """Draw one pass in which a large model reads a small one's guesses.

    Returns:
        The drawing.

    >>> guessing_ahead().alt.partition(". ")[0]
    'A small model has guessed four words after "the girl drinks"'
    """
    xs = [250.0 + 84 * i for i in range(4)]
    guesses, written = ("the", "warm", "cake", "and"), ("the", "warm", "milk", "")
    nodes = [
        Node("text", 88, 40, "the girl drinks", shape="word"),
        Node("side", 0, 14, "a small model guesses, one after the other", "soft", "label"),
        Node("large", 262, 98, "the large model: one pass over all of them", wide=490, high=26),
        Node("side", 0, 146, "kept with chance min(1, p/q)", "soft", "label"),
    ]
    edges = [Edge("up", [(88, 50), (88, 84)])]
    for i, (x, guess, word) in enumerate(zip(xs, guesses, written, strict=True)):
        nodes.append(Node(f"guess-{i}", x, 40, guess, "soft", wide=70))
        edges.append(Edge("up", [f"guess-{i}", (x, 84)]))
        edges.append(Edge("then", [(172, 40) if i == 0 else f"guess-{i - 1}", f"guess-{i}"]))
        if word:
            nodes.append(Node(f"word-{i}", x, 176, word, wide=70))
            edges.append(Edge("down", [(x, 112), f"word-{i}"]))
    nodes.append(Node("strike", xs[3], 40, shape="strike", wide=70))
    nodes.append(Node("note", xs[2] - 35, 204, "refused: drawn anew", "soft", "label"))
    alt = (
        'A small model has guessed four words after "the girl drinks". It guessed "the warm '
        'cake and". The large model reads all four in one pass. It keeps "the" and "warm", '
        'refuses "cake" and draws "milk" in its place; what was guessed behind the refused '
        'word, "and", is thrown away.'
    )
    return _Named(Sketch(540, 212, nodes, edges, alt).svg(), alt)
