"""The two widgets of the chapter on local and hard attention, in Python."""

import numpy as np
import pytest

from attention_course.reference.recurrent.hard import reinforce_variance
from attention_course.reference.recurrent.local import local_weights_by_loops
from attention_course.widgets import HardChoice, LocalWindow


def test_the_weights_in_the_window_are_those_of_the_loops():
    widget = LocalWindow(kind="local-p", centre=10.4, half_width=3)
    loops = local_weights_by_loops(np.array([widget.scores]), np.array([10.4]), 3)

    np.testing.assert_allclose(widget.readouts()["weights"], loops[0], rtol=1e-12)


def test_local_m_rounds_its_centre_and_has_no_gaussian():
    numbers = LocalWindow(kind="local-m", centre=4.6).readouts()

    assert (numbers["p"], numbers["first"], numbers["last"]) == (5.0, 3, 7)
    assert numbers["total"] == pytest.approx(1.0)


def test_by_default_the_window_misses_the_word_with_the_largest_weight():
    numbers = LocalWindow().readouts()

    assert numbers["weights"][numbers["global_weights"].argmax()] == 0
    assert numbers["seen"] < 0.1


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
    window, choices = LocalWindow(), HardChoice()

    assert window.fallback.count("<tr>") == 1 + len(window.words)
    assert f"{window.readouts()['seen']:.3f} of the global weight" in window.fallback
    assert f"{choices.readouts()['distance']:.3f} away" in choices.fallback
    assert choices.fallback.count("<tr>") == 1 + len(choices.scores)


@pytest.mark.parametrize(
    ("widget", "trait", "bad", "expected"),
    [
        (LocalWindow, "scores", [1.0], "3 to 16 numbers"),
        (LocalWindow, "scores", [1.0] * 5, "one for each of 14 words"),
        (LocalWindow, "words", "abc", "3 to 16 words"),
        (LocalWindow, "kind", "local-q", "one of 'global'"),
        (LocalWindow, "centre", 20, "a number from 0 to 15"),
        (LocalWindow, "half_width", 0, "a whole number from 1 to 10"),
        (HardChoice, "rewards", [1.0, 2.0], "one for each of 5 scores"),
        (HardChoice, "scores", [99, 0], "2 to 6 numbers from -10 to 10"),
        (HardChoice, "estimator", "guess", "one of 'plain'"),
        (HardChoice, "samples", 5, "a whole number from 10 to 10000"),
        (HardChoice, "tau", 0, "a number from 0.1 to 5"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(widget, trait, bad, expected):
    with pytest.raises(ValueError, match=f"{widget.__name__}: {trait} must be {expected}"):
        widget(**{trait: bad})
