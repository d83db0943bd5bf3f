import json
import time
from dataclasses import replace

import pytest
from class_of_thirty import Case, assignment_in, notebook_of

from attention_course.exercises import exercise_named, protocol
from course_grader.marking import one_student
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job, key_of
from course_grader.marking.probing import OVER
from course_grader.sandbox.limits import Limits

STEPS, SOFTMAX = exercise_named("four-steps"), exercise_named("stable-softmax")


@pytest.fixture
def setup(tmp_path):
    return Setup(assignment_in(tmp_path / "steps"), b"5" * 32, Limits(), "course")


class NoSandbox:
    """Stands where no sandbox may be asked for."""

    def of(self, uses):
        raise AssertionError(f"a sandbox with {uses} was asked for")


@pytest.mark.parametrize("before", ["", "import numpy as np\n\n\n", "# my answer\n\n"])
def test_a_stub_that_nobody_touched_needs_no_sandbox(setup, before):
    case = Case(before + STEPS.stub, before + SOFTMAX.stub, (0, 0), "WRONG")
    data = notebook_of(setup.assignment, "ada", case).encode()
    grade = grade_job(Job("ada", data), setup, NoSandbox())
    assert grade.verdict == "MISSING"
    for item in grade.code:
        assert (item.points, item.verdict, item.failed) == (0, "MISSING", [])
        assert item.message.startswith(f"{item.slug}: not written yet")


def test_a_stub_with_one_word_changed_is_an_answer(setup):
    case = Case(STEPS.stub.replace("raise", "return"), None, (0, 0), "WRONG")
    data = notebook_of(setup.assignment, "ada", case).encode()
    grade = grade_job(Job("ada", data), setup, NoSandbox())
    assert grade.verdict == "GRADER_ERROR"
    assert "a sandbox with numpy was asked for" in grade.reason


def test_a_stub_that_is_to_be_repaired_is_an_answer():
    exercise = exercise_named("repair-additive")
    assert one_student._unwritten(exercise, exercise.stub) == ""
    assert "not written yet" in one_student._unwritten(STEPS, STEPS.stub)


def test_a_cell_that_is_gone_is_said_to_be_gone(setup):
    data = notebook_of(setup.assignment, "ada", Case(None, None, (0, 0), "WRONG")).encode()
    grade = grade_job(Job("ada", data), setup, NoSandbox())
    assert [item.verdict for item in grade.code] == ["MISSING", "MISSING"]
    assert [item.look for item in grade.code] == ["no answer cell was found"] * 2
    assert not any(item.unread for item in grade.code)
    assert grade.code[0].message.startswith("There is no cell that begins with # EXERCISE four")


def test_whatever_a_grade_rests_on_is_in_its_key(setup):
    job = Job("ada", b"data", late_days=0)
    other = replace(setup.assignment, title="Another")
    steeper = replace(setup.assignment, late_percent_per_day=50.0)
    jobs = [{"student": "bob"}, {"data": b"other"}, {"late_days": 1}, {"late_days": None}]
    jobs += [{"notes": ("a note",)}, {"refused": "a link"}]
    setups = [{"secret": b"6" * 32}, {"course": "newer"}, {"limits": Limits(cpu_s=3)}]
    setups += [{"assignment": other}, {"assignment": steeper}]
    keys = {key_of(replace(job, **change), setup) for change in [{}, *jobs]}
    keys |= {key_of(job, replace(setup, **change)) for change in setups}
    assert len(keys) == 12
    assert key_of(replace(job, stored="elsewhere"), setup) == key_of(job, setup)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_changed_check_cells_are_no_offence_in_any_encoding(setup, encoding):
    case = Case(STEPS.stub, SOFTMAX.stub, (0, 0), "MISSING")
    notebook = json.loads(notebook_of(setup.assignment, "ada", case))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace("check(", "print(")
    data = json.dumps(notebook).encode(encoding)
    grade = grade_job(Job("ada", data), setup, NoSandbox())
    assert (grade.verdict, grade.reading) == ("MISSING", [])


def test_a_variant_that_no_exercise_has_stalls_no_grade(setup):
    case = Case(STEPS.stub, SOFTMAX.stub, (0, 0), "WRONG")
    data = notebook_of(setup.assignment, "ada", case)
    made_up = data.replace('\\"four-steps\\")', '\\"four-steps:made-up\\")')
    assert made_up != data
    assert grade_job(Job("ada", made_up.encode()), setup, NoSandbox()).verdict == "MISSING"


@pytest.mark.parametrize(
    "file",
    ["attention_course/exercises/bank/one/mistakes.toml", "course_grader/marking/one.py"],
)
def test_whatever_decides_about_points_is_in_the_courses_fingerprint(
    tmp_path, monkeypatch, file
):
    for path in (tmp_path / file, tmp_path / "course_grader/marking/one.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("before")
    monkeypatch.setattr(protocol, "PACKAGE", tmp_path / "attention_course")
    monkeypatch.setattr(one_student, "__file__", str(tmp_path / "course_grader/marking/one.py"))
    before = one_student.course_digest.__wrapped__()
    assert one_student.course_digest.__wrapped__() == before
    (tmp_path / file).write_text("after")
    assert one_student.course_digest.__wrapped__() != before


def test_a_hand_in_that_sleeps_below_each_limit_is_stopped_and_its_other_answer_is_not(
    tmp_path,
):
    limits = Limits(hand_in_s=3.0)
    setup = Setup(assignment_in(tmp_path / "steps"), b"5" * 32, limits, "course")
    sleeps = f"import time\n{STEPS.solution}".replace(
        "    scores", "    time.sleep(1)\n    scores"
    )
    data = notebook_of(setup.assignment, "ada", Case(sleeps, SOFTMAX.solution, (0, 0), "WRONG"))
    with Sandboxes(limits) as sandboxes:
        sandboxes.of("numpy")
        began = time.monotonic()
        grade = grade_job(Job("ada", data.encode()), setup, sandboxes)
        assert time.monotonic() - began < limits.hand_in_s + 1
    slow, quick = grade.code
    assert (slow.verdict, slow.points) == ("TIMEOUT", 0)
    assert OVER in " ".join(slow.message.split())
    assert (quick.verdict, quick.points) == ("OK", quick.max_points)
