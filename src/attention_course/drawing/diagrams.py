"""Line drawings of networks, as HTML that reads its colours from the page."""

import html
from collections.abc import Sequence

from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._sketch import where_trusted

_STEP, _BOX, _HIGH = 92, 78, 30


class Diagram:
    """A drawing with the sentence that describes it.

    Attributes:
        alt: what is drawn, in words.
        svg: the drawing.

    Used in ``why/rnn-bottleneck``.
    """

    def __init__(self, svg: str, alt: str):
        self.svg, self.alt = svg, alt

    def __repr__(self) -> str:
        """Return the description: what a text-only reader gets."""
        return self.alt

    def _repr_html_(self) -> str:
        return (
            # It scrolls on a phone, so the keyboard must be able to reach it.
            '<figure class="ac-diagram" tabindex="0" style="margin:1rem 0;overflow-x:auto">'
            f"{self.svg}</figure>"
        )


class _Named(Diagram):
    def _repr_html_(self) -> str:
        words = f"{self.alt} Run the cell, or trust the notebook, to see the drawing."
        return (
            '<figure class="ac-diagram" style="margin:1rem 0">'
            f"{where_trusted(self.svg, words)}</figure>"
        )


def diagram(name: str) -> Diagram:
    """Draw a model by its name.

    The drawing follows the page's theme, in a notebook as on the site. ``Stepper`` in
    ``attention_course.widgets`` plays the models with numbers, by the same names.

    Args:
        name: "family", the map of the course; "scaled-dot-product", its blocks;
            "positions", where they enter; "block", normalised after and before;
            "ways-to-score", four forms of a score;
            "cross-attention", a rectangle of weights;
            "memory-and-chip", where a GPU keeps the scores;
            "number-formats", three formats of numbers; "decoder-with-attention", where
            attention stands in a translator; or a model with its parts: "four-states",
            "self-attention", "causal-mask", "multi-head", "bahdanau", "luong",
            "ways-to-look" or "captioner"; or several steps or layers: "fixed-vector",
            "input-feeding", "gnmt", "time-grid" (when each of its layers is done), "tape"
            (LSTMN).

    Returns:
        The drawing.

    Raises:
        ValueError: if there is no drawing of that name.

    >>> diagram("scaled-dot-product").alt.partition(",")[0]
    'Scaled dot-product attention'

    Used in ``transformer/multi-head``.
    """
    if name not in DRAWINGS:
        names = ", ".join(map(repr, DRAWINGS))
        raise ValueError(f"diagram: name must be one of {names}, got {name!r}")
    sketch = DRAWINGS[name]()
    return _Named(sketch.svg(), sketch.alt)


def aligned_network(source: Sequence[str], target: Sequence[str]) -> Diagram:
    """Draw design (a): one output for every input, at once.

    Args:
        source: the symbols read.
        target: the symbols written, as many.

    Returns:
        The drawing.

    Raises:
        ValueError: if the two differ in number, or are empty.

    >>> aligned_network(["a"], ["x"])
    An answer at every step: 1 step from left to right; step 1 reads a and writes x.

    Used in ``why/rnn-bottleneck``.
    """
    if len(source) != len(target) or not source:
        raise ValueError(
            "aligned_network: source and target must be as many as each other, "
            f"got {len(source)} and {len(target)}"
        )
    parts = []
    for i, (x, y) in enumerate(zip(source, target, strict=True)):
        at = 10 + i * _STEP
        parts += [
            _word(at, 12, y),
            _arrow(at + 39, 64, at + 39, 46),
            _state(at, 66, f"h{i + 1}"),
        ]
        parts += [_arrow(at + 39, 116, at + 39, 98), _word(at, 118, x)]
        if i:
            parts.append(_arrow(at - 14, 81, at, 81))
    steps = (
        f"step {i} reads {x} and writes {y}"
        for i, (x, y) in enumerate(zip(source, target, strict=True), 1)
    )
    count = "1 step" if len(source) == 1 else f"{len(source)} steps"
    alt = f"An answer at every step: {count} from left to right; {', '.join(steps)}."
    return Diagram(_svg(20 + len(source) * _STEP, 154, parts, alt), alt)


def fixed_vector_network(source: Sequence[str], target: Sequence[str]) -> Diagram:
    """Draw design (b): read everything, keep one vector, write everything.

    Args:
        source: the symbols read, in the upper row.
        target: the symbols written, in the lower row.

    Returns:
        The drawing.

    Raises:
        ValueError: if one of the two is empty.

    >>> print(fixed_vector_network(["a", "b"], ["x"]).alt.partition("; from")[0])
    Read everything, then write: an encoder reads a, b; its last state is the one vector c

    Used in ``why/rnn-bottleneck``.
    """
    if not source or not target:
        raise ValueError(
            "fixed_vector_network: source and target must not be empty, "
            f"got {len(source)} and {len(target)}"
        )
    parts, wide = [], max(len(source), len(target))
    for i, x in enumerate(source):
        at = 10 + i * _STEP
        parts += [
            _word(at, 12, x),
            _arrow(at + 39, 44, at + 39, 62),
            _state(at, 64, f"h{i + 1}"),
        ]
        if i:
            parts.append(_arrow(at - 14, 79, at, 79))
    last, middle = 10 + (len(source) - 1) * _STEP + 39, 10 + (wide - 1) * _STEP // 2
    parts += [
        _elbow(last, 96, middle + 39, 120),
        _state(middle, 122, "c", thick=True),
        _elbow(middle + 39, 154, 49, 178),
    ]
    for i, y in enumerate(target):
        at = 10 + i * _STEP
        parts += [_state(at, 180, f"s{i + 1}"), _arrow(at + 39, 212, at + 39, 230)]
        parts.append(_word(at, 232, y))
        if i:
            parts.append(_arrow(at - 14, 195, at, 195))
    alt = (
        f"Read everything, then write: an encoder reads {', '.join(source)}; its last "
        f"state is the one vector c; from c alone a decoder writes {', '.join(target)}."
    )
    return Diagram(_svg(20 + wide * _STEP, 268, parts, alt), alt)


def _svg(width: int, height: int, parts: Sequence[str], alt: str) -> str:
    return (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;min-width:{width * 2 // 3}px;'
        'height:auto;color:var(--ac-context,#3d3d3d);font-family:inherit">'
        + "".join(parts)
        + "</svg>"
    )


def _word(x: int, y: int, text: str) -> str:
    return (
        f'<text x="{x + _BOX // 2}" y="{y + 20}" text-anchor="middle" font-size="16" '
        f'fill="currentColor">{html.escape(text)}</text>'
    )


def _state(x: int, y: int, name: str, thick: bool = False) -> str:
    """Draw a state as a box; the fixed vector in the colour of a value, and heavier."""
    colour = "var(--ac-value,#00735c)" if thick else "currentColor"
    letter, number = name[0], name[1:]
    index = f'<tspan dy="4" font-size="11">{number}</tspan>' if number else ""
    return (
        f'<rect x="{x}" y="{y}" width="{_BOX}" height="{_HIGH}" rx="5" fill="none" '
        f'stroke="{colour}" stroke-width="{3 if thick else 1.5}"/>'
        f'<text x="{x + _BOX // 2}" y="{y + 20}" text-anchor="middle" font-size="16" '
        f'font-style="italic" fill="{colour}">{letter}{index}</text>'
    )


def _arrow(x1: int, y1: int, x2: int, y2: int) -> str:
    return _path(f"M{x1} {y1}L{x2} {y2}") + _head(x2, y2, x2 - x1, y2 - y1)


def _elbow(x1: int, y1: int, x2: int, y2: int) -> str:
    half = (y1 + y2) // 2
    return _path(f"M{x1} {y1}V{half}H{x2}V{y2}") + _head(x2, y2, 0, 1)


def _path(d: str) -> str:
    return f'<path d="{d}" fill="none" stroke="currentColor" stroke-width="1.5"/>'


def _head(x: int, y: int, dx: int, dy: int) -> str:
    """Draw the tip by hand: SVG markers need ids, which two figures on a page would share."""
    if dx:
        s = 1 if dx > 0 else -1
        points = f"{x},{y} {x - 7 * s},{y - 4} {x - 7 * s},{y + 4}"
    else:
        s = 1 if dy > 0 else -1
        points = f"{x},{y} {x - 4},{y - 7 * s} {x + 4},{y - 7 * s}"
    return f'<polygon points="{points}" fill="currentColor"/>'


def heads_network(n_heads: int, n_kv_heads: int | None = None) -> Diagram:
    """Draw multi-head attention: projections, heads side by side, the join, W_o.

    Args:
        n_heads: how many heads, at most 8.
        n_kv_heads: how many projections to keys and values they share; one each unless given.

    Returns:
        The drawing.

    Raises:
        ValueError: if a number is not from 1 to 8, or the second no divisor of the first.

    >>> heads_network(2)
    2 heads side by side, each with its own keys and values; joined, then mixed by W_o.

    Used in ``transformer/multi-head``.
    """
    groups = n_heads if n_kv_heads is None else n_kv_heads
    if not 1 <= groups <= n_heads <= 8 or n_heads % groups:
        raise ValueError(
            "heads_network: n_heads must be at most 8 and a multiple of n_kv_heads, "
            f"got {n_heads} and {groups}"
        )
    step, wide = 84, n_heads * 84 - 10
    parts = [
        _role(10, 10, wide, "output", "context"),
        _arrow(10 + wide // 2, 62, 10 + wide // 2, 42),
    ]
    parts.append(_role(10, 62, wide, "W_o mixes the heads", "context"))
    for i in range(n_heads):
        at = 10 + i * step
        parts += [
            _arrow(at + 37, 124, at + 37, 94),
            _role(at, 124, 74, f"head {i + 1}", "weight"),
        ]
        parts += [_arrow(at + 16, 178, at + 16, 156), _role(at, 178, 32, "q", "query")]
        parts.append(_arrow(at + 54, 230, at + 54, 156))
    share = n_heads // groups
    for g in range(groups):
        left = 10 + g * share * step
        parts.append(_role(left + 36, 230, share * step - 46, "k, v", "key"))
    own = {n_heads: "each with its own keys and values", 1: "all with the same keys and values"}
    shared = own.get(groups, f"{share} at a time sharing keys and values")
    alt = f"{n_heads} heads side by side, {shared if n_heads > 1 else own[n_heads]}; "
    alt += "joined, then mixed by W_o."
    return Diagram(_svg(20 + wide, 276, parts, alt), alt)


def _role(x: int, y: int, width: int, text: str, role: str) -> str:
    colour = f"var(--ac-{role},#3d3d3d)"
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{_HIGH}" rx="5" fill="none" '
        f'stroke="{colour}" stroke-width="1.5"/><text x="{x + width // 2}" y="{y + 20}" '
        f'text-anchor="middle" font-size="15" fill="{colour}">{html.escape(text)}</text>'
    )
