"""What is said of two mistakes in one answer was measured on answers that are here."""

import diagnosis as script
import pytest

from attention_course.exercises import exercise_named
from attention_course.measure import recorded


@pytest.fixture(scope="module")
def result():
    return recorded("diagnosis")[0]


@pytest.fixture(scope="module")
def shortened():
    """Return what the script finds on every twentieth of the answers."""
    return script.written(script.answers()[::20])


def test_the_record_is_of_all_the_answers(result):
    assert result["written"]["answers"] == len(script.answers()) == 40
    assert sum(result["written"]["exercises"].values()) == 40


def test_nine_in_ten_are_named_in_part_six_in_ten_wholly_and_hardly_any_wrongly(result):
    found = result["written"]
    assert found["one_named"] >= 0.9 * found["answers"]
    assert found["both_named"] >= 0.6 * found["answers"]
    assert found["wrong_names"] <= 0.02 * found["names"]


def test_some_of_the_answers_are_named_again_as_recorded(shortened, result):
    def key(one):
        return one["exercise"], *sorted(one["there"])

    missed = {key(one) for one in result["written"]["missed"]}
    chosen = {(slug, *sorted(there)) for slug, *there, _ in script.answers()[::20]}
    assert {key(one) for one in shortened["missed"]} == missed & chosen
    assert shortened["both_named"] == len(chosen) - len(missed & chosen)


def test_a_mistake_that_is_not_named_and_a_wrong_name_are_counted():
    rows = [(("a", "b"), ("a", "b")), (("a", "b"), ("a",)), (("a", "b"), ("c", "d"))]
    assert script.tally(rows) == {
        "answers": 3,
        "one_named": 2,
        "both_named": 1,
        "names": 5,
        "wrong_names": 2,
    }


def test_an_answer_whose_mistakes_are_unknown_is_refused():
    with pytest.raises(ValueError, match="four-steps knows nothing called"):
        script.written([("four-steps", "a", "b", "")])


def test_pairs_are_named_worse_where_one_mistake_is_unknown(capsys):
    found = script.of_the_bank([exercise_named("four-steps")], 2)
    assert found["pairs"]["both_named"] == 2 > found["one of the two unknown"]["both_named"]
