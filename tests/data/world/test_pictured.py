"""What is said of a picture is true of its pixels, in both languages."""

import numpy as np
import pytest

from attention_course.data.images import CLOTHES
from attention_course.data.world import parse
from attention_course.data.world.pictured import TINTS, WORN, Pictured, draw_pictured


def seen(pictures: np.ndarray) -> list[list[str]]:
    """Return the colour of each half of each picture, from its pixels alone."""
    halves = np.stack([pictures[..., :28], pictures[..., 28:]], 1).sum((3, 4))
    tints = np.array([*TINTS.values()])
    cosines = halves @ tints.T / np.linalg.norm(halves, axis=-1)[..., None]
    best = (cosines / np.linalg.norm(tints, axis=1)).argmax(-1)
    return [[[*TINTS][number] for number in row] for row in best]


def untrue(drawn: Pictured) -> int:
    """Return how many captions and answers do not agree with the pixels."""
    wrong = 0
    for n, colours in enumerate(seen(drawn.pictures)):
        said = [word for word in drawn.captions[n].english if word in TINTS]
        asked = next(word for word in drawn.questions[n].english if word in TINTS)
        wrong += said != colours
        wrong += bool(drawn.answers[n]) != (colours[drawn.asked[n]] == asked)
    return wrong


def test_what_is_said_is_true_of_the_pixels():
    drawn = draw_pictured(np.random.RandomState(0), 60)
    assert untrue(drawn) == 0
    assert 0.3 < drawn.answers.mean() < 0.7
    assert {*drawn.garments.ravel()} == {*range(10)}
    assert (drawn.garments[:, 0] != drawn.garments[:, 1]).all()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda drawn: drawn._replace(pictures=drawn.pictures[:, ::-1]),
        lambda drawn: drawn._replace(pictures=drawn.pictures[..., ::-1]),
        lambda drawn: drawn._replace(answers=~drawn.answers),
        lambda drawn: drawn._replace(captions=drawn.captions[1:] + drawn.captions[:1]),
    ],
    ids=["red is blue", "left is right", "yes is no", "another's caption"],
)
def test_what_is_not_true_is_noticed(wrong):
    assert untrue(wrong(draw_pictured(np.random.RandomState(0), 20))) > 5


def test_each_garment_is_the_small_worlds_word_for_the_class():
    same = {"t-shirt": "T-shirt", "sneaker": "trainer", "boot": "ankle boot"}
    assert [same.get(word, word) for word in WORN] == [*CLOTHES]
    for word in WORN:
        verb = "are" if word == "trousers" else "is"
        (tree,) = parse(["the", word, verb, "red", "."], "english")
        assert tree.sentence("french")[-3:] == ("est", "rouge", ".")


def test_the_same_seed_draws_the_same_and_the_test_part_others():
    first, again = (draw_pictured(np.random.RandomState(4), 5) for _ in range(2))
    other = draw_pictured(np.random.RandomState(4), 5, "test")
    np.testing.assert_array_equal(first.pictures, again.pictures)
    assert [p.english for p in first.captions] == [p.english for p in other.captions]
    assert not np.array_equal(first.pictures, other.pictures)


@pytest.mark.parametrize("size", [0, -1, True, 2.0])
def test_a_size_that_cannot_be_is_refused(size):
    with pytest.raises((ValueError, TypeError)):
        draw_pictured(np.random.RandomState(0), size)
