"""The captioner: what is looked at, what learns from it, and what does not."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.world.pictured import draw_pictured
from attention_course.models.experiments import captioning
from attention_course.models.experiments.captioning import WAYS
from attention_course.models.experiments.two_garments import told_tensors

BATCH = told_tensors(draw_pictured(np.random.RandomState(1), 12))
WORDS, CELLS = BATCH[1].shape[1], 7 * 14


def small(way, seed=0):
    torch.manual_seed(seed)
    return m.Captioner(way, np.random.RandomState(seed), m.GridEncoder(8), 25, 6, 4, 5)


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: p.grad for name, p in model.named_parameters()}


@pytest.mark.parametrize("way", WAYS)
def test_weights_are_probabilities_and_choices_are_cells(way):
    done = small(way).train()(*BATCH)
    torch.testing.assert_close(done.weights.sum(-1), torch.ones(12, WORDS))
    if way == "hard":
        taken = (done.choices >= 0).any(1)
        assert 0 < taken.sum() < 12  # the others are mixed, all words of a picture alike
        assert ((done.choices >= 0).all(1) == taken).all()
        assert done.choices.max() < CELLS
    else:
        assert (done.choices == -1).all()


def test_outside_training_hard_attention_takes_the_heaviest_cell():
    done = small("hard").eval()(*BATCH)
    assert (done.choices == done.weights.argmax(-1)).all()


def test_on_one_cell_soft_and_hard_write_the_same():
    one = dict.fromkeys(range(WORDS), torch.eye(CELLS)[torch.arange(12)])
    soft, hard = (small(way).eval()(*BATCH, look_at=one).logs for way in ("soft", "hard"))
    torch.testing.assert_close(soft, hard)


def test_hard_attention_learns_where_to_look_from_rewards_alone(monkeypatch):
    monkeypatch.setattr(captioning, "REWARD", 0.0)
    monkeypatch.setattr(captioning, "ENTROPY", 0.0)
    model = small("hard").train()
    assert gradients(model, m.caption_loss(model, BATCH))["v.weight"].abs().max() == 0
    monkeypatch.setattr(captioning, "REWARD", 1.0)
    assert gradients(model, m.caption_loss(model, BATCH))["v.weight"].abs().max() > 0


def test_soft_attention_learns_where_to_look_and_even_weights_do_not():
    for way in ("soft", "even"):
        model = small(way).train()
        found = gradients(model, m.caption_loss(model, BATCH))["v.weight"]
        assert (found is None) == (way == "even")


def test_the_rule_is_the_one_of_the_paper_written_out_by_hand():
    model = small("hard").train()
    model.baseline.value = -3.0
    state = model.chance.get_state()
    loss = m.caption_loss(model, BATCH).detach()
    model.chance.set_state(state)
    with torch.no_grad():
        done = model(*BATCH)
    wanted = 0.0
    for n, caption in enumerate(BATCH[1]):
        reward = sum(float(done.logs[n, t, word]) for t, word in enumerate(caption))
        logs, entropy = 0.0, 0.0
        for t in range(WORDS):
            alpha = done.weights[n, t].double()
            entropy -= float((alpha * alpha.log()).sum())
            if done.choices[n, t] >= 0:
                logs += float(alpha[done.choices[n, t]].log())
        wanted -= (reward + (reward + 3.0) * logs + captioning.ENTROPY * entropy) / 12
    assert float(loss) == pytest.approx(wanted, rel=1e-4)


def test_the_baseline_has_not_seen_the_rewards_that_it_is_taken_from():
    model = small("hard").train()
    m.caption_loss(model, BATCH)
    reward = m.rewards_of(small("hard").train()(*BATCH), BATCH[1])[0].sum(1).mean()
    assert model.baseline.value == pytest.approx(0.1 * float(reward.detach()), rel=1e-4)


def test_the_doubly_stochastic_term_is_smallest_for_equal_shares():
    model = small("spread").train()
    with torch.no_grad():
        done = model(*BATCH)
        loss = m.caption_loss(model, BATCH)
    plain = -m.rewards_of(done, BATCH[1])[0].sum(1).mean()
    over_time = done.weights.sum(1)
    extra = ((1 - over_time) ** 2).sum(1).mean()
    assert float(loss) == pytest.approx(float(plain + extra), rel=1e-5)
    assert float(extra) >= CELLS * (1 - WORDS / CELLS) ** 2 - 1e-3


def test_credit_for_what_follows_alone_is_less_noisy():
    model, few = small("hard").train(), (BATCH[0][:2], BATCH[1][:2])
    noise = m.gradient_noise(model, few, 200)
    assert noise["plain"] > 3 * noise["moving"] > 3 * noise["to go"] > 0
    state = model.chance.get_state()
    again = m.gradient_noise(model, few, 5)
    model.chance.set_state(state)
    assert m.gradient_noise(model, few, 5) == again
