"""The tape and the other readers in torch: loops, gradients, causality, padding."""

import numpy as np
import pytest
import torch

from attention_course.layers.recurrent.lstmn import LSTMN
from attention_course.models.experiments.next_symbol import (
    KINDS,
    CausalHead,
    NextSymbolModel,
    next_symbol_loss,
)
from attention_course.reference import causal_mask, scaled_dot_product_attention
from attention_course.reference.recurrent.lstmn import LSTMNWeights, lstmn_by_loops

X = torch.randn(2, 5, 3, dtype=torch.double, generator=torch.Generator().manual_seed(0))


def layer(seed=0):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return LSTMN(3, 4, 6).double()


def weights_of(module):
    named = {name: w.detach().numpy().copy() for name, w in module.named_parameters()}
    scoring = [named[f"{name}.weight"] for name in ("W_h", "W_x", "W_summary")]
    return LSTMNWeights(*scoring, named["v.weight"][0], named["W.weight"], named["W.bias"])


@pytest.mark.parametrize("seed", range(3))
def test_states_and_weights_are_those_of_the_loops(seed):
    module = layer(seed)
    h, weights = module(X)
    for i, row in enumerate(X.numpy()):
        wanted, looked = lstmn_by_loops(list(row), weights_of(module))
        assert np.abs(h[i].detach().numpy() - wanted).max() < 1e-10
        assert np.abs(weights[i].detach().numpy() - looked).max() < 1e-10


def test_gradients_are_the_slopes_of_the_loops():
    module, shift = layer(), 1e-5
    h, weights = module(X[:1])
    (h.pow(2).sum() + weights.pow(2).sum()).backward()
    places = {
        "W_h": (2, 1),
        "W_x": (0, 2),
        "W_summary": (3, 3),
        "v": (4,),
        "W": (9, 2),
        "b": (5,),
    }
    for name, place in places.items():
        found = []
        for sign in (1, -1):
            p = weights_of(module)
            getattr(p, name)[place] += sign * shift
            found.append(sum((part**2).sum() for part in lstmn_by_loops(list(X[0].numpy()), p)))
        slope = (found[0] - found[1]) / (2 * shift)
        tensor = module.W.bias if name == "b" else getattr(module, name).weight
        grad = tensor.grad[0][place] if name == "v" else tensor.grad[place]
        assert abs(slope - grad.item()) < 1e-6 * max(1, abs(slope)), name
        assert abs(slope) > 1e-9, name


def test_autograd_agrees_with_finite_differences_in_every_input():
    module = layer()
    assert torch.autograd.gradcheck(lambda x: module(x)[0], X[:1, :4].clone().requires_grad_())


def test_looking_at_the_last_place_only_is_torchs_lstm():
    module = layer()
    lstm = torch.nn.LSTM(3, 4, batch_first=True, dtype=torch.double)
    recurrent, inputs = module.W.weight.data.split([4, 3], dim=1)
    arrays = inputs, recurrent, module.W.bias.data, torch.zeros(16).double()
    for parameter, array in zip(lstm.parameters(), arrays, strict=True):
        parameter.data = array
    assert (module(X)[0] - lstm(X)[0]).abs().max() > 1e-4
    module.look_back = lambda asked, keys, tape: (tape[-1], asked.new_ones(2, len(tape)))
    assert (module(X)[0] - lstm(X)[0]).abs().max() < 1e-12


def test_each_key_is_computed_once():
    module, calls = layer(), []
    module.W_h.register_forward_hook(lambda *_: calls.append("W_h"))
    module(X)
    assert len(calls) == X.shape[1]


def test_the_head_is_the_references_attention_with_a_causal_mask():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        head = CausalHead(3, 4).double()
    h, weights = head(X)
    q, k, v = (getattr(head, n)(X).detach().numpy() for n in ("W_q", "W_k", "W_v"))
    mask = np.broadcast_to(causal_mask(5, 5), (2, 5, 5)).copy()
    wanted, alpha = scaled_dot_product_attention(q, k, v, mask=mask)
    assert np.abs(h.detach().numpy() - wanted).max() < 1e-12
    assert np.abs(weights.detach().numpy() - alpha).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_never_sees_what_comes_later(kind):
    reader = NextSymbolModel(kind, 9, np.random.RandomState(0), width=6).double()
    a, b = reader(torch.tensor([[1, 3, 4, 5], [1, 3, 4, 8]]))
    assert torch.equal(a[:3], b[:3])
    assert (a[3] - b[3]).abs().max() > 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_padding_at_the_end_costs_nothing(kind):
    reader = NextSymbolModel(kind, 9, np.random.RandomState(0), width=6).double()
    short, longer = np.array([[1, 3, 2]]), np.array([[1, 3, 2, 0, 0]])
    a, b = next_symbol_loss(reader, short), next_symbol_loss(reader, longer)
    assert abs(a.item() - b.item()) < 1e-12


def test_the_same_generator_gives_the_same_reader():
    a, b, c = (
        NextSymbolModel("lstmn", 9, np.random.RandomState(s), 6).state_dict() for s in (1, 1, 2)
    )
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert not torch.equal(a["E.weight"], c["E.weight"])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"kind": "gru"}, "NextSymbolModel: kind must be one of"),
        ({"width": 0}, "NextSymbolModel: width must be at least 1, got 0"),
        ({"longest": 0}, "NextSymbolModel: longest must be at least 1, got 0"),
    ],
)
def test_what_cannot_be_built_is_refused(bad, message):
    good = {"kind": "lstm", "n_symbols": 9, "rng": np.random.RandomState(0), "width": 6}
    with pytest.raises(ValueError, match=message):
        NextSymbolModel(**good | bad)


def test_widths_below_one_are_refused():
    with pytest.raises(ValueError, match="LSTMN: d_a must be at least 1, got 0"):
        LSTMN(3, 4, 0)
