"""The dictionary look-up with one decision to be made, trained in seven ways."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.recurrent.hard import (
    GumbelAttention,
    HardAttention,
    MovingBaseline,
    reinforce_loss,
)
from attention_course.models._build import to_model
from attention_course.models.experiments.lookup import LookupModel, lookup_tensors

# Name of a way to train: what it does with the decision.
METHODS = {
    "soft": "mixes all values with the weights",
    "likelihood": "tries every choice: the logarithm of the mean probability",
    "bound": "tries every choice: the mean of the log-probabilities",
    "straight-through": "one choice, made by Gumbel noise",
    "paper's recipe": "moving baseline, entropy term, half of the batches soft",
    "baseline": "one choice, REINFORCE with a moving baseline",
    "plain": "one choice, REINFORCE without baseline",
}
ENTROPY_WEIGHT, SOFT_SHARE = 0.1, 0.5


class HardLookup(LookupModel):
    r"""The look-up model, which takes one value instead of mixing all of them.

    .. math:: s \sim \text{categorical}(\boldsymbol\alpha), \qquad
       p(y) = \operatorname{softmax}(W \mathbf v_s)_y

    Weights, embeddings and first values are those of :class:`LookupModel`; only what becomes
    of the weights differs.

    Args:
        method: one of ``METHODS``.
        d_k: width of queries and keys.
        rng: where the initial weights are drawn from, and then the choices.
        temperature: of the straight-through method.

    Raises:
        ValueError: if the method is unknown, or an argument does not suit the parts.

    Source:
        Xu et al. (2015), section 4.1; Jang et al. (2017), section 2.2.

    >>> model = HardLookup("plain", 8, np.random.RandomState(0))
    >>> batch = lookup_tensors(np.random.RandomState(1), 5)
    >>> weights, rewards = model.every_choice(batch)
    >>> weights.shape, rewards.shape
    (torch.Size([5, 16]), torch.Size([5, 16]))
    """

    W_q: nn.Parameter
    W_k: nn.Parameter

    def __init__(
        self, method: str, d_k: int, rng: np.random.RandomState, temperature: float = 1.0
    ):
        if method not in METHODS:
            raise ValueError(
                f"HardLookup: method must be one of {', '.join(METHODS)}, got {method!r}"
            )
        super().__init__("scaled", d_k, rng)
        paper = method == "paper's recipe"
        self.method = method
        self.chance = np.random.RandomState(rng.randint(2**31 - 1))
        self.one = HardAttention(self.attention.score, SOFT_SHARE if paper else 0.0)
        self.noisy = GumbelAttention(temperature, self.attention.score)
        self.entropy_weight = ENTROPY_WEIGHT if paper else 0.0
        self.baseline = None if method == "plain" else MovingBaseline()

    def parts(self, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return queries, keys, values, and the digits that are the right answers."""
        words, digits, asked, position = to_model(self, batch)
        q = self.asked[asked].unsqueeze(1) @ self.W_q
        wanted = digits.gather(1, position.unsqueeze(1)).squeeze(1)
        return q, self.words[words] @ self.W_k, self.digits[digits], wanted

    def log_probability(
        self, v: Float[Tensor, "*batch d"], wanted: Int[Tensor, "*batch"]
    ) -> Float[Tensor, "*batch"]:
        """Return ln p(right answer), read from the context ``v``: the reward."""
        logs = (v @ self.read_out).log_softmax(-1)
        return logs.gather(-1, wanted.unsqueeze(-1)).squeeze(-1)

    def every_choice(
        self, batch: tuple[Tensor, ...]
    ) -> tuple[Float[Tensor, "batch pairs"], Float[Tensor, "batch pairs"]]:
        """Return the weights of all positions, and the reward that each would bring."""
        q, k, v, wanted = self.parts(batch)
        weights = self.attention.score(q, k)[:, 0].softmax(-1)
        return weights, self.log_probability(v, wanted.unsqueeze(1).expand(v.shape[:2]))


def hard_loss(model: HardLookup, batch: tuple[Tensor, ...]) -> Tensor:
    r"""The loss of the model's method; sampled for the last four.

    .. math:: -\ln p(y \mid \textstyle\sum_j \alpha_j \mathbf v_j), \qquad
       -\ln \sum_j \alpha_j p(y \mid \mathbf v_j), \qquad
       -\sum_j \alpha_j \ln p(y \mid \mathbf v_j)

    (soft, likelihood, bound; the last is never below the second, by Jensen's inequality).

    Args:
        model: which ``method`` it has decides.
        batch: what :func:`lookup_tensors` returns.

    Returns:
        A scalar to be made small.

    Source:
        Xu et al. (2015), equations 10 and 11 for the bound.

    >>> loss = {}
    >>> for method in ("likelihood", "bound"):
    ...     model = HardLookup(method, 8, np.random.RandomState(0))
    ...     batch = lookup_tensors(np.random.RandomState(1), 5)
    ...     loss[method] = hard_loss(model, batch).item()
    >>> loss["likelihood"] < loss["bound"]
    True
    """
    if model.method in ("likelihood", "bound"):
        weights, rewards = model.every_choice(batch)
        if model.method == "bound":
            return -(weights * rewards).sum(-1).mean()
        return -(weights.log() + rewards).logsumexp(-1).mean()
    q, k, v, wanted = model.parts(batch)
    if model.method == "soft":
        return -model.log_probability(model.attention(q, k, v)[0][:, 0], wanted).mean()
    if model.method == "straight-through":
        context = model.noisy(q, k, v, model.chance)[0]
        return -model.log_probability(context[:, 0], wanted).mean()
    context, weights, choices = model.one(q, k, v, model.chance)
    rewards = model.log_probability(context[:, 0], wanted)
    b = model.baseline.value if model.baseline else 0.0
    loss = reinforce_loss(
        weights[:, 0], choices[:, 0], rewards, b, entropy_weight=model.entropy_weight
    )
    if model.baseline:
        model.baseline.update(rewards)
    return loss


@torch.no_grad()
def hard_accuracy(model: HardLookup, rng: np.random.RandomState, size: int = 1000) -> float:
    """Share of fresh rows that are right when the heaviest position is taken.

    Args:
        model: trained by any method; all are tested in this way.
        rng: where the rows are drawn from.
        size: how many rows.

    Returns:
        From 0 to 1; a tenth by guessing.

    Source:
        Standard.

    >>> model = HardLookup("soft", 8, np.random.RandomState(0))
    >>> 0 <= hard_accuracy(model, np.random.RandomState(1), 100) <= 1
    True
    """
    q, k, v, wanted = model.parts(lookup_tensors(rng, size))
    heaviest = model.attention.score(q, k)[:, 0].argmax(-1)
    context = v[torch.arange(size, device=v.device), heaviest]
    return float(((context @ model.read_out).argmax(-1) == wanted).float().mean())
