"""Comparing is strict: shape first, nothing broadcast, NaN never right."""

from dataclasses import replace

import numpy as np
import pytest

from attention_course.exercises import (
    Variant,
    examine_source,
    exercise_named,
    recognise,
)
from attention_course.exercises.check import answer_report
from attention_course.exercises.examine import distance, generator, judge
from attention_course.exercises.exercise import edited
from attention_course.exercises.runner import Outcome

FOUR = exercise_named("four-steps")


def outcome(value, **more):
    value = np.asarray(value)
    return Outcome(["y"], [value], [str(value.dtype)], **more)


@pytest.mark.parametrize(
    ("came", "said"),
    [
        ([[1.0, 2.0]], "expected shape (2,), got (1, 2)"),
        ([1.0], "expected shape (2,), got (1,)"),
        ([1.0, np.nan], "y[1]: expected 2, got nan"),
        ([1.0, np.inf], "y[1]: expected 2, got inf"),
        ([1.0, 2.001], "y[1]: expected 2, got 2.001"),
        ([True, True], "expected numbers"),
    ],
)
def test_what_differs_is_said_with_its_place(came, said):
    assert said in judge(FOUR, FOUR.probes[0], outcome([1.0, 2.0]), outcome(came))


def test_what_is_equal_within_the_tolerance_is_right():
    right, near = outcome([1.0, 2.0]), outcome([1.0 + 1e-6, 2.0])
    assert judge(FOUR, FOUR.probes[0], right, near) == ""
    assert distance(FOUR, right.values[0], near.values[0]).max() < 0.1


def test_an_overwritten_argument_and_a_changed_session_are_complaints():
    right = outcome([1.0])
    assert "overwrote" in judge(FOUR, FOUR.probes[0], right, outcome([1.0], changed=["0"]))
    for name, complaint in (
        ("torch's random generator", "changed torch"),
        ("torch's gradient mode", ""),
    ):
        said = judge(FOUR, FOUR.probes[0], right, outcome([1.0], state=[name]))
        assert complaint in said if complaint else not said


def test_another_dtype_is_a_complaint_where_it_is_asked_for():
    probe = replace(FOUR.probes[0], dtype=True)
    came = Outcome(["y"], [np.array([1.0])], ["float64"])
    right = Outcome(["y"], [np.array([1.0])], ["float32"])
    assert "dtype" in judge(FOUR, probe, right, came)


def test_an_answer_with_a_mistake_of_its_own_is_not_given_a_name():
    source = FOUR.solution.replace("weights @ v", "weights @ v + 0.123")
    report = examine_source(FOUR, source)
    assert not report.right
    assert recognise(report) is None


def test_an_answer_that_cannot_be_read_fails_every_property_and_says_the_line():
    report = examine_source(FOUR, "x = 1\ny = (")
    assert len(report.failed) == len(FOUR.probes)
    assert "SyntaxError (line 2" in report.failed[0].complaint
    assert report.points == 0


def test_points_are_lost_part_by_part():
    report = examine_source(FOUR, FOUR.source_of(FOUR.wrong[0]))
    assert report.parts == {"weights and context": True, "large scores": False}
    assert report.points == 3


def test_the_same_names_give_the_same_numbers_and_others_give_others():
    a, b, c = (generator(*names).random() for names in (("x", "y"), ("x", "y"), ("xy", "")))
    assert a == b
    assert a != c


@pytest.mark.parametrize(
    "edits", [(("absent", "x"),), (("s", "x"),), (("scores = k", "scores = k"),)]
)
def test_an_edit_that_does_not_fit_once_or_changes_nothing_is_refused(edits):
    with pytest.raises(ValueError, match="edited"):
        edited(FOUR.solution, edits, "it")


def test_a_variant_turns_answers_calls_and_contract_around():
    variant = Variant(
        "context first",
        (("Return two arrays, the weights first.", "Return two arrays, the context first."),),
        "def four_steps(q, k, v):\n    return base(q, k, v)[::-1]",
        adapt=lambda call: replace(call, returns=("context", "weights")),
    )
    varied = replace(FOUR, variants=(variant,)).varied("context first")
    assert "the context first" in varied.contract[-1]
    assert examine_source(varied, varied.solution).right
    assert not examine_source(varied, FOUR.solution).right
    assert not any(examine_source(varied, varied.source_of(w)).right for w in varied.wrong)
    with pytest.raises(ValueError, match="variants none"):
        replace(FOUR, variants=(), together=()).varied("sideways")


def test_a_probe_that_the_solution_fails_is_an_error_and_no_verdict():
    broken = replace(FOUR, slug="broken", solution="def four_steps(q, k, v): return q.missing")
    with pytest.raises(RuntimeError, match="the solution must pass"):
        examine_source(broken, FOUR.solution)


@pytest.mark.parametrize(
    ("returned", "complaint"),
    [
        ("", "expected 2 results (weights, context), got None; does the function end"),
        ("return q", "expected 2 results (weights, context), got ndarray"),
        ("return None, q", "weights is None; does the function end without return?"),
    ],
)
def test_a_wrong_return_is_said_to_come_and_not_to_be_raised(returned, complaint):
    report = examine_source(FOUR, f"def four_steps(q, k, v):\n    q.sum()\n    {returned}")
    assert report.failed[0].complaint.startswith(complaint)


JOINING = """\
import numpy as np


def attend_blockwise(q, blocks):
    k, v = ([x for block in blocks for x in ROWS] for i in (0, 1))
    scores = q @ np.array(k).T / np.sqrt(q.shape[1])
    log_sums = np.logaddexp.reduce(scores, axis=1)
    return np.exp(scores - log_sums[:, None]) @ np.array(v), log_sums
"""


@pytest.mark.parametrize(
    ("rows", "first", "why"),
    [
        ("block[i]", "blocks made in one memory", "expected"),
        ("block[i].copy()", "more blocks than may be held", "much more memory"),
        ("block[i].tolist()", "more blocks than may be held", "much more memory"),
    ],
)
def test_blocks_that_are_joined_are_seen_by_what_is_computed_and_held(rows, first, why):
    exercise, source = exercise_named("online-softmax"), JOINING.replace("ROWS", rows)
    report = examine_source(exercise, source)
    assert report.points == 0
    assert report.failed[0].probe.name == first
    assert why in report.failed[0].complaint
    defined = {}
    exec(source, defined)
    told = " ".join(answer_report(exercise, defined["attend_blockwise"]).split())
    assert report.failed[0].complaint in told
