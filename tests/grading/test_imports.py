"""An honest import in another cell costs nothing; nothing else is taken along."""

import pytest

from attention_course.grading.imports import completed

ANSWER = "# EXERCISE a\ndef f(x):\n    return np.exp(x) + exp(1)"


def test_the_imports_that_an_answer_lacks_stand_in_its_first_line():
    source, lines = completed(
        ANSWER, ["import os\nimport numpy as np", "from math import exp, pi"]
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
    assert completed(source, [other]) == (source, [])


def test_an_answer_without_its_first_line_gets_one_in_front():
    source, _ = completed("def f(x): return np.exp(x)", ["import numpy as np"])
    assert source == "import numpy as np\ndef f(x): return np.exp(x)"
