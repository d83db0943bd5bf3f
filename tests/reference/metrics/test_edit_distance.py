"""Edit distance and error rates."""

import functools

from hypothesis import given
from hypothesis import strategies as st

from attention_course.reference.metrics.edit_distance import (
    edit_distance,
    error_by_length,
    error_rate,
)

WORDS = st.text("abc", max_size=6)


def by_definition(a: str, b: str) -> int:
    """The recursion itself, without a table."""

    @functools.cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        kept = distance(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(kept, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(a), len(b))


@given(WORDS, WORDS)
def test_the_distance_is_that_of_its_definition(a, b):
    assert edit_distance(a, b) == by_definition(a, b)


def test_the_rate_weighs_every_true_symbol_the_same():
    assert error_rate(["a", "xyzabcde"], ["b", "xyzabcdf"]) == 2 / 9


def test_errors_are_sorted_by_the_length_of_the_source():
    pairs = [("xyz", "AB"), ("x", "A"), ("yyz", "AC"), ("zz", "A")]
    found = error_by_length(["AB", "B", "AB", "A"], pairs, fewest=1)
    assert list(found.items()) == [(1, 1.0), (2, 0.0), (3, 0.25)]
