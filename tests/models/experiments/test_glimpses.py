"""A garment hidden in a picture: what is drawn, what is looked at, how choices are learned."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course.data.asked import garments
from attention_course.models.experiments.glimpses import (
    ENTROPY_WEIGHT,
    Glimpser,
    glimpse_loss,
    hidden_tensors,
    hide_garments,
)

CLOTHES = garments("test")
PICTURES = hide_garments(np.random.RandomState(2), 60, CLOTHES)[0]


def small(way, seed=0, **choices):
    return Glimpser(way, np.random.RandomState(seed), 6, 5, **choices)


@pytest.mark.parametrize("grid", [3, 4, 5])
def test_one_garment_is_whole_and_six_are_in_pieces(grid):
    pictures, names, places = hide_garments(np.random.RandomState(3), 30, CLOTHES, grid)
    assert pictures.shape == (30, 14 * grid, 14 * grid)
    for picture, name, place in zip(pictures, names, places, strict=True):
        cells = picture.reshape(grid, 14, grid, 14).swapaxes(1, 2).reshape(-1, 14, 14)
        assert any(np.array_equal(cells[place], one) for one in CLOTHES[name])
        others = np.delete(cells, place, axis=0)
        lit = [cell for cell in others if cell.any()]
        assert 4 <= len(lit) <= 6  # a piece may be cut from where a garment is dark
        for cell in lit:
            rows, columns = np.nonzero(cell)
            assert np.ptp(rows) < 7
            assert np.ptp(columns) < 7


@pytest.mark.parametrize("way", ["chosen", "random"])
def test_what_no_look_meets_in_full_is_known_coarsely_alone(way):
    """Pixels that change places within a coarse one change nothing where nobody looks."""
    model, pictures = small(way).eval(), torch.from_numpy(PICTURES[:20])
    done = model(pictures)
    shuffled = pictures.clone()
    for row, looked in enumerate(done.looked):
        for place in set(range(16)) - set(looked.tolist()):
            a, b = divmod(place, 4)
            cell = shuffled[row, 14 * a : 14 * a + 7, 14 * b : 14 * b + 7]
            cell.copy_(cell.flip(0, 1))
    assert not torch.equal(shuffled, pictures)
    model.chance = small(way).chance
    again = model(shuffled)
    assert torch.equal(again.looked, done.looked)
    torch.testing.assert_close(again.logits, done.logits)


def test_who_weighs_softly_meets_every_place_in_full():
    model, pictures = small("soft").eval(), torch.from_numpy(PICTURES[:20])
    shuffled = pictures.clone()
    shuffled[:, :7, :7] = pictures[:, :7, :7].flip(1, 2)
    changed = (model(shuffled).logits - model(pictures).logits).abs().amax(1)
    moved = (shuffled != pictures).flatten(1).any(1)
    assert moved.any()
    assert torch.equal(changed > 0, moved)


def test_a_choice_follows_the_weights_in_training_and_is_the_heaviest_later():
    model, pictures = small("chosen"), torch.from_numpy(PICTURES)
    with torch.no_grad():
        model.W_s.weight.zero_()
        model.W_s.bias.fill_(-50.0)
        model.W_s.bias[[3, 9]] = torch.tensor([0.0, 1.0])
    drawn = model.train()(pictures).looked
    assert set(drawn.flatten().tolist()) == {3, 9}
    assert 0.6 < (drawn == 9).double().mean() < 0.85  # e / (1 + e) is 0.73
    assert (model.eval()(pictures).looked == 9).all()


def test_the_rival_looks_anywhere_whatever_its_weights():
    model, pictures = small("random").eval(), torch.from_numpy(PICTURES)
    with torch.no_grad():
        model.W_s.bias[5] = 99.0
    assert len(model(pictures).looked.unique()) == 16


def test_the_loss_of_chosen_looks_is_cross_entropy_and_reinforce():
    model = small("chosen").train()
    batch = hidden_tensors(np.random.RandomState(4), 30, CLOTHES)
    b = model.baseline.value
    assert b == pytest.approx(np.log(1 / 8))
    glimpse_loss(model, batch).backward()
    found = model.W_s.bias.grad.clone()

    twin = small("chosen").train()
    done = twin(batch[0])
    rewards = -nn.functional.cross_entropy(done.logits, batch[1], reduction="none")
    chosen = done.weights.gather(2, done.looked.unsqueeze(-1)).squeeze(-1).log().mean(1)
    entropy = -(done.weights * done.weights.log()).sum(-1).mean(1)
    wanted = rewards + (rewards.detach() - b) * chosen + ENTROPY_WEIGHT * entropy
    twin.zero_grad()
    (-wanted.mean()).backward()
    torch.testing.assert_close(found, twin.W_s.bias.grad)
    assert model.baseline.value == pytest.approx(0.9 * b + 0.1 * rewards.mean().item())


@pytest.mark.parametrize("way", ["random", "soft"])
def test_the_loss_of_the_rivals_is_cross_entropy(way):
    batch = hidden_tensors(np.random.RandomState(4), 30, CLOTHES)
    loss = glimpse_loss(small(way), batch)
    logits = small(way)(batch[0]).logits
    torch.testing.assert_close(loss, nn.functional.cross_entropy(logits, batch[1]))
