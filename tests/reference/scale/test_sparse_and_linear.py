"""Windows, blocks and linear attention against full attention with the mask or the kernel."""

import numpy as np
import pytest
from checks import close, draws

from attention_course import reference as right
from attention_course.reference.scale import sparse

SIZES = [(5, 7, 3), (7, 7, 7), (1, 9, 4), (13, 13, 1), (3, 5, 20), (16, 16, 4), (6, 6, 5)]
BLOCKS = [(13, 4), (12, 3), (5, 8)]


def qkv(n_q: int, n_k: int, dtype=np.float64) -> list[np.ndarray]:
    return draws(n_q + n_k, (2, 3, n_q, 4), (2, 3, n_k, 4), (2, 3, n_k, 6), dtype=dtype)


def pattern(n: int, size: int) -> np.ndarray:
    m = -(-n // size)
    return np.random.RandomState(n).random_sample((m, m)) < 0.5


def windows_are_masks(attend) -> None:
    for n_q, n_k, width in SIZES:
        q, k, v = qkv(n_q, n_k)
        mask = right.window_mask(width, n_q, n_k)
        for scale in (None, 0.3):
            full, _ = right.scaled_dot_product_attention(q, k, v, mask, scale=scale)
            close(attend(q, k, v, width, scale), full)


def blocks_are_masks(attend) -> None:
    for n, size in BLOCKS:
        q, k, v = qkv(n, n)
        blocks = pattern(n, size)
        mask = np.array([[blocks[i // size, j // size] for j in range(n)] for i in range(n)])
        for causal in (False, True):
            seen = mask & right.causal_mask(n) if causal else mask
            full, _ = right.scaled_dot_product_attention(q, k, v, seen, scale=0.3)
            close(attend(q, k, v, blocks, size, causal, 0.3), full)


def linear_attention_is_a_kernel(attend) -> None:
    for n_q, n_k, _ in SIZES:
        q, k, v = qkv(n_q, n_k)
        products = np.exp(right.kernel_scores(q, k))
        for causal in (False, True):
            seen = products * right.causal_mask(n_q, n_k) if causal else products
            close(attend(q, k, v, causal), seen @ v / seen.sum(-1, keepdims=True))


def test_the_window_equals_masked_attention():
    windows_are_masks(right.sliding_window_attention)


def test_blocks_equal_masked_attention():
    blocks_are_masks(right.block_sparse_attention)


def test_linear_attention_equals_the_quadratic_form():
    linear_attention_is_a_kernel(right.linear_attention)


def test_without_a_direction_it_is_kernel_attention():
    q, k, v = qkv(5, 7)
    close(right.linear_attention(q, k, v), right.kernel_attention(q, k, v))


def test_the_window_looks_at_no_score_outside_it(monkeypatch):
    sizes = []

    def count(q, k, v, scale):
        sizes.append(q.shape[-2] * k.shape[-2])
        return right.scaled_dot_product_attention(q, k, v, scale=scale)

    monkeypatch.setattr(sparse, "scaled_dot_product_attention", count)
    x = np.ones((100, 4))
    right.sliding_window_attention(x, x, x, width=8)
    assert sum(sizes) == right.window_mask(8, 100).sum()


def test_the_past_of_linear_attention_is_a_state_that_can_be_carried_on():
    """Two halves, the first one's keys summed up, give what the whole gives."""
    q, k, v = qkv(12, 12)
    whole = right.linear_attention(q, k, v, causal=True)
    close(right.linear_attention(q[..., 7:, :], k, v, causal=True), whole[..., 7:, :])


def window_off_by_one(q, k, v, width, scale=None):
    return right.sliding_window_attention(q, k, v, width + 1, scale)


def window_at_the_top_left(q, k, v, width, scale=None):
    past = k.shape[-2] - q.shape[-2]
    return right.sliding_window_attention(
        q, *(x[..., : x.shape[-2] - past, :] for x in (k, v)), width, scale
    )


def window_without_its_scale(q, k, v, width, scale=None):
    return right.sliding_window_attention(q, k, v, width, 1.0)


def blocks_turned_round(q, k, v, blocks, size, causal=False, scale=None):
    return right.block_sparse_attention(q, k, v, blocks.T.copy(), size, causal, scale)


def blocks_never_causal(q, k, v, blocks, size, causal=False, scale=None):
    return right.block_sparse_attention(q, k, v, blocks, size, False, scale)


def linear_without_a_divisor(q, k, v, causal=False):
    return right.linear_attention(q, k, v, causal) * k.shape[-2]


def linear_never_causal(q, k, v, causal=False):
    return right.linear_attention(q, k, v)


def linear_that_does_not_see_itself(q, k, v, causal=False):
    n = q.shape[-2]
    return right.linear_attention(q, k, v, causal) - v[..., -n:, :] / n * causal


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        (windows_are_masks, window_off_by_one),
        (windows_are_masks, window_at_the_top_left),
        (windows_are_masks, window_without_its_scale),
        (blocks_are_masks, blocks_turned_round),
        (blocks_are_masks, blocks_never_causal),
        (linear_attention_is_a_kernel, linear_without_a_divisor),
        (linear_attention_is_a_kernel, linear_never_causal),
        (linear_attention_is_a_kernel, linear_that_does_not_see_itself),
    ],
)
def test_a_wrong_version_is_caught(check, wrong):
    with pytest.raises(AssertionError):
        check(wrong)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_format_stays_and_half_precision_is_computed_wide(dtype):
    q, k, v = qkv(9, 9, dtype)
    q *= 8
    blocks = pattern(9, 2) | np.eye(5, dtype=bool)
    exact = [x.astype(float) for x in (q, k, v)]
    limit = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-12}[dtype]
    for attend in (
        lambda *x: right.sliding_window_attention(*x, 3),
        lambda *x: right.block_sparse_attention(*x, blocks, 2),
        lambda *x: right.linear_attention(*x, causal=True),
    ):
        found = attend(q, k, v)
        assert found.dtype == dtype
        assert np.abs(found - attend(*exact)).max() < limit


def test_a_pattern_has_its_three_kinds_of_blocks():
    on = right.block_pattern(9, n_local=2, n_first=1, n_random=2, seed=3)
    assert not np.triu(on, 1).any()
    assert on[:, 0].all()
    assert on.diagonal().all()
    assert on.diagonal(-1).all()
    assert on.sum(axis=1).tolist() == [1, 2, 3, 4, 5, 5, 5, 5, 5]
    other = right.block_pattern(9, n_local=2, n_first=1, n_random=2, seed=4)
    assert (on != other).any()


def test_a_stack_of_windows_reaches_layers_times_width():
    for layers in (1, 2, 3, 5):
        reach = right.receptive_field(right.window_mask(4, 20), layers)
        np.testing.assert_array_equal(reach, right.window_mask(layers * 3 + 1, 20))


def test_a_residual_lets_a_position_reach_itself():
    assert right.receptive_field(np.zeros((3, 3), bool), 2).tolist() == np.eye(3).tolist()


def test_a_key_is_diluted_as_the_formula_says():
    for n, wanted in ((16, 0.69), (64, 0.35), (256, 0.12), (1024, 0.03), (4096, 0.01)):
        assert abs(right.diluted_weights(n).mean() - wanted) < 0.015
    alone = right.diluted_weights(1, rows=3)
    assert alone.tolist() == [1.0] * 3
    none = right.diluted_weights(10, factor=0.0, rows=2)
    close(none, np.full(2, 0.1))


Q, K, V = np.ones((2, 5, 4)), np.ones((2, 7, 4)), np.ones((2, 7, 6))
