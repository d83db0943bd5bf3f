"""What ``check`` says in a reader's session is what the grade says: the whole bank, and more.

Once the inputs are the public ones in both, so that every part is compared; and once each has
its own, as in a course. ``check`` has the answer as a living function, so what an answer
carries over from one call to the next it carries there from property to property, and in the
sandbox it does not.
"""

import json
import sys
import warnings
from copy import deepcopy
from functools import partial

import numpy as np
import pytest

from attention_course.exercises import all_exercises, exercise_named
from attention_course.exercises.check import report_on
from attention_course.exercises.examine import judge, observe, public_calls, trial_of
from attention_course.exercises.rewrites import rewrites, shortcuts
from attention_course.exercises.runner import ForbiddenError, Outcome
from course_grader.marking.engine import grade_answer, hidden_probes, hidden_seed
from course_grader.marking.probing import asked, run_probes
from course_grader.submissions.intake import read_submission
from course_grader.verdicts import Verdict

EXERCISES = all_exercises()
CARRIED = {"all caches share one list", "all caches share one memory"}
CARRIED |= {"results are kept by the shapes of the inputs"}
SECRET, STUDENT = b"\3" * 32, "ada"
FOUR = exercise_named("four-steps")


def reported(exercise, source):
    """Return what ``check`` finds about an answer as a session has it; None if it refuses."""
    defined = {"__name__": "answer"}
    try:
        with warnings.catch_warnings(action="ignore"):
            exec(source.removeprefix("\ufeff"), defined)
        return report_on(exercise, defined[exercise.target])
    except (ForbiddenError, KeyError, NotImplementedError):
        return None


def checked(exercise, source):
    """Return which parts hold for ``check``."""
    report = reported(exercise, source)
    return report.parts if report else dict.fromkeys(exercise.points, False)


def graded(box, exercise, probes, source):
    """Return which parts hold for the grader."""
    seen = run_probes(box, exercise, source, probes)
    assert Verdict.GRADER_ERROR not in [one.verdict for one in seen]
    pairs = zip(exercise.probes, seen, strict=True)
    lost = {probe.part for probe, one in pairs if one.verdict != Verdict.OK}
    return {part: part not in lost for part in exercise.points}


# One wrong answer and one odd one (test_engine.py has each solution), or all of them.
SHARES = [pytest.param(1, id="one"), pytest.param(None, id="all", marks=pytest.mark.thorough)]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("slug", EXERCISES)
def test_every_answer_of_the_bank_keeps_the_same_parts_in_both(request, slug, share):
    exercise = EXERCISES[slug]
    box = request.getfixturevalue("sandbox" if exercise.uses == "numpy" else "torch_sandbox")
    probes = asked(exercise, partial(public_calls, exercise))
    answers = (*exercise.wrong[:share], *exercise.right[:share])
    sources = {one.name: exercise.source_of(one) for one in answers}
    if share is None:
        sources |= rewrites(exercise) | {"the solution": exercise.solution}
    both = {
        name: (checked(exercise, sources[name]), graded(box, exercise, probes, sources[name]))
        for name in sources
    }
    different = {name: pair for name, pair in both.items() if pair[0] != pair[1]}
    assert different.keys() <= CARRIED, different
    for here, there in different.values():
        assert all(there[part] for part, holds in here.items() if holds)


def disagrees(exercise, source, lost):
    """Return how ``check`` and what lost marks differ; nothing if they do not."""
    report = reported(exercise, source)
    if not lost or report is None:
        right = report is not None and report.right
        return "" if right == (not lost) else f"check: {right}, lost: {lost}"
    named = {one.probe.name for one in report.failed if one.complaint}
    return "" if named & lost else f"lost {lost}, and check names {named or 'nothing'}"


def lost_on(exercise, source, hidden):
    """Return the probes that are lost on the grader's hidden inputs, in this process."""
    defined = trial_of(exercise, source)
    if isinstance(defined, Outcome):
        return {probe.name for probe in exercise.probes}
    lost = set()
    for one in hidden:
        calls = deepcopy(one.calls)  # an answer may use its arguments up
        came = observe(exercise, one.probe, defined, calls)
        lost |= {one.probe.name} if judge(exercise, one.probe, one.expected, came) else set()
    return lost


@pytest.mark.parametrize("slug", EXERCISES)
def test_what_loses_marks_on_hidden_inputs_check_names(monkeypatch, slug):
    """The same of the whole bank, in this process: walls change nothing, as is shown above."""
    # All blocks, where check takes an eighth.
    monkeypatch.setattr(sys.modules[observe.__module__], "LONGEST_S", 60)
    exercise = EXERCISES[slug]
    hidden = hidden_probes(exercise, hidden_seed(SECRET, slug, STUDENT, exercise.solution))
    sources = {one.name: exercise.source_of(one) for one in (*exercise.right, *exercise.wrong)}
    sources |= shortcuts(exercise) | {"the solution": exercise.solution}
    found = {
        name: disagrees(exercise, source, lost_on(exercise, source, hidden))
        for name, source in sources.items()
    }
    different = {name: how for name, how in found.items() if how}
    assert different.keys() <= CARRIED, different


TOGETHER = [f"{slug}:{form}" for slug, own in EXERCISES.items() for form in own.together]
# Every twelfth, or all of them.
SOME = [
    pytest.param(name, marks=pytest.mark.thorough if number % 12 else ())
    for number, name in enumerate(TOGETHER)
]


@pytest.mark.parametrize("name", SOME)
def test_two_conventions_together_keep_the_same_parts_in_both(request, name):
    """The solution, the course's own convention, and one mistake."""
    exercise = exercise_named(name)
    box = request.getfixturevalue("sandbox" if exercise.uses == "numpy" else "torch_sandbox")
    probes = asked(exercise, partial(public_calls, exercise))
    sources = [exercise.solution, exercise.wrong[0].source, exercise.wrong[-1].source]
    both = [(checked(exercise, x), graded(box, exercise, probes, x)) for x in sources]
    assert all(here == there for here, there in both)
    assert [all(here.values()) for here, _ in both] == [True, False, False]


def test_the_bank_is_compared_whole():
    compared = [len(e.wrong) + len(e.right) + len(rewrites(e)) + 1 for e in EXERCISES.values()]
    assert sum(compared) >= 1530


SEEDS = FOUR.solution.replace("    scores", "    np.random.seed(0)\n    scores", 1)
TORCH = """\
def four_steps(q, k, v):
    import torch

    weights = torch.softmax(torch.tensor(k @ q), 0).numpy()
    return weights, weights @ v
"""


@pytest.mark.parametrize(
    ("source", "points"),
    [
        pytest.param(SEEDS, 2, id="seeds NumPy's generator"),
        pytest.param(SEEDS.replace("seed(0)", "rand()"), 2, id="draws from NumPy's generator"),
        pytest.param(TORCH, 0, id="imports torch inside"),
        pytest.param(TORCH.replace("torch", "scipy"), 0, id="imports scipy inside"),
        pytest.param(
            "try:\n    import torch\nexcept ImportError:\n    pass\n\n\n" + FOUR.solution,
            5,
            id="can do without torch",
        ),
    ],
)
def test_what_the_grader_has_not_and_what_is_charged_once(sandbox, source, points):
    came = grade_answer(sandbox, FOUR, source, SECRET, STUDENT)
    assert came.points == points, came.message
    for seed in (None, 0, 1):
        if seed is not None:
            np.random.seed(seed)
        held = checked(FOUR, source)
        assert sum(FOUR.points[part] for part, holds in held.items() if holds) == points


# Cells of a notebook; those that check stand as CHECK, after which the session goes on.
CHECK = "check(four_steps)"
MARKED = f"{FOUR.marker}\nimport numpy as np\n{FOUR.solution}"
SOFTMAX = exercise_named("stable-softmax")
HELPED = """\
# EXERCISE four-steps
def four_steps(q, k, v):
    weights = HELPER
    return weights, weights @ v
"""
SOFT = HELPED.replace("HELPER", "soft(k @ q)")
PLAIN_SOFT = "import numpy as np\ndef soft(x):\n    e = np.exp(x - x.max() SCALE)\n"
PLAIN_SOFT += "    return e / e.sum()"
RIGHT_SOFT, WRONG_SOFT = (PLAIN_SOFT.replace(" SCALE", by) for by in ("", " * 2"))
NOTEBOOKS = {
    "the answer to another exercise": [
        f"{SOFTMAX.marker}\nimport numpy as np\n{SOFTMAX.solution}",
        HELPED.replace("HELPER", "stable_softmax((k @ q)[None])[0]"),
        CHECK,
    ],
    "a helper above": [RIGHT_SOFT, SOFT, CHECK],
    "a helper below": [SOFT, RIGHT_SOFT, CHECK],
    "a helper below the check, when it was run again": [SOFT, CHECK, RIGHT_SOFT, CHECK],
    "a helper that was mended": [WRONG_SOFT, RIGHT_SOFT, SOFT, CHECK],
    "a helper that was spoilt later": [RIGHT_SOFT, SOFT, CHECK, WRONG_SOFT],
    "a helper that was spoilt before": [RIGHT_SOFT, WRONG_SOFT, SOFT, CHECK],
    "a constant": ["NEG = -1e9", RIGHT_SOFT, SOFT.replace("k @ q)", "k @ q + 0 * NEG)"), CHECK],
    "a default": [
        "import numpy as np\nTOP = np.max",
        RIGHT_SOFT.replace("(x)", "(x, top=TOP)").replace("x.max()", "top(x)"),
        SOFT,
        CHECK,
    ],
    "a test of its own that fails": [f"{MARKED}\nassert four_steps is None", CHECK],
    "a test that needs another cell": [f"{MARKED}\nprint(four_steps(*inputs))", CHECK],
    "what only a notebook has": [
        f"{MARKED}\nimport matplotlib.pyplot as plt\ncheck(four_steps)\nplt.plot([1])\n"
        "figure, axes = plt.subplots()\naxes.plot()\ndisplay(figure)",
        CHECK,
    ],
    "an import of torch that nothing uses": [f"import torch as t, math\n{MARKED}", CHECK],
    "an import of plotly that nothing uses": [f"import plotly.express\n{MARKED}", CHECK],
}
# What the student is told was left out.
LEFT_OUT = {
    "a test of its own that fails": "raised AssertionError",
    "a test that needs another cell": "raised NameError: name 'inputs' is not defined",
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_check_saw_in_the_notebook_is_what_is_graded(sandbox, name):
    """All cells are run in their order, as the notebook asks; one that raises stops alone."""
    session, held = {"__name__": "answer", "display": repr}, {}
    session["check"] = lambda answer: held.update(report_on(FOUR, answer).parts)
    if "import torch" in NOTEBOOKS[name][0]:
        pytest.importorskip("torch")
    for source in NOTEBOOKS[name]:
        try:
            exec(source, session)
        except (NameError, AssertionError, ImportError):
            assert source != CHECK
    cells = [{"cell_type": "code", "metadata": {}, "source": x} for x in NOTEBOOKS[name]]
    data = json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()
    answer = read_submission(data, {FOUR.slug: FOUR.target}).answers[FOUR.slug]
    came = grade_answer(sandbox, FOUR, answer, SECRET, STUDENT)
    assert {part: one["holds"] for part, one in came.parts.items()} == held
    assert all(held.values()) == (name != "a helper that was spoilt before")
    assert [LEFT_OUT[name] in said for said in came.left_out] == [True] * (name in LEFT_OUT)
