"""A Vision Transformer for small grey pictures, and a convolutional network of its size."""

import copy

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.images import CLOTHES, SIDE, load_images
from attention_course.data.tensors import load_checkpoint
from attention_course.layers.transformer.transformer_block import TransformerBlock
from attention_course.models._build import seeded, to_model
from attention_course.reference.vision.vision_transformer import plane_positions

POSITIONS = ("learned", "sinusoidal", "none")
# Patch, width, heads, feed-forward width and blocks of the model that ships: its patches are
# smaller than those of the ones that are compared.
FINE = (4, 48, 4, 96, 2)


class VisionTransformer(nn.Module):
    r"""Patches as tokens, a class token before them, blocks, and one row of logits.

    .. math:: z_0 = [\, c;\; x_1 E;\, \dots;\, x_n E \,] + P, \qquad
       \text{logits} = \operatorname{LN}(z_L)_{\text{class}} W + b

    Args:
        rng: where the first weights are drawn from.
        patch: pixels along a side of a patch, a divisor of 28.
        d_model: width of all vectors.
        n_heads: heads of each block.
        d_ff: width inside the feed-forward parts.
        n_layers: blocks, each of which normalises before its parts.
        positions: "learned", "sinusoidal" (in two dimensions, for the patches alone) or
            "none".

    Raises:
        ValueError: if there are no such positions, or the patches do not fill a picture.

    Source:
        Dosovitskiy et al. (2021), section 3.1.

    >>> model = VisionTransformer(np.random.RandomState(0))
    >>> logits, weights = model(torch.zeros(2, 28, 28))
    >>> logits.shape, len(weights), weights[0].shape
    (torch.Size([2, 10]), 2, torch.Size([2, 4, 17, 17]))
    """

    def __init__(
        self,
        rng: np.random.RandomState,
        patch: int = 7,
        d_model: int = 48,
        n_heads: int = 4,
        d_ff: int = 96,
        n_layers: int = 2,
        positions: str = "learned",
    ):
        super().__init__()
        if positions not in POSITIONS:
            raise ValueError(
                f"VisionTransformer: positions must be one of {POSITIONS}, got {positions!r}"
            )
        if patch < 1 or SIDE % patch:
            raise ValueError(
                f"VisionTransformer: patch must be a divisor of {SIDE}, got {patch}"
            )
        self.patch, self.n_heads, grid = patch, n_heads, SIDE // patch
        with seeded(rng):
            self.E = nn.Linear(patch * patch, d_model)
            self.blocks = nn.ModuleList(
                TransformerBlock(d_model, n_heads, d_ff, norm_first=True)
                for _ in range(n_layers)
            )
            self.end = nn.LayerNorm(d_model)
            self.out = nn.Linear(d_model, len(CLOTHES))
            self.cls = nn.Parameter(0.02 * torch.randn(d_model))
            table = 0.02 * torch.randn(grid * grid + 1, d_model)
        if positions == "learned":
            self.P = nn.Parameter(table)
            return
        table = torch.zeros_like(table)
        if positions == "sinusoidal":
            table[1:] = torch.from_numpy(plane_positions(grid, grid, d_model))
        self.register_buffer("P", table, persistent=False)

    def tokens(self, images: Float[Tensor, "n 28 28"]) -> Float[Tensor, "n patches pixels"]:
        """Return the patches of each picture, row by row; see ``reference.patchify``."""
        cut = images.unfold(1, self.patch, self.patch).unfold(2, self.patch, self.patch)
        return cut.flatten(3).flatten(1, 2)

    def read(
        self, patches: Float[Tensor, "n patches pixels"]
    ) -> tuple[Float[Tensor, "n classes"], list[Float[Tensor, "n heads tokens tokens"]]]:
        """Return the logits, and the attention weights of each block, for given patches."""
        first = self.cls.expand(len(patches), 1, -1)
        x = torch.cat([first, self.E(patches)], dim=1) + self.P
        seen = []
        for block in self.blocks:
            x, _, weights = block(x)
            seen.append(weights)
        return self.out(self.end(x[:, 0])), seen

    def forward(
        self, images: Float[Tensor, "n 28 28"]
    ) -> tuple[Float[Tensor, "n classes"], list[Float[Tensor, "n heads tokens tokens"]]]:
        """Return the logits, and the attention weights of each block."""
        return self.read(self.tokens(images))


class SmallConvNet(nn.Module):
    r"""Three convolutions with pooling, and a hidden layer: as many parameters as the other.

    Args:
        rng: where the first weights are drawn from.

    Source:
        The layout goes back to LeCun et al. (1998); the sizes are ours.

    >>> SmallConvNet(np.random.RandomState(0))(torch.zeros(2, 28, 28))[0].shape
    torch.Size([2, 10])
    """

    def __init__(self, rng: np.random.RandomState):
        super().__init__()
        with seeded(rng):
            self.layers = nn.Sequential(
                *(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
                *(nn.Conv2d(12, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
                *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
                *(nn.Flatten(), nn.Linear(576, 33), nn.ReLU(), nn.Linear(33, len(CLOTHES))),
            )

    def forward(
        self, images: Float[Tensor, "n 28 28"]
    ) -> tuple[Float[Tensor, "n classes"], list[Tensor]]:
        """Return the logits, and no weights: nothing attends."""
        return self.layers(images.unsqueeze(1)), []


class ImageBatches:
    """Draws pictures from the first so many of the training set.

    Args:
        size: how many there are to draw from.
        batch: how many are drawn at once.

    >>> pixels, labels = ImageBatches(500).draw(np.random.RandomState(0))
    >>> pixels.shape, labels.shape
    (torch.Size([50, 28, 28]), torch.Size([50]))
    """

    def __init__(self, size: int, batch: int = 50):
        self.pixels, self.labels = map(torch.from_numpy, load_images("train", size))
        self.batch = batch

    def draw(
        self, rng: np.random.RandomState
    ) -> tuple[Float[Tensor, "n 28 28"], Int[Tensor, " n"]]:
        """Return the next batch, drawn with ``rng`` alone."""
        which = torch.from_numpy(rng.randint(len(self.labels), size=self.batch))
        return self.pixels[which], self.labels[which]


def image_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""The cross-entropy of the right classes.

    .. math:: -\frac1n \sum_i \ln p(y_i \mid x_i)

    Args:
        model: returns logits first.
        batch: pictures and their classes.

    Returns:
        A scalar.

    Source:
        Common practice.

    >>> model = VisionTransformer(np.random.RandomState(0))
    >>> image_loss(model, ImageBatches(500).draw(np.random.RandomState(0))).shape
    torch.Size([])
    """
    pixels, labels = to_model(model, batch)
    return nn.functional.cross_entropy(model(pixels)[0], labels)


@torch.no_grad()
def image_accuracy(model: nn.Module, part: str = "test", size: int | None = None) -> float:
    """Return the share of pictures whose class is the likeliest.

    Args:
        model: returns logits first.
        part: "train" or "test".
        size: the first so many; all unless given.

    Returns:
        A share from 0 to 1.

    Source:
        Common practice.

    >>> 0 <= image_accuracy(VisionTransformer(np.random.RandomState(0)), size=20) <= 1
    True
    """
    pixels, labels = to_model(model, map(torch.from_numpy, load_images(part, size)))
    guesses = torch.cat([model(some)[0].argmax(1) for some in pixels.split(250)])
    return float((guesses == labels).cpu().double().mean())


def without_head(model: VisionTransformer, layer: int, head: int) -> VisionTransformer:
    """Return a copy in which one head's context is not passed on.

    Args:
        model: stays as it is.
        layer: which block, from 0.
        head: which of its heads, from 0.

    Returns:
        A copy whose output projection takes nothing from that head.

    >>> model = VisionTransformer(np.random.RandomState(0))
    >>> int((without_head(model, 1, 2).blocks[1].attention.W_o.weight == 0).sum())
    576
    """
    heads = model.n_heads
    if not 0 <= layer < len(model.blocks) or not 0 <= head < heads:
        raise ValueError(
            f"without_head: layer and head must be below {len(model.blocks)} and {heads}, "
            f"got {layer} and {head}"
        )
    silenced = copy.deepcopy(model)
    W_o = silenced.blocks[layer].get_parameter("attention.W_o.weight")
    with torch.no_grad():
        W_o.unflatten(1, (heads, -1))[:, head] = 0
    return silenced


def load_vision_transformer() -> tuple[VisionTransformer, dict[str, str]]:
    """Read the trained Vision Transformer that ships, with patches of 4 by 4 pixels.

    Returns:
        The model, and where it comes from.

    Source:
        ``benchmarks/vision_transformer.py``.

    >>> model, about = load_vision_transformer()
    >>> about["script"]
    'benchmarks/vision_transformer.py'
    """
    arrays, about = load_checkpoint("vision_transformer")
    model = VisionTransformer(np.random.RandomState(0), *FINE)
    model.load_state_dict(
        {k: torch.from_numpy(a.astype(np.float32)) for k, a in arrays.items()}
    )
    return model.eval(), about
