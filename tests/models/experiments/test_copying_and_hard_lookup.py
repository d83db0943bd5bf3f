"""The models of the chapter on local and hard attention."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.models.experiments.hard_lookup import METHODS
from attention_course.reference.recurrent.hard import expected_reward_gradient

BATCH = m.lookup_tensors(np.random.RandomState(1), 40)


# ---- the look-up ----


def test_soft_is_the_look_up_model_of_the_scaling_chapter():
    ours = m.HardLookup("soft", 8, np.random.RandomState(0))
    theirs = m.LookupModel("scaled", 8, np.random.RandomState(0))
    assert m.hard_loss(ours, BATCH).item() == pytest.approx(m.lookup_loss(theirs, BATCH).item())


def test_the_bound_is_the_mean_of_what_the_plain_method_samples():
    model = m.HardLookup("plain", 8, np.random.RandomState(0))
    weights, rewards = model.every_choice(BATCH)
    bound = m.HardLookup("bound", 8, np.random.RandomState(0))

    assert m.hard_loss(bound, BATCH).item() == pytest.approx(
        -(weights * rewards).sum(-1).mean().item(), rel=1e-6
    )


def test_the_sampled_gradient_by_the_keys_is_the_bounds_on_average():
    def gradient(model):
        model.zero_grad()
        m.hard_loss(model, BATCH).backward()
        return model.W_k.grad.clone()

    exact = gradient(m.HardLookup("bound", 8, np.random.RandomState(0)))
    model = m.HardLookup("baseline", 8, np.random.RandomState(0))
    model.baseline.value, model.baseline.decay = -2.8, 1.0
    sampled = torch.stack([gradient(model) for _ in range(400)])
    off = (sampled.mean(0) - exact).norm()
    chance = sampled.var(0).sum().div(400).sqrt()

    assert off < 3 * chance
    assert exact.norm() > 5 * off


def test_every_choice_gives_the_scores_gradient_of_the_bound():
    model = m.HardLookup("bound", 8, np.random.RandomState(0)).double()
    q, k, _, _ = model.parts(BATCH)
    scores = model.attention.score(q, k)[:, 0].detach().requires_grad_()
    _, rewards = model.every_choice(BATCH)
    (scores.softmax(-1) * rewards.detach()).sum().backward()
    wanted = expected_reward_gradient(scores.detach().numpy(), rewards.detach().numpy())
    np.testing.assert_allclose(scores.grad, wanted, atol=1e-10)


def test_only_the_papers_recipe_keeps_batches_soft_and_adds_entropy():
    kept = {
        one: (
            m.HardLookup(one, 4, np.random.RandomState(0)).one.soft_share,
            m.HardLookup(one, 4, np.random.RandomState(0)).entropy_weight,
        )
        for one in METHODS
    }
    assert kept.pop("paper's recipe") == (0.5, 0.1)
    assert set(kept.values()) == {(0.0, 0.0)}


# ---- the copier ----


@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_the_reach_is_counted_as_the_task_reads(task):
    batch = m.copy_batches(task, np.random.RandomState(0), 1, 1).batch([4])  # length 12
    labelled = m.copy_batches(task, np.random.RandomState(0), 1, 1)
    labelled.sources = [list(range(3, 3 + len(s))) for s in labelled.sources]
    target = labelled.sources[4] if task == "copy" else labelled.sources[4][::-1]
    inside = [abs(labelled.sources[4].index(y) - t) <= 2 for t, y in enumerate(target)]
    assert m.window_reach(task, 12, 2) == pytest.approx(np.mean(inside))
    drawn = batch.source[0, :12]
    wanted = drawn if task == "copy" else drawn[::-1]
    np.testing.assert_array_equal(batch.target[0, :12], wanted)


def test_what_is_fed_is_the_target_one_step_late():
    batch = m.copy_batches("copy", np.random.RandomState(0), 2, 2).batch([0, 13])
    lengths, fed = m.teacher_forced(batch)
    assert lengths.tolist() == [8, 14]
    np.testing.assert_array_equal(fed[:, 1:], batch.target[:, :-1])
    assert (fed[:, 0] == 1).all()


def test_an_untrained_copier_guesses():
    batches = m.copy_batches("copy", np.random.RandomState(0), 20, 2)
    assert (
        m.symbol_accuracy(
            m.LocalAttentionCopier("global", 2, np.random.RandomState(0)), batches
        )
        < 0.15
    )
