"""A question about one change in an answer: exact, a seed's own, and right when it is run."""

import json
import linecache

import pytest
from questions import differ, measured

from attention_course.exercises import all_exercises, bank, examine_source, in_page
from attention_course.exercises.defend import (
    TOO_ALIKE,
    defend,
    question_of,
    question_text,
    whose,
)
from attention_course.exercises.examples import own_exercise
from attention_course.exercises.one_change import LONGEST, MOST, drawn
from attention_course.site.offline import public_sets

EXERCISES = all_exercises()
FOUR = EXERCISES["four-steps"]
# A right answer without such a place.
PLAIN = """import numpy as np


def four_steps(q, k, v):
    scores = k.dot(q)
    exps = np.e ** scores.__sub__(sorted(scores).pop())
    weights = exps.__truediv__(np.add.reduce(exps))
    return tuple([weights, weights.dot(v)])
"""
HEAD = "def f(a, b):\n    "
# What stands in an answer, and what may stand there instead.
CHANGED = {
    "return a / np.sqrt(b)": ["return a", "return a * np.sqrt(b)", "return a / b"],
    "return a * b": ["return a", "return a / b"],
    "é = (a + b) / b; return é": [
        *("é = a + b; return é", "é = (a) / b; return é"),
        *("é = (a - b) / b; return é", "é = (a + b) * b; return é"),
    ],
    "return a - a.max()": ["return a", "return a + a.max()", "return a - a.min()"],
    "return a @ b": ["return b @ a"],
    "return a @ b.T": ["return a @ b", "return b.T @ a"],
    "return a.mean(axis=-1)": ["return a.mean(axis=-2)"],
    "return a.mean(axis=b)": [],
    "return a.mean(keepdims=True)": ["return a.mean(keepdims=False)"],
    "return a.swapaxes(*b)": [],
    "return np.where(a, b, c)": ["return np.where(a, c, b)"],
    "return g(a, b)": ["return g(b, a)"],
    "return ~a": ["return a"],
    "return -a": ["return a"],
    "return a < b": ["return a <= b", "return a >= b"],
    "return (a == b)": ["return (a != b)"],
    "return a and b": ["return a or b"],
    "return a if b else c": ["return a if not b else c"],
    "return a[2:b]": ["return a[3:b]", "return a[:b]", "return a[2:]"],
    "a += b": ["a = b"],
    "return a, b": ["return b, a"],
    "return a < b < c": [],
    "raise ValueError(a + b)": [],
    "while a < b: c = a - b": [],
    'return f"{a + b}"': [],
}
HELPED = """import numpy as np


def shifted(x):
    return np.exp(x - x.max())


class Weights:
    def of(self, exps):
        return exps / exps.sum()


def _impl(q, k, v):
    weights = Weights().of(shifted(k @ q))
    return weights, weights @ v


"""


def test_the_changes_are_these():
    for line, wanted in CHANGED.items():
        source = f"{HEAD}{line}\n"
        made = {one.made(source).removeprefix(HEAD).rstrip() for one in drawn(source, "f", "")}
        assert made == set(wanted), line
    assert drawn("x = 1 / 2\n", "f", "") == []
    many = HEAD + "a = a + b\n    " * 99
    assert len(drawn(many, "f", "")) == MOST


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(:", "no Python"),
        ("def f():\n    return " + "-" * 2900 + "1", "nested too deeply"),
        ("#" * LONGEST + "\nf = 1", "longer than"),
        ("def f():\n    return g()\n\n\ndef g():\n    exec('1')", "exec runs code"),
        ("f = '\0'", "no Python"),
        ("f = '\udcff'", "no Python"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused_in_words(source, words):
    with pytest.raises(ValueError, match=words):
        drawn(source, "f", "ada")
    assert (
        words in question_of(FOUR, source.replace("f(", "four_steps("), "ada")
        or "f = " in source
    )


def test_what_is_right_is_what_comes():
    exercise = EXERCISES["scaled-dot-product-attention"]
    for name in ("ada", "ben", "cem"):
        asked = question_of(exercise, exercise.solution, name)
        assert 3 <= len(asked.choices) <= 6
        assert asked.right in asked.choices
        small = [probe.name for probe in exercise.probes if not probe.large]
        failed = [one.probe.name for one in examine_source(exercise, asked.source).failed]
        failed = [one for one in failed if one in small]
        if asked.right.startswith("only"):
            assert asked.right == f"only {', '.join(f'“{one}”' for one in failed)}"
        else:
            held = [f"“{one}”" for one in small if one not in failed]
            all_but = f"all but {', '.join(held)}" if held else f"all {len(small)}"
            assert asked.right == all_but
        assert f"“{failed[0]}”: " in asked.why
        lines = exercise.solution.split("\n")
        first = next(n for n, one in enumerate(lines) if one.startswith(f"def {asked.where}("))
        there = "\n".join(lines[first + asked.line - 1 :])
        assert there.startswith(asked.before)
        assert asked.before != asked.after


def test_a_name_gives_one_question_however_it_is_written_and_others_give_others():
    exercise = EXERCISES["self-attention"]
    asked = [question_of(exercise, exercise.solution, f"student {n}") for n in range(12)]
    assert asked[3] == question_of(exercise, exercise.solution, "3_STUDENT")
    assert len({one.source for one in asked}) >= 6
    assert len({one.right for one in asked}) >= 3
    assert whose(" Émile  Twice_20 ") == whose("20-twice, émile") != whose("emile twice")


@pytest.mark.parametrize("slug", ["four-steps", "mask-of-a-batch", "prefix-tree"])
def test_questions_for_points_differ_between_neighbours(slug):
    assert differ(*measured(EXERCISES[slug]))
    assert slug not in TOO_ALIKE


@pytest.mark.parametrize("slug", ["window-mask", "delta-rule", "stable-softmax"])
def test_where_they_do_not_they_are_not_for_points(slug):
    assert not differ(*measured(EXERCISES[slug]))
    assert slug in TOO_ALIKE
    assert set(EXERCISES) > TOO_ALIKE


@pytest.mark.parametrize(
    "ends",
    [
        "four_steps = _impl\n",
        "def four_steps(*a):\n    return _impl(*a)\n",
        "four_steps = lambda *a: _impl(*a)\n",
        "same = _impl\nfour_steps = same\n",
    ],
)
def test_who_only_calls_helpers_is_asked_about_them(ends):
    asked = [question_of(FOUR, HELPED + ends, f"{n}") for n in range(12)]
    assert {one.where for one in asked} == {"shifted", "Weights", "_impl"}
    assert all(one.source != HELPED + ends for one in asked)


def test_an_answer_without_such_a_place_is_not_asked_about():
    none = "no change that was tried fails a property"
    assert question_of(FOUR, "def four_steps(q, k, v):\n    return q, v\n", "ada") != none
    unseen = "def four_steps(q, k, v):\n    q + q\n    q * q\n    q - q\n"
    idle = unseen + PLAIN.split("v):\n")[1]
    assert len(drawn(idle, "four_steps", "")) >= 6
    assert question_of(FOUR, f"import numpy as np\n\n\n{idle}", "ada") == none
    few = PLAIN.replace("k.dot(q)", "k @ q")
    assert "fewer than 3 outcomes" in question_of(FOUR, few, "ada")


def test_changed_answers_that_do_not_end_are_given_up():
    runs = []

    def examined(exercise, source):
        runs.append(source)

    assert "no change" in question_of(FOUR, FOUR.solution, "ada", examined)
    assert len(runs) == 2


def cell(source, name="<cell 7>", space=None):
    """What a cell of a notebook defines."""
    space = {"__name__": "__main__"} if space is None else space
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), space)
    return space.get("four_steps")


def test_in_a_notebook_the_same_is_asked_and_for_points_nothing_is_told(capsys):
    source = f"# EXERCISE four-steps\nimport numpy as np\n\n\n{FOUR.solution}"
    asked = question_of(FOUR, source, "ada")
    for number, one in enumerate(asked.choices, start=1):
        defend(cell(source), "four-steps", " Ada ", number)
        text = capsys.readouterr().out
        assert text == f"{question_text(FOUR, asked)}\nYour choice: {number}, {one}.\n"
        assert f"  - {asked.before}\n  + {asked.after}\n" in text
    defend(cell(FOUR.source_of(FOUR.wrong[0])), "four-steps", "ada")
    assert capsys.readouterr().out == (
        "four-steps: there is something to defend once check finds it right.\n"
    )
    defend(cell(PLAIN.replace("k.dot(q)", "k @ q")), "four-steps", "ada")
    assert "nothing is asked" in capsys.readouterr().out


def test_without_a_name_it_is_practice_and_says_what_is_right_and_why(capsys):
    source = f"import numpy as np\n\n\n{FOUR.solution}"
    asked = question_of(FOUR, source, "")
    right = asked.choices.index(asked.right) + 1
    defend(cell(source), "four-steps", choice=right)
    assert f"Right. {asked.why}.\nThis is practice" in capsys.readouterr().out
    defend(cell(source), "four-steps", choice=right % len(asked.choices) + 1)
    assert f"It is: {asked.right}. {asked.why}.\n" in capsys.readouterr().out


def test_a_helper_in_another_cell_is_asked_about_as_where_it_is_graded(capsys):
    ends, space = "def four_steps(*a):\n    return _impl(*a)\n", {"__name__": "__main__"}
    cell(HELPED, "<cell 5>", space)
    answer = cell(ends, "<cell 7>", space)
    along = question_of(FOUR, HELPED + ends, "ada")
    defend(answer, "four-steps", "ada")
    assert question_text(FOUR, along) in capsys.readouterr().out


def test_no_such_choice_and_no_code_are_refused():
    with pytest.raises(ValueError, match="choice must be from 1 to"):
        defend(cell(f"import numpy as np\n{FOUR.solution}"), "four-steps", "ada", 99)
    with pytest.raises(ValueError, match="must be there to be read"):
        defend(eval("lambda q, k, v: q"), "four-steps", "ada")


def test_a_page_runs_the_changed_answer_with_the_inputs_it_asked_about(monkeypatch):
    monkeypatch.setattr(bank, "_OWN", {})
    sets = public_sets(FOUR)  # with the second, weights that do not sum to 1 pass a property
    monkeypatch.setitem(in_page._SETS, FOUR.slug, sets)
    monkeypatch.setitem(in_page.ASKED, FOUR.slug, own_exercise(sets[0]))
    firsts = set()
    for attempt in (1, 2):
        for seed in range(12):
            asked: list[str] = []
            in_page.defended(FOUR.solution, FOUR.slug, f"{seed}", asked.append, attempt)
            question, said = json.loads("".join(asked)), []
            in_page.run(question["source"], FOUR.slug, True, said.append, attempt)
            first = "".join(said).partition("  ×")[2].partition("\n")[0].strip()
            assert f"With the inputs of “{first}”" in question["why"]
            firsts.add((attempt, first))
    assert len(firsts) > 4
