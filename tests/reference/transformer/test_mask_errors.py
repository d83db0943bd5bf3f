"""A mask put on rightly and in six wrong ways: weights, leak test, gradient reach."""

import numpy as np
import pytest
from rows import draws

from attention_course.reference import causal_mask, masked_attention_by_loops, padding_mask
from attention_course.reference.transformer.mask_errors import (
    RULES,
    input_reach,
    moved_outputs,
    weights_by_rule,
)

N = 5
FRONT = causal_mask(N) & ~padding_mask(np.array(2), N)  # rows 1 and 2 see nothing
LEAKING = ("after", "zero", "inverted")


def layer(seed=0):
    return draws(seed, (N, 4), (4, 3), (4, 3), (4, 6))


def scores_of(x, W_q, W_k, W_v):
    return (x @ W_q) @ (x @ W_k).T / np.sqrt(3)


@pytest.mark.parametrize("mask", [causal_mask(N), FRONT], ids=["causal", "front"])
def test_the_right_rule_is_the_loop_over_fewer_keys(mask):
    x, W_q, W_k, W_v = layer()
    _, wanted = masked_attention_by_loops(x @ W_q, x @ W_k, x @ W_v, mask)
    np.testing.assert_allclose(weights_by_rule(scores_of(x, W_q, W_k, W_v), mask), wanted)


def test_an_empty_row_is_nan_uniform_or_zero_depending_on_the_filling():
    rows = {rule: weights_by_rule(scores_of(*layer()), FRONT, rule)[0] for rule in RULES}
    assert np.all(rows["right"] == 0)
    assert np.all(np.isnan(rows["infinite"]))
    assert np.all(np.isnan(rows["half"]))
    np.testing.assert_allclose(rows["large"], np.full(N, 1 / N))
    np.testing.assert_allclose(rows["zero"], np.full(N, 1 / N))


def test_where_there_is_something_to_see_three_wrong_fillings_are_right():
    scores = scores_of(*layer())
    right = weights_by_rule(scores, causal_mask(N))
    for rule in ("infinite", "large"):
        np.testing.assert_allclose(weights_by_rule(scores, causal_mask(N), rule), right)
    np.testing.assert_allclose(
        weights_by_rule(scores, causal_mask(N), "half"), right, atol=5e-3
    )


def test_turned_over_is_the_right_rule_with_the_other_mask():
    scores = scores_of(*layer())
    np.testing.assert_allclose(
        weights_by_rule(scores, FRONT, "inverted"), weights_by_rule(scores, ~FRONT)
    )


@pytest.mark.parametrize("rule", RULES)
def test_the_leak_test_finds_the_leaking_rules_and_only_them(rule):
    moved = moved_outputs(*layer(), causal_mask(N), N - 1, rule)
    assert (moved[: N - 1] > 1e-9).any() == (rule in LEAKING)


@pytest.mark.parametrize("rule", RULES)
def test_the_gradient_reaches_the_future_under_the_leaking_rules_and_only_them(rule):
    reach = input_reach(*layer(), causal_mask(N), rule)
    assert (reach[np.triu_indices(N, 1)] > 1e-9).any() == (rule in LEAKING)


def test_the_reach_of_a_row_that_is_not_a_number_is_not_a_number_either():
    reach = input_reach(*layer(), FRONT, "infinite")
    assert np.isnan(reach[:2]).all()
    assert not np.isnan(reach[2:]).any()
