"""Every conclusion of ``transformer/transformer-block`` can come out False."""

import pytest

from attention_course.claims.transformer_block import find_fault
from attention_course.drawing.transformer_diagrams import transformer_network

SOUND = {
    "entropy": 0.98,
    "sums": 0.0,
    "hidden": 0.0,
    "inputs": 0.9,
    "scores": 0.3,
    "gradient": 0.1,
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, "none"),
        ({"entropy": 0.1}, "none"),
        ({"sums": 0.5}, "wrong axis"),
        ({"hidden": 0.4}, "empty rows"),
        ({"inputs": 0.1}, "no residual"),
        ({"gradient": 0.0}, "cut gradient"),
        ({"scores": 0.001}, "small scores"),
        ({"scores": 0.001, "inputs": 0.0}, "no residual"),
    ],
)
def test_one_symptom_is_one_fault(change, fault):
    assert find_fault(SOUND | change) == fault


def test_a_table_with_a_column_missing_is_refused():
    with pytest.raises(ValueError, match=r"measures must hold \['gradient'\]"):
        find_fault({name: n for name, n in SOUND.items() if name != "gradient"})


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, "none"),
        ({"inputs": 0.64}, "none"),
        ({"inputs": 0.62}, "no residual"),
        ({"scores": 0.04}, "none"),
        ({"scores": 0.02}, "small scores"),
        ({"scores": 0.02, "gradient": 0.0}, "cut gradient"),
    ],
)
def test_beside_a_twin_limits_are_shares_of_what_it_has(change, fault):
    assert find_fault(SOUND | change, SOUND) == fault


def test_a_twin_with_a_column_missing_is_refused():
    with pytest.raises(ValueError, match=r"twin must hold \['inputs'\]"):
        find_fault(SOUND, {name: n for name, n in SOUND.items() if name != "inputs"})


def test_the_drawing_says_what_it_shows():
    drawn = transformer_network()
    for words in ("cross-attention", "feed-forward", "add, normalise", "choose a word"):
        assert words in drawn.svg
    assert drawn.svg.count("add, normalise") == 5
