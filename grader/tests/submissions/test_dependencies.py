"""What an answer uses of other cells is taken along as ``check`` saw it; nothing else is."""

import pytest

from attention_course.exercises.runner import HELPER_CELLS_MARKER, load
from course_grader.submissions.dependencies import completed, facts

ANSWER = "# EXERCISE a\ndef f(x):\n    return np.exp(x) + exp(1)"


def along(source, above=(), below=()):
    """Return an answer's cell with what it takes from the cells above it and below."""
    cells = [facts(one) for one in (*above, *below)]
    places = [*range(1, len(above) + 1), *range(len(above) + 3, len(cells) + 3)]
    return completed(source, dict(zip(places, cells, strict=True)), len(above) + 2)


def test_what_an_answer_lacks_stands_below_it_and_is_run_first():
    source, taken = along(ANSWER, ["import os\nimport numpy as np", "from math import exp, pi"])
    assert taken == ["import numpy as np", "from math import exp"]
    head, tail = source.split(HELPER_CELLS_MARKER)
    assert head.rstrip() == ANSWER
    assert tail == "\nimport numpy as np\nfrom math import exp\n"
    assert load(source, lenient=True)["f"](0.0) == pytest.approx(3.718281828)


HELPERS = """\
import numpy as np
NEG, D = -1e9, 4
SCALE: float = float("-inf") + np.sqrt(4)
class Box: pass
@staticmethod
def root(x):
    return x ** POWER
half = lambda x: x / 2; POWER = 0.5  # ä
"""


def test_functions_classes_and_constants_are_taken_with_what_they_need():
    source, taken = along("def f(x=SCALE): return root(half(x)), Box", [HELPERS])
    names = ["SCALE", "Box", "root", "half", "POWER"]
    assert taken == ["import numpy as np", *(f"{name} (cell 1)" for name in names)]
    assert "@staticmethod\ndef root(x):\n    return x ** POWER\nhalf" in source
    assert load(source, lenient=True)["f"](8)[0] == 2.0


@pytest.mark.parametrize(
    ("above", "below", "value"),
    [
        (["A = 1", "A = 2"], ["A = 3"], 2),
        (["A = 1; A = 2"], [], 2),
        (["def g(): return 1\nh = g\ndef g(): return h() + 1\nA = g()"], [], 2),
        (["A = 1\nA += 1\nA = 3"], [], 3),
        ([], ["A = 3"], 3),
        ([], ["A = 3", "A = 3"], 3),
        (["A = 1", "def A():\n    raise NotImplementedError"], [], 1),
        ([], ["A = 3", "A = 4"], None),
        (["A = 1", "A += 1"], [], None),
        (["A = 1\nfor A in range(3): pass"], [], None),
        (["A = 1\n[A for A in range(3)]\nx = [A for A in ()]"], [], 1),
        (["A = 1\nx = {A for A in ()}, {A: A for A in [[A for A in ()]]}"], [], 1),
        (["if True:\n    A = 1"], [], None),
        (["A, B = 1, 2"], [], None),
        (["A = (1, 2)", "A[0] = 3"], [], None),
        (["A = [1]"], [], None),
        (["A = np.random.rand(3)"], [], None),
        (["A = 1", "del A"], [], None),
        (["A = 1 ("], [], None),
        (["def g():\n    A = 1"], [], None),
    ],
)
def test_the_last_definition_above_the_check_counts_and_nothing_that_is_unclear(
    above, below, value
):
    source, taken = along("def f(): return A", above, below)
    assert bool(taken) == (value is not None)
    if taken:
        assert load(source, lenient=True)["f"]() == value


def test_an_f_string_that_python_311_cannot_write_again_hides_no_name():
    completed, taken = along("def f(): return A, f\"{'\u00a0'.strip()}\"", ["A = 1"], [])
    assert taken
    assert load(completed, lenient=True)["f"]() == (1, "")


def test_what_python_has_itself_is_taken_from_above_only():
    used = "def f(x): return sum(x)"
    assert along(used, [], ["sum = 3"]) == (used, [])
    assert along(used, ["def sum(x): return 3"])[1] == ["sum (cell 1)"]


@pytest.mark.parametrize(
    ("source", "other"),
    [
        (ANSWER, "from .math import exp"),
        (ANSWER, "import numpy as np ("),
        ("# EXERCISE a\nimport numpy as np\ndef f(x): return np.exp(x)", "import numpy as np"),
        ("# EXERCISE a\ndef f(np): return np", "import numpy as np"),
        ("# EXERCISE a\ndef f(x): return (", "import numpy as np"),
    ],
)
def test_nothing_else_is_taken_along(source, other):
    assert along(source, [other]) == (source, [])


@pytest.mark.parametrize(
    "other",
    [
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None",
        "if True:\n    import numpy as np",
    ],
)
def test_an_import_in_a_block_of_another_cell_is_taken_along(other):
    assert along(ANSWER, [other])[1] == ["import numpy as np"]


def test_what_another_function_calls_so_gives_an_answer_nothing():
    source = f"{ANSWER}\ndef g(np):\n    exp = np\n    return exp\n"
    taken = along(source, ["import numpy as np\nfrom math import exp"])[1]
    assert taken == ["import numpy as np", "from math import exp"]


@pytest.mark.parametrize("before", ["", '"""What it does."""\n', "\n"])
@pytest.mark.parametrize("more", ["", "; y = 1", "  # ä"])
def test_imports_from_the_future_stay_in_front(before, more):
    head = f"# EXERCISE a ä\n{before}from __future__ import annotations{more}\n"
    answer = head + ANSWER.replace("(x)", "(x: nowhere)", 1)
    source, taken = along(answer, ["import numpy as np\nfrom math import exp"])
    assert len(taken) == 2
    assert load(source, lenient=True)["f"](0) > 3


def test_many_definitions_are_taken_at_once():
    """Else a cell of 6,000 holds the grader for a minute."""
    names = [f"x{i}" for i in range(3000)]
    cell = "; ".join(f"{name} = 1" for name in names)
    source, taken = along(f"def f(): return [{', '.join(names)}]", [cell])
    assert len(taken) == 3000
    assert sum(load(source, lenient=True)["f"]()) == 3000
