"""Three number formats: their bits, how far they reach, and their steps."""

import math

from attention_course.drawing._sketch import Edge, Node, Sketch
from attention_course.reference.number_formats import FORMATS, LAYOUT, format_limits

_LEFT, _CELL, _ROW = 62.0, 10.4, 26.0
_POWERS = (-45, 39)  # of ten: from the smallest float32 to above its largest
_UNIT = 32 * _CELL


def number_formats() -> Sketch:
    """Draw the formats below one another in three panels: bits, range, steps after 1."""
    right = _LEFT + _UNIT
    nodes = [
        _head("the bits: s sign, e exponent, f fraction", 10),
        _head("the range, in powers of ten (dashed: digits are lost)", 112),
        _head("the numbers from 1 to 1 + 1/32", 232),
        *(
            Node(f"axis-{p}", _at(p), 208, f"10^{{{p}}}" if p else "1", "soft", "word")
            for p in (-40, -20, 0, 20)
        ),
        Node("axis-1", _LEFT, 326, "1", "soft", "word"),
        Node("axis-33", right, 326, "1.03125", "soft", "word"),
    ]
    edges = []
    for i, name in enumerate(FORMATS):
        row = i * _ROW
        nodes += [
            Node(f"name-{name}-{y}", 0, y + row, name, "", "label") for y in (34, 134, 254)
        ]
        nodes += _bits(name, 34 + row)
        edges += [*_range(name, 134 + row), *_steps(name, 254 + row)]
    alt = (
        "Three number formats. The bits: float32 has 1 for the sign, 8 for the exponent and "
        "23 for the fraction; bfloat16 has 1, 8 and 7; float16 has 1, 5 and 10. The range: "
        "float32 and bfloat16 reach from about 10 to the minus 38 to 10 to the 38; float16 "
        "from about 10 to the minus 5, or 10 to the minus 8 with fewer digits, to 65504. "
        "Between 1 and 1 plus 1/32, bfloat16 has 4 steps, float16 has 32, and float32 has "
        "262144, too many to draw."
    )
    return Sketch(right + 22, 336, nodes, edges, alt, letters=11)


def _head(text: str, y: float) -> Node:
    return Node(f"head-{y}", 0, y, text, "soft", "label")


def _at(power: float) -> float:
    low, high = _POWERS
    return _LEFT + (power - low) / (high - low) * _UNIT


def _bits(name: str, y: float) -> list[Node]:
    exponent, fraction = LAYOUT[name]
    letters = "s" + exponent * "e" + fraction * "f"
    return [
        Node(
            f"bit-{name}-{i}", _LEFT + (i + 0.5) * _CELL, y, letter, "", "box", _CELL - 0.8, 17
        )
        for i, letter in enumerate(letters)
    ]


def _range(name: str, y: float) -> list[Edge]:
    limits = format_limits(name)
    smallest, normal, largest = (
        _at(math.log10(limits[end])) for end in ("smallest", "smallest normal", "largest")
    )
    return [
        Edge(f"range-{name}", [(smallest, y), (normal, y)], tip=False, dashed=True),
        *(
            Edge(f"range-{name}-{d}", [(normal, y + d), (largest, y + d)], tip=False)
            for d in (-1.2, 0, 1.2)
        ),
        *(
            Edge(f"range-{name}-{x:.0f}", [(x, y - 6), (x, y + 6)], tip=False)
            for x in (normal, largest)
        ),
    ]


def _steps(name: str, y: float) -> list[Edge]:
    line = [Edge(f"steps-{name}", [(_LEFT, y), (_LEFT + _UNIT, y)], tip=False)]
    n = round(1 / 32 / format_limits(name)["step at 1"])
    if n > 1000:  # a bar: the steps cannot be told apart
        return [
            Edge(f"steps-{name}-{d}", [(_LEFT, y + d), (_LEFT + _UNIT, y + d)], tip=False)
            for d in range(-6, 7)
        ]
    places = [_LEFT + i / n * _UNIT for i in range(n + 1)]
    line += [
        Edge(f"steps-{name}-{i}", [(x, y - 6), (x, y + 6)], tip=False)
        for i, x in enumerate(places)
    ]
    return line
