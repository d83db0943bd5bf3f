"""Show, attend and tell, small: captions of two garments with soft, hard or no attention."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.data.vocabulary import START
from attention_course.data.world.pictured import ACROSS, DOWN, LONGEST, SIZES, TINTS, WORN
from attention_course.layers.recurrent.hard import MovingBaseline, draw_positions, take
from attention_course.models._build import seeded, to_model
from attention_course.models.experiments.asking import normal

# Name of a way to look: what it does with the weights.
WAYS = {
    "soft": "mixes all annotations with the weights",
    "spread": "soft, and punished where a cell gets more or less than 1 over the caption",
    "hard": "takes one annotation, drawn with the weights; REINFORCE",
    "even": "no attention: every cell has the same weight for every word",
}
SPREAD, REWARD, ENTROPY, SOFT_SHARE = 1.0, 1.0, 0.01, 0.5
NAMED = (len(WORN), len(TINTS), len(SIZES))


class Written(NamedTuple):
    """What a captioner did, word by word.

    Attributes:
        logs: log-probability of every next word.
        weights: of the cells, for every word.
        choices: the cell that was taken; -1 where all were mixed.
    """

    logs: Float[Tensor, "batch words vocabulary"]
    weights: Float[Tensor, "batch words cells"]
    choices: Int[Tensor, "batch words"]


class GridEncoder(nn.Module):
    r"""Three convolutions that keep the grid: a vector for each of 7 by 14 cells.

    A cell is 4 pixels wide; its vector sees 18. What it sees is normalised, or it would drown
    the places: the last two numbers of each vector say how far down and how far across it lies.

    Args:
        d: width of the vectors.

    Source:
        Xu et al. (2015), section 3.1.1: features of a lower layer of a network that has learned
        to name things.

    >>> GridEncoder(6)(torch.zeros(2, 3, 28, 56)).shape
    torch.Size([2, 98, 6])
    """

    places: Tensor

    def __init__(self, d: int):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 4, stride=2, padding=1)
        self.second = nn.Conv2d(16, 32, 4, stride=2, padding=1)
        self.third = nn.Conv2d(32, d - 2, 3, padding=1)
        self.name = nn.Linear(d, sum(NAMED))
        sides = [torch.linspace(-1, 1, n) for n in (DOWN, ACROSS)]
        places = torch.stack(torch.meshgrid(*sides, indexing="ij"))
        self.register_buffer("places", places, persistent=False)

    def forward(
        self,
        pictures: Float[Tensor, "n 3 28 56"],
    ) -> Float[Tensor, "n 98 d"]:
        """Return the vectors, row by row of the grid."""
        seen, places = self.see(pictures).tensor_split([-2], -1)
        return torch.cat([normal(seen), places], -1)

    def see(self, pictures: Float[Tensor, "n 3 28 56"]) -> Float[Tensor, "n 98 d"]:
        """Return the vectors before they are normalised."""
        seen = torch.relu(self.first(pictures))  # (n, 16, 14, 28)
        seen = torch.relu(self.second(seen))  # (n, 32, 7, 14)
        seen = torch.relu(self.third(seen))
        places = self.places.expand(len(seen), -1, -1, -1)
        return torch.cat([seen, places], 1).flatten(2).mT

    def names(self, pictures: Float[Tensor, "n 3 28 56"]) -> tuple[Tensor, ...]:
        """Return logits of kind, colour and size of the left and of the right garment."""
        halves = self.see(pictures).unflatten(1, (DOWN, 2, ACROSS // 2)).mean((1, 3))
        return self.name(halves).split(NAMED, -1)


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
        encoder: what has learned to name garments; it stays as it is.
        words: how many there are.
        hidden: width of the decoder's state.
        embedding: width of the word vectors.
        scoring: width of the scores' hidden layer.

    Source:
        Xu et al. (2015), sections 3.1 and 4.

    >>> model = Captioner("hard", np.random.RandomState(0), GridEncoder(6), 25, 6, 4, 5)
    >>> done = model(torch.zeros(2, 3, 28, 56))
    >>> done.logs.shape, done.weights.shape, done.choices.shape
    (torch.Size([2, 13, 25]), torch.Size([2, 13, 98]), torch.Size([2, 13]))
    """

    def __init__(
        self,
        way: str,
        rng: np.random.RandomState,
        encoder: GridEncoder,
        words: int,
        hidden: int = 64,
        embedding: int = 24,
        scoring: int = 32,
    ):
        super().__init__()
        if way not in WAYS:
            raise ValueError(
                f"Captioner: way must be one of {[*WAYS]}, got {way!r}",
            )
        self.way, self.baseline, self.longest = way, MovingBaseline(), LONGEST
        self.encoder = encoder.requires_grad_(False)
        d = encoder.name.in_features
        with seeded(rng):
            # Drawn and unused: the recorded runs' parameters came after these.
            _ = nn.Conv2d(5, 24, 4), nn.Conv2d(24, d, 4)
            _ = nn.Embedding(14, embedding)
            self.W_a = nn.Linear(d, scoring)
            self.W_h = nn.Linear(hidden, scoring, bias=False)
            self.v = nn.Linear(scoring, 1, bias=False)
            self.gate = nn.Linear(hidden, 1)
            self.cell = nn.LSTMCell(embedding + d, hidden)
            self.L_h = nn.Linear(hidden, embedding)
            self.L_z = nn.Linear(d, embedding, bias=False)
        self.chance = np.random.RandomState(rng.randint(2**31 - 1))
        with seeded(rng):
            self.E = nn.Embedding(words, embedding)
            self.L_o = nn.Linear(embedding, words)

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
        pictures: Float[Tensor, "n 3 28 56"],
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

    >>> model = Captioner("soft", np.random.RandomState(0), GridEncoder(6), 25, 6, 4, 5)
    >>> batch = torch.zeros(2, 3, 28, 56), torch.ones(2, 13).long()
    >>> [part.shape for part in rewards_of(model(*batch), batch[1])][0]
    torch.Size([2, 13])
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

    >>> model = Captioner("hard", np.random.RandomState(0), GridEncoder(6), 25, 6, 4, 5)
    >>> batch = torch.zeros(2, 3, 28, 56), torch.ones(2, 13).long()
    >>> caption_loss(model, batch).shape
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


def gradient_noise(
    model: Captioner, batch: tuple[Tensor, Tensor], draws: int = 24
) -> dict[str, float]:
    r"""Return the variance of estimates of the gradient by the scorer's weights.

    The batch stays the same, the choices are drawn anew: the variance is that of chance alone.

    Args:
        model: with hard attention, in training mode.
        batch: pictures and captions.
        draws: how often the choices are drawn.

    Returns:
        Variances, summed over the weights: "plain" without a baseline; "moving" with the mean
        reward; "to go" where a choice gets the reward of its own word and the later ones, less
        their mean.

    Source:
        Williams (1992), REINFORCE with a baseline.

    >>> model = Captioner("hard", np.random.RandomState(0), GridEncoder(6), 25, 6, 4, 5).train()
    >>> batch = torch.zeros(2, 3, 28, 56), torch.ones(2, 13).long()
    >>> [*gradient_noise(model, batch, 3)]
    ['plain', 'moving', 'to go']
    """
    weights = [*model.W_h.parameters(), *model.W_a.parameters(), *model.v.parameters()]
    with torch.no_grad():
        b = rewards_of(model(*batch), batch[1])[0].sum(1).mean()
    estimates: dict[str, list[Tensor]] = {"plain": [], "moving": [], "to go": []}
    for _ in range(draws):
        gained, taken, _ = rewards_of(model(*batch), batch[1])
        gained = gained.detach()
        later = gained.flip(1).cumsum(1).flip(1)
        factors = {
            "plain": gained.sum(1, keepdim=True),
            "moving": gained.sum(1, keepdim=True) - b,
            "to go": later - later.mean(0),
        }
        for name, factor in factors.items():
            target = (factor * taken).sum(1).mean()
            parts = torch.autograd.grad(target, weights, retain_graph=True)
            estimates[name].append(torch.cat([p.flatten() for p in parts]).double())
    return {name: float(torch.stack(e).var(0).sum()) for name, e in estimates.items()}
