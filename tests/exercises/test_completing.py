"""A line of a solution is asked among lines that the bank's mistakes write there."""

from difflib import SequenceMatcher
from itertools import combinations

import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.completing import ALIKE, completions

ASKED = {slug: one for slug, one in completions().items() if slug in all_exercises()}


def test_all_exercises_but_one_ask_for_a_line():
    # Its solution is a dictionary of phrases.
    assert set(all_exercises()) - set(ASKED) == {"three-words"}


def test_no_two_exercises_ask_nearly_the_same_line():
    lines = [one.right for one in completions().values()]
    assert not [
        pair for pair in combinations(lines, 2) if SequenceMatcher(None, *pair).ratio() >= ALIKE
    ]


@pytest.mark.parametrize("slug", ASKED)
def test_the_lines_are_the_solutions_and_each_wrong_one_is_a_mistakes(slug):
    exercise, found = all_exercises()[slug], ASKED[slug]
    lines = exercise.solution.splitlines()
    assert all(line in lines for line in found.lines)
    assert found.right not in found.wrong
    assert 2 <= len(found.wrong) <= 3
    written = {
        tuple(map(str.rstrip, exercise.source_of(mistake).splitlines())): mistake.hint
        for mistake in exercise.wrong
    }
    asked = found.lines[found.at]
    (at,) = (
        i
        for i in range(len(lines))
        if lines[i] == asked and set(lines[:i]) >= set(found.lines[: found.at])
    )
    for wrong, hint in found.wrong.items():
        changed = (*lines[:at], asked.replace(found.right, wrong), *lines[at + 1 :])
        assert written[changed] == hint
