"""Attention in few bits: against loops, torch's own formats, and bounds."""

import numpy as np
import pytest
import torch
from rows import draws

from attention_course.reference import (
    attention_in_format,
    format_limits,
    fused_in_format,
    round_to,
    scaled_dot_product_attention,
    spacing,
    sum_in_blocks,
    sum_one_by_one,
)
from attention_course.reference.number_formats import FORMATS

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("number_format", FORMATS)
def test_limits_are_torchs(number_format):
    torchs = torch.finfo(getattr(torch, number_format))
    limits = format_limits(number_format)
    assert limits == {
        "bits": torchs.bits,
        "largest": torchs.max,
        "smallest normal": torchs.smallest_normal,
        "smallest": torchs.smallest_normal * torchs.eps,
        "step at 1": torchs.eps,
    }


@pytest.mark.parametrize("number_format", FORMATS)
def test_the_limits_are_where_rounding_changes(number_format):
    limits = format_limits(number_format)
    edge = np.array([limits["largest"], limits["smallest"], 1 + limits["step at 1"]])
    assert round_to(edge, number_format).tolist() == edge.tolist()
    beyond = [limits["largest"] * (1 + limits["step at 1"]), limits["smallest"] * 0.49]
    assert round_to(np.array(beyond), number_format).tolist() == [INF, 0.0]


@pytest.mark.parametrize("number_format", FORMATS)
def test_a_step_leads_to_the_next_number_and_half_of_it_does_not(number_format):
    limits = format_limits(number_format)
    lowest, highest = np.log2(limits["smallest"]), np.log2(limits["largest"])
    sizes = 2.0 ** np.random.RandomState(0).uniform(lowest, highest - 1, 500)
    x = round_to(np.concatenate([sizes, [0.0, 1.0, 2.0]]), number_format)
    step = spacing(x, number_format)
    assert np.all(round_to(x + step, number_format) == x + step)
    assert np.all(np.isin(round_to(x + 0.49 * step, number_format), x))
    assert spacing(-x, number_format).tolist() == step.tolist()


def test_steps_are_numpys_where_numpy_has_the_format():
    for dtype in (np.float16, np.float32):
        x = np.array([0.0, 1.0, 1.5, 1000.0, 3e-6, 60000.0], dtype)
        step = spacing(x.astype(float), dtype.__name__)
        assert step.tolist() == np.spacing(x).astype(float).tolist()


def test_beyond_the_format_there_is_no_step():
    assert np.isnan(spacing(np.array([1e5, INF, NAN]), "float16")).all()


def test_a_sum_of_ones_stops_where_the_step_is_two():
    for number_format, stop in (("bfloat16", 256), ("float16", 2048)):
        assert float(sum_one_by_one(np.ones(3000), number_format)) == stop
        assert float(sum_in_blocks(np.ones(3000), number_format, 8)) == pytest.approx(
            3000, rel=2**-8
        )


@pytest.mark.parametrize("n", [1, 2, 17, 300])
@pytest.mark.parametrize("block", [2, 16, 1000])
def test_blocks_keep_within_the_bound(n, block):
    x = round_to(np.random.RandomState(n).uniform(-1, 1, (3, n)), "bfloat16")
    levels = 1 if n == 1 else np.ceil(np.log(n) / np.log(block))
    bound = 2**-8 * levels * (block - 1) * np.abs(x).sum(axis=1)
    assert np.all(np.abs(sum_in_blocks(x, "bfloat16", block) - x.sum(axis=1)) <= bound)
    if block >= n:
        one_by_one = sum_one_by_one(x, "bfloat16")
        np.testing.assert_array_equal(sum_in_blocks(x, "bfloat16", block), one_by_one)


@pytest.mark.parametrize("of", [attention_in_format, fused_in_format])
@pytest.mark.parametrize(
    ("number_format", "most"), [("float32", 3e-7), ("float16", 4e-3), ("bfloat16", 3e-2)]
)
def test_attention_is_attention_up_to_roundoff(of, number_format, most):
    q, k, v = (round_to(x, number_format) for x in draws(4, (2, 5, 8), (2, 7, 8), (2, 7, 3)))
    exact, _ = scaled_dot_product_attention(q, k, v)
    error = np.abs(of(q, k, v, number_format) - exact).max()
    assert 0 < error < most


def test_where_the_factor_stands_decides_whether_scores_overflow():
    q, k = np.full((1, 64), 40.0), np.full((2, 64), 40.0)
    v = np.array([[1.0], [1.0]])
    found = {
        s: attention_in_format(q, k, v, "float16", s) for s in ("scores", "queries", "both")
    }
    assert np.isnan(found["scores"]).all()  # 64 * 1600 = 102400
    assert found["queries"] == found["both"] == 1.0
    assert fused_in_format(q, k, v, "float16") == 1.0
    assert attention_in_format(q, k, v, "bfloat16") == 1.0
