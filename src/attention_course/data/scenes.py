"""Small pictures of coloured shapes, each with a caption that says what is where."""

from typing import NamedTuple

import numpy as np

from attention_course._shapes import Bool, Float, Int
from attention_course.data.vocabulary import END, Vocabulary

COLOURS = {
    "red": (0.85, 0.15, 0.15),
    "green": (0.15, 0.7, 0.2),
    "blue": (0.15, 0.3, 0.9),
    "yellow": (0.95, 0.85, 0.15),
}
SHAPES = ("ring", "square", "triangle", "cross")
PIXELS, GRID = 24, 6  # of a picture's side; the grid's cells are 4 pixels wide
N_CELLS, CAPTION = GRID**2, 8
NAMES = ((1, 2), (5, 6))  # where a caption has colour and shape of its two objects
WORDS = Vocabulary(["a", "above", "below", *COLOURS, *SHAPES])
_REACH = 3  # a shape is 7 pixels wide


class Scenes(NamedTuple):
    """Pictures, what is written below them, and where the two named objects lie.

    Attributes:
        pictures: red, green and blue of each pixel, from 0 to 1.
        captions: numbers of ``WORDS``, with an end mark: seven words, so none is padded.
        cells: True where a cell of the grid belongs to the first or second named object: at
            least a quarter of the cell is covered by it.
        kinds: colour and shape of both objects, 4 * colour + shape.
    """

    pictures: Float[np.ndarray, "n 3 24 24"]
    captions: Int[np.ndarray, "n 8"]
    cells: Bool[np.ndarray, "n 2 36"]
    kinds: Int[np.ndarray, "n 2"]


def held_out_kinds() -> list[int]:
    """Return the four combinations of colour and shape that training never shows.

    Each colour and each shape is in exactly one of them, so all eight words are seen in
    training, in other company.

    Returns:
        Their numbers, 4 * colour + shape.

    >>> from attention_course.data.scenes import COLOURS, SHAPES
    >>> [(list(COLOURS)[kind // 4], SHAPES[kind % 4]) for kind in held_out_kinds()][:2]
    [('red', 'square'), ('green', 'triangle')]
    """
    return [4 * colour + (colour + 1) % 4 for colour in range(4)]


def draw_scenes(rng: np.random.RandomState, size: int, held_out: bool = False) -> Scenes:
    """Draw pictures of two coloured shapes and a grey one, with their captions.

    A caption names the two coloured shapes from left to right and says which is higher: "a
    red ring above a blue square". The grey shape is never named.

    Args:
        rng: where the scenes are drawn from; advanced in place.
        size: how many, at least 1.
        held_out: whether one of the two named shapes has a combination of colour and shape
            that is otherwise never drawn.

    Returns:
        The scenes.

    >>> scenes = draw_scenes(np.random.RandomState(0), 5)
    >>> scenes.pictures.shape, scenes.captions.shape, scenes.cells.shape
    ((5, 3, 24, 24), (5, 8), (5, 2, 36))
    >>> from attention_course.data import WORDS
    >>> " ".join(WORDS.decode(scenes.captions[0].tolist()))
    'a green cross below a red ring'
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"draw_scenes: size must be a positive whole number, got {size!r}")
    rare = np.array(held_out_kinds())
    common = np.setdiff1d(np.arange(16), rare)
    kinds = common[rng.randint(len(common), size=(size, 2))]
    if held_out:
        kinds[np.arange(size), rng.randint(2, size=size)] = rare[rng.randint(4, size=size)]
    places = _places(rng, size)
    shapes = np.concatenate([kinds % 4, rng.randint(4, size=(size, 1))], axis=1)
    colours = np.array([*COLOURS.values()])[kinds // 4]
    greys = np.broadcast_to(rng.uniform(0.1, 0.3, (size, 1, 1)), (size, 1, 3))
    colours = np.concatenate([colours + rng.uniform(-0.1, 0.1, colours.shape), greys], axis=1)
    covered = _stamps()[shapes]
    pictures = np.broadcast_to(
        rng.uniform(0.4, 0.6, (size, 1, 1, 1)), (size, 3, PIXELS, PIXELS)
    )
    cells = np.zeros((size, 3, GRID, GRID), dtype=bool)
    for n in range(3):
        mask = _placed(covered[:, n], places[:, n])
        pictures = np.where(mask[:, None], colours[:, n, :, None, None], pictures)
        blocks = mask.reshape(size, GRID, 4, GRID, 4)
        cells[:, n] = blocks.mean(axis=(2, 4)) >= 0.25
    noisy = np.clip(pictures + 0.2 * (rng.random_sample(pictures.shape) - 0.5), 0, 1)
    return Scenes(
        noisy.astype(np.float32),
        _captions(kinds, places[:, 0, 0] < places[:, 1, 0]),
        cells[:, :2].reshape(size, 2, N_CELLS),
        kinds,
    )


def _captions(kinds: np.ndarray, above: np.ndarray) -> np.ndarray:
    colours = [*COLOURS]
    names = [["a", colours[kind // 4], SHAPES[kind % 4]] for kind in range(16)]
    numbers = np.array([WORDS.encode(name) for name in names])[kinds]
    relation = np.where(above, *WORDS.encode(["above", "below"]))[:, None]
    end = np.full((len(kinds), 1), END)
    return np.concatenate([numbers[:, 0], relation, numbers[:, 1], end], axis=1)


def _places(rng: np.random.RandomState, size: int) -> np.ndarray:
    """Centres (down, across) of three shapes; the first lies left of the second."""
    found = np.empty((0, 3, 2), dtype=np.int64)
    while len(found) < size:
        places = rng.randint(_REACH, PIXELS - _REACH, size=(4 * size, 3, 2))
        pairs = places[:, [1, 2, 2]] - places[:, [0, 0, 1]]
        apart = (np.abs(pairs).max(axis=-1) > 2 * _REACH + 1).all(axis=1)
        clear = (pairs[:, 0, 1] >= _REACH) & (np.abs(pairs[:, 0, 0]) >= _REACH)
        found = np.concatenate([found, places[apart & clear]])
    return found[:size]


def _stamps() -> np.ndarray:
    """Which of 7 x 7 pixels each shape covers."""
    down, across = np.mgrid[-_REACH : _REACH + 1, -_REACH : _REACH + 1]
    return np.array(
        [
            np.abs(down**2 + across**2 - 7) <= 4,
            np.maximum(np.abs(down), np.abs(across)) <= _REACH,
            2 * np.abs(across) <= down + _REACH + 0.5,
            np.minimum(np.abs(down), np.abs(across)) <= 1,
        ]
    )


def _placed(stamps: np.ndarray, places: np.ndarray) -> np.ndarray:
    size, width = len(stamps), 2 * _REACH + 1
    masks = np.zeros((size, PIXELS, PIXELS), dtype=bool)
    down = places[:, 0, None, None] + np.arange(-_REACH, _REACH + 1)[:, None]
    across = places[:, 1, None, None] + np.arange(-_REACH, _REACH + 1)
    rows = np.arange(size)[:, None, None]
    masks[rows, np.broadcast_to(down, (size, width, width)), across] = stamps
    return masks
