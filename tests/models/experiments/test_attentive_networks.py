"""The network with attention or without: sizes, cuts, covered patches, what ships."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data import load_images
from attention_course.measure import recorded
from attention_course.models.experiments.convolutional_networks import ATTENTIVE, LAST

IMAGES = torch.from_numpy(load_images("test", 30).pixels)


def small(kind, seed=0):
    model = m.AttentiveConvNet(kind, np.random.RandomState(seed))
    if kind in ("softmax", "dot product"):  # else a new block changes nothing
        with torch.no_grad():
            model.attention.W_z.weight.normal_(generator=torch.Generator().manual_seed(1))
    return model


def test_all_kinds_have_about_as_many_parameters():
    counts = {k: sum(p.numel() for p in small(k).parameters()) for k in LAST}
    assert max(counts.values()) < 1.005 * min(counts.values()), counts


@pytest.mark.parametrize("kind", LAST)
def test_the_attention_stands_behind_the_second_convolution(kind):
    model = small(kind)
    x = model.below(IMAGES.unsqueeze(1)) * (2 if kind == "doubled" else 1)
    if model.attention is not None:
        x, seen = model.attention(x)
        torch.testing.assert_close(model(IMAGES)[1], seen)
    logits = model.out(model.above(x).mean((2, 3)))
    torch.testing.assert_close(model(IMAGES)[0], logits)


def test_doubled_is_what_a_mask_of_ones_makes_of_it():
    doubled, spatial = small("doubled"), small("spatial")
    spatial.load_state_dict(doubled.state_dict(), strict=False)
    logits = spatial(IMAGES, torch.ones(14, 14))[0]
    torch.testing.assert_close(doubled(IMAGES)[0], logits)


@pytest.mark.parametrize("kind", ATTENTIVE)
def test_what_is_given_instead_reaches_the_answer(kind):
    model = small(kind)
    logits, seen = model(IMAGES)
    torch.testing.assert_close(model(IMAGES, seen)[0], logits)
    assert (model(IMAGES, seen.flip(0))[0] - logits).abs().max() > 1e-6


def by_hand(model, images, instead):
    x = model.below(images.unsqueeze(1))
    return model.out(model.above(model.attention(x, instead)[0]).mean((2, 3))).argmax(1)


@pytest.mark.parametrize("kind", ATTENTIVE)
def test_each_cut_is_what_it_is_called(kind):
    model = small(kind, 3)
    labels = torch.from_numpy(load_images("test", 30).labels)
    with torch.no_grad():
        seen = model(IMAGES)[1]
        no = torch.ones_like(seen) if kind == "channel" else torch.zeros_like(seen)
        instead = {
            "whole": seen,
            "mean": seen.mean(0).expand_as(seen),
            "flat": seen.mean().expand_as(seen),
            "off": no,
        }
        if seen.ndim == 3 and kind != "spatial":
            instead["one row"] = seen.mean(1, keepdim=True).expand_as(seen)
        wanted = {
            k: float((by_hand(model, IMAGES, x) == labels).double().mean())
            for k, x in instead.items()
        }
    assert m.cut_attention(model, 30) == pytest.approx(wanted)


def test_patches_are_means_of_squares():
    found = m.patches_of(IMAGES)
    for n, a, b in ((0, 0, 0), (3, 2, 5), (29, 6, 1)):
        square = IMAGES[n, 4 * a : 4 * a + 4, 4 * b : 4 * b + 4]
        torch.testing.assert_close(found[n, 7 * a + b], square.mean())


def test_covering_costs_what_the_loop_says():
    model, cost = small("spatial"), m.cost_of_covered_pixels(small("spatial"), IMAGES[:4])
    assert cost.shape == (4, 49)
    with torch.no_grad():
        for n, a, b in ((0, 0, 0), (1, 3, 2), (3, 6, 6)):
            picture = IMAGES[n].clone()
            whole = model(picture[None])[0][0].log_softmax(0)
            picture[4 * a : 4 * a + 4, 4 * b : 4 * b + 4] = 0
            less = model(picture[None])[0][0].log_softmax(0)
            answer = int(whole.argmax())
            wanted = whole[answer] - less[answer]
            torch.testing.assert_close(cost[n, 7 * a + b], wanted, rtol=0, atol=1e-5)


def test_the_patches_that_rank_highest_are_covered():
    """A model that knows one patch alone changes its answer when that patch is covered."""

    class Knows(torch.nn.Module):
        def forward(self, images):
            seen = images[:, 8:12, 4:8].mean((1, 2))
            return torch.stack([seen, 0.01 - seen], 1), None

    pictures = torch.zeros(3, 28, 28)
    pictures[:, 8:12, 4:8] = 1
    rank = torch.zeros(3, 49)
    rank[:, 15] = 1  # row 2, column 1
    assert m.answers_covered(Knows(), pictures, rank, 1) == 1
    assert m.answers_covered(Knows(), pictures, rank.roll(1, 1), 1) == 0


def test_the_networks_that_ship_do_what_was_recorded():
    networks, about = m.load_attentive_networks()
    found = {
        run["kind"]: run["test"]
        for run in recorded("convolutional_networks")[0]
        if run["seed"] == int(about["seed"])
    }
    for kind, model in networks.items():
        assert m.image_accuracy(model) == pytest.approx(found[kind], abs=0.005), kind
