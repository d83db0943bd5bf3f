"""Pictures of two coloured garments, told and asked about in the small world's words."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from attention_course._shapes import Bool, Float, Int
from attention_course.data.images import CLOTHES, SIDE, load_images
from attention_course.data.world.parser import parse
from attention_course.data.world.writer import Tree

WORN = CLOTHES
TINTS = {
    "red": (0.9, 0.15, 0.15),
    "green": (0.15, 0.7, 0.2),
    "blue": (0.2, 0.35, 0.95),
    "white": (1.0, 1.0, 1.0),
}
SIZES = ("big", "small")
ANSWERS = ("yes", *TINTS, *SIZES)  # "yes", or what is true instead
# What is asked: the last two name one of two garments of the same kind.
QUESTIONS = ("colour", "size", "colour by size", "size by colour")
CELL, DOWN, ACROSS = 4, SIDE // 4, SIDE // 2  # the grid: its cells are 4 pixels wide
LONGEST = 13  # words of a caption with its end mark
PHOTOGRAPHS = 4  # of each kind, for pictures that are laid out by hand
_SMALL = {"the", "is", "are", "and", ".", "?"}
_SMALL |= {"le", "la", "est", "et", "est-ce", "que"}


class Garment(NamedTuple):
    """What lies in one half of a picture, in words of the lexicon."""

    kind: str
    colour: str
    size: str


class Said(NamedTuple):
    """One sentence in both languages, as words."""

    french: tuple[str, ...]
    english: tuple[str, ...]


class Pictured(NamedTuple):
    """Pictures, a sentence and a question for each, and what is true.

    Attributes:
        pictures: red, green and blue of each pixel, from 0 (the background) to 1.
        garments: the left one and the right one.
        captions: what is to be seen, in both languages, the left one first.
        questions: of one of the two, whether it has a colour or a size.
        kinds: which of ``QUESTIONS``.
        asked: which of the two, 0 or 1.
        answers: numbers of ``ANSWERS``.
    """

    pictures: Float[np.ndarray, "n 3 28 56"]
    garments: list[tuple[Garment, Garment]]
    captions: list[Said]
    questions: list[Said]
    kinds: Int[np.ndarray, " n"]
    asked: Int[np.ndarray, " n"]
    answers: Int[np.ndarray, " n"]


@cache
def _photographs(part: str) -> list[Float[np.ndarray, "pictures 28 28"]]:
    pixels, labels = load_images(part)
    return [pixels[labels == number] for number in range(len(WORN))]


def draw_pictured(rng: np.random.RandomState, size: int, part: str = "train") -> Pictured:
    """Draw pictures of two garments, each in a colour, and big or small.

    A small one has half the width and height, and lies anywhere in its half of the picture.

    Args:
        rng: where they are drawn from; advanced in place.
        size: how many, at least 1.
        part: "train" or "test": which photographs of garments are used.

    Returns:
        The pictures with their sentences; half of the questions are to be answered by yes.

    Raises:
        ValueError: if the size is not a positive whole number.

    Source:
        The garments: Xiao et al. (2017), Fashion-MNIST.

    >>> seen = draw_pictured(np.random.RandomState(0), 2)
    >>> " ".join(seen.captions[0].english)
    'the big shirt is red and the small sandal is red .'
    >>> " ".join(seen.questions[0].english), ANSWERS[seen.answers[0]]
    ('is the sandal red ?', 'yes')
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"draw_pictured: size must be a positive whole number, got {size!r}")
    pictures = np.zeros((size, 3, SIDE, 2 * SIDE), np.float32)
    garments, captions, questions = [], [], []
    kinds, asked = rng.randint(len(QUESTIONS), size=size), rng.randint(2, size=size)
    answers = np.zeros(size, dtype=np.int64)
    for row, (kind, side) in enumerate(zip(kinds.tolist(), asked.tolist(), strict=True)):
        both = _garments(rng, kind, side)
        for half, garment in enumerate(both):
            at = pictures[row, :, :, half * SIDE : (half + 1) * SIDE]
            _draw(rng, at, garment, _photographs(part)[WORN.index(garment.kind)])
        garments.append(both)
        captions.append(caption_of(both))
        question, answer = _asked(rng, kind, both[side])
        questions.append(_said(question))
        answers[row] = ANSWERS.index(answer)
    return Pictured(pictures, garments, captions, questions, kinds, asked, answers)


def _garments(rng: np.random.RandomState, kind: int, side: int) -> tuple[Garment, Garment]:
    """Draw two garments of which a question of this kind can be asked."""
    trousers, tints = WORN.index("trousers"), [*TINTS]
    while True:
        worn = rng.permutation(len(WORN))[:2]
        if kind > 1:
            worn[1 - side] = worn[side]
        if kind == 0 or worn[side] != trousers:  # of which no size is said
            break
    colours, sizes = rng.randint(len(tints), size=2), rng.randint(2, size=2)
    if kind > 1:
        colours = rng.permutation(len(tints))[:2]
        sizes[1] = 1 - sizes[0]
    left, right = (Garment(WORN[worn[n]], tints[colours[n]], SIZES[sizes[n]]) for n in (0, 1))
    return left, right


def _draw(
    rng: np.random.RandomState, at: np.ndarray, garment: Garment, photographs: np.ndarray
) -> None:
    """Draw a garment into its half of the picture."""
    photograph = photographs[rng.randint(len(photographs))]
    down, across = rng.randint(SIDE // 2 + 1, size=2).tolist()
    _place(at, garment, photograph, down, across)


def _place(
    at: np.ndarray, garment: Garment, photograph: np.ndarray, down: int, across: int
) -> None:
    """Draw a photograph in the garment's colour; a small one lies at this corner."""
    if garment.size == "small":
        photograph = photograph.reshape(SIDE // 2, 2, SIDE // 2, 2).mean((1, 3))
        at = at[:, down : down + SIDE // 2, across : across + SIDE // 2]
    at[:] = np.array(TINTS[garment.colour], np.float32)[:, None, None] * photograph


def picture_of(garments: Sequence[Garment], photograph: int) -> Float[np.ndarray, "3 28 56"]:
    """Return a picture laid out by hand; a small garment lies in the middle of its half.

    Args:
        garments: the left one and the right one.
        photograph: which of the first test photographs of each kind, from 1 to 4.

    Returns:
        Red, green and blue of each pixel, each a whole multiple of 1/127 before it is coloured.

    Raises:
        ValueError: if there is no such photograph.

    >>> both = Garment("coat", "red", "big"), Garment("bag", "blue", "small")
    >>> picture_of(both, 1).shape
    (3, 28, 56)
    """
    if photograph not in range(1, PHOTOGRAPHS + 1):
        raise ValueError(
            f"picture_of: photograph must be a whole number from 1 to {PHOTOGRAPHS}, "
            f"got {photograph!r}"
        )
    picture = np.zeros((3, SIDE, 2 * SIDE))
    for half, garment in enumerate(garments):
        pixels = shown_photographs()[WORN.index(garment.kind), photograph - 1]
        at = picture[:, :, half * SIDE : (half + 1) * SIDE]
        _place(at, garment, pixels / 127, SIDE // 4, SIDE // 4)
    return picture


def shown_photographs() -> Int[np.ndarray, "10 4 28 28"]:
    """Return the photographs for pictures that are laid out by hand, from 0 to 127.

    >>> shown_photographs().shape
    (10, 4, 28, 28)
    """
    kept = np.stack([pixels[:PHOTOGRAPHS] for pixels in _photographs("test")])
    return np.round(127 * kept).astype(np.int8)


def _asked(rng: np.random.RandomState, kind: int, one: Garment) -> tuple[str, str]:
    """Return a question of a kind about a garment, and its answer."""
    of_colour = kind in (0, 2)
    right, known = (one.colour, one.size) if of_colour else (one.size, one.colour)
    others = [word for word in (TINTS if of_colour else SIZES) if word != right]
    yes = bool(rng.randint(2))
    named = right if yes else others[rng.randint(len(others))]
    called = f"{known} {one.kind}" if kind > 1 else one.kind
    return f"{_verb(one)} the {called} {named} ?", "yes" if yes else right


def caption_of(garments: Sequence[Garment]) -> Said:
    """Return what is to be seen, the left garment first.

    Args:
        garments: the left one and the right one.

    >>> both = Garment("coat", "red", "big"), Garment("trousers", "blue", "small")
    >>> " ".join(caption_of(both).french)
    'le grand manteau est rouge et le pantalon est bleu .'
    """
    clauses = [
        _said(f"the {f'{g.size} ' * (g.kind != 'trousers')}{g.kind} {_verb(g)} {g.colour} .")
        for g in garments
    ]
    (f_left, e_left), (f_right, e_right) = clauses
    return Said((*f_left[:-1], "et", *f_right), (*e_left[:-1], "and", *e_right))


def _verb(garment: Garment) -> str:
    return "are" if garment.kind == "trousers" else "is"


@cache
def _said(sentence: str) -> Said:
    (tree,) = parse(sentence.split(), "english")
    return Said(tree.sentence("french"), tree.sentence("english"))


@cache
def scene_words(language: str) -> tuple[str, ...]:
    """Return the words of all captions and questions, sorted.

    >>> len(scene_words("english")), len(scene_words("french"))
    (22, 29)
    """
    every = [Garment(k, c, s) for k in WORN for c in TINTS for s in SIZES]
    said = [caption_of((g, g)) for g in every]
    said += [_said(f"{_verb(g)} the {g.kind} {g.colour} ?") for g in every]
    return tuple(sorted({word for s in said for word in getattr(s, language)}))


def told_of(words: Sequence[str]) -> list[int]:
    """Return which garment each word of a caption is about.

    Args:
        words: of a caption, in either language.

    Returns:
        0 for the name, colour and size of the first, 1 for those of the second, else -1.

    >>> told_of("the coat is red and the bag is white .".split())
    [-1, 0, -1, 0, -1, -1, 1, -1, 1, -1]
    """
    cut = next(n for n, word in enumerate(words) if word in ("and", "et"))
    return [-1 if word in _SMALL else int(n > cut) for n, word in enumerate(words)]


def cells_of(pictures: Float[np.ndarray, "n 3 28 56"]) -> Bool[np.ndarray, "n 2 98"]:
    """Return where the left and the right garment lie.

    Args:
        pictures: of two garments.

    Returns:
        True where a garment covers at least a quarter of a cell of the grid, row by row.

    >>> cells_of(draw_pictured(np.random.RandomState(0), 1).pictures).sum(-1).tolist()
    [[33, 33]]
    """
    ink = pictures.max(1) >= 0.1
    blocks = ink.reshape(-1, DOWN, CELL, ACROSS, CELL).mean((2, 4)) >= 0.25
    left = np.arange(ACROSS) < ACROSS // 2
    return np.stack([blocks & left, blocks & ~left], 1).reshape(-1, 2, DOWN * ACROSS)


# ---- what is true of a picture ----

_DECIDED = {"S", "Main", "Clause", "Any", "Sure", "Be", "Predicate", "The", "This", "Noun"}
_DECIDED |= {"Before", "Colour", "Is", "IsNot", "Hue", "Quality", "Whether"}
_PLAIN = {"and", "but", "the", "this", "these", "is", "are", "not", ".", "?"}


class _Claim(NamedTuple):
    """That the one garment that is so, or all, has a colour or a size, or has it not."""

    garments: list[Garment]
    word: str
    denied: bool

    @property
    def true_words(self) -> set[str]:
        field = "colour" if self.word in TINTS else "size"
        return {getattr(garment, field) for garment in self.garments}

    @property
    def is_so(self) -> bool:
        if self.denied:
            return bool(self.garments) and self.word not in self.true_words
        return self.true_words == {self.word}


def _claims(tree: Tree, garments: Sequence[Garment]) -> Iterator[_Claim | None]:
    """Yield what a sentence says of a picture; None for what no picture decides."""
    found: dict[str, list[str]] = {}
    clauses = [t for t in tree.children if t.rule.category in ("Main", "Clause")]
    for clause in clauses:
        yield from _claims(clause, garments)
    if clauses:
        words = {w for w in tree.rule.sides["english"] if isinstance(w, str)}
        if tree.rule.category not in _DECIDED or not words <= _PLAIN:
            yield None
        return
    for word, part in tree.words("english"):
        found.setdefault(part.rule.category, []).append(word)
    said = [w for category in ("Before", "Colour") for w in found.get(category, [])]
    (word,) = found.get("Hue", found.get("Quality", [""]))[:1]
    (noun,) = found.get("Noun", [""])[:1]
    others = {w for c, words in found.items() for w in words} - {noun, word, *said} - _PLAIN
    known = word in TINTS or word in SIZES
    if not {*found} <= _DECIDED or others or not known:
        yield None
        return
    (many,) = {p.rule.known["n"] == "many" for _, p in tree.words("english") if
               p.rule.category == "Noun"}  # fmt: skip
    meant = [
        garment
        for garment in garments
        if noun in (garment.kind, *(garment.kind + s for s in ("s", "es") if many))
        and all(w in garment for w in said)
    ]
    yield _Claim(
        meant if (len(meant) > 1) == many else [], word, "not" in found.get("IsNot", [])
    )


def is_true(words: Sequence[str], language: str, garments: Sequence[Garment]) -> bool:
    """Say whether a sentence is of the small world and true of a picture.

    *The coat* is the only coat of the picture; *the coats* are at least two. What a picture
    does not decide, such as what was, or who wears it, is not true of it.

    Args:
        words: of the sentence.
        language: ``"french"`` or ``"english"``.
        garments: what the picture shows.

    >>> both = Garment("coat", "red", "big"), Garment("bag", "blue", "small")
    >>> [is_true(f"the {one} .".split(), "english", both)
    ...  for one in ("coat is not blue", "small bag is blue", "bag is old", "dress is red")]
    [True, True, False, False]
    """
    return any(
        all(claim and claim.is_so for claim in _claims(tree, garments))
        for tree in parse(words, language)
        if words[-1] != "?"
    )
