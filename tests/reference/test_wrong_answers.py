"""Each check of the reference is itself checked: wrong implementations, by name, turn it red.

A row says which wrong implementation is caught by which check. Every wrong implementation is
plausible: it is what one writes by mistake.
"""

import numpy as np
import pytest
from checks_attention import (
    ADDITIVE,
    ATTENTION,
    BACKWARD,
    CAUSAL,
    DOT,
    GRADIENT,
    LOOPS,
    PADDING,
    SCALED,
)
from checks_softmax import ENTROPY, JACOBIAN, SOFTMAX

from attention_course import reference as right

T = np.swapaxes


def _exp_over_sum(exps, axis):
    return exps / exps.sum(axis=axis, keepdims=True)


# Softmax.


def no_maximum_subtracted(x, axis=-1, mask=None):
    return _exp_over_sum(np.exp(x) * (1 if mask is None else mask), axis)


def over_the_wrong_axis(x, axis=-1, mask=None):
    return right.softmax(x, axis=0, mask=mask)


def over_everything(x, axis=-1, mask=None):
    return np.exp(x - x.max()) / np.exp(x - x.max()).sum()


def powers_of_two(x, axis=-1, mask=None):
    return right.softmax(x * np.log(2.0), axis=axis, mask=mask)


def the_lowest_score_wins(x, axis=-1, mask=None):
    return right.softmax(-x, axis=axis, mask=mask)


def scores_divided_by_their_spread(x, axis=-1, mask=None):
    spread = np.ptp(x, axis=axis, keepdims=True)
    return right.softmax(x / np.where(spread == 0, 1, spread), axis=axis, mask=mask)


def sigmoids(x, axis=-1, mask=None):
    return _exp_over_sum(0.5 + 0.5 * np.tanh(x / 2), axis)


def masked_after_the_softmax(x, axis=-1, mask=None):
    return right.softmax(x, axis=axis) * (True if mask is None else mask)


def masked_scores_set_to_zero(x, axis=-1, mask=None):
    return right.softmax(x if mask is None else np.where(mask, x, 0.0), axis=axis)


def masked_with_a_large_number(x, axis=-1, mask=None):
    return right.softmax(x if mask is None else np.where(mask, x, -1e9), axis=axis)


def a_masked_row_is_nan(x, axis=-1, mask=None):
    x = x if mask is None else np.where(mask, x, -np.inf)
    return _exp_over_sum(np.exp(x - x.max(axis=axis, keepdims=True)), axis)


def always_float64(x, axis=-1, mask=None):
    return right.softmax(x.astype(np.float64), axis=axis, mask=mask)


def masks_in_place(x, axis=-1, mask=None):
    if mask is not None:
        x[~mask] = -np.inf
    return right.softmax(x, axis=axis)


def earlier_scores_favoured(x, axis=-1, mask=None):
    return right.softmax(x - 1e-3 * np.arange(x.shape[-1]), axis=axis, mask=mask)


def not_normalised(x, axis=-1, mask=None):
    return np.exp(x - x.max(axis=axis, keepdims=True))


# The Jacobian and the entropy.


def diagonal_forgotten(p):
    return -p[..., :, None] * p[..., None, :]


def only_the_diagonal(p):
    return (p * (1 - p))[..., None] * np.eye(p.shape[-1])


def plus_for_minus(p):
    return p[..., None] * np.eye(p.shape[-1]) + p[..., :, None] * p[..., None, :]


def product_by_rows_only(p):
    return p[..., None] * (np.eye(p.shape[-1]) - p[..., None])


def the_other_sign(p):
    return -right.softmax_jacobian(p)


def twice_the_jacobian(p):
    return 2 * right.softmax_jacobian(p)


def jacobian_in_float64(p):
    return right.softmax_jacobian(p.astype(np.float64))


def entropy_in_bits(p):
    return right.entropy(p) / np.log(2)


def zero_times_infinity(p):
    with np.errstate(all="ignore"):
        return -(p * np.log(p)).sum(-1)


def sign_forgotten(p):
    return -right.entropy(p)


def mean_for_sum(p):
    return right.entropy(p) / p.shape[-1]


def a_small_number_in_the_logarithm(p):
    return -(p * np.log(p + 1e-6)).sum(-1)


def entropy_in_float64(p):
    return right.entropy(p.astype(np.float64))


# Scores.


def keys_and_queries_swapped(q, k, scale=None):
    return right.dot_scores(k, q)


def first_feature_forgotten(q, k, scale=None):
    return q[..., 1:] @ T(k[..., 1:], -1, -2)


def dot_scores_in_float64(q, k):
    return right.dot_scores(q.astype(np.float64), k)


def root_omitted(q, k, scale=None):
    return right.scaled_dot_scores(q, k, 1.0 if scale is None else scale)


def divided_by_d_k(q, k, scale=None):
    return right.scaled_dot_scores(q, k, 1 / q.shape[-1] if scale is None else scale)


def divided_by_the_root_of_the_keys(q, k, scale=None):
    return right.scaled_dot_scores(q, k, k.shape[-2] ** -0.5 if scale is None else scale)


def scale_divides(q, k, scale=None):
    return right.scaled_dot_scores(q, k, None if scale is None else 1 / scale)


def scale_ignored(q, k, scale=None):
    return right.scaled_dot_scores(q, k)


def root_as_a_float64(q, k, scale=None):
    return right.dot_scores(q, k) * (q.shape[-1] ** np.float64(-0.5))


def no_tanh(q, k, W_q, W_k, w_v):
    return ((q @ W_q)[..., :, None, :] + (k @ W_k)[..., None, :, :]) @ w_v


def tanh_of_each(q, k, W_q, W_k, w_v):
    return (np.tanh(q @ W_q)[..., :, None, :] + np.tanh(k @ W_k)[..., None, :, :]) @ w_v


def multiplied_inside(q, k, W_q, W_k, w_v):
    return np.tanh((q @ W_q)[..., :, None, :] * (k @ W_k)[..., None, :, :]) @ w_v


# Masks.


def itself_unseen(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, (n_keys or n_queries) - n_queries - 1, bool)


def top_left(n_queries, n_keys=None):
    return np.tri(n_queries, n_keys or n_queries, dtype=bool)


def the_future_seen(n_queries, n_keys=None):
    return ~right.causal_mask(n_queries, n_keys)


def mask_of_floats(n_queries, n_keys=None):
    return right.causal_mask(n_queries, n_keys).astype(float)


def keys_needed(n_queries, n_keys=4):
    return right.causal_mask(n_queries, n_keys)


def one_key_too_many(lengths, n_keys):
    return np.arange(n_keys) <= lengths[..., None]


def padding_in_front(lengths, n_keys):
    return right.padding_mask(lengths, n_keys)[..., ::-1]


def true_where_padded(lengths, n_keys):
    return ~right.padding_mask(lengths, n_keys)


def batch_flattened(lengths, n_keys):
    return right.padding_mask(lengths.reshape(-1), n_keys)


# Attention.


def _attention(scores=right.scaled_dot_scores, weights=right.softmax, mix=np.matmul):
    def attention(q, k, v, mask=None, scale=None):
        alpha = weights(scores(q, k, scale), mask=mask)
        return mix(alpha, v), alpha

    return attention


def mask_inverted(q, k, v, mask=None, scale=None):
    return right.scaled_dot_product_attention(
        q, k, v, None if mask is None else ~mask, scale=scale
    )


def mask_ignored(q, k, v, mask=None, scale=None):
    return right.scaled_dot_product_attention(q, k, v, None, scale=scale)


def queries_averaged(q, k, v, mask=None, scale=None):
    mixed = 0.9 * q + 0.1 * q.mean(-2, keepdims=True)
    return right.scaled_dot_product_attention(mixed, k, v, mask, scale=scale)


def values_sorted(q, k, v, mask=None, scale=None):
    return right.scaled_dot_product_attention(q, k, np.sort(v, axis=-2), mask, scale=scale)


def values_summed(q, k, v, mask=None, scale=None):
    context, weights = right.scaled_dot_product_attention(q, k, v, mask, scale=scale)
    return context * k.shape[-2], weights


def attention_in_float64(q, k, v, mask=None, scale=None):
    return right.scaled_dot_product_attention(q.astype(np.float64), k, v, mask, scale=scale)


def over_the_queries(x, axis=-1, mask=None):
    return right.softmax(x, axis=-2, mask=mask)


def loops_without_the_root(q, k, v):
    return right.attention_by_loops(q * q.shape[-1] ** 0.5, k, v)


def loops_without_the_maximum(q, k, v):
    exps = np.exp(right.scaled_dot_scores(q, k))
    return _exp_over_sum(exps, -1) @ v


def loops_in_float64(q, k, v):
    return right.attention_by_loops(q.astype(np.float64), k, v)


# The gradient.


def factor_forgotten(q, k, g, scale=None):
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    return right.query_gradient(q, k, g, scale) / factor


def straight_through(q, k, g, scale=None):
    return (q.shape[-1] ** -0.5 if scale is None else scale) * (g @ k)


def other_weights_held_still(q, k, g, scale=None):
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    p = right.softmax(right.scaled_dot_scores(q, k, factor))
    return factor * ((p * (1 - p) * g) @ k)


def the_same_scale_always(q, k, g, scale=None):
    return right.query_gradient(q, k, g)


def gradient_in_float64(q, k, g, scale=None):
    return right.query_gradient(q.astype(np.float64), k, g, scale)


def backward_without_the_factor(q, k, v, g):
    scale = len(q) ** -0.5
    dq, dk, dv = right.one_query_backward(q, k, v, g)
    return dq / scale, dk, dv


def backward_in_float64(q, k, v, g):
    return right.one_query_backward(q.astype(np.float64), k, v, g)


CAUGHT_BY = [
    (SOFTMAX, no_maximum_subtracted, "a_large_score_does_not_overflow"),
    (SOFTMAX, over_the_wrong_axis, "rows_sum_to_one"),
    (SOFTMAX, over_the_wrong_axis, "the_axis_is_the_one_named"),
    (SOFTMAX, over_everything, "rows_sum_to_one"),
    (SOFTMAX, not_normalised, "rows_sum_to_one"),
    (SOFTMAX, sigmoids, "torch_agrees"),
    (SOFTMAX, earlier_scores_favoured, "torch_agrees"),
    (SOFTMAX, powers_of_two, "ratios_are_powers_of_e"),
    (SOFTMAX, powers_of_two, "torch_agrees"),
    (SOFTMAX, the_lowest_score_wins, "ratios_are_powers_of_e"),
    (SOFTMAX, the_lowest_score_wins, "a_large_score_does_not_overflow"),
    (SOFTMAX, scores_divided_by_their_spread, "ratios_are_powers_of_e"),
    (SOFTMAX, masked_after_the_softmax, "the_others_share_the_whole"),
    (SOFTMAX, masked_scores_set_to_zero, "a_masked_entry_weighs_exactly_nothing"),
    (SOFTMAX, masked_with_a_large_number, "a_fully_masked_row_is_zeros"),
    (SOFTMAX, a_masked_row_is_nan, "a_fully_masked_row_is_zeros"),
    (SOFTMAX, always_float64, "the_dtype_is_kept"),
    (SOFTMAX, masks_in_place, "the_input_is_left_alone"),
    (JACOBIAN, diagonal_forgotten, "jacobian_rows_sum_to_zero"),
    (JACOBIAN, only_the_diagonal, "jacobian_rows_sum_to_zero"),
    (JACOBIAN, plus_for_minus, "jacobian_norm_stays_within_a_half"),
    (JACOBIAN, product_by_rows_only, "jacobian_equals_autograd"),
    (JACOBIAN, the_other_sign, "jacobian_equals_autograd"),
    (JACOBIAN, twice_the_jacobian, "jacobian_norm_stays_within_a_half"),
    (JACOBIAN, twice_the_jacobian, "jacobian_equals_autograd"),
    (JACOBIAN, twice_the_jacobian, "jacobian_equals_finite_differences"),
    (JACOBIAN, jacobian_in_float64, "jacobian_keeps_the_dtype"),
    (ENTROPY, entropy_in_bits, "entropy_lies_between_zero_and_log_n"),
    (ENTROPY, zero_times_infinity, "entropy_of_one_choice_is_exactly_zero"),
    (ENTROPY, sign_forgotten, "entropy_lies_between_zero_and_log_n"),
    (ENTROPY, mean_for_sum, "entropy_equals_torch"),
    (ENTROPY, a_small_number_in_the_logarithm, "entropy_of_one_choice_is_exactly_zero"),
    (ENTROPY, entropy_in_float64, "entropy_keeps_the_dtype"),
    (DOT, keys_and_queries_swapped, "dot_scores_are_sums_of_products"),
    (DOT, first_feature_forgotten, "dot_scores_are_sums_of_products"),
    (DOT, dot_scores_in_float64, "scores_keep_the_dtype"),
    (SCALED, root_omitted, "scaled_scores_divide_by_the_root_of_d_k"),
    (SCALED, divided_by_d_k, "scaled_scores_divide_by_the_root_of_d_k"),
    (SCALED, divided_by_the_root_of_the_keys, "scaled_scores_divide_by_the_root_of_d_k"),
    (SCALED, scale_divides, "a_given_scale_multiplies"),
    (SCALED, scale_ignored, "a_given_scale_multiplies"),
    (SCALED, root_as_a_float64, "scores_keep_the_dtype"),
    (ADDITIVE, no_tanh, "additive_scores_equal_a_network_on_pairs"),
    (ADDITIVE, tanh_of_each, "additive_scores_equal_a_network_on_pairs"),
    (ADDITIVE, multiplied_inside, "additive_scores_equal_a_network_on_pairs"),
    (CAUSAL, itself_unseen, "each_query_sees_itself_and_the_past"),
    (CAUSAL, top_left, "each_query_sees_itself_and_the_past"),
    (CAUSAL, the_future_seen, "each_query_sees_itself_and_the_past"),
    (CAUSAL, mask_of_floats, "each_query_sees_itself_and_the_past"),
    (CAUSAL, keys_needed, "without_keys_the_mask_is_square"),
    (PADDING, one_key_too_many, "the_first_keys_are_real"),
    (PADDING, padding_in_front, "the_first_keys_are_real"),
    (PADDING, true_where_padded, "the_first_keys_are_real"),
    (PADDING, batch_flattened, "padding_keeps_the_batch_axes"),
    (ATTENTION, _attention(scores=root_omitted), "torch_gives_the_same_context"),
    (ATTENTION, _attention(scores=scale_divides), "torch_gives_the_same_context_with_a_scale"),
    (ATTENTION, _attention(scores=scale_ignored), "torch_gives_the_same_context_with_a_scale"),
    (ATTENTION, _attention(weights=over_the_queries), "torch_gives_the_same_context"),
    (
        ATTENTION,
        _attention(weights=masked_after_the_softmax),
        "torch_gives_the_same_context_with_a_mask",
    ),
    (
        ATTENTION,
        _attention(weights=masked_with_a_large_number),
        "a_query_that_sees_nothing_gets_zeros",
    ),
    (
        ATTENTION,
        _attention(weights=a_masked_row_is_nan),
        "a_query_that_sees_nothing_gets_zeros",
    ),
    (ATTENTION, mask_inverted, "torch_gives_the_same_context_with_a_mask"),
    (ATTENTION, mask_ignored, "torch_gives_the_same_context_with_a_mask"),
    (ATTENTION, queries_averaged, "torch_gives_the_same_context"),
    (ATTENTION, values_sorted, "torch_gives_the_same_context"),
    (ATTENTION, values_summed, "torch_gives_the_same_context"),
    (ATTENTION, attention_in_float64, "attention_keeps_the_dtype"),
    (LOOPS, loops_without_the_root, "loops_equal_torch"),
    (LOOPS, loops_without_the_maximum, "loops_survive_large_scores"),
    (LOOPS, loops_in_float64, "loops_keep_the_dtype"),
    (GRADIENT, factor_forgotten, "the_query_gradient_equals_autograd"),
    (GRADIENT, straight_through, "the_query_gradient_equals_autograd"),
    (GRADIENT, other_weights_held_still, "the_query_gradient_equals_autograd"),
    (GRADIENT, the_same_scale_always, "the_query_gradient_carries_a_given_scale"),
    (GRADIENT, gradient_in_float64, "the_query_gradient_keeps_the_dtype"),
    (BACKWARD, backward_without_the_factor, "the_backward_pass_equals_autograd"),
    (BACKWARD, backward_in_float64, "the_backward_pass_keeps_the_dtype"),
]
SUITES = [SOFTMAX, JACOBIAN, ENTROPY, DOT, SCALED, ADDITIVE, CAUSAL, PADDING]
SUITES += [ATTENTION, BACKWARD, LOOPS, GRADIENT]


@pytest.mark.usefixtures("untyped")
@pytest.mark.parametrize(
    ("suite", "wrong", "check"),
    CAUGHT_BY,
    ids=[f"{wrong.__name__}-{check}" for _, wrong, check in CAUGHT_BY],
)
def test_a_wrong_answer_is_caught(suite, wrong, check):
    with pytest.raises(AssertionError), np.errstate(all="ignore"):
        suite[check](wrong)


def test_every_check_has_been_seen_to_catch_something():
    caught = {check for _, _, check in CAUGHT_BY}
    assert caught == {name for suite in SUITES for name in suite}
