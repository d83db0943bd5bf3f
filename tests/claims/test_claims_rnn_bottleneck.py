"""The interval of a few runs holds what it promises."""

import numpy as np
import pytest

from attention_course.claims import interval


def test_the_interval_holds_the_true_mean_in_95_of_100_experiments():
    rng = np.random.RandomState(0)
    mean, half = interval(rng.standard_normal((4, 20_000)))
    assert abs((np.abs(mean) <= half).mean() - 0.95) < 0.01


@pytest.mark.parametrize("runs", [1, 11])
def test_the_interval_needs_some_runs_but_not_too_many(runs):
    with pytest.raises(ValueError, match="interval: samples must be two to ten runs"):
        interval(np.ones((runs, 3)))
