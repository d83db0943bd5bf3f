"""Hard attention as torch modules: choose one value by chance, and learn from the result.

Chance comes from a NumPy generator that is passed in, so that the choices are those of
``reference.recurrent.hard`` and ``reference.recurrent.gumbel``.
"""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.scores import (
    ScaledDotScore,
    raw_scores,
    upcast_half,
)
from attention_course.reference._check import broadcasts_to, one_format
from attention_course.reference._checked import checked
from attention_course.reference.recurrent.gumbel import gumbel_noise


class HardAttention(nn.Module):
    r"""Take one value, chosen with the weights as probabilities.

    .. math:: s_i \sim \text{categorical}(\boldsymbol\alpha_i), \qquad
       \mathbf c_i = \mathbf v_{s_i}

    No gradient reaches the scores through the context: see :func:`reinforce_loss`. In
    evaluation mode the heaviest position is taken.

    Args:
        score: the module that computes the scores; :class:`ScaledDotScore` unless given.
        soft_share: how often, in training, a whole batch keeps its weights soft. The paper
            uses 0.5, to lower the variance.

    Raises:
        ValueError: if ``soft_share`` is not a number from 0 to 1.

    Source:
        Xu et al. (2015), section 4.1.

    >>> q, k, v = torch.ones(5, 2), torch.ones(3, 2), torch.ones(3, 7)
    >>> context, weights, choices = HardAttention()(q, k, v, np.random.RandomState(0))
    >>> context.shape, weights.shape, choices.tolist()
    (torch.Size([5, 7]), torch.Size([5, 3]), [1, 2, 1, 1, 1])
    """

    def __init__(self, score: nn.Module | None = None, soft_share: float = 0.0):
        super().__init__()
        if not 0 <= soft_share <= 1:
            raise ValueError(
                f"HardAttention: soft_share must be a number from 0 to 1, got {soft_share!r}"
            )
        self.score = ScaledDotScore() if score is None else score
        self.soft_share = soft_share

    @checked(one_format("q", "k"), mask=broadcasts_to("*batch q k"))
    def forward(
        self,
        q: Float[Tensor, "*batch q d_q"],
        k: Float[Tensor, "*batch k d_key"],
        v: Float[Tensor, "*batch k d_v"],
        rng: np.random.RandomState,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"], Int[Tensor, "*batch q"]
    ]:
        """Return the contexts, the weights and the chosen positions.

        Where nothing may be attended to, the choice is -1 and the context zero.

        Args:
            q: queries.
            k: keys.
            v: values, one for each key.
            rng: where the choices are drawn from.
            mask: True = may attend; broadcasts to the scores.
        """
        weights = masked_softmax_unchecked(raw_scores(self.score, q, k), mask)
        if not self.training:
            choices = weights.argmax(-1).masked_fill(~weights.bool().any(-1), -1)
            return take(v, choices), weights.to(v.dtype), choices
        choices = draw_positions(weights, rng)
        if self.soft_share and rng.random_sample() < self.soft_share:
            return (weights @ upcast_half(v)).to(v.dtype), weights.to(v.dtype), choices
        return take(v, choices), weights.to(v.dtype), choices


class GumbelAttention(nn.Module):
    r"""Take one value, chosen by noise; its gradient is that of a relaxed choice.

    .. math:: \mathbf y = \operatorname{softmax}\Bigl(\frac{\mathbf e + \mathbf g}{\tau}
       \Bigr), \qquad \mathbf c = \sum_j \text{one-hot}(\mathbf y)_j \mathbf v_j

    Ordinary backpropagation trains it: no reward, no baseline. In evaluation mode the heaviest
    position is taken.

    Args:
        temperature: tau.
        score: the module that computes the scores; :class:`ScaledDotScore` unless given.

    Source:
        Jang et al. (2017), section 2.2; Maddison et al. (2017).

    >>> q, k, v = torch.ones(5, 2), torch.ones(3, 2), torch.ones(3, 7)
    >>> context, weights, taken = GumbelAttention(1.0)(q, k, v, np.random.RandomState(0))
    >>> context.shape, taken.sum(-1).tolist()
    (torch.Size([5, 7]), [1.0, 1.0, 1.0, 1.0, 1.0])
    """

    def __init__(self, temperature: float, score: nn.Module | None = None):
        super().__init__()
        if not temperature > 0:
            raise ValueError(
                f"GumbelAttention: temperature must be positive, got {temperature!r}"
            )
        self.temperature = temperature
        self.score = ScaledDotScore() if score is None else score

    @checked(one_format("q", "k"), mask=broadcasts_to("*batch q k"))
    def forward(
        self,
        q: Float[Tensor, "*batch q d_q"],
        k: Float[Tensor, "*batch k d_key"],
        v: Float[Tensor, "*batch k d_v"],
        rng: np.random.RandomState,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch q k"], Float[Tensor, "*batch q k"]
    ]:
        """Return the contexts, the weights, and the choices as one-hot rows with a gradient.

        Args:
            q: queries.
            k: keys.
            v: values, one for each key.
            rng: where the noise is drawn from.
            mask: True = may attend; broadcasts to the scores.
        """
        scores = raw_scores(self.score, q, k)
        weights = masked_softmax_unchecked(scores, mask)
        relaxed = weights
        if self.training:
            noise = torch.from_numpy(gumbel_noise(tuple(scores.shape), rng)).to(scores)
            relaxed = masked_softmax_unchecked((scores + noise) / self.temperature, mask)
        hard = nn.functional.one_hot(relaxed.argmax(-1), relaxed.shape[-1]).to(relaxed)
        hard = hard * relaxed.detach().bool().any(-1, keepdim=True)
        taken = hard + (relaxed - relaxed.detach())
        return (taken @ upcast_half(v)).to(v.dtype), weights.to(v.dtype), taken.to(v.dtype)


def draw_positions(
    weights: Float[Tensor, "*batch k"], rng: np.random.RandomState
) -> Int[Tensor, "*batch"]:
    r"""Draw one position from each row of weights, which are its probabilities.

    .. math:: s \sim \text{categorical}(\boldsymbol\alpha)

    Args:
        weights: each row adds up to 1, or is zero.
        rng: where chance comes from; one number is taken for each row.

    Returns:
        The positions; -1 for a row of zeros.

    Source:
        Xu et al. (2015), equation 8.

    >>> rows = torch.tensor([[0.0, 1.0], [0.0, 0.0]])
    >>> draw_positions(rows, np.random.RandomState(0)).tolist()
    [1, -1]
    """
    uniforms = torch.from_numpy(rng.random_sample(weights.shape[:-1]))
    # A Mac's device has no float64.
    exact = torch.float32 if weights.device.type == "mps" else torch.float64
    p, u = weights.detach().to(exact), uniforms.to(weights.device, exact)
    passed = (p.cumsum(-1) <= u.unsqueeze(-1)).sum(-1)
    last = p.shape[-1] - 1 - (p.flip(-1) > 0).int().argmax(-1)
    s = torch.minimum(passed, last)  # never a position of weight 0
    return s.masked_fill(~p.bool().any(-1), -1)


def take(
    v: Float[Tensor, "*batch k d_v"], choices: Int[Tensor, "*batch q"]
) -> Float[Tensor, "*batch q d_v"]:
    r"""Copy the chosen values: what hard attention does instead of a weighted sum.

    .. math:: \mathbf c_i = \mathbf v_{s_i}

    Args:
        v: values.
        choices: a position for each query; -1 takes nothing.

    Returns:
        The contexts; zero where nothing was taken.

    Raises:
        IndexError: if a choice is beyond the last position.

    Source:
        Xu et al. (2015), equation 9.

    >>> take(torch.tensor([[3.0], [5.0]]), torch.tensor([1, 0, -1])).tolist()
    [[5.0], [3.0], [0.0]]
    """
    there = choices.clamp(min=0).unsqueeze(-1)
    there = there.expand(*choices.shape, v.shape[-1])
    return v.gather(-2, there).masked_fill((choices < 0).unsqueeze(-1), 0.0)


@checked()
def reinforce_loss(
    weights: Float[Tensor, "*batch k"],
    choices: Int[Tensor, "*batch"],
    rewards: Float[Tensor, "*batch"],
    baseline: float = 0.0,
    reward_weight: float = 1.0,
    entropy_weight: float = 0.0,
) -> Tensor:
    r"""A scalar whose gradient is the paper's learning rule with its sign turned.

    .. math:: -\frac 1N \sum_n \bigl[ r_n + \lambda_r (r_n - b) \ln \alpha_{s_n}
       + \lambda_e H(\boldsymbol\alpha_n) \bigr]

    In the middle term r_n - b is a constant: no gradient goes through it. Its *value* means
    nothing; only its gradient does.

    Args:
        weights: the probabilities with which the choices were made.
        choices: the chosen positions.
        rewards: log-likelihood of the right answer, given the choice. Their own gradient
            (first term) trains what reads the chosen value.
        baseline: b.
        reward_weight: lambda_r.
        entropy_weight: lambda_e.

    Returns:
        The scalar to be made small.

    Source:
        Xu et al. (2015), section 4.1.

    >>> even = torch.full((1, 2), 0.5, requires_grad=True)
    >>> reinforce_loss(even, torch.tensor([0]), torch.tensor([3.0]), 1.0).backward()
    >>> even.grad
    tensor([[-4.,  0.]])
    """
    # Never the logarithm of 0: its gradient would be 0 times infinity.
    logs = weights.clamp(min=torch.finfo(weights.dtype).tiny).log()
    taken = logs.gather(-1, choices.unsqueeze(-1)).squeeze(-1)
    gained = rewards + reward_weight * (rewards.detach() - baseline) * taken
    gained = gained - entropy_weight * (weights * logs).sum(-1)
    return -gained.mean()


class MovingBaseline:
    r"""A moving average of the rewards, one batch after the other.

    .. math:: b_k = 0.9 \, b_{k-1} + 0.1 \, \bar r_k

    Args:
        decay: the share that is kept.
        value: b_0.

    Source:
        Xu et al. (2015), section 4.1.

    >>> baseline = MovingBaseline()
    >>> baseline.update(torch.tensor([10.0, 20.0]))
    >>> round(baseline.value, 6)
    1.5
    """

    def __init__(self, decay: float = 0.9, value: float = 0.0):
        _check_decay(decay)
        self.decay, self.value = decay, value

    def update(self, rewards: Float[Tensor, "..."]) -> None:
        """Take in the rewards of a batch: after its gradient has been computed."""
        mean = float(rewards.detach().mean())
        self.value = self.decay * self.value + (1 - self.decay) * mean


def _check_decay(decay: float) -> None:
    if not 0 <= decay <= 1:
        raise ValueError(f"MovingBaseline: decay must be a number from 0 to 1, got {decay!r}")
