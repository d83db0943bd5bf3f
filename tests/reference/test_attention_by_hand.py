"""Attention by loops for one query, and the two ways of feeding a decoder."""

import numpy as np

from attention_course import reference as r

RNG = np.random.RandomState(0)
Q, K, V = RNG.standard_normal(4), RNG.standard_normal((5, 4)), RNG.standard_normal((5, 3))


def test_the_three_loops_are_attention():
    weights = r.weights_by_loops(r.dot_scores_by_loops(Q, K))
    context, expected = r.scaled_dot_product_attention(Q[None], K, V, scale=1.0)
    np.testing.assert_allclose(weights, expected[0], rtol=1e-13)
    np.testing.assert_allclose(r.weighted_sum(weights, V), context[0], rtol=1e-13)


def test_each_loop_equals_one_matrix_product():
    np.testing.assert_allclose(r.dot_scores_by_loops(Q, K), K @ Q, rtol=1e-13)
    weights = r.softmax(K @ Q)
    np.testing.assert_allclose(r.weights_by_loops(K @ Q), weights, rtol=1e-13)
    np.testing.assert_allclose(r.weighted_sum(weights, V), weights @ V, rtol=1e-13)


def test_large_scores_do_not_overflow():
    np.testing.assert_allclose(
        r.weights_by_loops(np.array([5000.0, 5000.0, -5000.0])), [0.5, 0.5, 0]
    )


def test_a_slip_costs_one_symbol_with_a_teacher_and_the_rest_without():
    follow = dict(zip("abcx", "bcdx", strict=True)) | {"b": "x"}  # the slip: b leads to x
    assert r.write_with_teacher(follow.get, "abcd") == "bxd"
    assert r.write_freely(follow.get, "a", 3) == "bxx"


def test_without_a_slip_both_write_the_same():
    follow = dict(zip("abc", "bcd", strict=True)).get
    assert r.write_with_teacher(follow, "abcd") == r.write_freely(follow, "a", 3) == "bcd"
