"""How a test knows a recorded run again: by the first losses of its training."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from attention_course.measure import recorded

RTOL = 1e-3  # another machine's rounding is far below, another seed far above


def the_run(name: str, **which: Any) -> dict[str, Any]:
    """Return the one run of a record that has these settings."""
    (found,) = (run for run in recorded(name)[0] if which.items() <= run.items())
    return found


def assert_same_steps(again: Sequence[float], stored: Sequence[float]) -> None:
    """Fail unless the first losses of two trainings agree."""
    np.testing.assert_allclose(again, stored, rtol=RTOL)


def assert_told_apart(trainings: Sequence[Sequence[float]]) -> None:
    """Fail if one training would pass for another, or there is only one."""
    assert len(trainings) > 1
    for one, other in combinations(trainings, 2):
        assert not np.allclose(one, other, rtol=RTOL), (one, other)
