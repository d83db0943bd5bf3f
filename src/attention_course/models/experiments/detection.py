"""Find all garments of a picture at once: object queries, and a loss over sets."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.asked import (
    GARMENTS,
    PLACES,
    AskedPictures,
    ask_pictures,
    boxes_of,
    garments,
)
from attention_course.models._build import seeded, to_model
from attention_course.models.experiments.asking import (
    N_PLACES,
    NOTHING,
    GarmentEncoder,
    cut_places,
    normal,
    two_layers,
)
from attention_course.reference.vision.detection import match, matching_cost

QUERIES, NOTHING_COUNTS = 8, 0.3


class Found(NamedTuple):
    """What a detector found.

    Attributes:
        logits: of the eight garments and of "nothing", by each query.
        boxes: centre across and down, width and height, as shares of the picture.
        weights: of the nine places, for each query, in the last layer.
    """

    logits: Float[Tensor, "n queries classes"]
    boxes: Float[Tensor, "n queries 4"]
    weights: Float[Tensor, "n queries 9"]


class Look(nn.Module):
    r"""Cross-attention with one head.

    .. math:: A = \operatorname{softmax}\frac{X W_q (Y W_k)^\top}{\sqrt d}, \qquad Z = A\, Y W_v

    Args:
        d: width of all vectors.

    Source:
        Vaswani et al. (2017), section 3.2.1.

    >>> z, weights = Look(6)(torch.zeros(2, 8, 6), torch.zeros(2, 9, 6))
    >>> z.shape, weights.shape
    (torch.Size([2, 8, 6]), torch.Size([2, 8, 9]))
    """

    def __init__(self, d: int):
        super().__init__()
        self.W_q = nn.Linear(d, d, bias=False)
        self.W_k = nn.Linear(d, d, bias=False)
        self.W_v = nn.Linear(d, d, bias=False)

    def forward(
        self,
        x: Float[Tensor, "n queries d"],
        y: Float[Tensor, "n keys d"],
    ) -> tuple[Float[Tensor, "n queries d"], Float[Tensor, "n queries keys"]]:
        """Return what each query sees, and its weights."""
        scores = self.W_q(x) @ self.W_k(y).mT / x.shape[-1] ** 0.5
        weights = scores.softmax(-1)
        return weights @ self.W_v(y), weights


class DetectorLayer(nn.Module):
    """The queries look at each other, then at the picture.

    Args:
        d: width of all vectors.

    Source:
        Carion et al. (2020), section 3.2, with one head and normalisation first.

    >>> x, weights = DetectorLayer(6)(torch.zeros(2, 8, 6), torch.zeros(2, 9, 6))
    >>> x.shape, weights.shape
    (torch.Size([2, 8, 6]), torch.Size([2, 8, 9]))
    """

    def __init__(self, d: int):
        super().__init__()
        self.among, self.at = Look(d), Look(d)
        self.think = two_layers(d, 2 * d, d)

    def forward(
        self,
        x: Float[Tensor, "n queries d"],
        a: Float[Tensor, "n 9 d"],
    ) -> tuple[Float[Tensor, "n queries d"], Float[Tensor, "n queries 9"]]:
        """Return the queries' new vectors, and where they looked."""
        y = normal(x)
        x = x + self.among(y, y)[0]
        seen, weights = self.at(normal(x), a)
        x = x + seen
        return x + self.think(normal(x)), weights


class Detector(nn.Module):
    r"""Eight learned queries look at a picture; each says what it found, and where.

    Args:
        rng: where the first parameters are drawn from.
        d: width of all vectors.
        layers: how many.

    Source:
        Carion et al. (2020), section 3.2: the decoder of DETR.

    >>> found = Detector(np.random.RandomState(0), 6)(torch.zeros(2, 42, 42))
    >>> found.logits.shape, found.boxes.shape
    (torch.Size([2, 8, 9]), torch.Size([2, 8, 4]))
    """

    def __init__(self, rng: np.random.RandomState, d: int = 48, layers: int = 2):
        super().__init__()
        with seeded(rng):
            self.encoder = GarmentEncoder(d)
            self.W_a = nn.Linear(d, d)
            self.place = nn.Parameter(0.7 * torch.randn(N_PLACES, d))
            self.queries = nn.Parameter(torch.randn(QUERIES, d))
            self.layers = nn.ModuleList([DetectorLayer(d) for _ in range(layers)])
            self.name = nn.Linear(d, NOTHING + 1)
            self.box = two_layers(d, d, 4)

    def forward(self, pictures: Float[Tensor, "n 42 42"]) -> Found:
        """Return classes, boxes and the weights of the last layer."""
        f = self.encoder(cut_places(pictures))
        a = torch.relu(self.W_a(f) + self.place)
        x = self.queries.expand(len(a), -1, -1)
        for layer in self.layers:
            x, weights = layer(x, a)
        x = normal(x)
        return Found(self.name(x), torch.sigmoid(self.box(x)), weights)


def matched_queries(
    found: Found, names: Int[Tensor, "n objects"], boxes: Float[Tensor, "n objects 4"]
) -> Int[Tensor, "n objects"]:
    """Return the query that answers for each object.

    Args:
        found: what the detector says.
        names: of the objects.
        boxes: of the objects.

    Returns:
        Numbers of queries.

    Source:
        Carion et al. (2020), section 3.1.

    >>> from attention_course.models.experiments.detection import Found
    >>> found = Found(torch.zeros(1, 3, 9), torch.eye(4)[None, :3], torch.zeros(1, 3, 9))
    >>> matched_queries(found, torch.tensor([[0, 0]]), torch.eye(4)[None, [2, 0]]).tolist()
    [[2, 0]]
    """
    seen = found.logits.detach().softmax(-1), found.boxes.detach()
    parts = [part.cpu().numpy() for part in (*seen, names, boxes)]
    rows = [match(matching_cost(*one)) for one in zip(*parts, strict=True)]
    return torch.from_numpy(np.array(rows)).to(names.device)


def set_loss(model: Detector, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    r"""The loss over a set: each object is told by its own query, the others say "nothing".

    Args:
        model: to be trained.
        batch: pictures, and names and boxes of their objects.

    Returns:
        A scalar to be made small.

    Source:
        Carion et al. (2020), section 3.1; "nothing" counts less, since it is frequent.

    >>> from attention_course.data.asked import ask_pictures, garments
    >>> batch = box_tensors(ask_pictures(np.random.RandomState(0), 4, garments("test")))
    >>> set_loss(Detector(np.random.RandomState(0), 6), batch).shape
    torch.Size([])
    """
    pictures, names, boxes = to_model(model, batch)
    found = model(pictures)
    chosen = matched_queries(found, names, boxes)
    logits = found.logits.mT  # (n, classes, queries)
    wanted = torch.full_like(chosen[:, :1], NOTHING).repeat(1, QUERIES)
    wanted = wanted.scatter(1, chosen, names)
    counts = logits.new_ones(NOTHING + 1)
    counts[NOTHING] = NOTHING_COUNTS
    naming = nn.functional.cross_entropy(logits, wanted, counts)
    at = chosen.unsqueeze(-1).expand(-1, -1, 4)
    apart = (found.boxes.gather(1, at) - boxes).abs().sum(-1)
    return naming + 5 * apart.mean()


def box_tensors(
    asked: AskedPictures,
) -> tuple[Float[Tensor, "n 42 42"], Int[Tensor, "n objects"], Float[Tensor, "n objects 4"]]:
    """Return pictures, and names and boxes of their objects, as tensors.

    Args:
        asked: what :func:`attention_course.data.asked.ask_pictures` returns.

    Returns:
        Pictures, names and boxes.

    >>> from attention_course.data.asked import ask_pictures, garments
    >>> asked = ask_pictures(np.random.RandomState(0), 4, garments("test"))
    >>> [part.shape for part in box_tensors(asked)]
    [torch.Size([4, 42, 42]), torch.Size([4, 5]), torch.Size([4, 5, 4])]
    """
    names, boxes = boxes_of(asked)
    return torch.from_numpy(asked.pictures), torch.from_numpy(names), torch.from_numpy(boxes)
