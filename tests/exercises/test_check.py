"""What a reader sees of a check, and never the solution."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from mutants import report_of

from attention_course.exercises import (
    all_exercises,
    check,
    examine_source,
    failing_case,
    hint,
    stopping,
)
from attention_course.exercises.check import report_on, said_report
from attention_course.exercises.examine import NOT_TRIED
from attention_course.exercises.failing import case_of
from attention_course.exercises.runner import load

EXAMINE = sys.modules["attention_course.exercises.examine"]

EXERCISES = all_exercises()
ENDLESS = """while True:
        try:
            while True:
                pass
        except Exception:
            pass"""


def four_steps(q, k, v):
    return k @ q, v


def test_a_wrong_answer_is_told_which_property_failed_and_where(capsys):
    check(four_steps)
    said = capsys.readouterr().out
    assert "0 of 6 properties hold" in said
    assert "weights[0]: expected" in said
    assert 'hint("four-steps")' in said


def test_an_attempt_has_numbers_of_its_own_which_come_again(capsys):
    said, asked = [], []
    for attempt in (1, 2, 3, 2):
        check(four_steps, "four-steps", attempt)
        said.append(capsys.readouterr().out)
        asked.append(failing_case("four-steps").inputs["k"].tobytes())
    assert len({*said}) == len({*asked}) == 3
    assert (said[3], asked[3]) == (said[1], asked[1])
    for attempt in (0, -1, "2", 1.5, None):
        with pytest.raises(ValueError, match="attempt must be a whole number from 1, got"):
            check(four_steps, "four-steps", attempt)


def test_what_is_wrong_with_the_first_numbers_is_right_with_no_others(capsys):
    check(four_steps, "four-steps")
    first = failing_case("four-steps").inputs["v"]
    right = load(EXERCISES["four-steps"].solution)["four_steps"]

    def answer(q, k, v):
        return right(q, k, v + np.array_equal(v, first))

    check(answer, "four-steps", 2)
    assert "of 6 properties hold" in capsys.readouterr().out.split("four-steps: ")[-1]


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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            (np.ones((2, 3)), "self-attention"),
            r"check\(self_attention_layer\), got an ndarray of",
        ),
        (((np.ones(3), np.ones(3)),), r"check\(my_function\), got a tuple$"),
        ((None, "four-steps"), r"check\(four_steps\), got a NoneType$"),
    ],
)
def test_what_an_answer_returned_in_its_place_is_told_what_check_takes(given, said):
    with pytest.raises(TypeError, match=f"check takes the function itself, {said}"):
        check(*given)


def test_every_property_that_fails_says_how_in_one_line(capsys):
    check(four_steps)
    lines = capsys.readouterr().out.splitlines()
    failing = [i for i, line in enumerate(lines) if line.startswith("  ×")]
    assert len(failing) == 6
    assert all("expected" in lines[i + 1] and "got" in lines[i + 1] for i in failing)
    assert max(map(len, lines)) <= 72


@pytest.mark.parametrize("body", ["while True:\n        pass", ENDLESS])
def test_an_answer_that_does_not_end_is_stopped_and_tried_no_more(monkeypatch, body):
    monkeypatch.setattr(EXAMINE, "LONGEST_S", 0.3)
    defined = {}
    exec(f"def four_steps(q, k, v):\n    {body}\n", defined)
    report = report_on(EXERCISES["four-steps"], defined["four_steps"])
    assert "is there an endless loop" in report.failed[0].complaint
    assert {f.complaint for f in report.failed[1:]} == {NOT_TRIED.message}
    assert report.points == 0
    time.sleep(0.5)  # nothing comes afterwards


def test_a_failing_case_gives_the_input_what_is_right_and_what_came(capsys):
    check(four_steps)
    case = failing_case("four-steps")
    assert list(case.inputs) == ["q", "k", "v"]
    weights, _ = four_steps(**case.inputs)
    assert np.array_equal(weights, case.got["weights"])
    right = {}
    exec(EXERCISES["four-steps"].solution, right)
    expected = right["four_steps"](**case.inputs)
    assert np.allclose(expected[1], case.expected["context"])
    assert "expected weights" in repr(case)
    assert "got weights" in repr(case)
    other = failing_case(four_steps, "scores in the thousands")
    assert other.property == "scores in the thousands"
    assert np.abs(other.inputs["k"]).max() > 10


def test_a_failing_case_of_a_method_says_what_was_called_before():
    exercise = EXERCISES["kv-cache"]
    report = examine_source(exercise, exercise.source_of(exercise.wrong[0]))
    case = case_of(report)
    assert case.before[0].target == "KeyValueCache"
    assert case.call in ("step", "$get")
    assert "after KeyValueCache" in repr(case)


def test_what_was_checked_as_a_variant_is_meant_until_another_form_is_named(capsys):
    """Without its variant ``check`` would call right what earns nothing."""
    from attention_course.exercises.check import _last

    answer = load(EXERCISES["four-steps"].solution)["four_steps"]
    check(answer, "four-steps:context-first")
    assert 'ac.failing_case("four-steps:context-first") shows' in capsys.readouterr().out
    for name in ("four-steps", "four-steps:context-first", answer):
        assert failing_case(name).expected.keys() == {"context", "weights"}
    check(answer)
    assert "0 of" in capsys.readouterr().out
    with pytest.raises(ValueError, match='check\\(four_steps, "four-steps:base-two"\\)'):
        failing_case("four-steps:base-two")
    check(answer, "four-steps")
    assert "right" in capsys.readouterr().out
    check(answer)
    assert "right" in capsys.readouterr().out
    _last.clear()


def test_a_failing_case_needs_an_answer_that_was_checked_and_failed(capsys):
    from attention_course.exercises.check import _checked

    _checked.clear()
    with pytest.raises(ValueError, match=r"check it first: check\(four_steps\)"):
        failing_case("four-steps")
    right = {}
    exec(EXERCISES["four-steps"].solution, right)
    check(right["four_steps"])
    with pytest.raises(ValueError, match="a property must fail, nothing fails"):
        failing_case("four-steps")
    check(four_steps)
    with pytest.raises(ValueError, match="'beauty' must fail, 'five keys"):
        failing_case("four-steps", "beauty")


def test_settings_that_an_answer_changes_cost_nothing_and_are_named(capsys):
    loud = "):\n    np.seterr(all='ignore')"
    source = EXERCISES["four-steps"].solution.replace("):", loud, 1)
    check(load(f"import numpy as np\n{source}")["four_steps"])
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("four-steps: right. All 6 properties hold. It changes NumPy's error")


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


@pytest.mark.parametrize("slug", EXERCISES)
def test_no_report_on_any_wrong_answer_shows_a_line_of_the_solution(slug):
    exercise = EXERCISES[slug]
    told = {line.strip() for line in exercise.stub.splitlines()}
    lines = {line.strip() for line in exercise.solution.splitlines()} - told
    lines = {line for line in lines if len(line) > 20}
    for wrong in exercise.wrong:
        said = said_report(report_of(exercise, wrong))
        assert not [line for line in lines if line in said]
        assert "properties hold" in said or "is not allowed in this exercise" in said


def test_checking_needs_neither_torch_nor_plotly():
    code = (
        "import sys; from attention_course.exercises import all_exercises; all_exercises();"
        "print(sorted(set(sys.modules) & {'torch', 'plotly', 'ipywidgets', 'anywidget'}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr


# Errors come so often that some come at every step of the way out.
OFTEN = """
import sys, threading
from attention_course.exercises import stopping

stopping._AGAIN_S = 0.0002
sys.setswitchinterval(1e-5)
for _ in range(300):
    try:
        with stopping.stopped_after(0.002):
            while True:
                len("")
    except stopping.EndlessError:
        pass
    assert threading.active_count() == 2, "this one, and the one that watches all blocks"
print("none is left")
"""


def test_nothing_goes_on_stopping_what_comes_after_a_stopped_answer():
    ran = subprocess.run([sys.executable, "-c", OFTEN], capture_output=True, text=True)
    assert ran.stdout == "none is left\n", ran.stderr


def test_what_computes_too_long_is_stopped_and_what_sleeps_is_not():
    with stopping.stopped_after(60, computing=0.05):
        time.sleep(0.2)
    with pytest.raises(stopping.EndlessError), stopping.stopped_after(60, computing=0.05):
        [None for _ in iter(int, 1)]


def test_lines_are_counted_as_ever_after_an_answer_was_stopped(monkeypatch):
    monkeypatch.setattr(EXAMINE, "LONGEST_S", 0.3)
    endless = {}
    exec("def four_steps(q, k, v):\n    while True:\n        pass\n", endless)
    report_on(EXERCISES["four-steps"], endless["four_steps"])
    monkeypatch.undo()
    exercise = EXERCISES["even-looks"]
    for _ in range(3):
        assert examine_source(exercise, exercise.solution).right
