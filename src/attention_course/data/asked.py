"""Pictures of five garments in a grid of nine places, and questions about them."""

from typing import NamedTuple

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.data.images import CLOTHES, load_images

# Pullovers and shirts are left out: at this size they can hardly be told from coats.
GARMENTS = ("t-shirt", "trousers", "dress", "coat", "sandal", "sneaker", "bag", "boot")
PLACES = (
    *("top left", "top middle", "top right"),
    *("middle left", "centre", "middle right"),
    *("bottom left", "bottom middle", "bottom right"),
)
RELATIONS = {"left of": (0, -1), "right of": (0, 1), "above": (-1, 0), "below": (1, 0)}
ASKED = ("what", "is there")
# The words of a question; the last fills its third place where two words are enough.
QUESTION_WORDS = (*PLACES, *RELATIONS, *GARMENTS, *ASKED, "")
ANSWERS = (*GARMENTS, "yes", "no")
CELL, OBJECTS = 14, 5
# What is asked, and how often: about a place, about a neighbour, for yes or no.
QUESTIONS = {"place": 0.25, "neighbour": 0.5, "is there": 0.25}
_PAIRS = np.array(
    [
        (3 * row + column, number, 3 * (row + down) + column + across)
        for row in range(3)
        for column in range(3)
        for number, (down, across) in enumerate(RELATIONS.values())
        if 0 <= row + down < 3 and 0 <= column + across < 3
    ]
)


class AskedPictures(NamedTuple):
    """Pictures, one question about each, the answers, and where one has to look.

    Attributes:
        pictures: from 0, the background, to 1.
        contents: what lies at each place: a number of ``GARMENTS``, or 8 for nothing.
        questions: numbers of ``QUESTION_WORDS``.
        answers: numbers of ``ANSWERS``.
        kinds: which of ``QUESTIONS``.
        target: the place that the answer is about; -1 where the answer is "no".
        named: the place of the garment whose neighbour is asked for; else -1.
    """

    pictures: Float[np.ndarray, "n 42 42"]
    contents: Int[np.ndarray, "n 9"]
    questions: Int[np.ndarray, "n 3"]
    answers: Int[np.ndarray, " n"]
    kinds: Int[np.ndarray, " n"]
    target: Int[np.ndarray, " n"]
    named: Int[np.ndarray, " n"]


def garments(part: str = "train") -> Float[np.ndarray, "kinds pictures 14 14"]:
    """Return the pictures of the eight garments, half as wide and half as high.

    Args:
        part: "train" or "test".

    Returns:
        400 or 100 pictures of each; a pixel is the mean of four.

    Source:
        Xiao et al. (2017), Fashion-MNIST; see ``corpora/fashion/PROVENANCE.md``.

    >>> garments("test").shape
    (8, 100, 14, 14)
    """
    pixels, labels = load_images(part)
    small = pixels.reshape(-1, CELL, 2, CELL, 2).mean((2, 4))
    return np.stack([small[labels == CLOTHES.index(name)] for name in GARMENTS])


def ask_pictures(
    rng: np.random.RandomState, size: int, clothes: Float[np.ndarray, "kinds pictures 14 14"]
) -> AskedPictures:
    """Lay five different garments into the nine places, and ask about them.

    Args:
        rng: where pictures and questions are drawn from; advanced in place.
        size: how many, at least 1.
        clothes: what :func:`garments` returns.

    Returns:
        Pictures, questions, answers and where to look.

    Raises:
        ValueError: if ``size`` is not a positive whole number, or the garments are not eight.

    >>> asked = ask_pictures(np.random.RandomState(0), 4, garments("test"))
    >>> asked.pictures.shape, asked.questions.shape
    ((4, 42, 42), (4, 3))
    >>> in_words(asked.questions[0]), ANSWERS[asked.answers[0]]
    ('Is there a sneaker?', 'no')
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"ask_pictures: size must be a positive whole number, got {size!r}")
    if len(clothes) != len(GARMENTS):
        raise ValueError(f"ask_pictures: clothes must be of 8 kinds, got {len(clothes)}")
    every = np.arange(size)
    order = rng.random_sample((size, len(GARMENTS))).argsort(1)
    cells = rng.random_sample((size, len(PLACES))).argsort(1)
    kinds = rng.choice(len(QUESTIONS), size=size, p=[*QUESTIONS.values()])
    pairs, beside = _PAIRS[rng.randint(len(_PAIRS), size=size)], kinds == 1
    for column, place in ((0, pairs[:, 0]), (1, pairs[:, 2])):  # the pair comes first
        other = (cells == place[:, None]).argmax(1)
        swapped = cells.copy()
        swapped[every, other], swapped[:, column] = cells[:, column], place
        cells = np.where(beside[:, None], swapped, cells)
    order, absent, cells = order[:, :OBJECTS], order[:, OBJECTS], cells[:, :OBJECTS]
    asked = np.where(beside, 0, rng.randint(OBJECTS, size=size))
    missing = (kinds == 2) & (rng.randint(2, size=size) == 1)
    name = np.where(missing, absent, order[every, asked])
    place = cells[every, asked]
    contents = np.full((size, len(PLACES)), len(GARMENTS))
    contents[every[:, None], cells] = order
    pictures = np.zeros((size, len(PLACES), CELL, CELL), np.float32)
    chosen = rng.randint(clothes.shape[1], size=(size, OBJECTS))
    pictures[every[:, None], cells] = clothes[order, chosen]
    return AskedPictures(
        pictures.reshape(size, 3, 3, CELL, CELL).swapaxes(2, 3).reshape(size, 42, 42),
        contents,
        _questions(kinds, place, pairs[:, 1], name),
        np.select(
            [kinds == 0, beside, missing],
            [name, order[:, 1], len(ANSWERS) - 1],
            len(ANSWERS) - 2,
        ),
        kinds,
        np.select([beside, missing], [cells[:, 1], -1], place),
        np.where(beside, cells[:, 0], -1),
    )


def _questions(
    kinds: np.ndarray, place: np.ndarray, relation: np.ndarray, name: np.ndarray
) -> np.ndarray:
    first_relation, first_name, first_asked = 9, 13, 21
    word = first_asked + np.array([0, 0, 1])[kinds]
    second = np.select([kinds == 0, kinds == 1], [place, first_relation + relation], -1)
    name, filler = first_name + name, len(QUESTION_WORDS) - 1
    third = np.where(kinds == 1, name, filler)
    return np.stack([word, np.where(second < 0, name, second), third], axis=1)


def question(words: str) -> Int[np.ndarray, " three"]:
    """Return the numbers of a question's words, which are separated by commas.

    Args:
        words: two or three of ``QUESTION_WORDS``.

    Returns:
        Three numbers.

    Raises:
        ValueError: if a word is unknown, or there are not two or three.

    >>> question("what, left of, bag").tolist()
    [21, 9, 19]
    >>> in_words(question("is there, coat"))
    'Is there a coat?'
    """
    parts = words.split(", ")
    unknown = [part for part in parts if part not in QUESTION_WORDS]
    if unknown or len(parts) not in (2, 3):
        raise ValueError(
            f"question: words must be two or three of QUESTION_WORDS, got {words!r}"
        )
    return np.array([QUESTION_WORDS.index(part) for part in [*parts, ""][:3]])


def in_words(numbers: Int[np.ndarray, " three"]) -> str:
    """Return a question as a sentence.

    Args:
        numbers: of its words.

    Returns:
        The sentence.

    >>> in_words(question("what, left of, bag")), in_words(question("what, centre"))
    ('What is left of the bag?', 'What is in the centre?')
    """
    asked, second, third = (QUESTION_WORDS[number] for number in numbers)
    if asked == "what" and third:
        return f"What is {second} the {third}?"
    if asked == "what":
        return f"What is {'in' if second == 'centre' else 'at'} the {second}?"
    if second == "trousers":
        return "Are there trousers?"
    return f"Is there a {second}?"


def boxes_of(
    asked: AskedPictures,
) -> tuple[Int[np.ndarray, "n objects"], Float[np.ndarray, "n objects 4"]]:
    """Return what lies in each picture, and the smallest box around its pixels.

    Args:
        asked: pictures.

    Returns:
        Numbers of ``GARMENTS``; and boxes: centre across and down, width and height, as shares
        of the picture. Pixels below 0.1 do not count.

    >>> names, boxes = boxes_of(ask_pictures(np.random.RandomState(0), 2, garments("test")))
    >>> names.shape, boxes.shape
    ((2, 5), (2, 5, 4))
    """
    n = len(asked.pictures)
    cells = asked.pictures.reshape(n, 3, CELL, 3, CELL).swapaxes(2, 3)
    rows, places = np.nonzero(asked.contents < len(GARMENTS))
    ink = cells.reshape(n, len(PLACES), CELL, CELL)[rows, places] >= 0.1
    ends = []
    for axis, corner in ((1, places % 3), (2, places // 3)):
        some = np.asarray(ink.any(axis))
        first, last = some.argmax(1), CELL - some[:, ::-1].argmax(1)
        ends.append((CELL * corner + first, CELL * corner + last))
    (left, right), (top, bottom) = ends
    box = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], 1)
    names = asked.contents[rows, places].reshape(n, OBJECTS)
    return names, (box / asked.pictures.shape[1]).astype(np.float32).reshape(n, OBJECTS, 4)
