"""How long a reader waits for a verdict was measured for each exercise that a page can run."""

import pytest
from page_python import waits

from attention_course.exercises import all_exercises, exercise_named
from attention_course.measure import recorded

NUMPY = {slug: one for slug, one in all_exercises().items() if one.uses == "numpy"}


@pytest.fixture(scope="module")
def result():
    return recorded("page_python_answers")[0]


def test_every_named_mistake_is_among_them(result):
    assert {slug: row["answers"] for slug, row in result.items()} == {
        slug: len(one.wrong) for slug, one in NUMPY.items()
    }


def test_nobody_waits_longer_than_a_second_here_and_two_in_the_page(result):
    assert max(row["native_s"] for row in result.values()) <= 1
    assert max(row["page_s"] for row in result.values()) <= 2


def test_the_longest_wait_is_the_one_that_is_told(capsys):
    class Python:
        took = iter([0.5, 3.0, *[0.1] * 99])

        def check(self, slug, source):
            return "", True, next(self.took)

    row = waits(Python(), exercise_named("four-steps"))
    assert row["page_s"] == 3.0
    assert row["answers"] == len(exercise_named("four-steps").wrong)
