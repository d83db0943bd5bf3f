"""A small convolutional network for grey pictures, with one kind of attention or none."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.data.images import CLOTHES, load_images
from attention_course.data.tensors import load_checkpoint
from attention_course.layers.vision.convolutional_networks import (
    NonLocalBlock,
    SpatialGate,
    SqueezeAndExcitation,
)
from attention_course.models._build import seeded, to_model

CHANNELS, PATCH = 32, 4
# Channels of the last convolution: where the attention has parameters, it has fewer.
LAST = {"none": 55, "doubled": 55, "spatial": 55, "channel": 53, "softmax": 48}
LAST["dot product"] = LAST["softmax"]
ATTENTIVE = [*LAST][2:]


def _attention(kind: str) -> nn.Module | None:
    if kind not in ATTENTIVE:
        return None
    if kind == "spatial":
        return SpatialGate(CHANNELS)
    if kind == "channel":
        return SqueezeAndExcitation(CHANNELS, CHANNELS // 4)
    return NonLocalBlock(CHANNELS, CHANNELS // 2, kind)


class AttentiveConvNet(nn.Module):
    r"""Three convolutions, attention behind the second one, and the mean over all places.

    .. math:: \text{logits} = W\, \frac1{HW} \sum_p f_3\bigl(a(f_2(f_1(x)))\bigr)_p + b

    Args:
        kind: "none", "doubled" (none, but the maps are multiplied by 2, as by a mask that is
            1 everywhere), "spatial", "channel" (squeeze and excitation), "softmax" or "dot
            product" (a non-local block); all have about as many parameters.
        rng: where the first weights are drawn from.

    Source:
        Written for this course; the kinds are in ``layers.vision``.

    >>> model = AttentiveConvNet("spatial", np.random.RandomState(0))
    >>> logits, seen = model(torch.zeros(2, 28, 28))
    >>> logits.shape, seen.shape
    (torch.Size([2, 10]), torch.Size([2, 14, 14]))
    """

    def __init__(self, kind: str, rng: np.random.RandomState):
        super().__init__()
        if kind not in LAST:
            names = ", ".join(map(repr, LAST))
            raise ValueError(f"AttentiveConvNet: kind must be one of {names}, got {kind!r}")
        last, self.factor = LAST[kind], 2 if kind == "doubled" else 1
        with seeded(rng):
            self.below = nn.Sequential(
                *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
                *(nn.Conv2d(16, CHANNELS, 3, padding=1), nn.ReLU()),
            )
            self.above = nn.Sequential(
                *(nn.MaxPool2d(2), nn.Conv2d(CHANNELS, last, 3, padding=1), nn.ReLU())
            )
            self.out = nn.Linear(last, len(CLOTHES))
            self.attention = _attention(kind)

    def forward(
        self, images: Float[Tensor, "n 28 28"], instead: Tensor | None = None
    ) -> tuple[Float[Tensor, "n classes"], Tensor | None]:
        """Return the logits, and the gates or weights; ``instead`` takes their place."""
        x, seen = self.factor * self.below(images.unsqueeze(1)), None
        if self.attention is not None:
            x, seen = self.attention(x, instead)
        return self.out(self.above(x).mean((2, 3))), seen


@torch.no_grad()
def cut_attention(model: AttentiveConvNet, size: int | None = None) -> dict[str, float]:
    """Put something simpler in the place of gates or weights, and count right answers.

    Args:
        model: with attention.
        size: the first so many test pictures; all unless given.

    Returns:
        The share of test pictures that is right: "whole", as trained; "mean", where every
        picture gets the mean of all pictures; "flat", where that is one number; "off", where
        the maps pass as they came; and for a non-local block "one row", where all places of a
        picture ask with one mean row of weights.

    Raises:
        ValueError: if the model has no attention.

    Source:
        Written for this course; "one row" after Cao et al. (2019).

    >>> cut = cut_attention(AttentiveConvNet("softmax", np.random.RandomState(0)), size=20)
    >>> [*cut], cut["off"] == cut["whole"]
    (['whole', 'mean', 'flat', 'off', 'one row'], True)
    """
    pixels, labels = to_model(model, map(torch.from_numpy, load_images("test", size)))
    logits, seen = model(pixels)
    if seen is None:
        raise ValueError("cut_attention: model must have attention, got kind 'none'")
    mean, channel = seen.mean(0), seen.ndim == 2
    instead = {"mean": mean, "flat": torch.full_like(mean, float(mean.mean()))}
    instead["off"] = torch.ones_like(mean) if channel else torch.zeros_like(mean)
    if isinstance(model.attention, NonLocalBlock):
        instead["one row"] = seen.mean(1, keepdim=True).expand_as(seen)
    answers = {"whole": logits} | {k: model(pixels, cut)[0] for k, cut in instead.items()}
    right = {name: (a.argmax(1) == labels).cpu() for name, a in answers.items()}
    return {name: float(each.double().mean()) for name, each in right.items()}


def patches_of(
    maps: Float[Tensor, "n height width"], rows: int = 7
) -> Float[Tensor, "n patches"]:
    """Return the mean of a map in each square patch, row by row.

    Args:
        maps: pictures or masks, as high as wide.
        rows: of the grid of patches.

    Returns:
        One number a patch.

    >>> patches_of(torch.eye(4).expand(1, -1, -1), 2).tolist()
    [[0.5, 0.0, 0.0, 0.5]]
    """
    return nn.functional.avg_pool2d(maps.unsqueeze(1), maps.shape[-1] // rows).flatten(1)


@torch.no_grad()
def cost_of_covered_pixels(
    model: nn.Module, images: Float[Tensor, "n 28 28"]
) -> Float[Tensor, "n patches"]:
    """Cover one patch of 4 by 4 pixels after another; say how much surer the answer was.

    Args:
        model: returns logits first.
        images: to be covered.

    Returns:
        What each patch costs the answer, in nats.

    Source:
        Zeiler and Fergus (2014), section 4.2.

    >>> model = AttentiveConvNet("none", np.random.RandomState(0))
    >>> cost_of_covered_pixels(model, torch.zeros(2, 28, 28)).abs().max() < 1e-6
    tensor(True)
    """
    whole = model(images)[0].log_softmax(-1)
    answer = whole.argmax(-1, keepdim=True)
    costs = []
    for row in range(0, 28, PATCH):
        for column in range(0, 28, PATCH):
            covered = images.clone()
            covered[:, row : row + PATCH, column : column + PATCH] = 0
            less = model(covered)[0].log_softmax(-1)
            costs.append((whole - less).gather(-1, answer))
    return torch.cat(costs, dim=-1)


@torch.no_grad()
def answers_covered(
    model: nn.Module,
    images: Float[Tensor, "n 28 28"],
    ranked_by: Float[Tensor, "n patches"],
    n: int = 5,
) -> float:
    """Cover at once the patches that a map ranks highest, and count answers that change.

    Args:
        model: returns logits first.
        images: to be covered.
        ranked_by: a number for each of 49 patches.
        n: how many are covered.

    Returns:
        A share of the pictures, from 0 to 1.

    >>> model = AttentiveConvNet("none", np.random.RandomState(0))
    >>> answers_covered(model, torch.zeros(2, 28, 28), torch.rand(2, 49))
    0.0
    """
    keep = torch.ones_like(ranked_by).scatter(1, ranked_by.topk(n).indices, 0.0)
    keep = keep.unflatten(1, (7, 7))
    covered = images * keep.repeat_interleave(PATCH, 1).repeat_interleave(PATCH, 2)
    changed = model(images)[0].argmax(-1) != model(covered)[0].argmax(-1)
    return float(changed.cpu().double().mean())


def load_attentive_networks() -> tuple[dict[str, AttentiveConvNet], dict[str, str]]:
    """Read the four trained networks with attention that ship.

    Returns:
        The networks by kind, and where they come from.

    Source:
        ``benchmarks/convolutional_networks.py``.

    >>> networks, about = load_attentive_networks()
    >>> [*networks], about["seed"]
    (['spatial', 'channel', 'softmax', 'dot product'], '0')
    """
    arrays, about = load_checkpoint("convolutional_networks")
    networks = {}
    for kind in ATTENTIVE:
        model = AttentiveConvNet(kind, np.random.RandomState(0))
        start = f"{kind}/"
        model.load_state_dict(
            {
                name.removeprefix(start): torch.from_numpy(a.astype(np.float32))
                for name, a in arrays.items()
                if name.startswith(start)
            }
        )
        networks[kind] = model.eval()
    return networks, about
