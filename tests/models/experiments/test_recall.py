"""Recall over a distance: the task, its model, and that nobody sees what is to come."""

import numpy as np
import pytest
import torch

from attention_course.data.lookup import N_DIGITS
from attention_course.data.recall import recall_batch
from attention_course.layers.attention import scaled_dot_product_attention
from attention_course.models.experiments.recall import (
    KINDS,
    WIDTH,
    RecallModel,
    attend_causally,
    recall_by_distance,
    recall_loss,
    recall_tensors,
)
from attention_course.training import fit


def test_each_step_asks_for_a_word_that_came_once_and_not_later():
    words, digits, asked, distance = recall_batch(np.random.RandomState(0), 50, n=40)
    assert words.shape == digits.shape == asked.shape == distance.shape == (50, 40)
    assert np.array_equal(np.sort(words, axis=1), np.tile(np.arange(40), (50, 1)))
    assert (distance >= 0).all()
    assert (distance <= np.arange(40)).all()
    places = np.arange(40) - distance
    assert np.array_equal(np.take_along_axis(words, places, axis=1), asked)
    assert digits.max() == N_DIGITS - 1


def test_long_distances_are_asked_for_as_often_as_short_ones():
    distance = recall_batch(np.random.RandomState(0), 400)[3][:, -1]
    shares = [np.mean((distance >= a) & (distance < 2 * a)) for a in (4, 8, 16, 32)]
    assert max(shares) < 1.5 * min(shares)


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_sees_what_is_to_come(kind):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 1, 128, 8).double()
    full = attend_causally(kind, q, k, v)
    k[:, 100:], v[:, 100:] = 9.0, -9.0
    assert torch.equal(attend_causally(kind, q, k, v)[:, :100], full[:, :100])
    assert not torch.equal(attend_causally(kind, q, k, v), full)


def test_the_window_sees_as_many_as_it_says():
    q, k, v = torch.randn(3, 1, 2 * WIDTH, 8).double()
    near, _ = scaled_dot_product_attention(q[:, -1:], k[:, -WIDTH:], v[:, -WIDTH:])
    torch.testing.assert_close(attend_causally("window", q, k, v)[:, -1:], near)


def test_a_small_model_learns_the_task_up_to_the_end_of_its_window():
    model = RecallModel(["window"], np.random.RandomState(0), n=64, d=32)
    fit(
        model,
        lambda rng: recall_tensors(rng, 8, 64),
        recall_loss,
        np.random.RandomState(1),
        steps=500,
        lr=5e-3,
        progress=False,
    )
    near, far = recall_by_distance(model, np.random.RandomState(2), (0, WIDTH, 64), n=64)
    assert near > 0.9
    assert far < 0.2
