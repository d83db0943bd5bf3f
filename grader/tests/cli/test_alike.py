import ast
import re
from dataclasses import replace

import pytest

from attention_course.exercises import all_exercises, exercise_named
from course_grader.cli.alike import REPORT, grouped
from course_grader.cli.command import main
from course_grader.marking.code_form import form_of
from course_grader.marking.graded import Book, CodeGrade, StudentGrade
from course_grader.tables import write

FOUR = exercise_named("four-steps")
BASE = """
import numpy as np

def soft(x):
    m = x.max()
    e = np.exp(x - m)
    return e / e.sum()

def f(q, k, v):
    n = len(k)
    s = k @ q
    w = soft(s)
    c = np.zeros(v.shape[1])
    for i in range(n):
        c += w[i] * v[i]
    return w, c
"""
NAMES = {
    "np": "other", "soft": "g", "x": "scores", "m": "top", "e": "powers", "f": "f", "q": "a",
    "k": "b", "v": "c", "n": "count", "s": "z", "w": "y", "c": "total", "i": "j",
}  # fmt: skip
SAME = {
    "renamed": re.sub(r"\w+", lambda name: NAMES.get(name[0], name[0]), BASE),
    "reordered": """
from numpy import exp, zeros
def f(q: list, k, v):
    "what it does"
    c = zeros(v.shape[1])  # first
    s = k @ q
    w = soft(s)
    n: int = len(k)
    for i in range(n):
        c += w[i] * v[i]
    return (w,
            c)
def soft(x):
    m = x.max()
    e = exp(x - m)
    return e / e.sum()
""",
    "with a helper that nothing uses": BASE + "\ndef g(x):\n    return x\n",
}
OTHER = [
    ("k @ q", "q @ k"),
    ("return w, c", "return c, w"),
    ("x - m", "m - x"),
    ("c += w[i] * v[i]", "c += w[i] * k[i]"),
    ("c += w[i] * v[i]", "c = w[i] * v[i]"),
    ("range(n)", "range(1, n)"),
    ("w = soft(s)", "w = soft(soft(s))"),
    ("e.sum()", "e.sum(axis=0)"),
    ("x.max()", "x.min()"),
    ("w = soft(s)", "w = soft(s)\n    w[0] = 0"),
    ("    c = np.zeros(v.shape[1])\n", "    c = np.ones(v.shape[1])\n"),
]


@pytest.mark.parametrize("name", SAME)
def test_names_comments_and_order_do_not_count(name):
    assert form_of(BASE, "f")[0] == form_of(SAME[name], "f")[0]


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_whatever_else_differs_counts(old, new):
    assert old in BASE
    assert form_of(BASE.replace(old, new), "f")[0] != form_of(BASE, "f")[0]


def test_order_counts_where_one_statement_needs_the_other():
    first = "def f(x):\n    y = x + 1\n    x[0] = 2\n    return x, y"
    second = "def f(x):\n    x[0] = 2\n    y = x + 1\n    return x, y"
    assert form_of(first, "f")[0] != form_of(second, "f")[0]
    sort = "def f(x):\n    x.sort()\n    y = x[0]\n    return y"
    late = "def f(x):\n    y = x[0]\n    x.sort()\n    return y"
    assert form_of(sort, "f")[0] != form_of(late, "f")[0]


def test_order_counts_where_a_statement_may_leave():
    one, two = ("    if x > 1:\n        return 1\n", "    if x > 0:\n        return 2\n")
    first = f"def f(x):\n{one}{two}    return 3"
    second = f"def f(x):\n{two}{one}    return 3"
    assert form_of(first, "f")[0] != form_of(second, "f")[0]


HOSTILE = {
    "deep": "def f(x):\n    return " + "-" * 9000 + "x",
    "chain": "def f(x):\n    return x" + ".a" * 9000,
    "sum": "def f(x):\n    return " + "+".join("x" * 9000),
    "brackets": "def f(x):\n    return " + "[" * 3000 + "]" * 3000,
    "no Python": "def f(x:",
    "null": "def f(x):\n    return '\0'",
    "surrogate": "def f(x):\n    return '\ud800'",
    "huge": "def f(x):\n    return x\n" + "# x\n" * 20_000,
    "elsewhere": "g = 1",
    "itself": "f = f\ndef g(): return h()\ndef h(): return g()\ndef f(x): return g()",
}


def test_hostile_answers_break_nothing():
    answers = HOSTILE | {"ada": BASE, "bo": SAME["renamed"]}
    made, lost = grouped(_asks_for_f(), answers)
    assert [group.students for group in made] == [("ada", "bo")]
    assert {"no Python", "null", "huge", "elsewhere"} <= set(lost)


def _asks_for_f():
    return replace(FOUR, target="f")


def right_answers(exercise):
    return {"solution": exercise.solution} | {
        odd.name: exercise.source_of(odd) for odd in exercise.right
    }


SHORT = {"four-steps", "luong-scores", "kv-cache", "multi-head-attention", "repair-additive"}
EACH = [
    pytest.param(one, id=slug, marks=[] if slug in SHORT else pytest.mark.thorough)
    for slug, one in all_exercises().items()
]


@pytest.mark.parametrize("exercise", EACH)
def test_right_answers_written_in_other_ways_are_not_grouped(exercise):
    """No two right answers of the bank are one form, unless only names or order differ."""
    assert grouped(exercise, right_answers(exercise)) == ([], [])


@pytest.mark.parametrize("exercise", EACH)
def test_wrong_answers_are_not_taken_for_the_solution(exercise):
    right = form_of(exercise.solution, exercise.target)[0]
    for wrong in exercise.wrong:
        assert form_of(exercise.source_of(wrong), exercise.target)[0] != right, wrong.name


@pytest.mark.parametrize("exercise", EACH)
def test_a_copy_of_the_solution_in_other_names_is_explained_by_it(exercise):
    copy = _renamed(exercise.solution, exercise.target)
    answers = {"ada": exercise.solution, "bo": copy, "cy": exercise.stub}
    released = "\n".join([*exercise.imports, exercise.stub])
    made, lost = grouped(exercise, answers | {"di": released, "eve": f"{released}\n# ?"})
    assert not lost
    assert [(group.students, group.explained) for group in made] == [
        (("ada", "bo"), "the public solution")
    ]


@pytest.mark.parametrize(
    "name", ["four-steps:base-two+context-first", "kv-cache:keys-as-columns"]
)
def test_one_student_alone_with_our_solution_to_a_variant_is_named(name):
    varied, plain = exercise_named(name), exercise_named(name.partition(":")[0])
    answers = {"ada": varied.solution, "bo": plain.solution}
    made, _ = grouped(varied, answers)
    assert [(group.students, group.explained) for group in made] == [
        (("ada",), "the public solution")
    ]
    assert grouped(plain, answers) == ([], [])


def _renamed(source, target):
    """Return the code with other local names in functions, parsed and printed anew."""
    tree = ast.parse(source)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
        stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        stored -= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and name.id in stored:
                name.id += "_of_bo"
    return ast.unparse(tree)


def test_the_command_writes_a_report_that_only_the_teacher_sees(tmp_path, capsys):
    book = Book(tmp_path)
    lines = ("w = k @ q", "w = w - 3", "w = w * 2", "return w, w @ v")
    two = "def four_steps(q, k, v):\n    " + "\n    ".join(lines)
    texts = {"=ada": two, "bo": two.replace("w", "x"), "cy": FOUR.solution, "di": FOUR.solution}
    for student, text in texts.items():
        code = [CodeGrade("four-steps", "Four", "WRONG", 0, 5, answer=text)]
        code += [CodeGrade("gone-since", "G", "OK", 1, 1, answer="x")]
        grade = StudentGrade(student, "a", "A", "k", "WRONG", code=code)
        write(book.grade_file(student), grade.to_json())
    assert main(["alike", str(tmp_path)]) == 0
    assert "1 groups" not in (out := capsys.readouterr().out)
    assert "1 group of like answers" in out
    text = (tmp_path / REPORT).read_text()
    assert "four-steps: =ada, bo: 2 of 4 answers (5 statements)." in text
    assert "cy, di: 2 of 4 answers" in text
    assert "The same as the public solution." in text
    assert "gone-since: cy" in text
    assert main(["feedback", str(tmp_path)]) == 0
    for page in (tmp_path / "feedback").glob("*.html"):
        assert "alike" not in page.read_text()


def test_a_folder_without_grades_is_named(tmp_path, capsys):
    assert main(["alike", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
