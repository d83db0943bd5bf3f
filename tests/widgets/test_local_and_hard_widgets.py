"""The two widgets of the chapter on local and hard attention, in Python."""

import numpy as np
import pytest

from attention_course.reference.recurrent.hard import reinforce_variance
from attention_course.reference.recurrent.local import local_weights_by_loops
from attention_course.widgets import HardChoice, LocalWindow


def test_the_mean_square_error_is_the_variance_that_the_formula_gives():
    widget = HardChoice(samples=10_000, shift=10.0)
    numbers = widget.readouts()
    rewards = np.array(widget.rewards) + 10

    formula = reinforce_variance(numbers["weights"], rewards)
    assert numbers["error"] == pytest.approx(float(formula), rel=0.1)


def test_a_shift_spoils_only_the_estimate_without_baseline():
    errors = {
        (estimator, shift): HardChoice(
            estimator=estimator, shift=shift, samples=3000
        ).readouts()["error"]
        for estimator in ("plain", "best baseline", "straight-through")
        for shift in (0.0, 10.0)
    }

    assert errors["plain", 10.0] > 5 * errors["plain", 0.0]
    for estimator in ("best baseline", "straight-through"):
        assert errors[estimator, 10.0] == pytest.approx(errors[estimator, 0.0], rel=1e-6)


def test_the_fallbacks_say_what_is_shown():
    choices = HardChoice()
    assert f"{choices.readouts()['distance']:.3f} away" in choices.fallback
    assert choices.fallback.count("<tr>") == 1 + len(choices.scores)
