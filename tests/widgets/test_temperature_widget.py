"""The temperature: 15, 60, 15, 35 and what division does to them."""

import numpy as np
import pytest

from attention_course.widgets import Temperature


def test_the_worked_example_is_one_hot_in_all_but_name():
    numbers = Temperature().readouts()
    assert numbers["weights"].dtype == np.float64
    assert numbers["weights"] == pytest.approx([2.86e-20, 1.0, 2.86e-20, 1.39e-11], rel=5e-3)
    assert numbers["weights"][0] > 0  # half precision would say 0


def test_a_high_temperature_comes_near_to_uniform():
    numbers = Temperature(temperature=100).readouts()
    assert numbers["entropy"] == pytest.approx(np.log(4), abs=0.02)
    assert numbers["top_weight"] == pytest.approx(
        np.exp(0.6) / sum(np.exp([0.15, 0.6, 0.15, 0.35]))
    )


def test_the_fallback_has_the_sentence_and_six_temperatures():
    fallback = Temperature(temperature=10).fallback
    assert "At temperature 10, word 2 gets 0.91 of the weight" in fallback
    assert fallback.count("<tr>") == 7
    assert ">more than 0.999<" in fallback  # at temperature 1: never a bare 1


def test_names_can_be_given_and_quoted():
    widget = Temperature(scores=[3, 2], words=["the", "cat"])
    assert "“the” gets" in widget.fallback
    assert repr(widget) == "Temperature(scores=[3.0, 2.0], temperature=1.0)"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"temperature": 0.5}, "temperature must be a number from 1 to 100, got 0.5"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"scores": [1]}, "scores must be 2 to 8 numbers from -1000 to 1000, got .1."),
        ({"scores": [1, float("nan")]}, "scores must be"),
        ({"scores": [1, True]}, "scores must be"),
        ({"scores": [1, 2, 3], "words": ["a", "b"]}, "words must be 3 words, one for each"),
        ({"words": ["a", "a", "b", "c"]}, "words must be different words"),
        ({"heat": 1}, "arguments must be among"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"Temperature: {said}"):
        Temperature(**given)


def test_a_bad_score_later_changes_nothing():
    widget = Temperature()
    with pytest.raises(ValueError, match="scores must be"):
        widget.scores = [1, 2, 5000, 4]
    assert widget.scores == [15, 60, 15, 35]
