"""Pictures of two coloured garments, told and asked about in the small world's words."""

from typing import NamedTuple

import numpy as np

from attention_course._shapes import Bool, Float, Int
from attention_course.data.images import SIDE, load_images
from attention_course.data.world.parser import parse
from attention_course.data.world.writer import Pair

# The classes of Fashion-MNIST, in their order, as the small world calls them.
WORN = (
    *("t-shirt", "trousers", "pullover", "dress", "coat"),
    *("sandal", "shirt", "sneaker", "bag", "boot"),
)
TINTS = {
    "red": (0.9, 0.15, 0.15),
    "green": (0.15, 0.7, 0.2),
    "blue": (0.2, 0.35, 0.95),
    "white": (1.0, 1.0, 1.0),
}


class Pictured(NamedTuple):
    """Pictures, a sentence and a question for each, and what is true.

    Attributes:
        pictures: red, green and blue of each pixel, from 0 (the background) to 1.
        garments: numbers in ``WORN``, of the left one and the right one.
        colours: numbers in ``TINTS``, likewise.
        captions: what is to be seen, in both languages, the left one first.
        questions: of one of the two, whether it has a colour.
        asked: which of the two, 0 or 1.
        answers: whether it has.
    """

    pictures: Float[np.ndarray, "n 3 28 56"]
    garments: Int[np.ndarray, "n 2"]
    colours: Int[np.ndarray, "n 2"]
    captions: list[Pair]
    questions: list[Pair]
    asked: Int[np.ndarray, " n"]
    answers: Bool[np.ndarray, " n"]


def draw_pictured(rng: np.random.RandomState, size: int, part: str = "train") -> Pictured:
    """Draw pictures of two garments of different kinds, each in a colour.

    Args:
        rng: where they are drawn from; advanced in place.
        size: how many, at least 1.
        part: "train" or "test": which pictures of garments are used.

    Returns:
        The pictures with their sentences; half of the questions are to be answered by yes.

    Raises:
        ValueError: if the size is not a positive whole number.

    Source:
        The garments: Xiao et al. (2017), Fashion-MNIST.

    >>> seen = draw_pictured(np.random.RandomState(0), 2)
    >>> " ".join(seen.captions[0].english), " ".join(seen.captions[0].french)
    ('the pullover is white and the bag is white .', 'le pull est blanc et le sac est blanc .')
    >>> " ".join(seen.questions[0].english), bool(seen.answers[0])
    ('is the pullover red ?', False)
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"draw_pictured: size must be a positive whole number, got {size!r}")
    pixels, labels = load_images(part)
    tints = [*TINTS]
    garments = np.stack([rng.permutation(len(WORN))[:2] for _ in range(size)])
    colours = rng.randint(len(tints), size=(size, 2))
    pictures = np.zeros((size, 3, SIDE, 2 * SIDE), np.float32)
    for row in range(size):
        for side in (0, 1):
            chosen = rng.choice(np.flatnonzero(labels == garments[row, side]))
            tint = np.array(TINTS[tints[colours[row, side]]], np.float32)
            at = slice(side * SIDE, (side + 1) * SIDE)
            pictures[row, :, :, at] = tint[:, None, None] * pixels[chosen]
    asked, answers = rng.randint(2, size=size), rng.randint(2, size=size).astype(bool)
    named = colours[np.arange(size), asked]
    named = np.where(answers, named, (named + rng.randint(1, len(tints), size)) % len(tints))
    captions = [
        _said(f"{_is(g[0], c[0])} and {_is(g[1], c[1])} .")
        for g, c in zip(garments.tolist(), colours.tolist(), strict=True)
    ]
    about = garments[np.arange(size), asked]
    questions = [
        _said(f"{_verb(g)} the {WORN[g]} {tints[c]} ?")
        for g, c in zip(about.tolist(), named.tolist(), strict=True)
    ]
    return Pictured(pictures, garments, colours, captions, questions, asked, answers)


def _verb(garment: int) -> str:
    return "are" if WORN[garment] == "trousers" else "is"


def _is(garment: int, colour: int) -> str:
    return f"the {WORN[garment]} {_verb(garment)} {[*TINTS][colour]}"


def _said(sentence: str) -> Pair:
    (tree,) = parse(sentence.split(), "english")
    return Pair(tree)
