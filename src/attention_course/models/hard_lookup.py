"""The dictionary look-up with one hard decision, trained in five ways."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.lookup import N_DIGITS
from attention_course.layers.attention import masked_softmax
from attention_course.layers.hard import (
    GumbelAttention,
    HardAttention,
    MovingBaseline,
    reinforce_loss,
    take,
)
from attention_course.models.lookup import LookupModel

METHODS = ("soft", "exact", "reinforce", "baseline", "straight-through")


class HardLookup(LookupModel):
    def __init__(self, method: str, d_k: int, rng: np.random.RandomState, temperature: float = 1.0):
        super().__init__("scaled", d_k, rng)
        self.method = method
        self.chance = np.random.RandomState(rng.randint(2**31 - 1))
        self.hard = HardAttention(self.attention.score, float(__import__('os').environ.get('SOFT','0')))
        self.gumbel = GumbelAttention(temperature, self.attention.score)
        self.baseline = MovingBaseline()

    def parts(self, words, digits, asked):
        q, k = self.asked[asked].unsqueeze(1) @ self.W_q, self.words[words] @ self.W_k
        return q, k, self.digits[digits]

    def rewards(self, digits, wanted):
        logs = (self.digits[digits] @ self.read_out).log_softmax(-1)
        return logs.gather(-1, wanted[:, None, None].expand(*digits.shape, 1)).squeeze(-1)

def hard_loss(model, batch):
    words, digits, asked, position = batch
    wanted = digits.gather(1, position.unsqueeze(1)).squeeze(1)
    q, k, v = model.parts(words, digits, asked)
    if model.method == "soft":
        return nn.functional.cross_entropy(model.attention(q, k, v)[0][:, 0] @ model.read_out, wanted)
    if model.method == "straight-through":
        context, _, _ = model.gumbel(q, k, v, model.chance)
        return nn.functional.cross_entropy(context[:, 0] @ model.read_out, wanted)
    if model.method == "exact":
        weights = model.attention.score(q, k)[:, 0].softmax(-1)
        return -(weights * model.rewards(digits, wanted)).sum(-1).mean()
    if model.method == "marginal":
        weights = model.attention.score(q, k)[:, 0].log_softmax(-1)
        return -(weights + model.rewards(digits, wanted)).logsumexp(-1).mean()
    context, weights, choices = model.hard(q, k, v, model.chance)
    rewards = -nn.functional.cross_entropy(context[:, 0] @ model.read_out, wanted, reduction="none")
    b = model.baseline.value if model.method == "baseline" else 0.0
    import os
    loss = reinforce_loss(weights[:, 0], choices[:, 0], rewards, b, entropy_weight=float(os.environ.get("ENT","0")))
    model.baseline.update(rewards)
    return loss
