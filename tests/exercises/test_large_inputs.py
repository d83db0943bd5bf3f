"""A contract that allows no loop is kept by an input so large that a loop takes too long."""

import sys
import time
import warnings
from statistics import median

import pytest
from mutants import report_on

from attention_course.exercises import all_exercises, recognise
from attention_course.exercises.examine import (
    LARGE_CPU_S,
    TIMES,
    finding_of,
    public_calls,
    trial_of,
)
from attention_course.exercises.rewrites import rewrites
from attention_course.exercises.runner import run

EXERCISES = all_exercises()
LARGE = [
    pytest.param(exercise, probe, id=f"{slug}, {probe.name}")
    for slug, exercise in EXERCISES.items()
    for probe in exercise.probes
    if probe.large
]
# How often a loop is tried for a share of the calls instead of all.
SHARE = 8


def cpu_s(exercise, source, calls):
    """Return how long an answer computes."""
    defined = trial_of(exercise, source)
    with warnings.catch_warnings(action="ignore"):
        began = time.thread_time()
        assert run(defined, calls).error == ""
        return time.thread_time() - began


def loops(exercise, probe):
    """Return the mistakes that break one property alone, that about a large input."""
    named = [wrong for wrong in exercise.wrong if "loop" in wrong.name]
    failed = [report_on(exercise, exercise.source_of(wrong)).failed for wrong in named]
    pairs = zip(named, failed, strict=True)
    return [wrong for wrong, found in pairs if [one.probe for one in found] == [probe]]


def test_where_no_loop_is_allowed_a_large_input_comes():
    asked = [s for s, e in EXERCISES.items() if any("No loop" in c for c in e.contract)]
    given = [s for s, e in EXERCISES.items() if any(probe.large for probe in e.probes)]
    assert asked == given
    assert len(given) >= 3


@pytest.mark.parametrize(("exercise", "probe"), LARGE)
def test_a_right_answer_needs_a_tenth_of_the_time_and_an_odd_one_less_than_is_allowed(
    exercise, probe
):
    calls = public_calls(exercise, probe)
    times = [cpu_s(exercise, exercise.solution, calls) for _ in range(5)]
    assert median(times) < LARGE_CPU_S / 6  # half as much again, for a busy machine
    allowed = max(LARGE_CPU_S, TIMES * median(times))  # as a check allows it on this machine
    slow = [
        one.name
        for one in exercise.right
        if all(cpu_s(exercise, exercise.source_of(one), calls) > allowed for _ in range(3))
    ]
    assert slow == []


@pytest.mark.parametrize(("exercise", "probe"), LARGE)
def test_a_right_answer_that_ends_in_lists_is_no_loop(exercise, probe):
    lists = trial_of(exercise, rewrites(exercise)["lists of numbers"])
    assert finding_of(exercise, probe, lists).complaint == ""


@pytest.mark.thorough
@pytest.mark.parametrize(("exercise", "probe"), LARGE)
def test_a_loop_as_a_student_writes_it_needs_ten_times_the_time_and_is_named(exercise, probe):
    [loop] = loops(exercise, probe)
    source = exercise.source_of(loop)
    some = public_calls(exercise, probe)[::SHARE]
    share = len(some) / len(public_calls(exercise, probe))
    assert cpu_s(exercise, source, some) / share > LARGE_CPU_S * 6  # on a fast machine too
    report = report_on(exercise, source)
    [failed] = report.failed
    assert "is there a loop?" in failed.complaint
    assert recognise(report) is loop


def test_of_two_loops_the_one_is_named_that_is_slow_only_where_the_answer_is(monkeypatch):
    """On a busy machine the other may seem slow there too."""
    diagnosis = sys.modules["attention_course.exercises.diagnosis"]
    monkeypatch.setattr(diagnosis, "_TRIALS", {})
    exercise = EXERCISES["even-looks"]
    words, captions = [wrong for wrong in exercise.wrong if wrong.family == "slow"]
    trial = diagnosis.tried(exercise, (words,))
    slow, quick = [i for i, probe in enumerate(exercise.probes) if probe.large]
    trial.made = {i: trial[i] for i in range(len(exercise.probes))} | {quick: trial[slow]}
    assert recognise(report_on(exercise, exercise.source_of(captions))) == captions
    assert recognise(report_on(exercise, exercise.source_of(words))) == words
