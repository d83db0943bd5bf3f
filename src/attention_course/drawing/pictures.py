"""Small pictures in a figure, what a model sees of them, maps of patches, and boxes."""

import base64
import html
import struct
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from attention_course.drawing.diagrams import Diagram

_WIDE, _STEP = 108, 112
_ACROSS, _LARGER = 3, 1.3  # so a page of 360 pixels holds three, and a wide one shows more
_WEIGHT = "var(--ac-weight,#651756)"


def picture_row(pictures: np.ndarray, captions: Sequence[str], columns: int = 2) -> Diagram:
    """Draw pictures, each with its caption below.

    Args:
        pictures: red, green and blue, from 0 to 1, (n, 3, height, width).
        captions: a text for each.
        columns: how many stand side by side; two fit a phone.

    Returns:
        The drawing.

    Raises:
        ValueError: if there is not one caption for each picture.

    >>> picture_row(np.zeros((1, 3, 4, 4)), ["nothing"])
    1 picture: nothing.
    """
    if len(pictures) != len(captions) or not len(captions):
        raise ValueError(
            "picture_row: captions must be one for each picture, "
            f"got {len(captions)} for {len(pictures)}"
        )
    wide, parts = 154, []
    for n, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        x, y = n % columns * wide, n // columns * 158
        parts.append(_image(picture, x + 22, y, 110))
        words = caption.split()
        half = (len(words) + 1) // 2
        for line, text in enumerate((" ".join(words[:half]), " ".join(words[half:]))):
            parts.append(_word(x + 77, y + 126 + 15 * line, text))
    count = "1 picture" if len(captions) == 1 else f"{len(captions)} pictures"
    rows = -(-len(captions) // columns)
    alt = f"{count}: {'; '.join(captions)}."
    return Diagram(_svg(min(columns, len(captions)) * wide, rows * 158, parts, alt), alt)


def looking_rows(
    picture: np.ndarray,
    words: Sequence[str],
    rows: Mapping[str, np.ndarray],
) -> Diagram:
    """Draw a picture plain, then once for each word: the less a cell weighs, the darker it is.

    A frame marks the heaviest cell. Black is drawn as grey, so a weight on it is seen too.

    Args:
        picture: red, green and blue, from 0 to 1, (3, height, width).
        words: what is written.
        rows: the weights of a grid of cells at each word, (words, down, across), by the name
            of the model.

    Returns:
        The drawing. In words: the cell with the largest weight, its row and column counted
        from 1, and that weight.

    Raises:
        ValueError: if a row has not one set of weights for each word.

    >>> looking_rows(np.zeros((3, 4, 4)), ["a"], {"soft": np.eye(4)[None]})
    soft: a (row 1, column 1: 1.00).
    """
    parts, said, top = [], [], 0.0
    picture = 0.5 + picture / 2
    high = _WIDE * picture.shape[1] / picture.shape[2]
    for name, weights in rows.items():
        if len(weights) != len(words):
            raise ValueError(
                "looking_rows: rows must hold weights for each word, "
                f"got {len(weights)} for {len(words)} words in {name}"
            )
        parts.append(_word(0, top + 14, f"{name}:", "start", ' font-weight="600"'))
        parts.append(_image(picture, 0, top + 22, _WIDE, high))
        parts.append(_word(_WIDE / 2, top + 22 + high + 14, "the picture"))
        told = []
        for t, (word, alpha) in enumerate(zip(words, weights, strict=True), 1):
            row, column = divmod(t, _ACROSS)
            x, y = column * _STEP, top + 22 + row * (high + 24)
            parts += [_image(picture, x, y, _WIDE, high), *_veil(alpha, x, y)]
            parts.append(_word(x + _WIDE / 2, y + high + 14, word))
            down, across = divmod(int(alpha.argmax()), alpha.shape[1])
            told.append(f"{word} (row {down + 1}, column {across + 1}: {alpha.max():.2f})")
        said.append(f"{name}: {', '.join(told)}.")
        top += 30 + (len(words) // _ACROSS + 1) * (high + 24)
    alt = " ".join(said)
    return Diagram(_svg((_ACROSS - 1) * _STEP + _WIDE, top, parts, alt, _LARGER), alt)


def maps_beside(picture: np.ndarray, maps: Mapping[str, np.ndarray]) -> Diagram:
    """Draw a grey picture plain, dark on white, and beside it what each map gives its patches.

    The larger the square on a patch, the more the map gives it; a frame marks the most.

    Args:
        picture: from 0, drawn white, to 1, (height, width).
        maps: a number of at least 0 for each patch, (rows, columns), by name.

    Returns:
        The drawing. In words: the patch with the most, its row and column counted from 1, and
        its share of the map.

    Raises:
        ValueError: if a map is negative, or zero everywhere.

    >>> maps_beside(np.zeros((4, 4)), {"soft": np.eye(2)[:1]})
    soft (row 1, column 1: 1.00).
    """
    side, step, drop = 160.0, 168.0, 188.0
    shown = np.repeat(1 - picture[None], 3, axis=0)
    parts = [_image(shown, 0, 0, side), _word(side / 2, side + 16, "the picture")]
    told = []
    for n, (name, map_) in enumerate(maps.items(), 1):
        if map_.min() < 0 or not map_.any():
            raise ValueError(
                f"maps_beside: maps must be at least 0 and not all 0, got {name!r} with "
                f"{map_.min():.3g} to {map_.max():.3g}"
            )
        x, y = n % 2 * step, n // 2 * drop
        parts.append(_image(shown, x, y, side, opacity=0.4))
        high, wide = side / len(map_), side / map_.shape[1]
        top = np.unravel_index(int(map_.argmax()), map_.shape)
        for at in np.ndindex(map_.shape):
            part = (map_[at] / map_.max()) ** 0.5
            frame = ' stroke="currentColor" stroke-width="2"' if at == top else ""
            parts.append(
                f'<rect x="{x + (at[1] + (1 - part) / 2) * wide:.1f}" '
                f'y="{y + (at[0] + (1 - part) / 2) * high:.1f}" width="{part * wide:.1f}" '
                f'height="{part * high:.1f}" style="fill:{_WEIGHT}" fill-opacity="0.7"{frame}/>'
            )
        parts.append(_word(x + side / 2, y + side + 16, name))
        share = map_.max() / map_.sum()
        told.append(f"{name} (row {top[0] + 1}, column {top[1] + 1}: {share:.2f})")
    alt = ", ".join(told) + "."
    high = (len(maps) // 2 + 1) * drop
    return Diagram(_svg(step + side, high, parts, alt, 1.0), alt)


def boxes_beside(picture: np.ndarray, boxes: Mapping[str, np.ndarray]) -> Diagram:
    """Draw a grey picture plain, dark on white, and beside it with boxes that are numbered.

    Args:
        picture: from 0, drawn white, to 1, (height, width).
        boxes: centre across and down, width and height, as shares of the picture, by name.

    Returns:
        The drawing. In words: each box by its number, its name and where its centre lies.

    >>> boxes_beside(np.zeros((4, 4)), {"bag": np.array([0.5, 0.25, 0.5, 0.5])})
    1 bag (across 0.50, down 0.25).
    """
    side, step = 160.0, 168.0
    shown = np.repeat(1 - picture[None], 3, axis=0)
    parts = [_image(shown, 0, 0, side), _word(side / 2, side + 16, "the picture")]
    parts.append(_image(shown, step, 0, side, opacity=0.4))
    told = []
    for n, (name, (across, down, wide, high)) in enumerate(boxes.items(), 1):
        x, y = step + side * (across - wide / 2), side * (down - high / 2)
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{side * wide:.1f}" '
            f'height="{side * high:.1f}" '
            f'fill="none" style="stroke:{_WEIGHT}" stroke-width="2"/>'
            f'<rect x="{x:.1f}" y="{y:.1f}" width="13" height="15" style="fill:{_WEIGHT}"/>'
            f'<text x="{x + 6.5:.1f}" y="{y + 12:.1f}" text-anchor="middle" '
            f'style="fill:var(--ac-paper,#fff)">{n}</text>'
        )
        told.append(f"{n} {name} (across {across:.2f}, down {down:.2f})")
    for n, name in enumerate(boxes):
        x, y = n % 2 * step, side + 40 + n // 2 * 18
        parts.append(_word(x, y, f"{n + 1}  {name}", "start"))
    alt = ", ".join(told) + "."
    high = side + 30 + (len(boxes) + 1) // 2 * 18
    return Diagram(_svg(step + side, high, parts, alt, 1.0), alt)


def _veil(alpha: np.ndarray, x: float, y: float) -> list[str]:
    cell = _WIDE / alpha.shape[1]
    parts = []
    for (down, across), share in np.ndenumerate(alpha / alpha.max()):
        dark = 0.5 * (1 - share)
        if dark > 0.01:
            parts.append(
                f'<rect x="{x + across * cell:.1f}" y="{y + down * cell:.1f}" '
                f'width="{cell:.1f}" height="{cell:.1f}" fill="#000" opacity="{dark:.2f}"/>'
            )
    down, across = divmod(int(alpha.argmax()), alpha.shape[1])
    parts.append(
        f'<rect x="{x + across * cell:.1f}" y="{y + down * cell:.1f}" width="{cell:.1f}" '
        f'height="{cell:.1f}" fill="none" stroke="#fff" stroke-width="1.5"/>'
    )
    return parts


def _image(
    picture: np.ndarray,
    x: float,
    y: float,
    side: float,
    high: float | None = None,
    opacity: float = 1,
) -> str:
    """Draw a picture in a frame; the site shows a grey one light on dark in the dark."""
    high = high or side
    grey = ' class="ac-grey"' if (picture == picture[0]).all() else ""
    return (
        f'<image x="{x}" y="{y}" width="{side}" height="{high}"{grey} opacity="{opacity}" '
        f'style="image-rendering:pixelated" href="{_png(picture)}"/>'
        f'<rect x="{x + 0.5}" y="{y + 0.5}" width="{side - 1}" height="{high - 1}" '
        'fill="none" style="stroke:var(--ac-edge,#8a867d)"/>'
    )


def _png(picture: np.ndarray) -> str:
    """Write a picture as a data address; 16 levels a colour are enough, and keep it small."""
    levels = (np.clip(picture, 0, 1) * 15).round().astype(np.uint8) * 17
    high, wide = levels.shape[1:]
    lines = b"".join(b"\0" + row.tobytes() for row in np.moveaxis(levels, 0, -1))
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    body = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")):
        check = struct.pack(">I", zlib.crc32(kind + data))
        body += struct.pack(">I", len(data)) + kind + data + check
    return "data:image/png;base64," + base64.b64encode(body).decode()


def _word(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{more}>{html.escape(text)}</text>'


def _svg(wide: float, high: float, parts: Sequence[str], alt: str, larger: float = 1) -> str:
    return (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {wide} {high}" '
        f'width="{larger * wide:.0f}" height="{larger * high:.0f}" fill="currentColor" '
        f'font-size="13" style="max-width:100%;height:auto;color:var(--ac-ink,inherit);'
        'font-family:var(--ac-sans,inherit)">'
        f"{''.join(parts)}</svg>"
    )
