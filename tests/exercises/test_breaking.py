"""A search stops at its first counter-example, or when its second is over."""

import time

import pytest

from attention_course.exercises import break_it
from attention_course.exercises.breaking import SECONDS


def one(rng):
    return {"x": rng.standard_normal()}


def test_a_slow_search_ends_and_says_how_many_were_drawn(capsys):
    began = time.monotonic()
    break_it("x is a number", one, lambda x: not time.sleep(0.3), draws=1000)
    assert time.monotonic() - began < 2 * SECONDS
    assert "No counter-example in 4 draws" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"claim": " "}, "claim must be an English sentence, got ' '"),
        ({"draw": 3}, "draw must be a function, got 3"),
        ({"draw": lambda rng: [1]}, r"draw must return a dictionary, got \[1\]"),
        ({"holds": lambda x: None}, "holds must return True or False, got None"),
        ({"holds": lambda x: 1.0}, "holds must return True or False, got 1.0"),
        ({"draws": 0}, "draws must be a whole number from 1 on, got 0"),
        ({"draws": True}, "draws must be a whole number from 1 on, got True"),
        ({"seed": -1}, "seed must be a whole number from 0 on, got -1"),
    ],
)
def test_bad_input_is_named_with_what_is_expected(given, words):
    right = {"claim": "x is a number", "draw": one, "holds": lambda x: True}
    with pytest.raises(ValueError, match=f"break_it: {words}"):
        break_it(**(right | given))
