"""Slowed clocks are what their papers say: the first keeps its speed, the last loses it."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.layers.positions import RotaryPositions
from attention_course.models.experiments.longer_positions import WAYS
from attention_course.reference.positions import rotary_angles

PLAIN = m.slowed_speeds("plain", 16, 4, 32)


def test_plain_speeds_are_those_of_rotary_positions():
    np.testing.assert_allclose(PLAIN, rotary_angles(1, 16, 1)[0], rtol=1e-12)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_slowed_where_texts_are_not_longer(way):
    np.testing.assert_allclose(m.slowed_speeds(way, 16, 1, 32), PLAIN, rtol=1e-12)


def test_the_last_clock_is_slowed_by_the_factor_and_the_first_by_at_most_that():
    for way in ("larger base", "interpolation", "YaRN"):
        slowed = m.slowed_speeds(way, 16, 4, 32)
        assert slowed[-1] == pytest.approx(PLAIN[-1] / 4)
        assert (slowed <= PLAIN * (1 + 1e-12)).all()
        assert (slowed >= PLAIN / 4 * (1 - 1e-12)).all()
        assert (np.diff(slowed) < 0).all()
    for way in ("larger base", "YaRN"):
        assert m.slowed_speeds(way, 16, 4, 32)[0] == pytest.approx(1.0)


def test_interpolated_positions_turn_as_nearer_ones_did():
    x = torch.randn(1, 2, 9, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    slowed = m.SlowedRotary("interpolation", 4, 32).turn(x)
    near = RotaryPositions().turn(x[..., :3, :])
    same = RotaryPositions().turn(x[..., [0, 4, 8], :], start=0)
    assert not torch.allclose(slowed[..., :3, :], near)
    torch.testing.assert_close(slowed[..., [0, 4, 8], :], same)


def test_yarn_makes_scores_larger_and_keeps_them_relative():
    q, k = torch.randn(
        2, 1, 1, 5, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1)
    )
    part = m.SlowedRotary("YaRN", 4, 32)
    here, there = (part.turn(q, at) @ part.turn(k, at).mT for at in (0, 70))
    torch.testing.assert_close(here, there)
    lengths = part.turn(q).norm(dim=-1) / q.norm(dim=-1)
    torch.testing.assert_close(lengths, torch.full_like(lengths, 0.1 * np.log(4) + 1))


def test_slowing_down_reaches_every_block_and_no_parameter():
    model = m.LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 2)
    symbols = torch.tensor([[1, 3, 4, 5, 6]])
    before, known = model(symbols), {n: p.clone() for n, p in model.named_parameters()}
    m.slow_down(model, "plain", 4, 32)
    torch.testing.assert_close(model(symbols), before)
    m.slow_down(model, "larger base", 4, 32)
    assert sum(isinstance(part, m.SlowedRotary) for part in model.modules()) >= 1
    assert not any(type(part) is RotaryPositions for part in model.modules())
    assert (model(symbols) - before).abs().max() > 1e-6
    assert {n: p.shape for n, p in model.named_parameters()} == {
        n: p.shape for n, p in known.items()
    }
