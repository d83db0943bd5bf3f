"""Find a garment in a larger picture: look at few places in full, or at all of them."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.asked import CELL, GARMENTS, garments
from attention_course.data.tensors import load_checkpoint
from attention_course.layers.recurrent.hard import (
    MovingBaseline,
    draw_positions,
    reinforce_loss,
)
from attention_course.models._build import seeded, to_model

GRID, FAR = 4, 7  # places along a side of a picture; pixels along a side of a coarse one
PIECES, PIECE = 6, 7  # how many distract, and how many pixels wide and high they are
GLIMPSERS = ("chosen", "random", "soft")
ENTROPY_WEIGHT = 0.02


class Glimpsed(NamedTuple):
    """What a model answered, and where it looked.

    Attributes:
        logits: of the eight garments.
        weights: of the places, at every look.
        looked: the place that was looked at; for "soft" the heaviest.
    """

    logits: Float[Tensor, "n garments"]
    weights: Float[Tensor, "n looks places"]
    looked: Int[Tensor, "n looks"]


def hide_garments(
    rng: np.random.RandomState,
    size: int,
    clothes: Float[np.ndarray, "kinds pictures 14 14"],
    grid: int = GRID,
) -> tuple[Float[np.ndarray, "n height width"], Int[np.ndarray, " n"], Int[np.ndarray, " n"]]:
    """Lay one garment, and pieces of six others, into the places of a picture.

    Args:
        rng: where the pictures are drawn from; advanced in place.
        size: how many, at least 1.
        clothes: what :func:`attention_course.data.asked.garments` returns.
        grid: places along a side, at least 3; a place has 14 by 14 pixels.

    Returns:
        The pictures, which garment is whole in each, and at which place, row by row.

    Raises:
        ValueError: if ``size`` or ``grid`` is no whole number of at least 1 or 3.

    Source:
        Mnih et al. (2014), section 4.1, for digits hidden among pieces of others.

    >>> pictures, names, places = hide_garments(np.random.RandomState(0), 2, garments("test"))
    >>> pictures.shape, names.tolist(), places.tolist()
    ((2, 56, 56), [7, 5], [14, 0])
    """
    for name, value, least in (("size", size, 1), ("grid", grid, 3)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(
                f"hide_garments: {name} must be a whole number of at least {least}, "
                f"got {value!r}"
            )
    places = grid * grid
    taken = rng.random_sample((size, places)).argsort(1)[:, : PIECES + 1]
    kinds = rng.randint(len(clothes), size=taken.shape)
    laid = clothes[kinds, rng.randint(clothes.shape[1], size=taken.shape)]
    corner = rng.randint(2, CELL - PIECE - 1, size=(size, PIECES, 2, 1))
    inside = (np.arange(CELL) >= corner) & (np.arange(CELL) < corner + PIECE)
    laid[:, 1:] *= inside[:, :, 0, :, None] & inside[:, :, 1, None, :]
    cells = np.zeros((size, places, CELL, CELL), np.float32)
    cells[np.arange(size)[:, None], taken] = laid
    pictures = cells.reshape(size, grid, grid, CELL, CELL).swapaxes(2, 3)
    return pictures.reshape(size, grid * CELL, -1), kinds[:, 0], taken[:, 0]


class Glimpser(nn.Module):
    r"""See the whole picture coarsely, then a few places in full, and name the garment.

    .. math:: \boldsymbol\alpha_t = \operatorname{softmax}(W_s \mathbf h_{t-1}), \qquad
       s_t \sim \text{categorical}(\boldsymbol\alpha_t), \qquad
       \mathbf h_t = \operatorname{relu}\bigl(W_h [\mathbf h_{t-1};\, f(\mathbf x_{s_t}) +
       \mathbf p_{s_t}]\bigr)

    "soft" takes the mean of all places with these weights instead, "random" a place at random.

    Args:
        way: one of ``GLIMPSERS``.
        rng: where the first parameters are drawn from, and then the choices.
        d: width of all vectors.
        hidden: width of the hidden layer of f.
        looks: how often it looks.
        grid: places along a side of a picture.

    Source:
        Mnih et al. (2014), section 3. Theirs looks anywhere, at several scales each time; ours
        sees the coarse scale once and chooses among the places of a grid.

    >>> model = Glimpser("chosen", np.random.RandomState(0), 6, 5)
    >>> done = model(torch.zeros(3, 56, 56))
    >>> done.logits.shape, done.weights.shape, done.looked.shape
    (torch.Size([3, 8]), torch.Size([3, 2, 16]), torch.Size([3, 2]))
    """

    def __init__(
        self,
        way: str,
        rng: np.random.RandomState,
        d: int = 64,
        hidden: int = 96,
        looks: int = 2,
        grid: int = GRID,
    ):
        super().__init__()
        if way not in GLIMPSERS:
            raise ValueError(f"Glimpser: way must be one of {[*GLIMPSERS]}, got {way!r}")
        self.way, self.looks, self.grid, places = way, looks, grid, grid * grid
        with seeded(rng):
            self.far = nn.Linear(places * (CELL // FAR) ** 2, d)
            self.f = nn.Sequential(
                nn.Linear(CELL * CELL, hidden), nn.ReLU(), nn.Linear(hidden, d)
            )
            self.p = nn.Parameter(0.1 * torch.randn(places, d))
            self.W_h = nn.Linear(2 * d, d)
            self.W_s = nn.Linear(d, places)
            self.name = nn.Linear(d, len(GARMENTS))
        self.chance = np.random.RandomState(rng.randint(2**31 - 1))
        self.baseline = MovingBaseline(value=-np.log(len(GARMENTS)))  # what a guess earns

    def choose(self, weights: Float[Tensor, "n places"]) -> Int[Tensor, " n"]:
        """Return the place that is looked at; in training it is drawn with the weights."""
        if self.way == "random":
            weights = torch.full_like(weights, 1 / weights.shape[-1])
        elif not self.training or self.way == "soft":
            return weights.argmax(-1)
        return draw_positions(weights, self.chance)

    def forward(self, pictures: Float[Tensor, "n height width"]) -> Glimpsed:
        """Look, and name what is there."""
        cut = pictures.unflatten(2, (self.grid, CELL)).unflatten(1, (self.grid, CELL))
        cells = cut.transpose(2, 3).flatten(3).flatten(1, 2)
        coarse = nn.functional.avg_pool2d(pictures.unsqueeze(1), FAR)
        h, weights, looked = torch.relu(self.far(coarse.flatten(1))), [], []
        here = torch.arange(len(pictures), device=pictures.device)
        everything = self.f(cells) + self.p if self.way == "soft" else None
        for _ in range(self.looks):
            alpha = self.W_s(h).softmax(-1)
            s = self.choose(alpha)
            if everything is None:
                seen = self.f(cells[here, s]) + self.p[s]
            else:
                seen = (alpha.unsqueeze(1) @ everything).squeeze(1)
            h = torch.relu(self.W_h(torch.cat([h, torch.relu(seen)], -1)))
            weights.append(alpha)
            looked.append(s)
        return Glimpsed(self.name(h), torch.stack(weights, 1), torch.stack(looked, 1))


def hidden_tensors(
    rng: np.random.RandomState, size: int, clothes: Float[np.ndarray, "kinds pictures 14 14"]
) -> tuple[Float[Tensor, "n height width"], Int[Tensor, " n"]]:
    """Return what :func:`hide_garments` draws, as tensors, without the places.

    Args:
        rng: where the pictures are drawn from; advanced in place.
        size: how many.
        clothes: what :func:`attention_course.data.asked.garments` returns.

    Returns:
        Pictures, and which garment is whole in each.

    >>> pictures, names = hidden_tensors(np.random.RandomState(0), 2, garments("test"))
    >>> pictures.shape, names.tolist()
    (torch.Size([2, 56, 56]), [7, 5])
    """
    pictures, names, _ = hide_garments(rng, size, clothes)
    return torch.from_numpy(pictures), torch.from_numpy(names)


def glimpse_loss(model: Glimpser, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""Cross-entropy, and where places are chosen REINFORCE with a moving baseline.

    .. math:: -\frac1n \sum_n \Bigl[ r_n + \tfrac1T \sum_t \bigl( (r_n - b) \ln \alpha_{s_t}
       + \lambda H(\boldsymbol\alpha_t) \bigr) \Bigr], \qquad r = \ln p(\text{garment})

    Args:
        model: which ``way`` it has decides.
        batch: what :func:`hidden_tensors` returns.

    Returns:
        A scalar to be made small.

    Source:
        Mnih et al. (2014), section 3.1; their reward is 1 for a right answer, else 0.

    >>> model = Glimpser("soft", np.random.RandomState(0), 6, 5)
    >>> glimpse_loss(model, hidden_tensors(np.random.RandomState(0), 2, garments())).shape
    torch.Size([])
    """
    pictures, names = to_model(model, batch)
    done = model(pictures)
    rewards = done.logits.log_softmax(-1).gather(-1, names.unsqueeze(-1))
    if model.way != "chosen":
        return -rewards.mean()
    loss = reinforce_loss(
        done.weights,
        done.looked,
        rewards.expand(-1, model.looks),
        model.baseline.value,
        entropy_weight=ENTROPY_WEIGHT,
    )
    model.baseline.update(rewards)
    return loss


def load_glimpser() -> tuple[Glimpser, dict[str, str]]:
    """Load the model that chooses its looks, as ``benchmarks/glimpses.py`` trained seed 0.

    Returns:
        The model in evaluation mode, and where its parameters come from.

    Source:
        ``data/checkpoints/PROVENANCE.md``.

    >>> load_glimpser()[1]["script"]
    'benchmarks/glimpses.py'
    """
    arrays, about = load_checkpoint("glimpser")
    model = Glimpser("chosen", np.random.RandomState(0))
    model.load_state_dict(
        {key: torch.from_numpy(array.astype(np.float32)) for key, array in arrays.items()}
    )
    return model.eval(), about
