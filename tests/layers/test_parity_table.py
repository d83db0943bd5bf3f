"""Our layers beside torch's own function and module, and where the two differ."""

import math

import pytest
import torch

from attention_course.layers.attention import masked_softmax, masked_softmax_unchecked
from attention_course.layers.parity import (
    MASKS,
    TOLERANCE,
    ParityCell,
    mask_named,
    multihead_twin,
    parity_cells,
    parity_gaps,
)
from attention_course.layers.transformer.cross_attention import CrossAttention
from attention_course.reference import causal_mask

CELLS = parity_cells()
sdpa = torch.nn.functional.scaled_dot_product_attention


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: "-".join(map(str, c)))
def test_output_and_gradients_equal_torchs(cell):
    output, gradient = parity_gaps(cell)
    assert output <= TOLERANCE[cell.dtype]
    assert gradient <= TOLERANCE[cell.dtype]


def test_the_table_has_a_hundred_cells_and_every_mask_and_format():
    assert len(set(CELLS)) == len(CELLS) >= 100
    assert {c.mask for c in CELLS} == set(MASKS)
    assert {c.dtype for c in CELLS} == set(TOLERANCE)
    assert TOLERANCE["float64"] == 1e-10


@pytest.mark.parametrize("theirs", sorted({c.theirs for c in CELLS}))
def test_the_comparison_notices_a_mask_that_is_turned_over(theirs, monkeypatch):
    cell = ParityCell(theirs, (2, 3, 5, 7, 11, 13), "random", "float64")
    calls = []

    def every_second_time(scores, mask=None):
        calls.append(mask)
        return masked_softmax_unchecked(
            scores, None if mask is None else ~mask | (mask.sum(-1) == 7)[..., None]
        )

    monkeypatch.setattr(
        "attention_course.layers.attention.masked_softmax_unchecked", every_second_time
    )
    assert max(parity_gaps(cell)) > 1e-2
    assert calls


def test_an_unknown_mask_is_refused():
    with pytest.raises(ValueError, match="mask_named: name must be one of"):
        mask_named("upper", (1, 1, 1, 1, 1, 1))


def test_a_layer_that_torch_cannot_have_is_refused():
    with pytest.raises(ValueError, match="multihead_twin: layer must have heads that add up"):
        multihead_twin(CrossAttention(6, n_heads=2, d_v=5))


# The documented differences.


@pytest.fixture
def pair():
    ours = CrossAttention(8, n_heads=2, generator=torch.Generator().manual_seed(0))
    return ours, multihead_twin(ours), torch.randn(1, 4, 8)


def test_in_the_module_true_means_may_not(pair):
    ours, theirs, x = pair
    mask = torch.ones(4, 4, dtype=torch.bool).tril()
    wanted = ours(x, x, mask)[0]
    torch.testing.assert_close(theirs(x, x, x, attn_mask=~mask)[0], wanted)
    # Handed over as it is, the mask shows the future, and the last row sees nothing.
    assert not torch.allclose(theirs(x, x, x, attn_mask=mask)[0], wanted, atol=1e-2)


def test_an_empty_row_is_zeros_in_the_function_and_nan_in_the_module_with_weights(pair):
    ours, theirs, x = pair
    nothing = torch.zeros(4, 4, dtype=torch.bool)
    assert torch.all(ours(x, x, nothing)[0] == 0)
    assert torch.all(sdpa(x, x, x, attn_mask=nothing) == 0)
    assert torch.all(theirs(x, x, x, attn_mask=~nothing, need_weights=False)[0] == 0)
    assert torch.isnan(theirs(x, x, x, attn_mask=~nothing)[0]).all()


def test_with_fewer_queries_than_keys_is_causal_aligns_at_the_top_left():
    q, k = torch.randn(1, 3, 8), torch.randn(1, 5, 8)
    top_left = torch.ones(3, 5).tril().bool()
    torch.testing.assert_close(sdpa(q, k, k, is_causal=True), sdpa(q, k, k, top_left))
    ours = sdpa(q, k, k, torch.from_numpy(causal_mask(3, 5)))
    assert not torch.allclose(sdpa(q, k, k, is_causal=True), ours, atol=1e-3)


def test_a_mask_of_floats_is_added_by_torch_and_refused_here():
    q, ones = torch.randn(1, 3, 8), torch.ones(3, 3).tril()
    assert not torch.allclose(sdpa(q, q, q, ones), sdpa(q, q, q, ones.bool()), atol=1e-3)
    bias = sdpa(q, q, q, ones)
    by_hand = (q @ q.mT / math.sqrt(8) + ones).softmax(-1) @ q
    torch.testing.assert_close(bias, by_hand)
    with pytest.raises(ValueError, match="mask must be a boolean tensor"):
        masked_softmax(q @ q.mT, ones)
