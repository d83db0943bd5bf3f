"""What a reader sees: the same in a notebook and at a plain prompt, and never the solution."""

import os
import subprocess
import sys

import pytest

from attention_course.exercises import all_exercises, assert_part, check, examine_source, hint
from attention_course.exercises.check import said_report

EXERCISES = all_exercises()


def four_steps(q, k, v):
    return k @ q, v


def test_a_wrong_answer_is_told_which_property_failed_and_where(capsys):
    check(four_steps)
    said = capsys.readouterr().out
    assert "0 of 6 properties hold" in said
    assert "weights[0]: expected" in said
    assert 'hint("four-steps")' in said


def test_hints_open_one_at_a_time_and_the_last_one_stays(capsys):
    from attention_course.exercises.check import _opened

    _opened.clear()
    for _ in range(4):
        hint("four-steps")
    said = capsys.readouterr().out.split("Hint ")[1:]
    assert [text[0] for text in said] == ["1", "2", "3", "3"]
    assert said[2] == said[3]
    assert max(len(line) for text in said for line in text.splitlines()) <= 72


def test_an_unknown_exercise_is_named_together_with_the_nearest_or_all_there_are():
    with pytest.raises(
        ValueError, match=r"^there is no exercise five-steps; did you mean four-"
    ):
        hint("five-steps")
    with pytest.raises(
        ValueError, match=r"^there is no exercise zzz; there are .*four-steps, "
    ):
        hint("zzz")
    with pytest.raises(ValueError, match="no exercise asks for print"):
        check(print)


@pytest.mark.parametrize(
    ("given", "target"),
    [
        (("four-steps",), "four_steps"),
        (("four_steps",), "four_steps"),
        (("four_steps", "four-steps"), "four_steps"),
        (("online-softmax",), "attend_blockwise"),
        (("my_own",), "my_own"),
    ],
)
def test_a_name_in_place_of_the_function_is_told_what_check_takes(given, target):
    with pytest.raises(TypeError, match=rf"takes the function itself: check\({target}\)$"):
        check(*given)


def test_what_fails_alike_everywhere_is_said_once():
    exercise = EXERCISES["stable-softmax"]
    for body, complaint in (("y", "raised NameError"), ("None", "weights is None")):
        source = f"def stable_softmax(x, axis=-1, mask=None): return {body}"
        said = said_report(examine_source(exercise, source))
        assert f"  All {len(exercise.probes)} fail alike: {complaint}" in said
        assert len(said.splitlines()) <= 4
    wrong = said_report(examine_source(exercise, exercise.source_of(exercise.wrong[0])))
    assert "alike" not in wrong
    assert all(f" {probe.name}\n" in wrong for probe in exercise.probes)


def test_a_console_that_knows_ascii_only_is_told_the_same_in_plain_letters():
    exercise = EXERCISES["four-steps"]
    code = (
        f"{exercise.source_of(exercise.wrong[0])}\n"
        "from attention_course.exercises import check\n"
        "check(four_steps)\n"
        "def four_steps(q, k, v): raise ValueError('é')\n"
        "check(four_steps)"
    )
    run = [sys.executable, "-c", code]
    said = [
        subprocess.run(run, capture_output=True, env=os.environ | {"PYTHONIOENCODING": name})
        for name in ("ascii", "utf-8")
    ]
    plain, full = (ran.stdout.decode("utf-8") for ran in said)
    assert "\n  ✓ " in full
    assert "\n  × " in full
    assert "of your cell): é" in full
    assert plain == full.replace("✓", "v").replace("×", "x").replace("é", "?")


def test_a_part_raises_with_its_first_complaint_and_only_its_own():
    right = {}
    exec(EXERCISES["four-steps"].solution, right)
    assert_part(right["four_steps"], "four-steps", "large scores")
    with pytest.raises(AssertionError, match="expected"):
        assert_part(four_steps, "four-steps", "large scores")
    with pytest.raises(ValueError, match="has the parts"):
        assert_part(four_steps, "four-steps", "beauty")


@pytest.mark.parametrize("slug", EXERCISES)
def test_no_report_on_any_wrong_answer_shows_a_line_of_the_solution(slug):
    exercise = EXERCISES[slug]
    told = {line.strip() for line in exercise.stub.splitlines()}
    lines = {line.strip() for line in exercise.solution.splitlines()} - told
    lines = {line for line in lines if len(line) > 20}
    for wrong in exercise.wrong:
        said = said_report(examine_source(exercise, exercise.source_of(wrong)))
        assert not [line for line in lines if line in said]
        assert "properties hold" in said or "is not allowed in this exercise" in said


def test_a_plain_prompt_says_the_same_as_a_notebook(capsys):
    session = """
def four_steps(q, k, v):
    return k @ q, v

from attention_course.exercises import check
check(four_steps)
"""
    ran = subprocess.run(
        [sys.executable, "-i", "-q"], input=session, capture_output=True, text=True, timeout=60
    )
    check(four_steps)
    assert ran.stdout == capsys.readouterr().out


def test_checking_needs_neither_torch_nor_plotly():
    code = (
        "import sys; from attention_course.exercises import all_exercises; all_exercises();"
        "print(sorted(set(sys.modules) & {'torch', 'plotly', 'ipywidgets', 'anywidget'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr
