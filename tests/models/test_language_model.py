"""The language model: its cache, its causality, sampling, and its text."""

import numpy as np
import pytest
import torch

from attention_course.data.characters import character_text
from attention_course.layers.positions import KINDS
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel, write
from attention_course.training import fit, warm_up


def build(seed=0, **more):
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 2} | more
    return LanguageModel(9, np.random.RandomState(seed), **sizes).double()


ROW = torch.tensor([[3, 5, 4, 8, 7, 3]])


@pytest.mark.parametrize("kind", KINDS)
def test_cached_equals_full_in_pieces_of_any_size(kind):
    model, past, pieces = build(positions=kind), None, []
    for piece in ROW.split([2, 1, 3], dim=1):
        logits, past = model.step(piece, past)
        pieces.append(logits)
    np.testing.assert_allclose(
        torch.cat(pieces, 1).detach(), model(ROW).detach(), rtol=0, atol=1e-10
    )
    assert past[0].k.shape[-2] == 6


def test_samples_follow_the_models_distribution():
    model = build()
    p = model(torch.tensor([[3]]))[0, -1].softmax(-1).detach().numpy()
    rng = np.random.RandomState(0)
    first = [write(model, [3], 1, rng)[0] for _ in range(600)]
    found = np.bincount(first, minlength=9) / 600
    np.testing.assert_allclose(found, p, atol=0.04)
    assert not np.allclose(np.roll(found, 1), p, atol=0.08)


def test_at_a_low_temperature_the_likeliest_is_taken():
    model = build()
    drawn = write(model, [3], 8, np.random.RandomState(0), temperature=1e-4)
    row = torch.tensor([[3, *drawn]])
    assert model(row)[0, :-1].argmax(-1).tolist() == drawn


def test_it_learns_and_the_rate_is_the_one_that_was_asked_for():
    text = character_text(200, 2000)
    model = LanguageModel(len(text.symbols), np.random.RandomState(0), 32, 2, 64, 1)
    history = fit(
        model,
        lambda rng: text.draw(rng, 16, 17),
        next_symbol_loss,
        np.random.RandomState(0),
        steps=60,
        lr=warm_up(1e-2, 10),
        progress=False,
    )
    assert np.mean(history.losses[-5:]) < 0.8 * history.losses[0]


def fitted(lr, steps=4):
    model, rng = build(), np.random.RandomState(0)
    rows = [lambda rng: rng.randint(3, 9, (2, 5)), next_symbol_loss, rng]
    fit(model, *rows, steps=steps, lr=lr, progress=False)
    return model(ROW)


def test_a_constant_rate_is_a_function_that_is_constant_and_of_nearly_zero_teaches_nothing():
    assert torch.equal(fitted(1e-2), fitted(lambda step: 1e-2))
    assert (fitted(lambda step: 1e-12) - build()(ROW)).abs().max() < 1e-8
    assert (fitted(1e-2) - build()(ROW)).abs().max() > 1e-2


def test_the_rate_rises_to_its_peak_and_falls_with_the_root_of_time():
    rate = warm_up(0.003, 200)
    rates = [rate(step) for step in range(1, 1001)]
    assert max(rates) == rates[199] == 0.003
    assert rate(800) == pytest.approx(0.0015)
    assert rate(1) == pytest.approx(0.003 / 200)


def test_the_two_parts_of_the_text_do_not_overlap_and_pieces_are_of_the_text():
    text = character_text(100, 2000)
    assert len(text.test) == 2000
    rows = text.draw(np.random.RandomState(0), 3, 20)
    whole = "".join(text.symbols.decode(text.train.tolist()))
    for row in rows:
        assert "".join(text.symbols.decode(row.tolist())) in whole
    assert np.array_equal(text.held_out(4, 10).ravel(), text.test[:40])
