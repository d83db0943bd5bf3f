"""What is said of a picture is true of its pixels, in both languages."""

import numpy as np
import pytest

from attention_course.data.world import parse
from attention_course.data.world.pictured import (
    ANSWERS,
    QUESTIONS,
    TINTS,
    WORN,
    Garment,
    Pictured,
    caption_of,
    cells_of,
    draw_pictured,
    is_true,
    scene_words,
    told_of,
)

COATS = Garment("coat", "red", "big"), Garment("coat", "blue", "small")
OTHERS = Garment("trousers", "white", "small"), Garment("boot", "green", "small")


def halves(pictures: np.ndarray) -> np.ndarray:
    return np.stack([pictures[..., :28], pictures[..., 28:]], 1)


def seen(pictures: np.ndarray) -> list[list[tuple[str, str]]]:
    """Return colour and size of what is in each half of each picture, from its pixels alone."""
    tints = np.array([*TINTS.values()])
    cosines = halves(pictures).sum((3, 4)) @ tints.T / np.linalg.norm(tints, axis=1)
    colours = cosines.argmax(-1)
    ink = halves(pictures).max(2) > 0
    spans = [ink.any(axis) for axis in (2, 3)]  # across, down
    wide = np.max([s.shape[-1] - s[..., ::-1].argmax(-1) - s.argmax(-1) for s in spans], 0)
    return [
        [([*TINTS][c], "big" if w > 14 else "small") for c, w in zip(*row, strict=True)]
        for row in zip(colours, wide, strict=True)
    ]


def untrue(drawn: Pictured) -> int:
    """Return how many captions and answers do not agree with the pixels."""
    wrong = 0
    for n, looks in enumerate(seen(drawn.pictures)):
        found = [Garment(g.kind, *s) for g, s in zip(drawn.garments[n], looks, strict=True)]
        wrong += drawn.captions[n] != caption_of(found)
        *said, asked = drawn.questions[n].english[2:-1]
        right = {
            garment.colour if asked in TINTS else garment.size
            for garment in found
            if all(word in garment for word in said)
        }
        wrong += right != {asked if drawn.answers[n] == 0 else ANSWERS[drawn.answers[n]]}
    return wrong


def test_what_is_said_is_true_of_the_pixels():
    drawn = draw_pictured(np.random.RandomState(0), 120)
    assert untrue(drawn) == 0
    assert 0.35 < (drawn.answers == 0).mean() < 0.65
    assert {*drawn.answers} == {*range(len(ANSWERS))}
    assert {g.kind for both in drawn.garments for g in both} == {*WORN}
    assert {*drawn.kinds} == {*range(len(QUESTIONS))}


def test_two_of_a_kind_differ_so_that_a_question_means_one():
    drawn = draw_pictured(np.random.RandomState(1), 80)
    for kind, (left, right) in zip(drawn.kinds, drawn.garments, strict=True):
        assert (left.kind == right.kind) == (kind > 1)
        assert kind < 2 or (left.colour != right.colour and left.size != right.size)


TRUE = {
    "the big coat is red and the small coat is blue .": (True, False),
    "the small coat is blue and the big coat is red .": (True, False),  # in any order
    "the blue coat is small .": (True, False),
    "the big coat is not blue .": (True, False),
    "the big coat is not red .": (False, False),
    "the red coat is blue .": (False, False),  # no sentence: its colour is said
    "the coat is red .": (False, False),  # which one?
    "the coats are red .": (False, False),
    "the coats are not green .": (True, False),
    "the coats are not red .": (False, False),
    "the trousers are white and the boot is green .": (False, True),
    "the trousers are white but the small boot is not white .": (False, True),
    "the trousers are white and the boot is red .": (False, False),
    "the boots are green .": (False, False),  # there is one
    "the boot is old .": (False, False),  # a picture does not say
    "the boot was green .": (False, False),
    "the boot is too small .": (False, False),
    "the boot is green when the trousers are white .": (False, False),
    "the girl wears the trousers .": (False, False),
    "is the boot green ?": (False, False),
    "the boot the is green .": (False, False),
}


@pytest.mark.parametrize("sentence", TRUE)
def test_a_sentence_is_true_or_false_of_two_pictures(sentence):
    words = sentence.split()
    assert tuple(is_true(words, "english", both) for both in (COATS, OTHERS)) == TRUE[sentence]
    for tree in parse(words, "english"):
        french = tree.sentence("french")
        assert (
            tuple(is_true(french, "french", both) for both in (COATS, OTHERS)) == TRUE[sentence]
        )


def test_captions_are_sentences_of_the_small_world_about_one_garment_then_the_other():
    drawn = draw_pictured(np.random.RandomState(2), 12)
    for said, (left, right) in zip(drawn.captions, drawn.garments, strict=True):
        (tree,) = parse(said.english, "english")
        assert tree.sentence("french") == said.french
        for side, garment in enumerate((left, right)):
            about = [
                w for w, s in zip(said.english, told_of(said.english), strict=True) if s == side
            ]
            sized = [garment.size] * (garment.kind != "trousers")
            assert about == [*sized, garment.kind, garment.colour]
        counts = [[told_of(words).count(side) for side in (0, 1)] for words in said]
        assert counts[0] == counts[1]


def test_the_words_of_scenes_are_those_that_are_drawn():
    drawn = draw_pictured(np.random.RandomState(0), 300)
    for language in ("french", "english"):
        said = [getattr(s, language) for s in (*drawn.captions, *drawn.questions)]
        assert {w for words in said for w in words} == {*scene_words(language)}


def test_cells_lie_where_the_garment_is():
    pictures = np.zeros((1, 3, 28, 56), np.float32)
    pictures[0, 1, 4:8, 8:12] = 0.5  # row 1, column 2
    pictures[0, 2, 24:28, 53:56] = 0.5  # three quarters of the last cell
    pictures[0, 2, 0, 28:31] = 0.5  # less than a quarter of a cell
    left, right = cells_of(pictures)[0]
    assert np.flatnonzero(left).tolist() == [14 + 2]
    assert np.flatnonzero(right).tolist() == [97]
