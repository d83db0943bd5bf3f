"""A drawing as data: nodes on a plane, edges between them, and the SVG that is made of both.

A drawing shows symbols. The stepper plays the same drawing: where a node names numbers
(``shows``), the SVG has a slot for them, and its groups light up one after the other.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from attention_course.drawing.palette import ROLES

CELL = 18.0  # height of one number of a vector
_PART = re.compile(r"([_^])(?:\{([^}]*)\}|(.))")
_LETTER = re.compile(r"[^\W\d_][\u0300-\u036f]?(?:[_^].*)?")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_LINE = 'fill="none" stroke="currentColor"'
Place = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """One thing in a drawing.

    Attributes:
        name: its group; then, if there are several, a dash and which of them: "score-2".
        x: its centre, from the left.
        y: its centre, from above.
        text: its symbol or word; ``_`` lowers and ``^`` raises what follows.
        role: one of the palette's, or nothing.
        shape: "box"; "word" and "label", without a frame, the second from its left end;
            "token", a word that is taken as it is; "column" and "row", a vector's numbers;
            "bars", a long vector; "weight", a box that fills; "dot", a product; "strike", a
            line through what is there.
        wide: its width.
        high: its height.
        shows: where its numbers stand among the values: "scores.2".
        cells: how many numbers a column or row has.
    """

    name: str
    x: float
    y: float
    text: str = ""
    role: str = ""
    shape: str = "box"
    wide: float = 48
    high: float = 24
    shows: str = ""
    cells: int = 0


@dataclass(frozen=True)
class Edge:
    """An arrow.

    Attributes:
        name: its group, as a node's.
        points: where it goes: names of nodes and places, from the first to the last.
        role: as a node's.
        shows: a weight, which its width tells.
        tip: whether it ends in an arrowhead.
        dashed: whether it leads to another step.
    """

    name: str
    points: Sequence[str | Place]
    role: str = ""
    shows: str = ""
    tip: bool = True
    dashed: bool = False


@dataclass(frozen=True)
class Sketch:
    """A drawing: its size, its nodes, the edges below them, what it shows in words."""

    wide: float
    high: float
    nodes: Sequence[Node]
    edges: Sequence[Edge]
    alt: str
    letters: float = 12  # their size

    def svg(self, values: Mapping[str, Any] | None = None, slots: bool = False) -> str:
        """Return the drawing: with its symbols, or with numbers where there are values.

        It is drawn a quarter larger than its numbers say, where there is room.

        Args:
            values: numbers by name, as ``shows`` names them.
            slots: name the groups and the places of the numbers, for a script.
        """
        pen = _Pen({node.name: node for node in self.nodes}, values or {}, slots)
        drawn = [(group(e.name), e.role, pen.edge(e)) for e in self.edges]
        drawn += [(group(node.name), node.role, pen.node(node)) for node in self.nodes]
        return self._framed(drawn, self.alt, slots)

    def asking(self, labels: Sequence[str]) -> str:
        """Return the drawing with the numbers of some labels in their place.

        A group ``data-asked`` has the number of a label, a hidden one ``data-told`` the label.

        Args:
            labels: the texts of nodes; ``h_*`` stands for all that begin so.

        Raises:
            ValueError: if no node has one of the texts.
        """
        pen = _Pen({node.name: node for node in self.nodes}, {}, slots=False)
        drawn = [("edge", edge.role, pen.edge(edge)) for edge in self.edges]
        found = set()
        for node in self.nodes:
            part = pen.node(node)
            at = next(
                (i for i, form in enumerate(labels, 1) if fnmatchcase(node.text, form)), 0
            )
            if at:
                found.add(at)
                number = pen.node(replace(node, text=f"({at})"))
                part = (
                    f'<g data-asked="{at}">{number}</g>'
                    f'<g data-told="{at}" display="none">{part}</g>'
                )
            drawn.append(("node", node.role, part))
        if missing := [form for i, form in enumerate(labels, 1) if i not in found]:
            raise ValueError(f"asking: expected the texts of nodes, got {missing[0]!r}")
        return self._framed(drawn, f"A drawing whose {len(labels)} labels are hidden.")

    def _framed(
        self, drawn: Sequence[tuple[str, str, str]], alt: str, slots: bool = False
    ) -> str:
        groups: dict[tuple[str, str], str] = {}
        for named, role, part in drawn:
            groups[named, role] = groups.get((named, role), "") + part
        body = ""
        for (named, role), inside in groups.items():
            slot = f" data-g={_quoted(named)}" if slots else ""
            body += f"<g{slot}{_coloured(role)}>{inside}</g>"
        size = f'width="{_n(1.1 * self.wide)}" height="{_n(1.1 * self.high)}"'
        return (
            f'<svg role="img" aria-label={_quoted(alt)} '
            f'viewBox="0 0 {_n(self.wide)} {_n(self.high)}" {size} '
            'fill="currentColor" stroke-width="1.2" stroke-linejoin="round" '
            f'text-anchor="middle" font-size="{_n(self.letters)}" '
            'style="max-width:100%;height:auto;forced-color-adjust:auto;color:var(--ac-ink,inherit);'
            f'font-family:var(--ac-sans,inherit);font-variant-numeric:tabular-nums">{body}</svg>'
        )


def in_html(text: str) -> str:
    """Return a node's text for a line of HTML.

    >>> in_html("n × d_k")
    'n × d<sub>k</sub>'
    """
    tag = {"_": "sub", "^": "sup"}
    return _PART.sub(
        lambda part: f"<{tag[part[1]]}>{part[2] or part[3]}</{tag[part[1]]}>",
        html.escape(text.replace("\n", ", ")),
    )


def where_trusted(svg: str, words: str = "") -> str:
    """Return HTML that shows a drawing, and only words where a host takes drawings out.

    JupyterLab does so in a notebook that it does not trust yet, and GitHub in its preview:
    they drop the tags of a drawing, keep its letters, and drop the style that would show it.

    >>> where_trusted("<svg></svg>").partition("<style>")[0]
    '<div class="ac-drawing" style="display:none"><svg></svg></div>'
    """
    instead = f'<p class="ac-undrawn">{html.escape(words)}</p>' if words else ""
    return (
        f'<div class="ac-drawing" style="display:none">{svg}</div>{instead}'
        "<style>.ac-drawing{display:block!important}.ac-undrawn{display:none}</style>"
    )


def group(name: str) -> str:
    """Return the group that a node or edge belongs to.

    >>> group("score-2")
    'score'
    """
    return name.partition("-")[0]


def look_up(values: Mapping[str, Any], path: str) -> Any:
    """Return what is at a place; a word in the path is a whole number among the values.

    >>> look_up({"scores": [4.0, 5.0], "word": 1}, "scores.word")
    5.0
    """
    first, *rest = path.split(".")
    found = values[first]
    for part in rest:
        found = found[int(part) if part.isdigit() else values[part]]
    return found


def cell_text(x: float | str) -> str:
    """Write a number for a small cell: as short as it is, or two decimals, or a power of ten.

    >>> cell_text(15.0), cell_text(-0.3), cell_text(-7.6597), cell_text(2.86e-20)
    ('15', '−0.3', '−7.66', '3×10⁻²⁰')
    >>> cell_text(1 - 1e-11)
    '> 0.999'
    """
    if isinstance(x, str):
        return x
    size = abs(x)
    if size == float("inf"):
        text = "∞"
    elif size == int(size) and size < 1000:
        text = str(int(size))
    elif float(f"{size:.1f}") == size and size < 99.5:
        text = f"{size:.1f}"
    elif 0.999 < x < 1:
        text = "> 0.999"
    elif size < 0.005 or size >= 9999.5:
        digits, power = f"{size:.0e}".split("e")
        text = f"{digits}×10{str(int(power)).translate(_RAISED)}"
    else:
        text = f"{size:.{2 if size < 99.5 else 0}f}"
    return "−" + text if x < 0 else text


def bars_path(vector: Sequence[float], limit: float, wide: float, high: float) -> str:
    """Return the path of a long vector: bars, up for what is positive.

    >>> bars_path([1.0, -0.5], 1.0, 20, 11)
    'M5 5.5v-5M15 5.5v2.5'
    """
    step, middle = wide / len(vector), high / 2
    heights = [-x / limit * (middle - 0.5) for x in vector]
    return "".join(
        f"M{_n(step * (i + 0.5))} {_n(middle)}v{_n(h)}" for i, h in enumerate(heights)
    )


def largest(numbers: Any) -> float:
    """Return the largest size among numbers in lists of any depth.

    >>> largest([[1.0], [-3.0, 2.0]])
    3.0
    """
    if isinstance(numbers, (int, float)):
        return abs(float(numbers))
    return max(map(largest, numbers))


class _Pen:
    """Draws the nodes and edges of one sketch."""

    def __init__(self, nodes: Mapping[str, Node], values: Mapping[str, Any], slots: bool):
        self.nodes, self.values, self.slots = nodes, values, slots

    def node(self, node: Node) -> str:
        x, y = node.x - node.wide / 2, node.y - node.high / 2
        if node.shape in ("word", "label", "token"):
            return self._word(node)
        if node.shape == "dot":
            return (
                f'<circle cx="{_n(node.x)}" cy="{_n(node.y)}" r="6" {_LINE}/>'
                f'<text x="{_n(node.x)}" y="{_n(node.y + 4)}">{node.text}</text>'
            )
        if node.shape == "strike":
            line = f"M{_n(x)} {_n(y + node.high)}l{_n(node.wide)} {_n(-node.high)}"
            return f'<path d="{line}" {_LINE}/>'
        rect = f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(node.wide)}" height="{_n(node.high)}"'
        frame = f'{rect} rx="3" {_LINE}/>'
        if node.shape == "weight":
            frame += self._fill(node, x, y)
        if node.shape == "bars":
            return frame + self._symbol(node) + self._bars(node, x, y)
        return frame + self._symbol(node) + self._numbers(node)

    def edge(self, edge: Edge) -> str:
        ends = [self.nodes[p] if isinstance(p, str) else p for p in edge.points]
        places = [_place(end) for end in ends]
        line = [
            _rim(ends[0], places[1]),
            *places[1:-1],
            _rim(ends[-1], places[-2]),
        ]
        tip = ""
        if edge.tip:
            (x1, y1), (x2, y2) = line[-2:]
            length = max(abs(x2 - x1), abs(y2 - y1), 1e-9)
            ux, uy = (x2 - x1) / length, (y2 - y1) / length
            backs = [(x2 - 6 * ux + a * uy, y2 - 6 * uy - a * ux) for a in (-3, 3)]
            dots = " ".join(f"{_n(x)},{_n(y)}" for x, y in [(x2, y2), *backs])
            tip = f'<polygon points="{dots}"/>'
            line[-1] = x2 - 5 * ux, y2 - 5 * uy
        d = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in line)
        more = ' stroke-dasharray="3 3"' if edge.dashed else ""
        if edge.shows:
            more += self._named("width", edge.shows)
            if self.values:
                more += f' stroke-width="{_n(0.8 + 5 * look_up(self.values, edge.shows))}"'
        return f'<path d="{d}" {_LINE}{more}/>{tip}'

    def _named(self, kind: str, path: str) -> str:
        return f" data-{kind}={_quoted(path)}" if self.slots else ""

    def _word(self, node: Node) -> str:
        anchor = ' text-anchor="start"' if node.shape == "label" else ""
        at = f'x="{_n(node.x)}" y="{_n(node.y + 4)}"{anchor}'
        if node.shape == "token":
            return f"<text {at}>{html.escape(node.text)}</text>"
        text = _marked(node.text)
        named = ""
        if node.shows:
            named = self._named("v", node.shows)
            if self.values:
                text = _marked(cell_text(look_up(self.values, node.shows)))
        return f"<text {at}{named}{_slanted(node.text)}>{text}</text>"

    def _symbol(self, node: Node) -> str:
        """Write the symbol; numbers take its place."""
        if not node.text or (node.shows and self.values):
            return ""
        role = ' class="ac-drawn-symbol"' if self.slots and node.shows else ""
        lines = node.text.split("\n")
        parts = []
        for i, line in enumerate(lines):
            y = node.y + 4 + 15 * (i - (len(lines) - 1) / 2)
            parts.append(
                f'<text x="{_n(node.x)}" y="{_n(y)}" '
                f"{role}{_slanted(line)}>{_marked(line)}</text>"
            )
        return "".join(parts)

    def _numbers(self, node: Node) -> str:
        if not node.shows or not (self.values or self.slots):
            return ""
        cells = max(1, node.cells)
        parts = []
        for i in range(cells):
            away = i - (cells - 1) / 2
            x = node.x + (away * node.wide / cells if node.shape == "row" else 0)
            y = node.y + (away * node.high / cells if node.shape == "column" else 0)
            path = f"{node.shows}.{i}" if node.cells else node.shows
            text = cell_text(look_up(self.values, path)) if self.values else ""
            parts.append(
                f'<text x="{_n(x)}" y="{_n(y + 4)}"{self._named("v", path)}>{text}</text>'
            )
        return "".join(parts)

    def _fill(self, node: Node, x: float, y: float) -> str:
        if not (self.values or self.slots):
            return ""
        share = look_up(self.values, node.shows) if self.values else 0
        tall = node.high * share
        return (
            f'<rect x="{_n(x)}" y="{_n(y + node.high - tall)}" width="{_n(node.wide)}" '
            f'height="{_n(tall)}" opacity="0.22"'
            f"{self._named('fill', node.shows)}/>"
        )

    def _bars(self, node: Node, x: float, y: float) -> str:
        if not (self.values or self.slots):
            return ""
        d = ""
        if self.values:
            limit = largest(self.values[node.shows.split(".")[0]])
            d = bars_path(look_up(self.values, node.shows), limit, node.wide, node.high)
        size = f' data-size="{_n(node.wide)} {_n(node.high)}"' if self.slots else ""
        return (
            f'<path transform="translate({_n(x)} {_n(y)})" d="{d}" {_LINE}'
            f"{self._named('bars', node.shows)}{size}/>"
        )


def _place(end: Node | Place) -> Place:
    return (end.x, end.y) if isinstance(end, Node) else end


def _rim(end: Node | Place, other: Place) -> Place:
    """Return where an arrow leaves or meets a node that it shares with another place."""
    if not isinstance(end, Node):
        return end
    wide, high = (12.0, 12.0) if end.shape == "dot" else (end.wide, end.high)
    dx, dy = other[0] - end.x, other[1] - end.y
    if abs(dy) * wide >= abs(dx) * high:
        # An arrow that comes straight from above or below stays straight.
        x = other[0] if abs(dx) < wide / 2 else end.x
        return x, end.y + (high / 2 if dy > 0 else -high / 2)
    y = other[1] if abs(dy) < high / 2 else end.y
    return end.x + (wide / 2 if dx > 0 else -wide / 2), y


def _coloured(role: str) -> str:
    """Return the style of a role: the page's colour, or one that suits any ground."""
    if role == "soft":
        return ' style="color:var(--ac-soft,color-mix(in srgb,currentColor 75%,transparent))"'
    if not role:
        return ""
    if role == "context":
        return ' style="color:var(--ac-context,currentColor)"'
    mixed = f"color-mix(in srgb,{ROLES[role].light} 50%,currentColor)"
    return f' style="color:var(--ac-{role},{mixed})"'


def _marked(text: str) -> str:
    """Return a text with its indices lowered and raised."""
    found, at = "", 0
    for part in _PART.finditer(text):
        found += html.escape(text[at : part.start()])
        down = 3.5 if part[1] == "_" else -4
        inside = html.escape(part[2] or part[3] or "")
        found += f'<tspan dy="{down}" font-size="9.5">{inside}</tspan>'
        rest = text[part.end() :]
        if rest:
            found += f'<tspan dy="{-down}">{html.escape(rest[:1])}</tspan>'
        at = part.end() + 1
    return found + html.escape(text[at:])


def _slanted(text: str) -> str:
    return ' font-style="italic"' if _LETTER.fullmatch(text) else ""


def _quoted(text: str) -> str:
    return f'"{html.escape(text)}"'


def _n(x: float) -> str:
    """Write a length with at most one decimal."""
    return f"{x:.1f}".removesuffix(".0").replace("-0", "0", x > -0.05)
