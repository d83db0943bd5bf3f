"""Pictures of garments, the questions about them, and the answers by another way."""

import numpy as np
import pytest

from attention_course.data.asked import (
    ANSWERS,
    GARMENTS,
    PLACES,
    QUESTION_WORDS,
    RELATIONS,
    ask_pictures,
    boxes_of,
    garments,
    question,
)
from attention_course.data.images import CLOTHES, load_images

CLOTHES_OF_TEST = garments("test")
ASKED = ask_pictures(np.random.RandomState(0), 600, CLOTHES_OF_TEST)


def the_answer(contents, words):
    """Read the answer off what lies where."""
    asked, second, third = words
    if asked == "is there":
        return "yes" if GARMENTS.index(second) in contents else "no"
    if not third:
        return GARMENTS[contents[PLACES.index(second)]]
    down, across = RELATIONS[second]
    row, column = divmod(list(contents).index(GARMENTS.index(third)), 3)
    return GARMENTS[contents[3 * (row + down) + column + across]]


def test_every_answer_is_right_and_its_place_is_where_it_is_said_to_be():
    for n, contents in enumerate(ASKED.contents):
        words = [QUESTION_WORDS[k] for k in ASKED.questions[n]]
        answer = the_answer(contents, words)
        assert ANSWERS[ASKED.answers[n]] == answer
        if answer in GARMENTS:
            assert contents[ASKED.target[n]] == GARMENTS.index(answer)
        assert (ASKED.target[n] < 0) == (answer == "no")
        assert (ASKED.named[n] >= 0) == (ASKED.kinds[n] == 1)


def test_five_different_garments_lie_in_each_picture():
    for contents in ASKED.contents:
        lying = contents[contents < len(GARMENTS)]
        assert len(lying) == len({*lying}) == 5


def test_a_picture_is_put_together_from_the_garments_it_is_said_to_hold():
    known = {k: {g.tobytes() for g in CLOTHES_OF_TEST[k]} for k in range(8)}
    for picture, contents in zip(ASKED.pictures[:50], ASKED.contents, strict=False):
        for place, kind in enumerate(contents):
            row, column = divmod(place, 3)
            cell = picture[14 * row : 14 * row + 14, 14 * column : 14 * column + 14]
            if kind == len(GARMENTS):
                assert not cell.any()
            else:
                assert cell.copy().tobytes() in known[kind]


def test_a_box_holds_all_that_is_seen_and_its_sides_touch_it():
    names, boxes = boxes_of(ASKED)
    for picture, contents, kinds, four in zip(
        ASKED.pictures[:50], ASKED.contents, names, boxes, strict=False
    ):
        assert kinds.tolist() == contents[contents < 8].tolist()
        rest = picture >= 0.1
        for across, down, wide, high in 42 * four:
            left, right = round(across - wide / 2), round(across + wide / 2)
            top, bottom = round(down - high / 2), round(down + high / 2)
            inside = rest[top:bottom, left:right]
            assert inside[0].any()
            assert inside[-1].any()
            assert inside[:, 0].any()
            assert inside[:, -1].any()
            rest[top:bottom, left:right] = False
        assert not rest.any()


def test_garments_are_those_of_the_data_at_half_the_size():
    pixels, labels = load_images("test")
    bags = pixels[labels == CLOTHES.index("bag")]
    np.testing.assert_allclose(
        CLOTHES_OF_TEST[GARMENTS.index("bag")][3, 5, 6],
        bags[3, 10:12, 12:14].mean(),
        rtol=1e-6,
    )


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match="question: words must be two or three"):
        question("what, beside, bag")
    with pytest.raises(ValueError, match="ask_pictures: size must be"):
        ask_pictures(np.random.RandomState(0), 0, CLOTHES_OF_TEST)
    with pytest.raises(ValueError, match="ask_pictures: clothes must be of 8 kinds"):
        ask_pictures(np.random.RandomState(0), 1, CLOTHES_OF_TEST[:3])
