"""The conclusions of ``transformer/masks-and-cross-attention`` can come out False."""

import numpy as np
import pytest

from attention_course.claims import cheats, leaves_earlier_alone

BEFORE = np.arange(12.0).reshape(4, 3)


def moved(*rows: int) -> np.ndarray:
    after = BEFORE.copy()
    after[list(rows), 1] += 1e-12
    return after


def test_later_outputs_may_move_and_earlier_ones_not_even_in_the_last_bits():
    assert leaves_earlier_alone(BEFORE, moved(2, 3), 2)
    assert not leaves_earlier_alone(BEFORE, moved(1, 2), 2)
    assert not leaves_earlier_alone(BEFORE, moved(0), 3)


def test_an_output_that_is_not_a_number_is_not_left_alone():
    after = moved(3)
    after[0, 0] = np.nan
    assert not leaves_earlier_alone(BEFORE, after, 3)


def test_a_change_that_changes_nothing_has_tested_nothing():
    with pytest.raises(ValueError, match="after must differ somewhere, got no change"):
        leaves_earlier_alone(BEFORE, BEFORE.copy(), 2)
    with pytest.raises(ValueError, match="leaves_earlier_alone: before and after"):
        leaves_earlier_alone(BEFORE, BEFORE[:2], 2)


def test_only_a_model_that_is_right_with_the_truth_and_wrong_without_it_cheats():
    assert cheats([1.0, 0.97], [0.0, 0.1])
    assert not cheats([1.0, 0.97], [0.0, 0.3])
    assert not cheats([1.0, 0.9], [0.0, 0.0])
    assert not cheats([0.96], [0.96])


@pytest.mark.parametrize(("fed", "free"), [([], []), ([1.0], [])])
def test_cheating_needs_runs(fed, free):
    with pytest.raises(ValueError, match="cheats: fed and free must be as many"):
        cheats(fed, free)
