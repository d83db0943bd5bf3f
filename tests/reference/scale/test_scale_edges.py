"""What no rival says of attention at length: its formats, its patterns, and what is refused."""

import numpy as np
import pytest
from rows import draws

from attention_course import reference as right
from attention_course.reference.scale import sparse


def qkv(n, dtype=np.float64):
    return [x.astype(dtype) for x in draws(n, (2, 3, n, 4), (2, 3, n, 4), (2, 3, n, 6))]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_contexts_keep_the_format_and_sums_are_no_half_precision(dtype):
    q, k, v = qkv(9, dtype)
    for found in (right.partial_attention(q, k, v), right.attention_in_blocks(q, k, v, 4)):
        assert found[0].dtype == dtype
        assert found[1].dtype == max(dtype, np.float32, key=lambda x: np.dtype(x).itemsize)
    halves = [right.partial_attention(q, k[..., i::2, :], v[..., i::2, :]) for i in (0, 1)]
    merged = right.merge_partials(*map(np.stack, zip(*halves, strict=True)))
    assert merged[0].dtype == dtype
    limit = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-12}[dtype]
    whole = right.scaled_dot_product_attention(q, k, v)[0]
    np.testing.assert_allclose(merged[0], whole, rtol=limit, atol=limit)


def test_the_window_looks_at_no_score_outside_it(monkeypatch):
    sizes = []

    def count(q, k, v, scale):
        sizes.append(q.shape[-2] * k.shape[-2])
        return right.scaled_dot_product_attention(q, k, v, scale=scale)

    monkeypatch.setattr(sparse, "scaled_dot_product_attention", count)
    x = np.ones((100, 4))
    right.sliding_window_attention(x, x, x, width=8)
    assert sum(sizes) == right.window_mask(8, 100).sum()


def test_a_pattern_has_its_three_kinds_of_blocks():
    on = right.block_pattern(9, n_local=2, n_first=1, n_random=2, seed=3)
    assert not np.triu(on, 1).any()
    assert on[:, 0].all()
    assert on.diagonal().all()
    assert on.diagonal(-1).all()
    assert on.sum(axis=1).tolist() == [1, 2, 3, 4, 5, 5, 5, 5, 5]
    other = right.block_pattern(9, n_local=2, n_first=1, n_random=2, seed=4)
    assert (on != other).any()


def test_a_residual_lets_a_position_reach_itself():
    assert right.receptive_field(np.zeros((3, 3), bool), 2).tolist() == np.eye(3).tolist()


def test_a_key_is_diluted_as_the_formula_says():
    for n, wanted in ((16, 0.69), (64, 0.35), (256, 0.12), (1024, 0.03), (4096, 0.01)):
        assert abs(right.diluted_weights(n).mean() - wanted) < 0.015
    alone = right.diluted_weights(1, rows=3)
    assert alone.tolist() == [1.0] * 3
    none = right.diluted_weights(10, factor=0.0, rows=2)
    assert none.tolist() == pytest.approx([0.1] * 2)


def test_equal_weights_choose_the_earlier_block():
    weights = np.full((1, 4), 0.25)
    assert right.chosen_mask(weights, 2, 2, 7)[0].tolist() == [True] * 2 + [False] * 4 + [True]


@pytest.mark.parametrize(
    "windows", [[], [0], [2.5], [True], [None, -1], None, "ab"], ids=lambda w: repr(w)
)
def test_windows_that_are_none_are_refused(windows):
    for call in (
        lambda: right.stack_reach(4, windows),
        lambda: right.stack_cache_bytes(4, windows, 1),
    ):
        with pytest.raises(ValueError, match="windows must be a list of positive whole"):
            call()


@pytest.mark.parametrize("bad", [0.0, 1.5, np.nan])
def test_a_decay_is_above_zero_and_at_most_one(bad):
    q, k, v = (x[0] for x in qkv(5))
    decay = np.where(np.arange(5) == 3, bad, np.ones((3, 5)))
    for rule in (right.gated_delta_rule, right.gated_delta_in_chunks):
        with pytest.raises(ValueError, match="decay must be above 0 and at most 1"):
            rule(q, k, v, np.ones((3, 5)), decay)
