"""Grades answers through the sandbox: points, what is told, and what never is."""

import struct
from dataclasses import replace
from itertools import product

import pytest
from hidden_numbers import Recorded

from attention_course.exercises import (
    Exercise,
    Probe,
    Wrong,
    all_exercises,
    examine_source,
    exercise_named,
)
from attention_course.exercises.examine import isolating, public_calls, right_outcome
from attention_course.exercises.exercise import OWN_CONVENTION
from attention_course.exercises.rewrites import rewrites
from attention_course.exercises.runner import Call, Outcome, Result, pack_outcome
from course_grader.marking.engine import (
    HIDDEN,
    MOST_SHOWN,
    grade_answer,
    hidden_seed,
)
from course_grader.marking.probing import NOT_TRIED
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import Observation, Run, Sandbox
from course_grader.verdicts import Verdict

HEAD = "def four_steps(q, k, v):\n"
SECRET, STUDENT = b"\7" * 32, "ada"
FOUR = exercise_named("four-steps")


def grade(sandbox, source, exercise=FOUR, secret=SECRET, student=STUDENT):
    return grade_answer(sandbox, exercise, source, secret, student)


def said(came):
    """Return what the student reads, in one line."""
    return " ".join(came.message.split())


@pytest.fixture
def box(request, slug):
    """The sandbox that an exercise needs."""
    uses = exercise_named(slug).uses
    return request.getfixturevalue("sandbox" if uses == "numpy" else "torch_sandbox")


@pytest.mark.parametrize("slug", all_exercises())
def test_every_solution_earns_everything(box, slug):
    exercise = exercise_named(slug)
    right = grade(box, exercise.solution, exercise)
    assert (right.verdict, right.points) == (Verdict.OK, right.max_points), right.message


# Every eighth, or all: tests/exercises/test_bank.py tries each without a sandbox.
STUBS = [
    pytest.param(slug, marks=pytest.mark.thorough if number % 8 else ())
    for number, slug in enumerate(all_exercises())
]


@pytest.mark.parametrize("slug", STUBS)
def test_a_stub_earns_nothing(box, slug):
    exercise = exercise_named(slug)
    stub = grade(box, exercise.stub, exercise)
    assert stub.points == 0
    assert stub.verdict not in (Verdict.OK, Verdict.GRADER_ERROR)


@pytest.mark.parametrize("name", [wrong.name for wrong in FOUR.wrong])
def test_a_wrong_answer_loses_points_and_gets_the_name_that_check_gives_it(sandbox, name):
    wrong = next(wrong for wrong in FOUR.wrong if wrong.name == name)
    came = grade(sandbox, FOUR.source_of(wrong))
    assert came.points < came.max_points
    assert came.misconception == name
    assert came.hint == wrong.hint
    assert came.hint in said(came)


@pytest.mark.parametrize(
    "name", ["cosine-attention:temperature", "luong-scores:rows", "rotary-positions:halves"]
)
def test_the_courses_own_solution_of_a_variant_is_told_so_and_of_the_variants_hints(
    sandbox, name
):
    varied, own = exercise_named(name), exercise_named(name.split(":")[0])
    right = grade(sandbox, varied.solution, varied)
    assert (right.verdict, right.points) == (Verdict.OK, right.max_points), right.message
    came = grade(sandbox, own.solution, varied)
    assert came.points < came.max_points
    assert came.misconception == OWN_CONVENTION.name
    assert came.hint in said(came)
    assert f'hint("{name}")' in said(came)
    assert [found["probe"] for found in came.findings] == [p.name for p in varied.probes]


@pytest.mark.parametrize("name", rewrites(FOUR))
def test_an_unusual_right_answer_loses_nothing(sandbox, name):
    came = grade(sandbox, rewrites(FOUR)[name])
    assert (came.verdict, came.points) == (Verdict.OK, came.max_points), came.message


def test_an_answer_that_was_not_written_is_told_so(sandbox):
    came = grade(sandbox, FOUR.stub)
    assert came.verdict == Verdict.ERROR
    assert "not written yet" in said(came)


def test_parts_are_judged_one_by_one(sandbox):
    unstable = FOUR.solution.replace("scores - scores.max()", "scores")
    came = grade(sandbox, unstable)
    assert came.points == 3
    assert came.parts == {
        "weights and context": {"points": 3, "max": 3, "holds": True},
        "large scores": {"points": 0, "max": 2, "holds": False},
    }
    assert [finding["verdict"] for finding in came.findings] == ["OK"] * 3 + ["WRONG"] * 3


def test_the_same_submission_gets_the_same_bytes_from_another_sandbox(sandbox):
    source = FOUR.solution.replace(
        "k @ q", "k @ q + id(object) * 0 / len(q) ** 0.5 + 1e-3 * q[0]"
    )
    first = grade(sandbox, source).to_json()
    with Sandbox() as other:
        assert grade(other, source).to_json() == first


def test_the_hidden_inputs_depend_on_secret_exercise_student_and_answer():
    seeds = {
        hidden_seed(*one)
        for one in [
            (SECRET, "a", "ada", "x"),
            (SECRET + b"1", "a", "ada", "x"),
            (SECRET, "b", "ada", "x"),
            (SECRET, "a", "eve", "x"),
            (SECRET, "a", "ada", "y"),
        ]
    }
    assert len(seeds) == 5
    assert hidden_seed(SECRET, "a", "ada", "x") == hidden_seed(SECRET, "a", "ada", "x")


def test_an_answer_that_knows_the_public_numbers_by_heart_earns_nothing(sandbox):
    table = {}
    for draw, probe in product(range(MOST_SHOWN), FOUR.probes):
        calls = public_calls(replace(FOUR, draw=draw), probe)
        right = right_outcome(FOUR, probe, calls)
        given = b"".join(x.tobytes() for x in calls[0].args)
        table[given] = [value.tolist() for value in right.values]
    source = (
        f"import numpy as np\n\nTABLE = {table!r}\n\n\ndef four_steps(q, k, v):\n"
        "    known = TABLE.get(q.tobytes() + k.tobytes() + v.tobytes())\n"
        "    return known or (np.zeros(len(k)), np.zeros(v.shape[1]))\n"
    )
    assert examine_source(FOUR, source).right
    came = grade(sandbox, source)
    assert (came.verdict, came.points) == (Verdict.WRONG, 0)
    assert {finding["complaint"] for finding in came.findings} == {HIDDEN}
    assert HIDDEN in said(came)


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError(f'{q.tolist()} {k.tolist()}')",
        "raise type(str(q.tolist())[:70], (ValueError,), {})(str(q))",
        "print(q.tolist(), k.tolist()); return q, k",
        "return k.sum(0), v.sum(0)",
        "return k[:, 0] * 0, v[0]",
        "q[:] = 0; return np.ones(len(k)) / len(k), v.mean(0)",
        "import os; os.write(2, repr((q, k, v)).encode()); os._exit(1)",
        "__import__('os').write(3, repr(q.tolist()).encode()); return k",
    ],
)
def test_no_hidden_number_stands_in_a_grade(sandbox, body):
    source = f"import numpy as np\n\n\ndef four_steps(q, k, v):\n    {body}\n"
    recorded = Recorded(FOUR)
    came = grade(sandbox, source, recorded.exercise)
    assert came.points == 0
    assert recorded.drawn
    assert recorded.told(came.to_json()) == []


def test_text_for_the_student_cannot_steer_a_terminal(sandbox):
    source = (
        "def four_steps(q, k, v):\n    raise ValueError('\\x1b[31mred\\u202e\\x07\\ud800')\n"
    )
    came = grade(sandbox, source)
    for text in (came.message, *(finding["complaint"] for finding in came.findings)):
        assert not set("\x1b\u202e\x07") & set(text)
        text.encode()
    assert "red" in said(came)


def test_an_address_in_memory_is_not_part_of_a_grade(sandbox):
    came = grade(sandbox, "def four_steps(q, k, v):\n    raise ValueError(object())\n")
    assert "<object object at 0x…>" in said(came)


def test_an_error_names_the_line_of_the_answer_and_not_of_a_library(sandbox):
    source = "from json import loads\n\n\ndef four_steps(q, k, v):\n    return loads('no')\n"
    assert "raised JSONDecodeError (line 5 of your cell)" in said(grade(sandbox, source))


def test_after_two_runs_that_the_clock_stopped_the_rest_are_not_tried():
    with Sandbox(limits=Limits(wall_s=1, cpu_s=1)) as box:
        came = grade(box, "def four_steps(q, k, v):\n    while True:\n        pass\n")
    assert (came.verdict, came.points) == (Verdict.TIMEOUT, 0)
    assert {finding["verdict"] for finding in came.findings} == {"TIMEOUT"}
    assert [f["complaint"] == NOT_TRIED for f in came.findings] == [False] + [True] * (
        len(FOUR.probes) - 1
    )
    others = len(FOUR.probes) - 1
    assert f"so the {others} others were not examined. " in said(came)


class Broken(Sandbox):
    """A sandbox that fails from the given run on."""

    def __init__(self, sandbox, works):
        super().__init__()
        self.sandbox, self.works = sandbox, works

    def observe(self, *args):
        self.works -= 1
        if self.works < 0:
            return Observation(Verdict.GRADER_ERROR, text="broken")
        return self.sandbox.observe(*args)

    def observe_together(self, *args):
        self.works -= 1
        return self.sandbox.observe_together(*args) if self.works >= 0 else None


@pytest.mark.parametrize("works", [0, 3, 5, 6, 11])
def test_a_sandbox_that_fails_leaves_the_answer_ungraded(sandbox, works):
    # It takes ten runs: all together and five alone, with other inputs all together again
    # and, because it changes the session, alone.
    spoils = "np.random.seed(1)\n    raise ValueError\n"
    came = grade(Broken(sandbox, works), f"import numpy as np\n\n\n{HEAD}    {spoils}")
    assert came.verdict == Verdict.GRADER_ERROR
    assert came.points is None
    assert "not graded yet" in said(came)


def test_a_solution_that_raises_is_the_graders_fault(sandbox):
    broken = replace(FOUR, solution=FOUR.solution.replace("k @ q", "k @ k @ q"))
    assert grade(sandbox, FOUR.solution, broken).verdict == Verdict.GRADER_ERROR


# ---- together and alone ---------------------------------------------------------------------


def probed(sandbox, source, monkeypatch):
    """Grade, and count the processes that were started for probes alone."""
    alone = []
    observe = Sandbox.observe

    def counted(self, *args):
        alone.append(args)
        return observe(self, *args)

    monkeypatch.setattr(Sandbox, "observe", counted)
    return grade(sandbox, source), len(alone)


def test_a_right_answer_needs_one_process(sandbox, monkeypatch):
    came, alone = probed(sandbox, FOUR.solution, monkeypatch)
    assert (came.verdict, alone) == (Verdict.OK, 0)


def test_what_an_answer_leaves_behind_in_one_probe_does_not_cost_it_the_next(
    sandbox, monkeypatch
):
    # It works twice in a process: of a property on its first inputs and on others.
    source = FOUR.solution.replace(
        "    scores = k @ q\n",
        "    scores = k @ q\n    np.used = getattr(np, 'used', 0) + 1\n"
        "    if np.used > 2:\n        raise ValueError\n",
    )
    came, alone = probed(sandbox, source, monkeypatch)
    assert (came.verdict, came.points, alone) == (Verdict.OK, 5, len(FOUR.probes) - 2)


def test_an_answer_that_changes_the_session_is_looked_at_alone(sandbox, monkeypatch):
    source = FOUR.solution.replace("    scores", "    np.random.seed(1)\n    scores", 1)
    came, alone = probed(sandbox, source, monkeypatch)
    # It is charged once, so the other part is earned.
    assert (came.points, alone) == (2, 2 * len(FOUR.probes) + len(isolating(FOUR)))
    assert "NumPy's random generator" in said(came)


def test_runs_together_come_back_in_their_order(sandbox):
    runs = [Run((Call("f", (float(x),), returns=("y",)),)) for x in range(4)]
    came = sandbox.observe_together("def f(x):\n    return 2 * x\n", runs)
    assert [float(one.outcome.values[0]) for one in came] == [0, 2, 4, 6]
    for source in (
        "def f(x):\n    import os\n    os._exit(x == 3)\n",
        "import os\n\n\ndef f(x):\n    os.write(3, b'\\0' * 4)\n    return x\n",
        "def f(x):\n    while x == 3:\n        pass\n    return x\n",
    ):
        limits = Limits(wall_s=2, cpu_s=1)
        assert sandbox.observe_together(source, runs, limits=limits) is None


def test_a_reply_of_two_outcomes_to_one_question_is_refused(sandbox):
    data = pack_outcome(Outcome(), 0)
    frame = struct.pack("<I", len(data)) + data
    source = f"import os\ndef f():\n    os.write(3, {frame!r})\n    return 1.0\n"
    came = sandbox.observe(source, [Call("f", returns=("x",))])
    assert came.verdict == Verdict.PROTOCOL


def test_a_sandbox_of_the_other_kind_is_refused(sandbox):
    with pytest.raises(ValueError, match="needs a sandbox with torch"):
        grade(sandbox, "", replace(FOUR, uses="torch"))


def test_a_class_is_called_through_its_methods(sandbox):
    calls = [
        Call("Counter", (2.0,)),
        Call("add", (3.0,), on=0, returns=("sum",)),
        Call("add", (Result(1),), on=0, returns=("sum",)),
    ]
    source = (
        "class Counter:\n    def __init__(self, x):\n        self.x = x\n\n"
        "    def add(self, y):\n        return self.x + y\n"
    )
    came = sandbox.observe(source, calls)
    assert [float(value) for value in came.outcome.values] == [5.0, 7.0]


def test_what_an_answer_raises_when_it_is_loaded_is_told_without_its_inputs(sandbox):
    """There it could look for them in memory, and write them into an error's message."""
    kinds = "[type(one).__name__ for one in gc.get_objects()]"
    counts = f"import gc\nraise ValueError({kinds}.count('Call'))"
    line = FOUR.solution.count("\n") + 2
    hidden = sandbox.observe(f"{FOUR.solution}\n{counts}", public_calls(FOUR, FOUR.probes[0]))
    assert hidden.outcome.skipped[0] != f"line {line + 1} raised ValueError: 0"
    for source in (FOUR.solution, FOUR.stub):
        came = grade(sandbox, f"{source}\n{counts}")
        assert came.points == came.max_points * (source == FOUR.solution)
        assert came.left_out[0].endswith(" raised ValueError: 0")


def test_an_answer_that_is_called_otherwise_is_told_so_with_what_stopped_it(sandbox):
    other = grade(sandbox, FOUR.solution.replace("four_steps", "steps"))
    assert "raised NameError: the answer defines steps, not four_steps" in said(other)
    broken = grade(sandbox, "@nowhere\n" + FOUR.solution.partition("\n\n\n")[2])
    why = "line 1 raised NameError: name 'nowhere' is not defined"
    assert f"the answer defines no four_steps. Before that, {why}" in said(broken)
    assert broken.left_out == [why]
