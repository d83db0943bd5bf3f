"""A head that must often say nothing: the task, the extra score, and the hidden first token."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from attention_course import models as m
from attention_course.models.experiments.calls import CALL, LENGTH, N_SYMBOLS, START
from attention_course.reference import softmax, softmax_with_sink


def drawn(seed=0, size=200):
    return m.call_tensors(np.random.RandomState(seed), size)


def test_at_a_call_the_symbol_before_is_wanted_and_elsewhere_nothing():
    tokens, wanted = drawn()
    for row, said in zip(tokens.tolist(), wanted, strict=True):
        assert row[0] == START
        for place in range(LENGTH):
            speaks = place > 1 and row[place] == CALL
            expected = functional.one_hot(torch.tensor(row[place - 1]), N_SYMBOLS).float()
            assert torch.equal(said[place], expected if speaks else torch.zeros(N_SYMBOLS))
    assert 0.2 < (tokens[:, 1:] == CALL).float().mean() < 0.3


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("sink", [False, True])
def test_the_weights_are_a_softmax_with_or_without_one_more_score(first, sink):
    model = m.CallReader(np.random.RandomState(1), sink, first)
    _, weights = model(drawn(2, 3)[0])
    sums = weights.sum(-1)
    assert bool((sums < 0.999).any()) == sink
    assert (sums <= 1 + 1e-6).all()
    assert (weights.triu(1) == 0).all()
    assert bool((weights[:, 1:, 0] == 0).all()) != first
    x = (model.symbols[drawn(2, 3)[0]] + model.places).detach().double()
    scores = (x @ model.W_q.double()) @ (x @ model.W_k.double()).mT / 32**0.5
    may = torch.ones(LENGTH, LENGTH).tril().bool()
    may[1:, 0] = first
    scores = scores.masked_fill(~may, -torch.inf).detach().numpy()
    wanted = (softmax_with_sink if sink else softmax)(scores)
    np.testing.assert_allclose(weights.detach().numpy(), wanted, atol=1e-5)


def test_hiding_the_first_token_is_what_training_without_it_sees():
    rows, weights = drawn(3, 3)[0], []
    for first in (True, False):
        model = m.CallReader(np.random.RandomState(4), first=first)
        weights.append(model(rows, hide_first=True)[1])
    assert torch.equal(*weights)
    assert weights[0][:, 0, 0].tolist() == [1.0] * 3  # it may see itself


def test_the_loss_is_the_squared_distance():
    model, (tokens, wanted) = m.CallReader(np.random.RandomState(5)), drawn(6, 4)
    output = model(tokens)[0].detach()
    by_loops = sum(
        float((output[b, i] - wanted[b, i]).square().sum()) for b in range(4) for i in range(16)
    )
    assert m.call_loss(model, (tokens, wanted)).item() == pytest.approx(by_loops / 64, rel=1e-5)
