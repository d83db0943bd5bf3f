"""General, concat, location, cosine and kernel scores; and wrong versions of each, caught."""

import numpy as np
import pytest
from checks import close, draws
from checks_scores import CONCAT, COSINE, GENERAL, KERNEL, LINEAR, LOCATION

from attention_course import reference as right

T = np.swapaxes
ALL = [
    (right.general_scores, GENERAL),
    (right.concat_scores, CONCAT),
    (right.location_scores, LOCATION),
    (right.cosine_scores, COSINE),
    (right.kernel_scores, KERNEL),
    (right.kernel_attention, LINEAR),
]


@pytest.mark.parametrize(
    ("function", "check"),
    [(function, check) for function, checks in ALL for check in checks.values()],
    ids=lambda value: value.__name__,
)
def test_the_reference_passes(function, check):
    check(function)


def test_concat_is_additive_with_one_matrix_for_two():
    q, k, W_q, W_k, w_v = draws(0, (2, 5, 4), (2, 3, 6), (4, 7), (6, 7), (7,))
    joined = right.concat_scores(q, k, np.concatenate([W_q, W_k]), w_v)
    close(joined, right.additive_scores(q, k, W_q, W_k, w_v))


def test_general_with_the_identity_is_dot_and_of_projections_a_dot_product():
    q, k, W_q, W_k = draws(1, (2, 5, 4), (2, 3, 4), (4, 7), (4, 7))
    close(right.general_scores(q, k, np.eye(4)), right.dot_scores(q, k))
    close(right.general_scores(q, k, W_q @ W_k.T), right.dot_scores(q @ W_q, k @ W_k))


def test_the_softmax_of_kernel_scores_gives_the_same_contexts_as_the_sums_made_once():
    q, k, v = draws(2, (2, 5, 4), (2, 3, 4), (2, 3, 6))
    weights = right.softmax(right.kernel_scores(q, k))
    close(weights @ v, right.kernel_attention(q, k, v))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_keep_the_dtype(dtype):
    q, k, W, both, w_v = draws(0, (5, 4), (3, 4), (4, 4), (8, 7), (7,), dtype=dtype)
    scores = [
        right.general_scores(q, k, W),
        right.concat_scores(q, k, both, w_v),
        right.location_scores(q, k, W),
        right.cosine_scores(q, k, 2.0),
        right.cosine_scores(q, k, np.ones(5, dtype)),
        right.kernel_scores(q, k),
        right.kernel_attention(q, k, k),
    ]
    assert {s.dtype for s in scores} == {np.dtype(dtype)}


# Wrong versions: what one writes by mistake.


def matrix_transposed(q, k, W):
    return q @ W.T @ T(k, -1, -2) if W.shape[0] == W.shape[1] else right.general_scores(q, k, W)


def scaled_too(q, k, W):
    return right.general_scores(q, k, W) / np.sqrt(k.shape[-1])


def key_before_query(q, k, W, w_v):
    d_q = q.shape[-1]
    swapped = np.concatenate([W[len(W) - d_q :], W[: len(W) - d_q]])
    return right.concat_scores(q, k, swapped, w_v)


def no_tanh(q, k, W, w_v):
    d_q = q.shape[-1]
    return (q @ W[:d_q] @ w_v)[..., None] + (k @ W[d_q:] @ w_v)[..., None, :]


def tanh_of_the_parts(q, k, W, w_v):
    d_q = q.shape[-1]
    left, below = np.tanh(q @ W[:d_q]), np.tanh(k @ W[d_q:])
    return (left[..., :, None, :] + below[..., None, :, :]) @ w_v


def keys_read(q, k, W):
    return right.location_scores(q, k, W) + k.sum(-1)[..., None, :]


def last_columns(q, k, W):
    return right.location_scores(q, k, W[:, ::-1])


def zeros_beyond(q, k, W):
    return np.nan_to_num(right.location_scores(q, k, W), neginf=0.0)


def over_one_length(q, k, beta=1.0):
    with np.errstate(invalid="ignore"):
        k = k / np.linalg.norm(k, axis=-1, keepdims=True)
    return np.asarray(beta)[..., None] * (q @ T(k, -1, -2))


def beta_divides(q, k, beta=1.0):
    return right.cosine_scores(q, k) / np.asarray(beta)[..., None]


def beta_by_key(q, k, beta=1.0):
    if np.ndim(beta) == 0 or q.shape[-2] != k.shape[-2]:
        return right.cosine_scores(q, k, beta)
    return right.cosine_scores(q, k) * beta[..., None, :]


def a_little_in_the_denominator(q, k, beta=1.0):
    lengths = np.linalg.norm(q, axis=-1)[..., None] * np.linalg.norm(k, axis=-1)[..., None, :]
    return np.asarray(beta)[..., None] * (q @ T(k, -1, -2)) / (lengths + 1e-6)


def nan_for_nothing(q, k, beta=1.0):
    with np.errstate(invalid="ignore"):
        q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    return np.asarray(beta)[..., None] * (q @ T(k, -1, -2))


def elu_plus_one_as_written(q, k):
    q, k = (np.where(x > 0, x, np.expm1(np.minimum(x, 0))) + 1 for x in (q, k))
    with np.errstate(divide="ignore"):
        return np.log(q @ T(k, -1, -2))


def no_plus_one(q, k):
    q, k = (np.abs(np.where(x > 0, x, np.expm1(np.minimum(x, 0)))) for x in (q, k))
    return np.log(q @ T(k, -1, -2))


def relu_features(q, k):
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(q, 0) @ T(np.maximum(k, 0), -1, -2))


def logarithm_forgotten(q, k):
    return np.exp(right.kernel_scores(q, k))


def not_normalised(q, k, v):
    return np.exp(right.kernel_scores(q, k)) @ v


def one_sum_for_all(q, k, v):
    products = np.exp(right.kernel_scores(q, k))
    return products @ v / products.sum(axis=(-1, -2), keepdims=True)


def softmax_of_products(q, k, v):
    return right.softmax(np.exp(right.kernel_scores(q, k))) @ v


CAUGHT_BY = [
    (GENERAL, matrix_transposed, "general_is_a_double_sum"),
    (GENERAL, scaled_too, "general_is_a_double_sum"),
    (CONCAT, key_before_query, "concat_is_a_network_on_the_joined_pair"),
    (CONCAT, no_tanh, "concat_is_a_network_on_the_joined_pair"),
    (CONCAT, tanh_of_the_parts, "concat_is_a_network_on_the_joined_pair"),
    (LOCATION, keys_read, "location_reads_one_column_a_place"),
    (LOCATION, last_columns, "location_reads_one_column_a_place"),
    (LOCATION, zeros_beyond, "places_beyond_the_last_column_weigh_nothing"),
    (COSINE, over_one_length, "cosine_is_the_dot_product_over_both_lengths"),
    (COSINE, beta_divides, "cosine_is_the_dot_product_over_both_lengths"),
    (COSINE, beta_by_key, "cosine_is_the_dot_product_over_both_lengths"),
    (COSINE, a_little_in_the_denominator, "cosine_is_the_dot_product_over_both_lengths"),
    (COSINE, nan_for_nothing, "nothing_has_no_direction"),
    (KERNEL, elu_plus_one_as_written, "a_very_negative_feature_is_still_positive"),
    (KERNEL, no_plus_one, "the_kernel_is_a_sum_of_products_of_features"),
    (KERNEL, relu_features, "the_kernel_is_a_sum_of_products_of_features"),
    (KERNEL, logarithm_forgotten, "the_kernel_is_a_sum_of_products_of_features"),
    (LINEAR, not_normalised, "contexts_are_sums_over_pairs"),
    (LINEAR, one_sum_for_all, "contexts_are_sums_over_pairs"),
    (LINEAR, softmax_of_products, "contexts_are_sums_over_pairs"),
]


@pytest.mark.parametrize(
    ("checks", "wrong", "check"), CAUGHT_BY, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_wrong_version_is_caught(checks, wrong, check):
    with pytest.raises(AssertionError):
        checks[check](wrong)


# Bad input. Good arguments, one set a function; each row spoils one of them.
Q, K = np.ones((2, 5, 4)), np.ones((2, 3, 4))
GOOD = {
    right.general_scores: {"q": Q, "k": np.ones((2, 3, 6)), "W": np.ones((4, 6))},
    right.concat_scores: {"q": Q, "k": K, "W": np.ones((8, 7)), "w_v": np.ones(7)},
    right.location_scores: {"q": Q, "k": K, "W": np.ones((4, 9))},
    right.cosine_scores: {"q": Q, "k": K},
    right.kernel_scores: {"q": Q, "k": K},
    right.kernel_attention: {"q": Q, "k": K, "v": np.ones((2, 3, 6))},
}


@pytest.mark.parametrize("function", GOOD)
def test_the_arguments_are_good_until_one_is_spoiled(function):
    function(**GOOD[function])
