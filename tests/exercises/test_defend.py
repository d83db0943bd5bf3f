"""A question about one change in an answer: exact, a seed's own, and right when it is run."""

from dataclasses import replace

import pytest

from attention_course.exercises import all_exercises, examine_source
from attention_course.exercises.defend import NONE, changes, defend

EXERCISES = all_exercises()
NUMPY = [slug for slug, one in EXERCISES.items() if one.uses == "numpy"]
FOUR = EXERCISES["four-steps"]
# A right answer without such a place.
PLAIN = """import numpy as np


def four_steps(q, k, v):
    scores = k.dot(q)
    exps = np.exp(scores.__sub__(scores.max()))
    weights = exps.__truediv__(exps.sum())
    return weights, weights.dot(v)
"""
HEAD = "def f(a, b):\n    "
# What stands in an answer, and what may stand there instead.
CHANGED = {
    "return a / np.sqrt(b)": ["return a"],
    "return a * b": ["return a"],
    "é = (a + b) / 2; return é": ["é = a + b; return é", "é = (a) / 2; return é"],
    "return a - a.max()": ["return a"],
    "return a @ b": ["return b @ a"],
    "return a @ b.T": ["return a @ b", "return b.T @ a"],
    "return a.sum(axis=-1)": ["return a.sum(axis=-2)"],
    "return a.sum(axis=(0, 1))": [],
    "return a.sum(keepdims=True)": ["return a.sum(keepdims=False)"],
    "return a.swapaxes(-1, -2)": ["return a"],
    "return np.swapaxes(a, -1, -2)": ["return a"],
    "return np.where(a, b, 0)": ["return np.where(a, 0, b)"],
    "return g(a, b)": ["return g(b, a)"],
    "return g(*a, b)": [],
    "return ~a": ["return a"],
    "return a < b": ["return a <= b", "return a >= b"],
    "return (a == b)": ["return (a != b)"],
    "return a < b < 3": [],
    "return a": [],
}


def test_the_changes_are_these():
    for line, wanted in CHANGED.items():
        source = f"{HEAD}{line}\n"
        made = {one.made(source).removeprefix(HEAD).rstrip() for one in changes(source)}
        assert made == set(wanted), line
    assert changes("x = 1 / 2\n") == []
    with pytest.raises(SyntaxError):
        changes("def f(:")


@pytest.mark.parametrize("slug", NUMPY)
def test_every_solution_can_be_asked_about_and_what_is_right_is_what_comes(slug):
    exercise = EXERCISES[slug]
    asked = defend(exercise, exercise.solution, "ada")
    assert asked is not None
    assert asked.choices == (*(probe.name for probe in exercise.probes), NONE)
    report = examine_source(replace(exercise, wrong=()), asked.source)
    first = report.failed[0].probe.name if report.failed else NONE
    assert asked.right == first
    lines = exercise.solution.split("\n")
    there = "\n".join(lines[asked.line - 1 :])
    assert there.startswith(asked.before)
    assert asked.before != asked.after
    assert asked.source == exercise.solution.replace(asked.before, asked.after, 1) or (
        exercise.solution.count(asked.before) > 1
    )


def test_a_seed_gives_one_question_and_others_give_others():
    exercise = EXERCISES["self-attention"]
    asked = [defend(exercise, exercise.solution, f"student {n}") for n in range(24)]
    assert asked == [defend(exercise, exercise.solution, f"student {n}") for n in range(24)]
    assert len({one.source for one in asked}) >= 6
    assert len({one.right for one in asked}) >= 2
    kept = EXERCISES["mend-cache"]
    rights = [defend(kept, kept.solution, f"{n}").right for n in range(24)]
    assert 1 <= rights.count(NONE) <= 8


def test_what_only_some_properties_see_is_asked_about_first():
    asked = defend(FOUR, FOUR.solution, "ada")
    assert asked.what == "the largest is not subtracted"
    assert asked.right == "scores in the thousands"
    blind = replace(FOUR, probes=FOUR.probes[:1])
    assert {defend(blind, FOUR.solution, f"{n}").right for n in range(9)} == {
        FOUR.probes[0].name,
        NONE,
    }


def test_an_answer_without_such_a_place_is_not_asked_about():
    assert defend(FOUR, "def four_steps(q, k, v):\n    return q, v\n", "ada") is None
    unseen = "def unused(a):\n    return a + 1\n"
    assert changes(unseen)
    for n in range(9):
        assert defend(FOUR, f"{unseen}\n\n{PLAIN}", f"{n}") is None
