"""Score functions."""

import math

import numpy as np
import pytest
from checks import close, draws
from checks_attention import ADDITIVE, DOT, SCALED

from attention_course.reference import additive_scores, dot_scores, scaled_dot_scores


@pytest.mark.parametrize("check", DOT.values(), ids=DOT)
def test_dot_scores(check):
    check(dot_scores)


@pytest.mark.parametrize("check", SCALED.values(), ids=SCALED)
def test_scaled_dot_scores(check):
    check(scaled_dot_scores)


@pytest.mark.parametrize("check", ADDITIVE.values(), ids=ADDITIVE)
def test_additive_scores(check):
    check(additive_scores)


def test_a_query_along_its_key_scores_the_product_of_their_lengths():
    close(
        dot_scores(np.array([[3.0, 4.0]]), np.array([[6.0, 8.0], [-4.0, 3.0]])), [[50.0, 0.0]]
    )


def test_one_additive_score_by_hand():
    one = np.array([[1.0]])
    close(additive_scores(one, one, one, 2 * one, np.array([5.0])), [[5 * math.tanh(3.0)]])


@pytest.mark.parametrize("batch", [(), (2,), (2, 7)])
def test_batch_axes_stay_in_front(batch):
    q, k = draws(0, (*batch, 5, 4), (*batch, 3, 4))
    assert scaled_dot_scores(q, k).shape == (*batch, 5, 3)


@pytest.mark.usefixtures("untyped")
@pytest.mark.parametrize("scale", [0, 0.0, -1.0, 3, np.float32(0.5), np.int64(2)])
def test_any_finite_number_is_a_scale(scale):
    q, k = draws(0, (5, 4), (3, 4), dtype=np.float32)
    scores = scaled_dot_scores(q, k, scale)
    assert scores.dtype == np.float32
    close(scores, float(scale) * (q @ k.T), 1e-6)


def test_float16_dot_products_overflow_and_say_so():
    large = np.full((1, 64), 100.0, dtype=np.float16)
    with pytest.warns(RuntimeWarning, match="overflow"):
        scores = dot_scores(large, large)
    assert np.isposinf(scores).all()
