"""Softmax, its Jacobian and its entropy: tables, edges, and every check of checks_softmax."""

import math

import numpy as np
import pytest
from checks import close
from checks_softmax import ENTROPY, JACOBIAN, SOFTMAX

from attention_course.reference import entropy, softmax, softmax_jacobian

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("check", SOFTMAX.values(), ids=SOFTMAX)
def test_softmax(check):
    check(softmax)


@pytest.mark.parametrize("check", JACOBIAN.values(), ids=JACOBIAN)
def test_softmax_jacobian(check):
    check(softmax_jacobian)


@pytest.mark.parametrize("check", ENTROPY.values(), ids=ENTROPY)
def test_entropy(check):
    check(entropy)


@pytest.mark.parametrize(
    ("scores", "weights"),
    [
        ([5.0], [1.0]),
        ([0.0, 0.0], [1 / 2, 1 / 2]),
        ([0.0, math.log(3)], [1 / 4, 3 / 4]),
        ([math.log(k) for k in (1, 2, 3, 4)], [0.1, 0.2, 0.3, 0.4]),
        ([0.0, 1.0], [1 / (1 + math.e), math.e / (1 + math.e)]),
        ([-1e300, -1e300], [1 / 2, 1 / 2]),
        ([1e300, -1e300], [1.0, 0.0]),
        ([0.0, -800.0], [1.0, 0.0]),
    ],
)
def test_softmax_of_a_known_row(scores, weights):
    close(softmax(np.array(scores)), weights)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_largest_numbers_of_a_format_do_not_overflow(dtype):
    huge = np.finfo(dtype).max
    close(softmax(np.array([huge, -huge, huge], dtype)), [0.5, 0.0, 0.5])


def test_a_score_of_minus_infinity_counts_as_masked():
    close(softmax(np.array([[0.0, -INF, 0.0], [-INF] * 3])), [[0.5, 0.0, 0.5], [0.0] * 3])


@pytest.mark.parametrize("bad", [INF, NAN])
def test_infinity_and_nan_spoil_their_row_and_no_other(bad):
    p = softmax(np.array([[1.0, bad, -INF], [0.0, 0.0, -INF]]))
    assert np.isnan(p[0]).all()
    close(p[1], [0.5, 0.5, 0.0])


@pytest.mark.parametrize("bad", [INF, NAN, 1e300])
def test_a_masked_score_may_be_anything(bad):
    close(softmax(np.array([0.0, bad, 0.0]), mask=np.array([True, False, True])), [0.5, 0, 0.5])


@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (1, 4), (3, 4)])
def test_a_mask_broadcasts(shape):
    x = np.arange(24.0).reshape(2, 3, 4)
    mask = np.random.RandomState(0).random_sample(shape) < 0.5
    close(softmax(x, mask=np.asarray(mask)), softmax(x, mask=np.broadcast_to(mask, x.shape)), 0)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_the_mask_goes_with_any_axis(axis):
    x = np.random.RandomState(1).standard_normal((2, 3, 4))
    mask = np.random.RandomState(2).random_sample(x.shape) < 0.5
    moved = softmax(np.moveaxis(x, axis, -1), mask=np.moveaxis(mask, axis, -1))
    close(softmax(x, axis=axis, mask=mask), np.moveaxis(moved, -1, axis))


def test_no_rows_give_no_weights():
    assert softmax(np.ones((0, 3))).shape == (0, 3)


def test_a_sure_row_has_a_zero_jacobian():
    close(softmax_jacobian(np.array([0.0, 1.0, 0.0])), np.zeros((3, 3)), 0)


def test_two_even_weights_reach_both_bounds_of_the_jacobian():
    J = softmax_jacobian(np.array([0.5, 0.5]))
    close(J, [[0.25, -0.25], [-0.25, 0.25]], 0)
    close(np.linalg.norm(J, 2), 0.5)


def test_a_weight_of_0_99_passes_on_0_0099_of_a_change():
    close(softmax_jacobian(np.array([0.99, 0.01]))[0, 0], 0.0099)


def test_a_fully_masked_row_has_no_jacobian_and_no_entropy():
    close(softmax_jacobian(np.zeros((2, 3))), np.zeros((2, 3, 3)), 0)
    close(entropy(np.zeros((2, 3))), np.zeros(2), 0)


@pytest.mark.parametrize(
    ("weights", "nats"),
    [
        ([1.0], 0.0),
        ([0.5, 0.5], math.log(2)),
        ([0.25] * 4, math.log(4)),
        ([0.5, 0.25, 0.25], 1.5 * math.log(2)),
        ([0.5, 0.5, 0.0], math.log(2)),
    ],
)
def test_entropy_of_a_known_row(weights, nats):
    close(entropy(np.array(weights)), nats)
