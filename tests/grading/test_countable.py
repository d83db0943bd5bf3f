"""An answer that could reach the counter of lines does not earn what the counter guards."""

import pytest

from attention_course.exercises import all_exercises
from attention_course.exercises.oddities import oddities
from course_grader.marking.line_counts import uncountable

COUNTED = [e for e in all_exercises().values() if any(p.vectorised for p in e.probes)]


@pytest.mark.parametrize(
    ("source", "reach"),
    [
        ("import sys\nsys", "sys"),
        ("from numpy import linalg as t\nt.sys", "sys"),
        ("np.testing.runstring('x', {})", "runstring"),
        ("np.load(f, allow_pickle=True)", "load"),
        ("import typing\ntyping.get_type_hints", "get_type_hints"),
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
        ("import sys as s\nx = s.path", "sys"),
        ("import sys\nx = sys.float_info\ny = sys.path", "sys"),
        ("from os import *", "os"),
        ("import logging as x\nx.StrFormatter", "logging"),
        ("vars = vars", "vars"),
        ("if 0:\n    vars = 1\nvars(x)", "vars"),
        ("vars = 1\ndel vars\nvars(x)", "vars"),
        ("def g():\n    vars(x)\ng()\nvars = 1", "vars"),
        ("def f():\n    vars = 1\ndef g(x):\n    return vars(x)", "vars"),
        ("def f(x):\n    [0 for vars in x]\n    return vars(x)", "vars"),
        ("def f(x=lambda vars: 0):\n    return vars(x)", "vars"),
        ("def f(vars=vars):\n    return vars", "vars"),
        ("def f(vars):\n    def g(x):\n        global vars\n        vars(x)", "vars"),
        ("def f(vars):\n    class A:\n        vars = vars", "vars"),
        ("functools.update_wrapper(a, b, assigned=c)", "update_wrapper"),
        ("@functools.wraps(f, assigned=('a',))\ndef g(): pass", "wraps"),
        ("from functools import wraps as w\nw", "wraps"),
        ("dataclasses.dataclass(x)", "dataclass"),
        ("from dataclasses import dataclass as d\nd(x)", "dataclass"),
        ("from dataclasses import field", "field"),
        ("type('Q', (), {})", "type"),
        ("make = type", "type"),
        ("class M(type): pass", "type"),
        ("class A:\n    def __setattr__(self, n, v): pass", "__setattr__"),
        ("class A:\n    def __reduce_ex__(self, n): pass", "__reduce_ex__"),
        ("np.array(list(map(np.matmul, q, [k.T] * n)))", "map"),
        ("tuple(map(f, [*q]))", "map"),
        ("from functools import reduce\nreduce(f, q)", "reduce"),
        ("functools.reduce(f, q)", "reduce"),
        ("itertools.starmap(f, q)", "starmap"),
        ("np.vectorize(f)(q)", "vectorize"),
        ("\ufeffimport gc\ngc", "gc"),
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
        "from typing import Optional, Tuple\nx: Optional[Tuple] = None",
        "import typing as t\nfrom numpy.typing import NDArray\ndef f(x: t.Any) -> NDArray: ...",
        "import time, random\ntime.time()\nrandom.random()",
        "import copy, enum, logging, pathlib, string, re, sys, os",
        "import sys\nx = sys.float_info.min",
        "from sys import float_info\nx = float_info.min",
        "vars, types = 1, 2",
        "vars = 1\ndef f(x): return vars + x",
        "def f(x):\n    vars = x\n    return vars",
        "def f(map):\n    def g(x): return map @ x\n    return g(map)",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass A:\n    n: int",
        "from functools import wraps\ndef g(f):\n    @wraps(f)\n    def h(): pass",
        "q, k = map(np.asarray, (q, k))\nn, m = map(int, q.shape)",
        "np.add.reduce(x) + np.maximum.accumulate(x)[0]",
        "type(x) is int and isinstance(x, type)\ndef f(x: type[int]): ...",
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
