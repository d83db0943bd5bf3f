"""The Vision Transformer: torch's own layers, patches, places, silenced heads."""

import numpy as np
import pytest
import torch
from torch import nn

from attention_course import models as m
from attention_course.data import load_images
from attention_course.reference import patchify, plane_positions

IMAGES = torch.from_numpy(load_images("test", 6).pixels).double()


def small(positions="learned", seed=0, **sizes):
    return m.VisionTransformer(
        np.random.RandomState(seed), positions=positions, **sizes
    ).double()


class TorchsOwn(nn.Module):
    """A convolution whose steps are as long as it is wide, and torch's encoder."""

    def __init__(self, ours, d=48, heads=4, d_ff=96):
        super().__init__()
        p = ours.patch
        self.cut = nn.Conv2d(1, d, p, stride=p)
        self.cut.load_state_dict(
            {"weight": ours.E.weight.reshape(d, 1, p, p), "bias": ours.E.bias}
        )
        self.layers = nn.ModuleList()
        for block in ours.blocks:
            options = {"dropout": 0.0, "batch_first": True, "norm_first": True}
            layer = nn.TransformerEncoderLayer(d, heads, d_ff, **options)
            projections = [getattr(block.attention, name) for name in ("W_q", "W_k", "W_v")]
            layer.load_state_dict(
                {
                    "self_attn.in_proj_weight": torch.cat([W.weight for W in projections]),
                    "self_attn.in_proj_bias": torch.cat([W.bias for W in projections]),
                    "self_attn.out_proj.weight": block.attention.W_o.weight,
                    "self_attn.out_proj.bias": block.attention.W_o.bias,
                    "linear1.weight": block.feed_forward.W_1.weight,
                    "linear1.bias": block.feed_forward.W_1.bias,
                    "linear2.weight": block.feed_forward.W_2.weight,
                    "linear2.bias": block.feed_forward.W_2.bias,
                    **{
                        f"norm{i + 1}.{name}": value
                        for i in (0, 1)
                        for name, value in block.norms[i].state_dict().items()
                    },
                }
            )
            self.layers.append(layer)
        self.cls, self.P, self.end, self.out = ours.cls, ours.P, ours.end, ours.out

    def forward(self, images):
        patches = self.cut(images.unsqueeze(1)).flatten(2).mT
        x = torch.cat([self.cls.expand(len(images), 1, -1), patches], 1) + self.P
        for layer in self.layers:
            x = layer(x)
        return self.out(self.end(x[:, 0]))


@pytest.mark.parametrize("patch", [4, 7])
def test_it_is_torchs_convolution_and_encoder(patch):
    ours = small(patch=patch)
    theirs = TorchsOwn(ours).double()
    torch.testing.assert_close(ours(IMAGES)[0], theirs(IMAGES), rtol=0, atol=1e-10)
    with torch.no_grad():
        theirs.layers[1].norm2.weight[3] += 0.1
    assert (ours(IMAGES)[0] - theirs(IMAGES)).abs().max() > 1e-6


def test_its_patches_are_those_of_the_specification():
    np.testing.assert_array_equal(
        small(patch=4).tokens(IMAGES).numpy(), patchify(IMAGES.numpy(), 4)
    )


def test_every_row_of_weights_sums_to_one():
    for weights in small()(IMAGES)[1]:
        torch.testing.assert_close(weights.sum(-1), torch.ones(6, 4, 17).double())


def test_sinusoids_are_given_to_the_patches_alone():
    P = small("sinusoidal").P
    np.testing.assert_allclose(P[1:], plane_positions(4, 4, 48), atol=1e-6)
    assert not P[0].any()


def test_without_positions_the_order_of_patches_does_not_matter():
    order = torch.from_numpy(np.random.RandomState(0).permutation(16))
    for positions, matters in (("none", False), ("learned", True), ("sinusoidal", True)):
        model = small(positions)
        patches = model.tokens(IMAGES)
        off = (model.read(patches)[0] - model.read(patches[:, order])[0]).abs().max().detach()
        assert (float(off) > 1e-6) == matters, positions


def test_both_networks_have_as_many_parameters():
    sizes = [
        sum(p.numel() for p in model(np.random.RandomState(0)).parameters())
        for model in (m.VisionTransformer, m.SmallConvNet)
    ]
    assert abs(sizes[0] - sizes[1]) < 0.01 * sizes[0]


def test_a_silenced_head_adds_nothing_and_its_model_is_a_copy():
    model = small()
    before = model(IMAGES)[0].detach()
    silenced = m.without_head(model, 1, 2)
    assert torch.equal(model(IMAGES)[0], before)
    with torch.no_grad():
        model.blocks[1].attention.W_v.weight[24:36] = 0
        model.blocks[1].attention.W_v.bias[24:36] = 0
    torch.testing.assert_close(silenced(IMAGES)[0], model(IMAGES)[0], rtol=0, atol=1e-12)
    assert (silenced(IMAGES)[0] - before).abs().max() > 1e-6


def test_batches_come_from_the_first_pictures_and_the_generator_alone():
    one, same, other = (
        m.ImageBatches(60).draw(np.random.RandomState(seed)) for seed in (0, 0, 1)
    )
    assert torch.equal(one[0], same[0])
    assert not torch.equal(one[1], other[1])
    known = torch.from_numpy(load_images("train", 60).pixels)
    assert all((known == picture).all((1, 2)).any() for picture in one[0])


def test_the_loss_is_the_mean_of_the_logs():
    model, batch = small().float(), m.ImageBatches(60).draw(np.random.RandomState(0))
    logs = model(batch[0])[0].log_softmax(-1)
    wanted = -torch.stack([logs[i, y] for i, y in enumerate(batch[1])]).mean()
    torch.testing.assert_close(m.image_loss(model, batch), wanted)
