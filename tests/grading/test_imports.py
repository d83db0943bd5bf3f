"""An honest import in another cell costs nothing; nothing else is taken along."""

import pytest

from course_grader.submissions.imports import _Places, completed, facts, given, without_calls

ANSWER = "# EXERCISE a\ndef f(x):\n    return np.exp(x) + exp(1)"


def test_the_imports_that_an_answer_lacks_stand_in_its_first_line():
    source, lines = completed(
        ANSWER, given(map(facts, ["import os\nimport numpy as np", "from math import exp, pi"]))
    )
    assert lines == ["import numpy as np", "from math import exp"]
    assert source.split("\n")[0] == "import numpy as np; from math import exp  # EXERCISE a"
    assert source.split("\n")[1:] == ANSWER.split("\n")[1:]
    defined = {}
    exec(source, defined)
    assert defined["f"](0.0) == pytest.approx(3.718281828)


@pytest.mark.parametrize(
    ("source", "other"),
    [
        (ANSWER, "np = 3"),
        (ANSWER, "import os as np"),
        (ANSWER, "def exp(x): return x"),
        (ANSWER, "from .math import exp"),
        (ANSWER, "import numpy as np ("),
        ("# EXERCISE a\nimport numpy as np\ndef f(x): return np.exp(x)", "import numpy as np"),
        ("# EXERCISE a\ndef f(np): return np", "import numpy as np"),
        ("# EXERCISE a\ndef f(x): return (", "import numpy as np"),
    ],
)
def test_nothing_else_is_taken_along(source, other):
    assert completed(source, given([facts(other)])) == (source, [])


def test_an_answer_without_its_first_line_gets_one_in_front():
    source, _ = completed("def f(x): return np.exp(x)", given([facts("import numpy as np")]))
    assert source == "import numpy as np\ndef f(x): return np.exp(x)"


@pytest.mark.parametrize(
    "other",
    [
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None",
        "if True:\n    import numpy as np",
    ],
)
def test_an_import_in_a_block_of_another_cell_is_taken_along(other):
    assert completed(ANSWER, given([facts(other)]))[1] == ["import numpy as np"]


def test_what_another_function_calls_so_gives_an_answer_nothing():
    source = f"{ANSWER}\ndef g(np):\n    exp = np\n    return exp\n"
    lines = completed(source, given([facts("import numpy as np\nfrom math import exp")]))[1]
    assert lines == ["import numpy as np", "from math import exp"]


@pytest.mark.parametrize("before", ["", '"""What it does."""\n', "\n"])
@pytest.mark.parametrize("more", ["", "; y = 1", "  # ä"])
def test_an_import_is_put_behind_those_from_the_future(before, more):
    head = f"# EXERCISE a ä\n{before}from __future__ import annotations{more}\n"
    source, lines = completed(head + ANSWER, given([facts("import numpy as np")]))
    assert lines == ["import numpy as np"]
    assert f"annotations; import numpy as np{more}\n" in source
    compile(source, "answer", "exec")
    assert source.count("\n") == (head + ANSWER).count("\n")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("check(f)", ["check"]),
        ("hint('a')", ["hint"]),
        ("check(\n    f,\n)  # once more", ["check"]),
        ("display(1); ä = 'ä'; check(f); y = 2", ["display", "check"]),
        ("from attention_course.exercises import check as c\nc(f)", None),
        ("import matplotlib.pyplot as plt, math\nplt.plot([1])\nplt.show()", None),
    ],
)
def test_what_only_a_notebook_knows_is_left_out_and_no_line_moves(line, left):
    answer = f"{ANSWER}\n{line}\nlast = 1 / 0"
    source, names = without_calls(answer)
    assert names == left if left else len(names) > 1
    assert source.split("\n")[:3] == ANSWER.split("\n")
    with pytest.raises(ZeroDivisionError) as error:
        exec(compile(source, "answer", "exec"), {"np": None, "exp": None})
    assert error.traceback[-1].lineno + 1 == answer.count("\n") + 1
    assert ("y = 2" in source) == ("y = 2" in line)


def test_many_calls_are_left_out_with_one_look_at_the_lines(monkeypatch):
    """Else a cell of 6,000 calls holds the grader for a minute."""
    looks = []
    begun = _Places.__init__
    monkeypatch.setattr(
        _Places, "__init__", lambda self, source: looks.append(1) or begun(self, source)
    )
    source, names = without_calls("check()\n" * 6000 + "ä = 'ä'; check(); y = 1\f\n")
    assert source == "()\n" * 6000 + "ä = 'ä'; (); y = 1\f\n"
    assert names == ["check"]
    assert len(looks) == 1


@pytest.mark.parametrize(
    "source",
    [
        "def check(x):\n    return x\ncheck(1)",
        "def f(x):\n    check(x)\n    return x",
        "if True:\n    display(1)",
        "y = check(1)",
        "print(1)",
        "check(",
    ],
)
def test_other_calls_are_let_be(source):
    assert without_calls(source) == (source, [])


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("import torch", "()"),
        ("import torch as t, numpy as np", "import numpy as np"),
        ("from torch import nn", "()"),
        ("import scipy.special", "()"),
        ("import sys, os", "import sys, os"),
        ("import scipy", "import scipy"),
        ("from torch import *", "from torch import *"),
        ("from . import torch", "from . import torch"),
    ],
)
def test_an_import_that_nothing_uses_is_left_out_if_it_may_not_be_there(line, kept):
    rest = "\nx = scipy\n" if kept == "import scipy" else "\nx = np\n"
    assert without_calls(line + rest)[0] == kept + rest
