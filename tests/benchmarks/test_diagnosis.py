"""Two mistakes in one answer: both are named, unless the bank does not know one of them."""

import diagnosis as script

from attention_course.exercises import exercise_named
from attention_course.measure import recorded


def test_pairs_are_named_worse_where_one_mistake_is_unknown():
    found = script.of_the_bank([exercise_named("four-steps")], 2)
    assert found["pairs"]["both_named"] == 2 > found["one of the two unknown"]["both_named"]


def test_nine_in_ten_pairs_on_record_were_named_wholly_and_hardly_any_wrongly():
    found = recorded("diagnosis")[0]["pairs"]
    assert found["both_named"] >= 0.9 * found["answers"]
    assert found["wrong_names"] <= 0.02 * found["names"]
