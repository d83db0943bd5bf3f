"""Show, attend and tell, small: captions for drawn scenes with soft, hard or no attention."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.data.scenes import (
    CAPTION,
    GRID,
    NAMES,
    PIXELS,
    WORDS,
    Scenes,
    draw_scenes,
)
from attention_course.data.tensors import load_checkpoint
from attention_course.data.vocabulary import START
from attention_course.layers.recurrent.hard import MovingBaseline, draw_positions, take
from attention_course.models._build import device_of, seeded, to_model

# Name of a way to look: what it does with the weights.
WAYS = {
    "soft": "mixes all 36 annotations with the weights",
    "spread": "soft, and punished where a cell gets more or less than 1 over the caption",
    "hard": "takes one annotation, drawn with the weights; REINFORCE",
    "even": "no attention: every cell has the same weight for every word",
}
SPREAD, REWARD, ENTROPY, SOFT_SHARE = 1.0, 1.0, 0.01, 0.5


class Written(NamedTuple):
    """What a captioner did, word by word.

    Attributes:
        logs: log-probability of every next word.
        weights: of the 36 cells, for every word.
        choices: the cell that was taken; -1 where all were mixed.
    """

    logs: Float[Tensor, "batch words vocabulary"]
    weights: Float[Tensor, "batch words cells"]
    choices: Int[Tensor, "batch words"]


class SceneEncoder(nn.Module):
    r"""Two convolutions that keep the grid: an annotation vector for each of 36 cells.

    Each annotation sees 10 by 10 pixels, little more than one shape. Two more channels say
    how far down and how far across a pixel lies.

    Args:
        d: width of the annotations.

    Source:
        Xu et al. (2015), section 3.1.1: features of a lower layer, which keep the grid.

    >>> SceneEncoder(5)(torch.zeros(2, 3, 24, 24)).shape
    torch.Size([2, 36, 5])
    """

    places: Tensor

    def __init__(self, d: int):
        super().__init__()
        self.first = nn.Conv2d(5, 24, 4, stride=2, padding=1)
        self.second = nn.Conv2d(24, d, 4, stride=2, padding=1)
        ramp = torch.linspace(-1, 1, PIXELS)
        places = torch.stack(torch.meshgrid(ramp, ramp, indexing="ij"))
        self.register_buffer("places", places, persistent=False)

    def forward(
        self,
        pictures: Float[Tensor, "n 3 24 24"],
    ) -> Float[Tensor, "n 36 d"]:
        """Return the annotation vectors, row by row of the grid."""
        places = self.places.expand(len(pictures), -1, -1, -1)
        seen = torch.cat([pictures - 0.5, places], 1)  # (n, 5, 24, 24)
        seen = torch.relu(self.first(seen))  # (n, 24, 12, 12)
        return torch.relu(self.second(seen)).flatten(2).mT


class Captioner(nn.Module):
    r"""Write a caption, and look at the picture anew before each word.

    .. math:: e_{ti} = \mathbf v^\top \tanh(W_a \mathbf a_i + W_h \mathbf h_{t-1}), \qquad
       \boldsymbol\alpha_t = \operatorname{softmax}(\mathbf e_t)

    .. math:: \mathbf z_t = \beta_t \sum_i \alpha_{ti} \mathbf a_i \text{ (soft)}, \qquad
       \mathbf z_t = \beta_t \mathbf a_{s_t}, \; s_t \sim \boldsymbol\alpha_t \text{ (hard)}

    The decoder starts from zeros, not from the mean annotation as in the paper: what it knows
    of the picture, it has looked at.

    Args:
        way: one of ``WAYS``.
        rng: where the first weights are drawn from, and then the choices.
        d: width of the annotations.
        hidden: width of the decoder's state.
        embedding: width of the word vectors.
        scoring: width of the scores' hidden layer.

    Source:
        Xu et al. (2015), sections 3.1 and 4.

    >>> model = Captioner("hard", np.random.RandomState(0), 8, 6, 4)
    >>> done = model(*scene_tensors(np.random.RandomState(1), 5))
    >>> done.logs.shape, done.weights.shape, done.choices.shape
    (torch.Size([5, 8, 14]), torch.Size([5, 8, 36]), torch.Size([5, 8]))
    """

    def __init__(
        self,
        way: str,
        rng: np.random.RandomState,
        d: int = 48,
        hidden: int = 64,
        embedding: int = 24,
        scoring: int = 32,
    ):
        super().__init__()
        if way not in WAYS:
            raise ValueError(
                f"Captioner: way must be one of {[*WAYS]}, got {way!r}",
            )
        self.way, self.baseline, self.longest = way, MovingBaseline(), CAPTION
        with seeded(rng):
            self.encoder = SceneEncoder(d)
            self.E = nn.Embedding(len(WORDS), embedding)
            self.W_a = nn.Linear(d, scoring)
            self.W_h = nn.Linear(hidden, scoring, bias=False)
            self.v = nn.Linear(scoring, 1, bias=False)
            self.gate = nn.Linear(hidden, 1)
            self.cell = nn.LSTMCell(embedding + d, hidden)
            self.L_h = nn.Linear(hidden, embedding)
            self.L_z = nn.Linear(d, embedding, bias=False)
            self.L_o = nn.Linear(embedding, len(WORDS))
        self.chance = np.random.RandomState(rng.randint(2**31 - 1))

    def weigh(
        self,
        h: Float[Tensor, "n hidden"],
        keys: Float[Tensor, "n cells scoring"],
    ) -> Float[Tensor, "n cells"]:
        """Return the weight of each cell, given the state before the word."""
        if self.way == "even":
            return keys.new_full(keys.shape[:2], 1 / keys.shape[1])
        scores: Tensor = self.v(torch.tanh(keys + self.W_h(h).unsqueeze(1)))
        return scores.squeeze(-1).softmax(-1)

    def look(
        self,
        alpha: Float[Tensor, "n cells"],
        a: Float[Tensor, "n cells d"],
        mixed: Bool[Tensor, " n"],
    ) -> tuple[Float[Tensor, "n d"], Int[Tensor, " n"]]:
        """Return what is seen, and which cell; -1 where all are mixed."""
        if self.way != "hard":
            z = (alpha.unsqueeze(1) @ a).squeeze(1)
            return z, torch.full_like(alpha[:, 0], -1, dtype=torch.long)
        s = alpha.argmax(-1)
        if self.training:
            s = draw_positions(alpha, self.chance)
        taken = take(a, s.unsqueeze(1)).squeeze(1)
        expected = (alpha.detach().unsqueeze(1) @ a).squeeze(1)
        z = torch.where(mixed.unsqueeze(1), expected, taken)
        return z, s.masked_fill(mixed, -1)

    def step(
        self,
        word: Int[Tensor, " n"],
        z: Float[Tensor, "n d"],
        state: tuple[Tensor, Tensor],
    ) -> tuple[Float[Tensor, "n vocabulary"], tuple[Tensor, Tensor]]:
        """Return ln p of each possible next word, and the state after it."""
        y = self.E(word)
        z = torch.sigmoid(self.gate(state[0])) * z
        state = self.cell(torch.cat([y, z], 1), state)
        read_out = self.L_o(y + self.L_h(state[0]) + self.L_z(z))
        return read_out.log_softmax(-1), state

    def forward(
        self,
        pictures: Float[Tensor, "n 3 height width"],
        captions: Int[Tensor, "n words"] | None = None,
        look_at: dict[int, Float[Tensor, "n cells"]] | None = None,
    ) -> Written:
        """Follow the captions given or, without any, write the likeliest words.

        Args:
            pictures: to be described.
            captions: the true words, to be fed one step later.
            look_at: weights that take the place of the model's own, by the number of the word.
        """
        a = self.encoder(pictures)
        keys, n = self.W_a(a), len(a)
        state = (a.new_zeros(n, self.cell.hidden_size),) * 2
        word = torch.full((n,), START, device=a.device)
        mixed = torch.zeros(n, dtype=torch.bool, device=a.device)
        if self.training and self.way == "hard":
            coins = self.chance.random_sample(n) < SOFT_SHARE
            mixed = torch.from_numpy(coins).to(a.device)
        done = []
        for t in range(self.longest):
            alpha = (look_at or {}).get(t, self.weigh(state[0], keys))
            z, s = self.look(alpha, a, mixed)
            logs, state = self.step(word, z, state)
            done.append((logs, alpha, s))
            word = logs.argmax(-1) if captions is None else captions[:, t]
        parts = zip(*done, strict=True)
        return Written(*(torch.stack(part, 1) for part in parts))


def rewards_of(
    done: Written,
    captions: Int[Tensor, "n words"],
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Return ln p of each right word, ln p of each choice, and the weights' entropies.

    Args:
        done: what the captioner did, given these captions.
        captions: the right words.

    Returns:
        Three rows for each picture. The second is 0 where nothing was chosen.

    Source:
        Xu et al. (2015), section 4.1: the three parts of the learning rule.

    >>> model = Captioner("soft", np.random.RandomState(0), 8, 6, 4)
    >>> batch = scene_tensors(np.random.RandomState(1), 5)
    >>> [part.shape for part in rewards_of(model(*batch), batch[1])][0]
    torch.Size([5, 8])
    """
    gained = done.logs.gather(-1, captions.unsqueeze(-1)).squeeze(-1)
    logs = done.weights.clamp(min=1e-30).log()
    cells = done.choices.clamp(min=0).unsqueeze(-1)
    taken = logs.gather(-1, cells).squeeze(-1) * (done.choices >= 0)
    return gained, taken, -(done.weights * logs).sum(-1)


def caption_loss(model: Captioner, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""The loss of the model's way to look.

    .. math:: -\ln p(y) \text{ (soft, even)}, \qquad
       -\ln p(y) + \sum_i \bigl(1 - \textstyle\sum_t \alpha_{ti}\bigr)^2 \text{ (spread)}

    .. math:: -\ln p(y \mid s) - \lambda_r (\ln p(y \mid s) - b) \sum_t \ln \alpha_{t s_t}
       - \lambda_e \sum_t H(\boldsymbol\alpha_t) \text{ (hard)}

    In the last the bracket is a constant: no gradient goes through it. The value of that loss
    means nothing; only its gradient does.

    Args:
        model: its ``way`` decides.
        batch: pictures and captions.

    Returns:
        A scalar to be made small.

    Source:
        Xu et al. (2015), sections 4.1 and 4.2.1.

    >>> model = Captioner("hard", np.random.RandomState(0), 8, 6, 4)
    >>> caption_loss(model, scene_tensors(np.random.RandomState(1), 5)).shape
    torch.Size([])
    """
    pictures, captions = to_model(model, batch)
    done = model(pictures, captions)
    gained, taken, entropies = rewards_of(done, captions)
    reward = gained.sum(1)  # ln p of the whole caption
    loss = -reward
    if model.way == "spread":
        over_time = done.weights.sum(1)
        loss = loss + SPREAD * ((1 - over_time) ** 2).sum(1)
    if model.way == "hard":
        advantage = reward.detach() - model.baseline.value
        model.baseline.update(reward)
        loss = loss - REWARD * advantage * taken.sum(1)
        loss = loss - ENTROPY * entropies.sum(1)
    return loss.mean()


def scene_tensors(
    rng: np.random.RandomState, size: int = 64, held_out: bool = False
) -> tuple[Float[Tensor, "n 3 24 24"], Int[Tensor, "n words"]]:
    """Draw a batch of pictures and captions.

    Args:
        rng: where the scenes are drawn from.
        size: how many.
        held_out: as :func:`attention_course.data.draw_scenes`.

    Returns:
        Pictures and captions.

    >>> [part.shape for part in scene_tensors(np.random.RandomState(0), 5)]
    [torch.Size([5, 3, 24, 24]), torch.Size([5, 8])]
    """
    return tensors_of(draw_scenes(rng, size, held_out))


def tensors_of(scenes: Scenes) -> tuple[Float[Tensor, "n 3 24 24"], Int[Tensor, "n words"]]:
    """Return the pictures and captions of scenes as tensors.

    Args:
        scenes: what :func:`attention_course.data.draw_scenes` returns.

    Returns:
        Pictures and captions.

    >>> from attention_course.data import draw_scenes
    >>> [part.dtype for part in tensors_of(draw_scenes(np.random.RandomState(0), 2))]
    [torch.float32, torch.int64]
    """
    return torch.from_numpy(scenes.pictures), torch.from_numpy(scenes.captions)


def near(cells: Bool[np.ndarray, "*n 36"]) -> Bool[np.ndarray, "*n 36"]:
    """Return the cells and all that touch one of them, corners included.

    An annotation sees 10 by 10 pixels, its own 4 by 4 and 3 more on every side: a cell beside
    an object sees part of it.

    Args:
        cells: True where a cell belongs to an object.

    Returns:
        A copy, with a margin of one cell.

    >>> cell = np.zeros(36, dtype=bool)
    >>> cell[0] = True
    >>> np.flatnonzero(near(cell)).tolist()
    [0, 1, 6, 7]
    """
    grid = cells.reshape(*cells.shape[:-1], GRID, GRID)
    padded = np.pad(grid, [(0, 0)] * (grid.ndim - 2) + [(1, 1), (1, 1)])
    touched = np.zeros_like(grid)
    for i in range(3):
        for j in range(3):
            touched |= padded[..., i : i + GRID, j : j + GRID]
    return touched.reshape(cells.shape)


def share_on_named(
    weights: Float[np.ndarray, "n words cells"],
    cells: Bool[np.ndarray, "n 2 cells"],
) -> dict[str, list[float]]:
    r"""Return how much weight lies on the named object while its name is written.

    .. math:: \sum_{i \in \text{object}} \alpha_{ti}, \quad t \text{ the word for its colour
       or its shape}

    Args:
        weights: of the cells, for each word.
        cells: which of them belong to the first and the second object.

    Returns:
        Means over the pictures: colour and shape of the first object, then of the second; on
        the "named" object, on its cells and those "near" them, and on the "other" object.

    >>> from attention_course.data import draw_scenes
    >>> scenes = draw_scenes(np.random.RandomState(0), 100)
    >>> shares = share_on_named(np.full((100, 8, 36), 1 / 36), scenes.cells)
    >>> [round(share, 1) for share in shares["named"]]
    [0.1, 0.1, 0.1, 0.1]
    """
    found: dict[str, list[float]] = {"named": [], "near": [], "other": []}
    for n, words in enumerate(NAMES):
        named, other = cells[:, n], cells[:, 1 - n]
        places = {"named": named, "near": near(named), "other": other}
        for t in words:
            for name, there in places.items():
                share = (weights[:, t] * there).sum(1).mean()
                found[name].append(float(share))
    return found


def look_elsewhere(model: Captioner, scenes: Scenes) -> tuple[np.ndarray, np.ndarray]:
    """Turn the model's eye to the second object just before it names the first one's colour.

    Args:
        model: trained, in evaluation mode.
        scenes: to be described; those whose objects have the same colour are left out.

    Returns:
        Shares of the colours written that are the first object's and the second's: when the
        model looks where it wants, and when all weight lies on the second object's cells.

    >>> from attention_course.data import draw_scenes
    >>> model = Captioner("soft", np.random.RandomState(0), 8, 6, 4).eval()
    >>> free, turned = look_elsewhere(model, draw_scenes(np.random.RandomState(0), 20))
    >>> free.shape, turned.shape
    ((2,), (2,))
    """
    pictures, captions = (part.to(device_of(model)) for part in tensors_of(scenes))
    (first, _), (second, _) = NAMES
    wanted = captions[:, [first, second]]
    differ = wanted[:, 0] != wanted[:, 1]
    there = torch.from_numpy(scenes.cells[:, 1]).to(pictures)
    moved: dict[str, Any] = {"look_at": {first: there / there.sum(1, keepdim=True)}}
    shares = []
    with torch.no_grad():
        for how in ({}, moved):
            colour = model(pictures, **how).logs[:, first].argmax(-1, keepdim=True)
            shares.append((colour == wanted)[differ].cpu().double().mean(0).numpy())
    return shares[0], shares[1]


def load_captioner(way: str) -> tuple[Captioner, dict[str, str]]:
    """Load a captioner that ``benchmarks/captioning.py`` has trained, that of seed 0.

    Args:
        way: "soft" or "hard".

    Returns:
        The model in evaluation mode, and where its weights come from.

    Raises:
        ValueError: if there are no such weights.

    Source:
        ``data/checkpoints/PROVENANCE.md``.
    """
    model = Captioner(way, np.random.RandomState(0))
    arrays, about = load_checkpoint(f"captioner_{way}")
    weights = {key: torch.from_numpy(array.astype(np.float32)) for key, array in arrays.items()}
    model.load_state_dict(weights)
    return model.eval(), about
