"""Ask a picture: a question looks at the places of a picture, twice, and is answered."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.asked import (
    ANSWERS,
    CELL,
    GARMENTS,
    PLACES,
    QUESTION_WORDS,
    RELATIONS,
    AskedPictures,
    ask_pictures,
    garments,
)
from attention_course.data.tensors import load_checkpoint
from attention_course.models._build import seeded, to_model

NOTHING = 8  # behind the numbers of the garments
N_WORDS, N_ANSWERS, N_PLACES = 24, 10, 9
LOOKERS = ("two looks", "one look", "even")


class Answered(NamedTuple):
    """What a model answered, and where it looked.

    Attributes:
        logits: of every answer.
        weights: of the places, at every look.
    """

    logits: Float[Tensor, "n answers"]
    weights: Float[Tensor, "n looks places"]


class GarmentEncoder(nn.Module):
    r"""Two layers that turn what lies at one place into a vector.

    .. math:: \mathbf f = \operatorname{relu}\bigl(W_2 \operatorname{relu}(W_1 \mathbf x +
       \mathbf b_1) + \mathbf b_2\bigr)

    Args:
        d: width of the vectors.

    Source:
        Anderson et al. (2018), section 3.1, in miniature: features that were learned by naming
        things, before any question is asked.

    >>> GarmentEncoder(6)(torch.zeros(2, 9, 196)).shape
    torch.Size([2, 9, 6])
    """

    def __init__(self, d: int):
        super().__init__()
        self.first = nn.Linear(CELL * CELL, 64)
        self.second = nn.Linear(64, d)
        self.name = nn.Linear(d, NOTHING + 1)

    def forward(
        self,
        cells: Float[Tensor, "*n 196"],
    ) -> Float[Tensor, "*n d"]:
        """Return a vector for each place."""
        return torch.relu(self.second(torch.relu(self.first(cells))))


def cut_places(pictures: Float[Tensor, "n 42 42"]) -> Float[Tensor, "n 9 196"]:
    """Cut pictures into their nine places, row by row.

    Args:
        pictures: of 42 by 42 pixels.

    Returns:
        The 196 pixels of each place.

    >>> cut_places(torch.arange(2.0 * 42 * 42).reshape(2, 42, 42))[0, 1, :3]
    tensor([14., 15., 16.])
    """
    cells = pictures.unflatten(2, (3, 14)).unflatten(1, (3, 14))
    return cells.transpose(2, 3).flatten(3).flatten(1, 2)


class Asker(nn.Module):
    r"""Answer a question about a picture, after one or two looks at its nine places.

    .. math:: \mathbf a_i = \operatorname{relu}(W_a \mathbf f_i + \mathbf p_i), \qquad
       \mathbf u_0 = \sum_w \mathbf E_w

    .. math:: \boldsymbol\alpha_t = \operatorname{softmax}_i \frac{g_t(\mathbf u_{t-1}) \cdot
       W_k \mathbf a_i}{\sqrt d}, \qquad
       \mathbf u_t = \mathbf u_{t-1} + \sum_i \alpha_{ti} W_v \mathbf a_i

    The answer is read from the last :math:`\mathbf u`.

    Args:
        way: one of ``LOOKERS``.
        rng: where the first parameters are drawn from.
        d: width of all vectors.
        hidden: width of the hidden layers of g and of the answer.

    Source:
        Yang et al. (2016), section 3.3: stacked attention; the scores are dot products here.

    >>> model = Asker("two looks", np.random.RandomState(0), 6, 5)
    >>> done = model(torch.zeros(4, 42, 42), torch.zeros(4, 3, dtype=torch.long))
    >>> done.logits.shape, done.weights.shape
    (torch.Size([4, 10]), torch.Size([4, 2, 9]))
    """

    def __init__(self, way: str, rng: np.random.RandomState, d: int = 48, hidden: int = 96):
        super().__init__()
        if way not in LOOKERS:
            raise ValueError(
                f"Asker: way must be one of {[*LOOKERS]}, got {way!r}",
            )
        self.way, looks = way, 1 if way == "one look" else 2
        with seeded(rng):
            self.encoder = GarmentEncoder(d)
            self.W_a = nn.Linear(d, d)
            self.place = nn.Parameter(0.7 * torch.randn(N_PLACES, d))
            self.E = nn.Embedding(N_WORDS, d)
            every = [two_layers(d, hidden, d) for _ in range(looks)]
            self.g = nn.ModuleList(every)
            self.W_k = nn.Linear(d, d, bias=False)
            self.W_v = nn.Linear(d, d, bias=False)
            self.answer = two_layers(d, hidden, N_ANSWERS)

    def annotate(
        self,
        pictures: Float[Tensor, "n 42 42"],
    ) -> Float[Tensor, "n 9 d"]:
        """Return what lies at each place, and where that is, in one vector."""
        with torch.no_grad():
            f = self.encoder(cut_places(pictures))
        return torch.relu(self.W_a(f) + self.place)

    def weigh(
        self,
        q: Float[Tensor, "n d"],
        keys: Float[Tensor, "n places d"],
    ) -> Float[Tensor, "n places"]:
        """Return the weights of one look."""
        if self.way == "even":
            return keys.new_full(keys.shape[:2], 1 / keys.shape[1])
        scores = (keys @ q.unsqueeze(-1)).squeeze(-1)
        return (scores / q.shape[-1] ** 0.5).softmax(-1)

    def forward(
        self,
        pictures: Float[Tensor, "n *picture"],
        questions: Int[Tensor, "n words"],
        look_at: dict[int, Float[Tensor, "n places"]] | None = None,
    ) -> Answered:
        """Look, and answer.

        Args:
            pictures: one for each question.
            questions: numbers of words.
            look_at: weights that take the place of the model's own, by the look's number.
        """
        a = self.annotate(pictures)
        keys, values = self.W_k(a), self.W_v(a)
        u, looks = self.E(questions).sum(1), []
        for t, g in enumerate(self.g):
            q = g(normal(u))
            alpha = (look_at or {}).get(t, self.weigh(q, keys))
            u = u + (alpha.unsqueeze(1) @ values).squeeze(1)
            looks.append(alpha)
        logits = self.answer(normal(u))
        return Answered(logits, torch.stack(looks, 1))


def normal(x: Float[Tensor, "*n d"]) -> Float[Tensor, "*n d"]:
    """Return vectors of mean 0 and variance 1.

    Args:
        x: any vectors.

    Returns:
        The same, normalised.

    Source:
        Ba et al. (2016), without gain and bias.

    >>> normal(torch.tensor([1.0, 3.0])).round(decimals=2)
    tensor([-1.,  1.])
    """
    return nn.functional.layer_norm(x, x.shape[-1:])


def two_layers(d_in: int, hidden: int, d_out: int) -> nn.Sequential:
    """Return a network with one hidden layer.

    Args:
        d_in: width of what comes in.
        hidden: width of the hidden layer.
        d_out: width of what comes out.

    Returns:
        The network.

    >>> two_layers(2, 3, 4)(torch.zeros(5, 2)).shape
    torch.Size([5, 4])
    """
    first, second = nn.Linear(d_in, hidden), nn.Linear(hidden, d_out)
    return nn.Sequential(first, nn.ReLU(), second)


def naming_loss(encoder: GarmentEncoder, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""The loss by which the encoder learns: name what lies at one place.

    .. math:: -\ln p(\text{name} \mid \mathbf x)

    Args:
        encoder: to be trained.
        batch: pixels of single places, and what lies there.

    Returns:
        A scalar to be made small.

    >>> from attention_course.data.asked import garments
    >>> batch = garment_tensors(np.random.RandomState(0), garments("test"), 5)
    >>> naming_loss(GarmentEncoder(6), batch).shape
    torch.Size([])
    """
    cells, names = to_model(encoder, batch)
    return nn.functional.cross_entropy(encoder.name(encoder(cells)), names)


def garment_tensors(
    rng: np.random.RandomState,
    clothes: Float[np.ndarray, "kinds pictures 14 14"],
    size: int = 64,
) -> tuple[Float[Tensor, "size 196"], Int[Tensor, " size"]]:
    """Draw single places: one of the eight garments, or nothing.

    Args:
        rng: where they are drawn from; advanced in place.
        clothes: what :func:`attention_course.data.asked.garments` returns.
        size: how many.

    Returns:
        Pixels, and numbers of the garments, 8 for nothing.

    >>> from attention_course.data.asked import garments
    >>> cells, names = garment_tensors(np.random.RandomState(0), garments("test"), 5)
    >>> cells.shape, names.tolist()
    (torch.Size([5, 196]), [5, 0, 3, 3, 7])
    """
    names = rng.randint(NOTHING + 1, size=size)
    pictures = clothes[names % NOTHING, rng.randint(clothes.shape[1], size=size)]
    pictures = np.where((names < NOTHING)[:, None, None], pictures, 0)
    return torch.from_numpy(pictures).flatten(1), torch.from_numpy(names)


def answer_loss(model: Asker, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    r"""The loss of the answers; nothing says where to look.

    .. math:: -\ln p(\text{answer} \mid \text{picture, question})

    Args:
        model: to be trained; its encoder stays as it is.
        batch: pictures, questions and answers.

    Returns:
        A scalar to be made small.

    >>> from attention_course.data.asked import ask_pictures, garments
    >>> batch = asked_tensors(ask_pictures(np.random.RandomState(0), 5, garments("test")))
    >>> answer_loss(Asker("even", np.random.RandomState(0), 6, 5), batch).shape
    torch.Size([])
    """
    pictures, questions, answers = to_model(model, batch)
    return nn.functional.cross_entropy(model(pictures, questions).logits, answers)


def asked_tensors(
    asked: AskedPictures,
) -> tuple[Float[Tensor, "n 42 42"], Int[Tensor, "n 3"], Int[Tensor, " n"]]:
    """Return pictures, questions and answers as tensors.

    Args:
        asked: what :func:`attention_course.data.asked.ask_pictures` returns.

    Returns:
        Pictures, questions and answers.

    >>> from attention_course.data.asked import ask_pictures, garments
    >>> asked = ask_pictures(np.random.RandomState(0), 5, garments("test"))
    >>> [part.dtype for part in asked_tensors(asked)]
    [torch.float32, torch.int64, torch.int64]
    """
    parts = (asked.pictures, asked.questions, asked.answers)
    pictures, questions, answers = (torch.from_numpy(part) for part in parts)
    return pictures, questions, answers


def share_on_place(
    weights: Float[np.ndarray, "n k"],
    places: Int[np.ndarray, " n"],
) -> float:
    r"""Return how much weight lies on the place that matters.

    .. math:: \frac{1}{n} \sum_{m} \alpha_{m p_m}

    Args:
        weights: of the k places.
        places: which of them matters; where it is -1, the picture is left out.

    Returns:
        The mean share; 1/9 is what even weights get.

    >>> round(share_on_place(np.full((4, 9), 1 / 9), np.array([0, 8, -1, 3])), 3)
    0.111
    """
    there = np.flatnonzero(places >= 0)
    return float(weights[there, places[there]].mean())


def neighbours_elsewhere(asked: AskedPictures) -> Int[np.ndarray, "m 4"]:
    """Find where else a question about a neighbour could have been asked.

    Args:
        asked: pictures and questions.

    Returns:
        A row for each question that names a garment while another one, which is not what was
        asked for, has a neighbour on the same side, too: the picture, the other garment's
        place, what lies beside *that*, as a number of ``GARMENTS``, and where.

    >>> from attention_course.data.asked import ask_pictures, garments
    >>> asked = ask_pictures(np.random.RandomState(0), 50, garments("test"))
    >>> neighbours_elsewhere(asked)[:2].tolist()
    [[1, 0, 6, 1], [3, 2, 0, 1]]
    """
    found = []
    steps = [*RELATIONS.values()]
    for n in np.flatnonzero(asked.named >= 0):
        down, across = steps[asked.questions[n, 1] - len(PLACES)]
        for place in range(len(PLACES)):
            row, column = place // 3 + down, place % 3 + across
            taken = place in (asked.named[n], asked.target[n])
            if taken or not (0 <= row < 3 and 0 <= column < 3):
                continue
            beside = asked.contents[n, 3 * row + column]
            if asked.contents[n, place] < NOTHING and beside < NOTHING:
                found.append([n, place, beside, 3 * row + column])
                break
    return np.array(found, dtype=np.int64).reshape(-1, 4)


def load_asker(way: str = "two looks") -> tuple[Asker, dict[str, str]]:
    """Load the model that ``benchmarks/asking_an_image.py`` has trained, that of seed 0.

    Args:
        way: "two looks".

    Returns:
        The model in evaluation mode, and where its parameters come from.

    Raises:
        ValueError: if there are no such parameters.

    Source:
        ``data/checkpoints/PROVENANCE.md``.
    """
    model = Asker(way, np.random.RandomState(0))
    arrays, about = load_checkpoint(f"asker_{way.replace(' ', '_')}")
    state = {key: torch.from_numpy(array.astype(np.float32)) for key, array in arrays.items()}
    model.load_state_dict(state)
    return model.eval(), about
