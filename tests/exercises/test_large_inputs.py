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
from attention_course.exercises.exercise import edited
from attention_course.exercises.rewrites import rewrites
from attention_course.exercises.runner import run

EXERCISES = all_exercises()
LARGE = [
    pytest.param(exercise, probe, id=f"{slug}, {probe.name}")
    for slug, exercise in EXERCISES.items()
    for probe in exercise.probes
    if probe.large
]
# Loops in one line alone, all else at once: the dearest line, and the cheapest.
ONE_LINE = {
    "many queries without a loop": {
        "the weighted sum": (
            "context = weights @ v",
            """rows = (weights[..., i, None, :] @ v for i in range(n_q))
    context = np.concatenate(list(rows), axis=-2)""",
        ),
        "the division": (
            "weights = exps / np.where(total > 0, total, 1.0)",
            """weights, total = np.zeros_like(exps), np.where(total > 0, total, 1.0)
    for i in range(n_q):
        weights[..., i, :] = exps[..., i, :] / total[..., i, :]""",
        ),
    },
    "many keys without a loop": {
        "the weighted sum": (
            "context = weights @ v",
            """context = np.zeros((*q.shape[:-1], v.shape[-1]))
    for j in range(n_k):
        context += weights[..., j : j + 1] * v[..., j : j + 1, :]""",
        ),
        "the filling": (
            "scores = np.where(may, scores, -np.inf)",
            """may = np.broadcast_to(may, scores.shape)
    for j in range(n_k):
        scores[..., j][~may[..., j]] = -np.inf""",
        ),
    },
    "many samples without a loop": {
        "the weighted sum": (
            "return (advantages[:, :, None] * slopes).mean(axis=1)",
            """g = np.zeros_like(w)
    for s in range(choices.shape[1]):
        g += advantages[:, s, None] * slopes[:, s]
    return g / choices.shape[1]""",
        ),
        "the slopes": (
            "slopes = chosen - w[:, None, :]",
            """slopes = np.zeros_like(chosen)
    for s in range(choices.shape[1]):
        slopes[:, s] = chosen[:, s] - w""",
        ),
    },
    "many words without a loop": {
        "the sum": (
            "looked = np.where(real[:, :, None], weights, 0.0).sum(axis=1)",
            """kept = np.where(real[:, :, None], weights, 0.0)
    looked = np.zeros((len(weights), weights.shape[2]))
    for t in range(weights.shape[1]):
        looked += kept[:, t]""",
        ),
        "the comparison": (
            "real = np.arange(weights.shape[1]) < lengths[:, None]",
            """real = np.zeros(weights.shape[:2], dtype=bool)
    for t in range(weights.shape[1]):
        real[:, t] = t < lengths""",
        ),
    },
    "many captions without a loop": {
        "the sum": (
            "return ((1.0 - looked) ** 2).sum(axis=1)",
            """squares = (1.0 - looked) ** 2
    return np.array([row.sum() for row in squares])""",
        ),
        "the padding": (
            "looked = np.where(real[:, :, None], weights, 0.0).sum(axis=1)",
            """kept = weights.copy()
    for i in range(len(weights)):
        kept[i, lengths[i] :] = 0.0
    looked = kept.sum(axis=1)""",
        ),
    },
}
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


@pytest.mark.parametrize(("exercise", "probe"), LARGE)
def test_a_loop_in_one_line_alone_takes_too_long_as_well(exercise, probe):
    """It takes 20 to 200 times what all rows at once do, so no size leaves ten times on both
    sides: the right answer keeps its tenth, and the loop is over the limit."""
    some = public_calls(exercise, probe)[::SHARE]
    share = len(some) / len(public_calls(exercise, probe))
    for line, edit in ONE_LINE[probe.name].items():
        source = edited(exercise.solution, [edit], line)
        assert cpu_s(exercise, source, some) / share > LARGE_CPU_S, line


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
