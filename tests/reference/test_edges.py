"""What no rival says of softmax, scores, masks and attention: odd numbers, and the last bit."""

import math

import numpy as np
import pytest

from attention_course import reference as r

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_largest_numbers_of_a_format_do_not_overflow(dtype):
    huge = np.finfo(dtype).max
    assert r.softmax(np.array([huge, -huge, huge], dtype)).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize("bad", [INF, NAN])
def test_infinity_and_nan_spoil_their_row_and_no_other(bad):
    p = r.softmax(np.array([[1.0, bad, -INF], [0.0, 0.0, -INF], [-INF] * 3]))
    assert np.isnan(p[0]).all()
    assert p[1:].tolist() == [[0.5, 0.5, 0.0], [0.0] * 3]


@pytest.mark.parametrize("bad", [INF, NAN, 1e300])
def test_a_masked_score_may_be_anything(bad):
    p = r.softmax(np.array([0.0, bad, 0.0]), mask=np.array([True, False, True]))
    assert p.tolist() == [0.5, 0.0, 0.5]


def test_two_even_weights_reach_both_bounds_of_the_jacobian():
    J = r.softmax_jacobian(np.array([0.5, 0.5]))
    assert J.tolist() == [[0.25, -0.25], [-0.25, 0.25]]
    assert np.linalg.norm(J, 2) == 0.5
    for x in np.random.RandomState(0).standard_normal((50, 6)) * 3:
        assert np.linalg.norm(r.softmax_jacobian(r.softmax(x)), 2) <= 0.5 + 1e-12


def test_entropy_of_one_choice_is_exactly_zero():
    H = np.asarray(r.entropy(np.array([0.0, 1.0, 0.0])))
    assert H == 0
    assert not np.signbit(H)


@pytest.mark.usefixtures("untyped")
def test_any_finite_number_is_a_scale_and_any_whole_one_a_length():
    x = np.ones((2, 3), np.float32)
    for scale in (0, -1.0, np.float32(0.5), np.int64(2)):
        assert r.scaled_dot_scores(x, x, scale).dtype == np.float32
    assert r.causal_mask(np.int64(2), np.int32(3)).shape == (2, 3)
    assert r.padding_mask(np.array([1], np.uint8), np.int64(2)).tolist() == [[True, False]]


def test_float16_dot_products_overflow_and_say_so():
    large = np.full((1, 64), 100.0, dtype=np.float16)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isposinf(r.dot_scores(large, large)).all()


def test_a_slip_costs_one_symbol_with_a_teacher_and_the_rest_without():
    right = dict(zip("abcx", "bcdx", strict=True))
    slips = right | {"b": "x"}  # the slip: b leads to x
    assert r.write_with_teacher(right.get, "abcd") == r.write_freely(right.get, "a", 3) == "bcd"
    assert r.write_with_teacher(slips.get, "abcd") == "bxd"
    assert r.write_freely(slips.get, "a", 3) == "bxx"
