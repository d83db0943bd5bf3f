"""Local attention in torch: against the reference, values and gradients; padding."""

import numpy as np
import pytest
import torch

from attention_course.layers.recurrent.local import (
    LocalAttention,
    PredictedCentre,
    local_weights,
)
from attention_course.layers.scores import DotScore
from attention_course.reference.recurrent import local as reference


def draws(seed=0, batch=2, n_queries=3, n_keys=7, d=5):
    draw = np.random.RandomState(seed).standard_normal
    return [draw((batch, n_queries, d)), draw((batch, n_keys, d)), draw((batch, n_keys, d))]


def build(D=2, predicted=True, d=5):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        predictor = PredictedCentre(d, 4) if predicted else None
        return LocalAttention(DotScore(), D, predictor).double()


def arrays(attention):
    p = attention.predictor
    return p.W_p.weight.detach().numpy(), p.v_p.weight.detach().numpy()[0]


@pytest.mark.parametrize("predicted", [True, False])
@pytest.mark.parametrize("lengths", [(7, 7), (4, 6)])
def test_weights_and_context_are_those_of_the_loops(predicted, lengths):
    q, k, v = draws()
    attention = build(predicted=predicted)
    mask = torch.arange(7) < torch.tensor(lengths)[:, None, None]
    context, weights, p = attention(*map(torch.tensor, (q, k, v)), mask)
    for i, length in enumerate(lengths):
        wanted_p = np.arange(3.0)
        if predicted:
            wanted_p = reference.predicted_centres(q[i], *arrays(attention), length)
        wanted = reference.local_weights_by_loops(q[i] @ k[i].T, wanted_p, 2, predicted, length)
        assert np.abs(p[i].detach().numpy() - wanted_p).max() < 1e-12
        assert np.abs(weights[i].detach().numpy() - wanted).max() < 1e-12
        assert np.abs(context[i].detach().numpy() - wanted @ v[i]).max() < 1e-12


def test_a_decoder_may_go_step_by_step():
    q, k, v = map(torch.tensor, draws())
    attention = build(predicted=False)
    at_once = attention(q, k, v)[1]
    steps = [attention(q[:, t : t + 1], k, v, first=t)[1] for t in range(3)]
    assert torch.equal(torch.cat(steps, 1), at_once)


def test_padding_is_never_seen_and_does_not_move_the_centre():
    q, k, v = draws()
    attention, mask = build(), torch.arange(7) < 4
    plain = attention(*map(torch.tensor, (q, k[:, :4], v[:, :4])))
    k[:, 4:], v[:, 4:] = 9.0, 9.0
    context, weights, p = attention(*map(torch.tensor, (q, k, v)), mask)
    assert (context - plain[0]).abs().max() < 1e-13
    assert weights[..., 4:].abs().max() == 0
    assert torch.equal(p, plain[2])


def test_an_empty_window_gives_zeros_and_no_nan_in_the_gradients():
    scores = torch.zeros(1, 1, 3, dtype=torch.double, requires_grad=True)
    p = torch.tensor([[9.0]], dtype=torch.double, requires_grad=True)
    weights = local_weights(scores, p, 2)
    weights.sum().backward()
    assert weights.abs().max() == 0
    assert scores.grad.abs().max() == 0
    assert p.grad.abs().max() == 0
