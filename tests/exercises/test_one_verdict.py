"""What ``check`` calls right is right: on other draws of the inputs, and of any length."""

import pytest

from attention_course.exercises import all_exercises, examine_source
from attention_course.exercises.examine import (
    DRAWS,
    examine,
    examine_again,
    trial_of,
    without_large,
)
from attention_course.exercises.rewrites import ONLY_SEEN, SHORTCUTS, TABLES, shortcuts

EXERCISES = all_exercises()
PLAIN = [slug for slug, one in EXERCISES.items() if one.uses != "triton"]
# Every eighth, or all of them.
SOME = [
    pytest.param(slug, marks=pytest.mark.thorough if number % 8 else ())
    for number, slug in enumerate(PLAIN)
]
# Here these change nothing: of numbers or a text alone the result may be remembered, where
# there is no table, or a square one always, all of it is read, and some lengths are numbers in
# the probes.
BY_SHAPE, SQUARE = SHORTCUTS
HARMLESS = {
    BY_SHAPE: {"image-positions", "sinusoidal-positions", "three-words", "window-mask"},
    SQUARE: {"continuous-batching", "mask-of-a-batch", "most-registers", "signal-reach"},
    ONLY_SEEN: {"mask-of-a-batch", "most-registers", "signal-reach", "three-words"},
}


def right_again(exercise, source, draws=DRAWS):
    defined = trial_of(exercise, source)
    return examine_again(examine(without_large(exercise), defined), defined, draws)


@pytest.mark.parametrize("slug", SOME)
def test_what_is_right_is_right_on_twenty_draws(slug):
    exercise = EXERCISES[slug]
    sources = [exercise.solution, *map(exercise.source_of, exercise.right)]
    reports = [right_again(exercise, source, 21) for source in sources]
    failed = [(one.exercise.draw, f) for one in reports for f in one.failed]
    assert [(draw, f.probe.name, f.complaint) for draw, f in failed] == []


@pytest.mark.parametrize("slug", SOME)
def test_a_shortcut_is_no_answer(slug):
    exercise = EXERCISES[slug]
    reports = {
        name: right_again(exercise, source) for name, source in shortcuts(exercise).items()
    }
    right = {name for name, report in reports.items() if report.right}
    assert right == {name for name, slugs in HARMLESS.items() if slug in slugs}


@pytest.mark.parametrize("slug", TABLES)
def test_a_table_of_2048_rows_is_found_out(slug):
    exercise = EXERCISES[slug]
    report = examine_source(exercise, shortcuts(exercise)["a table of 2048 rows"])
    assert "the table has 2048 rows" in report.failed[0].complaint
