"""A contract that allows no loop is kept by an input so large that a loop takes too long."""

import time
import warnings
from statistics import median

import pytest
from mutants import report_on

from attention_course.exercises import all_exercises, recognise
from attention_course.exercises.examine import LARGE_CPU_S, public_calls, trial_of
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
def test_a_right_answer_needs_a_tenth_of_the_time_and_an_odd_one_a_third(exercise, probe):
    calls = public_calls(exercise, probe)
    times = [cpu_s(exercise, exercise.solution, calls) for _ in range(5)]
    assert median(times) < LARGE_CPU_S / 6  # half as much again, for a busy machine
    odd = {one.name: cpu_s(exercise, exercise.source_of(one), calls) for one in exercise.odd}
    assert {name: t for name, t in odd.items() if t > LARGE_CPU_S / 2} == {}


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
