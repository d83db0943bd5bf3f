"""The server's widget: what it finds, what it refuses, what stands there without a script."""

import pytest

from attention_course.widgets import Serving
from attention_course.widgets.serving.widget import MEASURES, PROMPTS


def test_places_that_are_refilled_beat_batches_and_batches_a_queue():
    made = Serving()
    found = {way: made.readouts(way) for way in Serving.class_traits()["way"].limits["options"]}
    assert found["continuous"]["first"] < found["in batches"]["first"] / 10
    assert found["in batches"]["first"] < found["one by one"]["first"] / 10


def test_a_chunk_shortens_the_pause_and_a_small_one_delays_the_first_token():
    made, chunks = Serving(way="continuous"), {}
    for n in (64, 256, 8192):
        made.chunk = n
        chunks[n] = made.readouts()
    assert chunks[256]["stall"] < chunks[8192]["stall"] / 5
    assert chunks[64]["first"] > 2 * chunks[256]["first"]


def test_a_beginning_that_is_kept_saves_time_and_one_that_is_read_costs_it():
    made, first = Serving(way="continuous"), []
    for prompts in PROMPTS:
        made.prompts = prompts
        first.append(made.readouts()["first"])
    assert first[0] < first[2] < first[1]


def test_the_fallback_has_every_way_and_measure():
    made = Serving()
    assert made.fallback.count("<tr>") == 1 + 3
    assert all(words in made.fallback for words in MEASURES.values())
    assert " ms</td>" in made.fallback


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"way": "at random"}, "way must be one of 'one by one'"),
        ({"places": 65}, "places must be a whole number from 1 to 64, got 65"),
        ({"chunk": 8}, "chunk must be a whole number from 64 to 8192, got 8"),
        ({"speed": 0}, "speed must be a whole number from 1 to 16, got 0"),
        ({"prompts": "long"}, "prompts must be one of 'as they came'"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"Serving: {said}"):
        Serving(**given)
