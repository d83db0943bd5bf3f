"""The Transformer that is written to be read computes what the other one computes."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.batches import Batch
from attention_course.models.translators.assembled import assembled
from attention_course.training import fit, warm_up

SOURCE, LENGTHS = torch.tensor([[3, 4, 5, 8], [6, 3, 0, 0]]), torch.tensor([4, 2])
TARGET = torch.tensor([[1, 4, 6], [1, 5, 3]])
BATCH = Batch(
    SOURCE.numpy(), LENGTHS.numpy(), np.array([[4, 6, 2], [5, 2, 0]]), np.array([3, 2])
)


def pair():
    other = m.Transformer(9, 7, np.random.RandomState(0), 8, 2, 16, 2).double()
    for i, p in enumerate(other.parameters()):
        p.data.copy_(torch.from_numpy(np.random.RandomState(i).standard_normal(p.shape)) * 0.5)
    return assembled(other), other.eval()


def test_logits_weights_and_gradients_are_those_of_the_other():
    ours, other = pair()
    memory, real = ours.read(SOURCE, LENGTHS)
    logits, weights = ours.decoder(TARGET, memory, real)
    their_logits, their_weights = other.follow(SOURCE, LENGTHS, TARGET)
    torch.testing.assert_close(logits, their_logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(weights, their_weights, rtol=0, atol=1e-10)
    torch.testing.assert_close(ours(SOURCE, LENGTHS, TARGET), logits, rtol=0, atol=0)
    (mine,) = torch.autograd.grad(logits.square().sum(), ours.decoder.words.E.weight)
    (theirs,) = torch.autograd.grad(their_logits.square().sum(), other.E_y.weight)
    torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-9)


def test_it_writes_what_the_one_with_a_cache_writes():
    ours, other = pair()
    mine, theirs = (
        m.write_greedily(ours, SOURCE, LENGTHS, 9),
        other.generate(SOURCE, LENGTHS, 9),
    )
    assert mine.shape == theirs.shape
    real = theirs != 0  # behind the end mark the other writes padding
    assert torch.equal(mine[real], theirs[real])
    assert real.sum() > len(theirs)


def test_a_training_step_is_that_of_fit():
    ours, other = pair()
    optimiser = torch.optim.Adam(ours.parameters())
    losses = [m.training_step(ours, optimiser, BATCH, t, 1e-2, 2) for t in (1, 2, 3)]

    history = fit(
        other,
        lambda rng: BATCH,
        m.sequence_loss,
        np.random.RandomState(0),
        steps=3,
        lr=warm_up(1e-2, 2),
        progress=False,
    )
    assert losses == pytest.approx(history.losses, abs=1e-8)
    assert losses[2] < losses[0]


def test_the_future_and_the_padding_are_never_seen():
    ours, _ = pair()
    before = ours(SOURCE, LENGTHS, TARGET)
    later = TARGET.clone()
    later[:, 2] = 2
    torch.testing.assert_close(ours(SOURCE, LENGTHS, later)[:, :2], before[:, :2])
    rubbish = SOURCE.clone()
    rubbish[1, 2:] = 7
    torch.testing.assert_close(ours(rubbish, LENGTHS, TARGET), before)
    rubbish[1, 1] = 7
    assert not torch.allclose(ours(rubbish, LENGTHS, TARGET), before)
