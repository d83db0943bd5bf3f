"""How long a reader waits for a verdict, as measured; a new exercise is no part of it."""

import pytest
from page_python import waits

from attention_course.exercises import exercise_named
from attention_course.measure import recorded


@pytest.fixture(scope="module")
def result():
    return recorded("page_python_answers")[0]


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
