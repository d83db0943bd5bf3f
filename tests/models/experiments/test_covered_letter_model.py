"""The model that guesses covered letters: its parts, its losses, its recorded beginning."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.covered_letters import (
    cover_every_letter,
)
from attention_course.models.experiments.covered_letters import head_contexts

WORDS = ["attention", "heads", "queue", "keys"]


def model(n_heads=4, n_kv_heads=None):
    return m.CoveredLetterModel(n_heads, np.random.RandomState(0), n_kv_heads)


def test_a_mean_or_another_words_context_stands_in_place_of_a_head():
    trained, batch = model().double(), cover_every_letter(WORDS)
    own = head_contexts(trained, batch)
    whole = m.loss_without(trained, batch)
    logits = trained(torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions))[0]
    right = logits.softmax(1)[range(len(batch.answers)), batch.answers]
    assert whole == pytest.approx(-right.log().mean().item(), abs=1e-12)
    assert m.covered_loss(trained, batch).item() == pytest.approx(whole, abs=1e-12)
    assert m.loss_without(trained, batch, (1, 2), own) == pytest.approx(whole, abs=1e-12)
    mean = own.mean(0)
    zeroed = m.CoveredLetterModel(4, np.random.RandomState(0)).double()
    with torch.no_grad():  # a head that is zero, and the mean as a constant behind W_o
        columns = zeroed.attention.W_o.weight[:, 8:16].clone()
        zeroed.attention.W_o.weight[:, 8:16] = 0
    handle = zeroed.attention.W_o.register_forward_hook(
        lambda module, given, out: out + columns @ mean[1]
    )
    by_hand = m.loss_without(zeroed, batch)
    handle.remove()
    assert m.loss_without(trained, batch, (1,), mean) == pytest.approx(by_hand, abs=1e-12)
    losses = {m.loss_without(trained, batch, (1,), put) for put in (None, mean, own.flip(0))}
    assert len(losses | {whole}) == 4


def test_what_it_hands_out_it_takes_back():
    one, other = model(), m.CoveredLetterModel(4, np.random.RandomState(1))
    other.put(one.arrays(np.float32))
    assert all(
        torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True)
    )


def test_silencing_leaves_the_model_as_it_was():
    trained, batch = model(), cover_every_letter(WORDS)
    before = [p.clone() for p in trained.parameters()]
    whole = m.loss_without(trained, batch)
    assert m.loss_without(trained, batch, (0, 1, 2, 3)) != whole
    assert m.loss_without(trained, batch) == whole
    assert all(torch.equal(a, b) for a, b in zip(before, trained.parameters(), strict=True))
