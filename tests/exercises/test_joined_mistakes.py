"""A mistake does the same whoever asks what it does, and in whatever order."""

import ast
from itertools import combinations

import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.diagnosis import Trial, remembers
from attention_course.exercises.examine import isolating

REMEMBERING = [
    (exercise, wrong)
    for exercise in all_exercises().values()
    for wrong in exercise.wrong
    if exercise.uses == "numpy" and remembers(exercise.source_of(wrong))
]


def seen(trial, numbers):
    found = {number: trial[number].outcome for number in numbers}
    return [repr(found[number]) for number in sorted(found)]


@pytest.mark.parametrize(
    ("exercise", "wrong"), REMEMBERING, ids=[f"{e.slug}-{w.name}" for e, w in REMEMBERING]
)
def test_what_remembers_does_the_same_in_whatever_order_it_is_asked(exercise, wrong):
    source = exercise.source_of(wrong)
    numbers = range(len(exercise.probes) + len(isolating(exercise)))
    assert seen(Trial(exercise, source), numbers) == seen(
        Trial(exercise, source), numbers[::-1]
    )


def test_mistakes_that_cannot_stand_in_one_text_are_not_tried_together():
    """Two edits of one line, each well made, may give what no Python reads."""
    exercise = all_exercises()["continuous-batching"]
    pairs = list(combinations(exercise.wrong, 2))
    joined = [text for pair in pairs if (text := exercise.source_of_both(*pair))]
    assert 0 < len(joined) < len(pairs)
    assert all(ast.parse(text) for text in joined)
