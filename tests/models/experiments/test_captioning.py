"""The captioner: what is looked at, what learns from it, and what does not."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.scenes import draw_scenes
from attention_course.models.experiments import captioning
from attention_course.models.experiments.captioning import WAYS, near

BATCH = m.scene_tensors(np.random.RandomState(1), 12)


def small(way, seed=0):
    return m.Captioner(way, np.random.RandomState(seed), 8, 6, 4, 5)


def gradients(model, loss):
    model.zero_grad()
    loss.backward()
    return {name: p.grad for name, p in model.named_parameters()}


def test_an_annotation_sees_ten_pixels_a_side():
    picture = torch.rand(1, 3, 24, 24, requires_grad=True)
    small("soft").encoder(picture)[0, 14].sum().backward()  # row 2, column 2
    seen = picture.grad[0].abs().sum(0) > 0
    down, across = seen.any(1).nonzero()[:, 0], seen.any(0).nonzero()[:, 0]
    for places in (down, across):
        assert places.min() >= 4 * 2 - 3
        assert places.max() <= 4 * 2 + 6


@pytest.mark.parametrize("way", WAYS)
def test_weights_are_probabilities_and_choices_are_cells(way):
    done = small(way).train()(*BATCH)
    torch.testing.assert_close(done.weights.sum(-1), torch.ones(12, 8))
    if way == "hard":
        taken = (done.choices >= 0).any(1)
        assert 0 < taken.sum() < 12  # the others are mixed, all words of a picture alike
        assert ((done.choices >= 0).all(1) == taken).all()
        assert done.choices.max() < 36
    else:
        assert (done.choices == -1).all()


def test_outside_training_hard_attention_takes_the_heaviest_cell():
    done = small("hard").eval()(*BATCH)
    assert (done.choices == done.weights.argmax(-1)).all()


def test_on_one_cell_soft_and_hard_write_the_same():
    one = dict.fromkeys(range(8), torch.eye(36)[torch.arange(12)])
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
        for t in range(8):
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
    assert float(extra) >= 36 * (1 - 8 / 36) ** 2 - 1e-3


def test_cells_beside_an_object_are_near():
    cells = np.zeros((2, 36), dtype=bool)
    cells[0, 14] = True
    grid = near(cells)[0].reshape(6, 6)
    assert grid[1:4, 1:4].all()
    assert grid.sum() == 9
    assert not near(cells)[1].any()


def test_shares_are_counted_on_the_named_object():
    scenes = draw_scenes(np.random.RandomState(0), 50)
    weights = np.zeros((50, 8, 36))
    weights[:, 1] = scenes.cells[:, 0] / scenes.cells[:, 0].sum(1, keepdims=True)
    weights[:, 5] = scenes.cells[:, 0] / scenes.cells[:, 0].sum(1, keepdims=True)
    shares = m.share_on_named(weights, scenes.cells)
    np.testing.assert_allclose(shares["named"], [1, 0, 0, 0], atol=0.05)
    np.testing.assert_allclose(shares["other"], [0, 0, 1, 0], atol=0.05)


def test_turning_the_eye_counts_the_first_colour_alone():
    scenes = draw_scenes(np.random.RandomState(0), 40)
    model = small("soft").eval()
    free, turned = m.look_elsewhere(model, scenes)
    written = model(torch.from_numpy(scenes.pictures)).logs[:, 1].argmax(-1).numpy()
    one, two = scenes.captions[:, 1], scenes.captions[:, 5]
    apart = one != two
    assert free.tolist() == [(written == one)[apart].mean(), (written == two)[apart].mean()]
    assert turned.sum() <= 1
