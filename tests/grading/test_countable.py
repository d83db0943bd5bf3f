"""An answer that could reach the counter of lines does not earn what the counter guards."""

import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.oddities import oddities
from attention_course.grading.countable import uncountable

COUNTED = [e for e in all_exercises().values() if any(p.vectorised for p in e.probes)]


@pytest.mark.parametrize(
    ("source", "reach"),
    [
        ("import sys", "sys"),
        ("from numpy import linalg as t\nt.sys", "sys"),
        ("np.testing.runstring('x', {})", "runstring"),
        ("np.load(f, allow_pickle=True)", "load"),
        ("import typing", "typing"),
        ("match np:\n    case object(testing=t): pass", "testing"),
        ("import numpy._core.x", "numpy._core.x"),
        ("from numpy._core import x", "numpy._core"),
        ("from dataclasses import sys", "sys"),
        ("from . import x", "."),
        ("f = getattr", "getattr"),
        ("x = __builtins__", "__builtins__"),
        ("def f(q): return q.__class__", "__class__"),
        ("def f(q): return f.__globals__", "__globals__"),
        ("class A:\n    def f(self): return self.__dict__", "__dict__"),
        ("def f(e): return e.tb_frame", "tb_frame"),
        ("from operator import attrgetter", "attrgetter"),
        ("import functools\nfunctools._lru_cache_wrapper", "_lru_cache_wrapper"),
        ("\ufeffimport gc", "gc"),
    ],
)
def test_what_could_reach_the_counter_is_named(source, reach):
    assert uncountable(source) == reach


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\nfrom math import exp\nimport torch.nn.functional as F",
        "class A:\n    def __init__(self):\n        super().__init__()\n        self._k = 1",
        'if __name__ == "__main__":\n    print(1)',
        "x = (",
        "α = 1",
    ],
)
def test_what_computes_is_let_through(source):
    assert uncountable(source) == ""


def test_some_exercises_count_lines():
    assert COUNTED


@pytest.mark.parametrize("exercise", COUNTED, ids=[e.slug for e in COUNTED])
def test_no_right_answer_is_suspected_however_odd(exercise):
    right = [exercise.solution, *map(exercise.source_of, exercise.odd)]
    right += oddities(exercise).values()
    right += [exercise.varied(variant.name).solution for variant in exercise.variants]
    assert [uncountable(source) for source in right] == [""] * len(right)
