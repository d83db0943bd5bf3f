"""± is half the range of runs that are named, and the runs are as many as is said."""

import numpy as np
import pytest
import torch

from attention_course.page import spread


@pytest.mark.parametrize(
    ("values", "runs", "more", "written"),
    [
        ([0.96, 0.98, 0.97], "three seeds", {}, "0.97 ± 0.01"),
        (np.array([1.0, 3.0]), "two runs", {"digits": 0}, "2 ± 1"),
        (torch.tensor([0.5, 0.5]), "2 seeds", {"digits": 1}, "0.5 ± 0.0"),
        ([-1, -2, -6, -3], "Four recorded seeds", {"digits": 1}, "-3.0 ± 2.5"),
    ],
)
def test_it_writes_the_mean_and_half_the_range(values, runs, more, written):
    found = spread(values, runs, **more)
    assert found == written
    assert found.head == f"± half the range of {runs}"
    assert f"{found:>14}|" == f"{written.rjust(14)}|"


@pytest.mark.parametrize(
    ("arguments", "more", "words"),
    [
        (([0.5], "one seed"), {}, "values must be at least two finite numbers"),
        (([0.5, np.nan], "two seeds"), {}, "values must be at least two finite numbers"),
        ((["a", "b"], "two seeds"), {}, "values must be a number"),
        (([1, 2, 3], "five seeds"), {}, "how many they are, 3, got 'five seeds'"),
        (([1, 2, 3], "seeds"), {}, "runs must be a text that begins with how many"),
        (([1, 2, 3], "three"), {}, "runs must be"),
        (([1, 2, 3], 3), {}, "runs must be"),
        (([1, 2], "two runs"), {"digits": 0.5}, "digits must be a whole number"),
    ],
)
def test_the_rest_is_refused(arguments, more, words):
    with pytest.raises(ValueError, match=f"spread: .*{words}"):
        spread(*arguments, **more)
