"""The reference in float16: at most twice as far from the exact numbers as torch is."""

import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_course import reference
from attention_course.reference import _checked, scaled_dot_product_attention


def errors(size: float, masked: bool) -> tuple[float, float]:
    """Return the largest error of ours and of torch's math backend."""
    rng = np.random.RandomState(0)
    q, k, v = (rng.standard_normal((2, 3, n, d)) for n, d in ((9, 64), (11, 64), (11, 16)))
    q, k, v = (x.astype(np.float16) for x in (q * size, k * size, v))
    mask = rng.random_sample((9, 11)) < 0.6 if masked else None
    exact, _ = scaled_dot_product_attention(*(x.astype(float) for x in (q, k, v)), mask)
    ours, weights = scaled_dot_product_attention(q, k, v, mask)
    assert ours.dtype == weights.dtype == np.float16
    with sdpa_kernel(SDPBackend.MATH):
        theirs = torch.nn.functional.scaled_dot_product_attention(
            *map(torch.from_numpy, (q, k, v)), None if mask is None else torch.from_numpy(mask)
        ).numpy()
    return tuple(float(np.abs(x.astype(float) - exact).max()) for x in (ours, theirs))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("size", [1.0, 20**0.5, 20.0])
def test_the_error_is_at_most_twice_torchs(size, masked):
    ours, theirs = errors(size, masked)
    assert ours <= 2 * theirs


@pytest.mark.gate("the reference errs as torch does in float16", "scores are kept in float16")
def test_scores_in_float16_are_noticed():
    before = _checked._inside_checked_call.set(True)  # an inner call is computed as it is
    ours, theirs = errors(20**0.5, masked=False)
    _checked._inside_checked_call.reset(before)
    assert ours > 2 * theirs


def test_a_dot_product_beyond_float16_is_no_nan():
    q = np.full((1, 64), 40, np.float16)
    k, v = np.concatenate([q, q / 2]), np.array([[3.0], [5.0]], np.float16)
    context, weights = scaled_dot_product_attention(q, k, v)  # q . k is 102400
    assert context.tolist() == [[3.0]]
    assert weights.tolist() == [[1.0, 0.0]]
    assert reference.scaled_dot_scores(q, k).tolist() == [[12800.0, 6400.0]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_format_stays(dtype):
    x = np.ones((3, 4), dtype)
    found = [
        reference.dot_scores(x, x),
        reference.scaled_dot_scores(x, x),
        reference.softmax(x),
        *scaled_dot_product_attention(x, x, x),
        *reference.multi_head_attention(x, x, x.T @ x, x.T @ x, x.T @ x, x.T @ x, n_heads=2),
    ]
    assert {y.dtype for y in found} == {np.dtype(dtype)}


def test_of_two_formats_the_wider_one_stays():
    half = np.ones((3, 4), np.float16)
    assert reference.scaled_dot_scores(half, half.astype(np.float32)).dtype == np.float32
