"""What single translators have that no other has: a leak, an ensemble, a table, a size."""

import numpy as np
import pytest
import torch
from rows_models import attention_only, gnmt, luong, transformer

from attention_course.data.batches import Batch
from attention_course.layers.transformer.cross_attention import extend
from attention_course.models import FixedVectorSeq2Seq, sequence_loss
from attention_course.models.translators.decoding import replace_unknown

SOURCE, TARGET = torch.tensor([[3, 5, 4, 8, 7]]), [1, 4, 5, 3]
FOLLOWED = SOURCE, torch.tensor([5]), torch.tensor([TARGET])


def test_step_by_step_nothing_leaks_and_a_cache_grows_by_one():
    for ahead, same in ((0, True), (1, False)):
        model = attention_only(ahead=ahead)
        memory, kept, rows = model.read(*FOLLOWED[:2]), None, []
        for at, symbol in enumerate(TARGET):
            s, kept = model.step(torch.tensor([symbol]), at, kept)
            rows.append(model.emit(s, memory)[0])
            assert kept.k.shape[2] == at + 1
        gap = (model(*FOLLOWED) - torch.cat(rows, 1)).abs().max()
        assert bool(gap < 1e-10) == same
        assert extend(None, kept) is kept


@pytest.mark.parametrize(("ahead", "seen"), [(0, 3), (1, 4), (48, 4)])
def test_the_gradient_reaches_as_far_as_the_mask_lets_it(ahead, seen):
    model, kept = attention_only(ahead=ahead), []
    model.E_y.register_forward_hook(lambda m, given, out: kept.append(out))
    (slope,) = torch.autograd.grad(model(*FOLLOWED)[0, 2].sum(), kept[0])
    assert (slope[0].norm(dim=-1) > 0).tolist() == [j < seen for j in range(4)]


def test_a_residual_adds_to_the_plain_model_from_the_third_layer_on():
    for depth, same in ((8, False), (2, True)):
        plain, residual = (gnmt(depth=depth, residual=x)(*FOLLOWED) for x in (False, True))
        assert bool((plain - residual).abs().max() < 1e-3) == same


def test_forget_gates_start_open_and_recurrent_matrices_orthogonal():
    for lstm in (luong().encoder, luong().decoder):
        for _, W_h, b_x, b_h in lstm.all_weights:
            assert (b_x + b_h).tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 8
            for block in W_h.split(4):
                assert (block @ block.T - torch.eye(4)).abs().max() < 1e-6


def test_each_score_and_input_feeding_have_the_parameters_of_their_formulas():
    counts = {"dot": 0, "general": 16, "concat": 2 * 16 + 4, "location": 3 * 4}
    for score, count in counts.items():
        parts = luong(score=score).attention.parameters()
        assert sum(p.numel() for p in parts) == count
    shapes = [
        {name: p.shape for name, p in luong(feeding=feeding).named_parameters()}
        for feeding in (True, False)
    ]
    other = {name for name in shapes[0] if shapes[0][name] != shapes[1][name]}
    assert other == {"decoder.weight_ih_l0"}


def test_an_unknown_word_is_replaced_by_what_was_looked_at_and_others_stay():
    weights = torch.tensor([[[0.2, 0.8], [0.9, 0.1], [0.3, 0.7]]])
    written, copies = torch.tensor([[3, 3, 5]]), torch.tensor([[8, 9]])
    assert replace_unknown(written, weights, copies, 3).tolist() == [[9, 8, 5]]


def test_one_table_reads_and_chooses():
    model, one = transformer(), (np.array([[3]]), np.array([1]))
    sequence_loss(model, Batch(*one, *one)).backward()
    assert (model.E_y.weight.grad.abs().sum(1) > 0).all()
