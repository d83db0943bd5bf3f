"""Half precision: never more than twice as far from the exact numbers as torch is."""

import math

import pytest
import torch

from attention_course import reference
from attention_course.layers import parity
from attention_course.layers.attention import Attention, scaled_dot_product_attention
from attention_course.layers.parity import precision_cells, precision_errors
from attention_course.layers.scores import AdditiveScore, DotScore, ScaledDotScore, upcast_half

CELLS = precision_cells()
HALVES = [torch.float16, torch.bfloat16]


def excess(cell) -> float:
    """How many times torch's error ours is, in the worst of output and gradients."""
    ratios = []
    for ours, theirs in precision_errors(cell).values():
        assert math.isfinite(theirs)
        ratios.append(ours / theirs if theirs else (0.0 if ours == 0 else math.inf))
    return max(math.inf if math.isnan(ratio) else ratio for ratio in ratios)


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: "-".join(map(str, c)))
def test_the_error_is_at_most_twice_torchs(cell):
    assert excess(cell) <= 2


def test_the_cells_hold_large_scores_both_formats_and_grouped_queries():
    assert {c.layer for c in CELLS} == set(parity.PRECISION_LAYERS)
    assert {c.dtype for c in CELLS} == {"float16", "bfloat16"}
    assert max(c.size for c in CELLS) == 20
    assert {c.n_kv_heads for c in CELLS} == {4, 2, 1}
    assert len(set(CELLS)) == len(CELLS)
    assert len(CELLS) >= 32


@pytest.mark.gate("half precision errs as torch does", "scores are rounded before the softmax")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scores_in_half_precision_are_noticed(dtype, monkeypatch):
    for module in ("scores", "attention"):
        monkeypatch.setattr(f"attention_course.layers.{module}.upcast_half", lambda x: x)
    cells = [c for c in CELLS if c[:3] == (parity.FUNCTIONAL, dtype, 20)]
    assert excess(cells[0]) > 2


@pytest.mark.gate("half precision errs as torch does", "a wrong scale")
def test_a_wrong_scale_is_noticed(monkeypatch):
    compute = DotScore.compute
    monkeypatch.setattr(ScaledDotScore, "compute", lambda self, q, k: compute(self, q, k) / 3)
    monkeypatch.setattr(
        "attention_course.layers.attention.upcast_half", lambda x: upcast_half(x) / 3
    )
    for layer in parity.PRECISION_LAYERS:
        assert excess(next(c for c in CELLS if c.layer == layer)) > 2


def test_a_dot_product_beyond_float16_is_no_nan():
    q = torch.full((1, 64), 40.0, dtype=torch.float16)
    k, v = torch.cat([q, q / 2]), torch.tensor([[3.0], [5.0]], dtype=torch.float16)
    context, weights = scaled_dot_product_attention(q, k, v)  # q . k is 102400
    assert context.tolist() == [[3.0]]
    assert weights.tolist() == [[1.0, 0.0]]
    assert ScaledDotScore()(q, k).tolist() == [[12800.0, 6400.0]]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_learned_scores_are_added_up_in_float32(dtype):
    score = AdditiveScore(16, 16, 300, torch.Generator().manual_seed(0)).to(dtype)
    score.w_v.weight.data.fill_(1.0)
    q, k = torch.ones(3, 16, dtype=dtype), torch.ones(5, 16, dtype=dtype)
    exact = (score.W_q(q).double()[:, None] + score.W_k(k).double()).tanh().sum(-1)
    assert (score.compute(q, k).double() - exact).abs().max() < 1e-3
    assert score(q, k).dtype == dtype


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_reaches_the_contexts_that_see_it_and_no_other(bad):
    q, k, v = torch.ones(2, 4), torch.ones(3, 4), torch.ones(3, 6)
    q[1, 0] = bad
    context, _ = scaled_dot_product_attention(q, k, v)
    assert torch.equal(context[0], torch.ones(6))
    assert context[1].isnan().all()
