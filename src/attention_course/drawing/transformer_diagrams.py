"""The Transformer as a drawing: two columns of boxes, read from below."""

from collections.abc import Sequence

from attention_course.drawing.diagrams import Diagram, _arrow, _path, _role, _svg, _word

_WIDE, _GAP, _ROW = 196, 92, 50


def transformer_network() -> Diagram:
    """Draw an encoder block and a decoder block with their residuals, as of 2017.

    Returns:
        The drawing.

    >>> transformer_network().alt.split(":")[0]
    'Two columns, read from below'

    Used in ``transformer/encoder-decoder``.
    """
    encoder = ["self-attention", "feed-forward"]
    decoder = ["causal self-attention", "cross-attention", "feed-forward"]
    height = 8 * _ROW + 10
    left, right = 30, 30 + _WIDE + _GAP
    parts = _column(left, height, "source + positions", encoder)
    parts += _column(right, height, "target + positions", decoder)
    parts += [
        _arrow(
            right + _WIDE // 2, height - 7 * _ROW, right + _WIDE // 2, height - 8 * _ROW + 30
        ),
        _role(right, height - 8 * _ROW, _WIDE, "choose a word", "context"),
    ]
    top, cross = height - 5 * _ROW, height - 4 * _ROW + 15
    middle = left + _WIDE + _GAP // 2
    parts.append(_path(f"M{left + _WIDE // 2} {top}V{top - 16}H{middle}V{cross}"))
    parts += [_arrow(middle, cross, right, cross), _word(middle - 39, top - 46, "k, v")]
    alt = (
        "Two columns, read from below: the encoder with self-attention and a feed-forward "
        "part, the decoder with causal self-attention, cross-attention (its keys and "
        "values come from the top of the encoder) and a feed-forward part. A residual leads "
        "around every part to a box that adds and normalises."
    )
    return Diagram(_svg(60 + 2 * _WIDE + _GAP, height, parts, alt), alt)


def _column(x: int, height: int, below: str, names: Sequence[str]) -> list[str]:
    """Draw what enters, and for each part its box, the sum above it and the way around it."""
    centre, start = x + _WIDE // 2, height - _ROW
    parts = [_word(centre - 39, start, below)]
    for name in names:
        box, total = start - _ROW, start - 2 * _ROW
        role = "context" if name == "feed-forward" else "weight"
        parts += [
            _arrow(centre, start, centre, box + 30),
            _role(x, box, _WIDE, name, role),
            _arrow(centre, box, centre, total + 30),
            _role(x, total, _WIDE, "add, normalise", "value"),
            _path(f"M{centre} {start - 10}H{x - 16}V{total + 15}"),
            _arrow(x - 16, total + 15, x, total + 15),
        ]
        start = total
    return parts
