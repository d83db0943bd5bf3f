"""A question about one change in an answer: exact, a seed's own, and right when it is run."""

import linecache
from dataclasses import replace

import pytest

from attention_course.exercises import all_exercises, examine_source
from attention_course.exercises.defend import NONE, changes, defend, question_of

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
        made = {one.made(source).removeprefix(HEAD).rstrip() for one in changes(source, "f")}
        assert made == set(wanted), line
    assert changes("x = 1 / 2\n", "f") == []
    with pytest.raises(SyntaxError):
        changes("def f(:", "f")


@pytest.mark.parametrize("slug", NUMPY)
def test_every_solution_can_be_asked_about_and_what_is_right_is_what_comes(slug):
    exercise = EXERCISES[slug]
    asked = question_of(exercise, exercise.solution, "ada")
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
    asked = [question_of(exercise, exercise.solution, f"student {n}") for n in range(24)]
    assert asked == [
        question_of(exercise, exercise.solution, f"student {n}") for n in range(24)
    ]
    assert len({one.source for one in asked}) >= 6
    assert len({one.right for one in asked}) >= 2
    kept = EXERCISES["mend-cache"]
    rights = [question_of(kept, kept.solution, f"{n}").right for n in range(24)]
    assert 1 <= rights.count(NONE) <= 8


def test_what_only_some_properties_see_is_asked_about_first():
    asked = question_of(FOUR, FOUR.solution, "ada")
    assert asked.what == "the largest is not subtracted"
    assert asked.right == "scores in the thousands"
    blind = replace(FOUR, probes=FOUR.probes[:1])
    assert {question_of(blind, FOUR.solution, f"{n}").right for n in range(9)} == {
        FOUR.probes[0].name,
        NONE,
    }


def test_an_answer_without_such_a_place_is_not_asked_about():
    assert question_of(FOUR, "def four_steps(q, k, v):\n    return q, v\n", "ada") is None
    unseen = "def unused(a):\n    return a + 1\n"
    assert changes(unseen, "unused")
    for n in range(9):
        assert question_of(FOUR, f"{unseen}\n\n{PLAIN}", f"{n}") is None


def cell(source):
    """What a cell of a notebook defines."""
    name, space = "<cell 7>", {}
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), space)
    return space["four_steps"]


def test_in_a_notebook_the_same_is_asked_and_the_choice_is_not_judged(capsys):
    source = f"# EXERCISE four-steps\nimport numpy as np\n\n\n{FOUR.solution}"
    defend(cell(source), "four-steps", " ada ", 4)
    said = capsys.readouterr().out
    asked = question_of(FOUR, source, "ada")
    assert f"  - {asked.before}\n  + {asked.after}\n" in said
    assert [line[6:] for line in said.splitlines() if line[:6].strip().isdigit()] == [
        *asked.choices
    ]
    assert said.endswith(f"Your choice: 4, {asked.choices[3]}.\n")
    defend(cell(FOUR.source_of(FOUR.wrong[0])), "four-steps", "ada")
    assert capsys.readouterr().out == (
        "four-steps: there is something to defend once check finds it right.\n"
    )
    defend(cell(PLAIN), "four-steps", "ada")
    assert "nothing is asked" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("me", "choice", "words"),
    [("  ", 0, "me must be"), ("ada", 99, "choice must be from 1 to 7")],
)
def test_a_defence_without_a_name_or_with_no_such_choice_is_refused(me, choice, words):
    with pytest.raises(ValueError, match=words):
        defend(cell(FOUR.solution), "four-steps", me, choice)
    with pytest.raises(ValueError, match="must be there to be read"):
        defend(eval("lambda q, k, v: q"), "four-steps", "ada")
