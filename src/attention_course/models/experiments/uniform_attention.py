"""Five ways to get uniform attention, planted in a language model, and how to tell them."""

import copy
from collections.abc import Iterable, Mapping
from types import MethodType
from typing import cast

import torch
from torch import Tensor, nn

from attention_course._shapes import Int
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models.language import LanguageModel

FAULTS = ("none", "small scores", "wrong axis", "empty rows", "no residual", "cut gradient")
MEASURES = ("entropy", "sums", "hidden", "inputs", "scores", "gradient")


class FaultyAttention(BlockAttention):
    r"""Attention with one fault.

    .. math:: \alpha = \operatorname{softmax}_{\text{some axis}}\bigl(
       \text{some mask}, \text{some factor} \cdot Q K^\top\bigr)

    Args:
        sound: the attention whose weights it shares.
        fault: "none", "small scores" (divided by d_k squared as well), "wrong axis" (softmax
            over the queries), "empty rows" (nothing may be seen, filled with a large negative
            number) or "cut gradient" (queries and keys are detached).

    >>> attention = FaultyAttention(BlockAttention(4, 2), "wrong axis")
    >>> x = torch.ones(1, 5, 4)
    >>> weights = attention.look(x, attention.keys_and_values(x))[1]
    >>> weights.sum(-2)[0, 0].round(decimals=2).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, sound: BlockAttention, fault: str):
        if fault not in FAULTS or fault == "no residual":
            raise ValueError(f"FaultyAttention: fault must be in an attention, got {fault!r}")
        super().__init__(sound.W_q.in_features, sound.n_heads)
        for name, part in sound.named_children():
            setattr(self, name, part)
        self.fault = fault

    def keys_and_values(
        self, x: Tensor, padding: Tensor | None = None, start: int = 0
    ) -> KeysValues:
        """Return keys and values, the keys detached if that is the fault."""
        seen = super().keys_and_values(x, padding, start)
        return seen._replace(k=seen.k.detach()) if self.fault == "cut gradient" else seen

    def look(
        self, x: Tensor, seen: KeysValues | KVCache, mask: Tensor | None = None, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Return what each position takes away, and the weights."""
        q = self.positions.turn(self._split(self.W_q(x), self.n_heads), start)
        q = q.detach() if self.fault == "cut gradient" else q
        scores = self.attention.score(q, seen.k)
        if self.fault == "small scores":
            scores = scores / q.shape[-1] ** 2
        allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
        if self.fault == "empty rows":
            allowed = torch.zeros_like(allowed)
        axis = -2 if self.fault == "wrong axis" else -1
        low = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~allowed, low).softmax(axis)
        return self.W_o((weights @ seen.v).transpose(1, 2).flatten(2)), weights


def plant(model: LanguageModel, fault: str) -> LanguageModel:
    """Return a copy of a model with one fault in every block.

    Args:
        model: a sound one, trained or not; it stays as it is.
        fault: one of ``FAULTS``.

    Returns:
        The faulty copy.

    >>> import numpy as np
    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> plant(model, "wrong axis").blocks[0].attention.fault
    'wrong axis'
    """
    faulty = copy.deepcopy(model)
    for block in cast(Iterable[TransformerBlock], faulty.blocks):
        if fault == "no residual":
            # The fault is that this one block joins differently.
            block._join = MethodType(_without_residual, block)  # type: ignore[method-assign]
        else:
            block.attention = FaultyAttention(block.attention, fault)
    return faulty


def _without_residual(block: TransformerBlock, i: int, x: Tensor, found: Tensor) -> Tensor:
    return found


def diagnose(model: LanguageModel, symbols: Int[Tensor, "batch steps"]) -> dict[str, float]:
    r"""Measure, in the last block, what tells causes of uniform attention apart.

    .. math:: \frac{H(\alpha_i)}{\ln i}, \quad \sum_j \alpha_{ij}, \quad
       \sum_{j > i} \alpha_{ij}, \quad \operatorname{std}_i(x_i), \quad
       \operatorname{std}_j(e_{ij}), \quad
       \frac{\lVert \partial L / \partial W_q \rVert}{\lVert \partial L / \partial W_v \rVert}

    Args:
        model: sound or not.
        symbols: some rows of text.

    Returns:
        For each name in ``MEASURES`` one number: the entropy of the weights as a share of the
        highest possible; the mean distance of the rows' sums from 1; the weight on positions
        that may not be seen; how much the inputs of attention differ between positions; how
        much a query's scores differ; and the gradient of W_q beside that of W_v.

    >>> import numpy as np
    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> len(diagnose(model, torch.tensor([[3, 4, 5, 3]])))
    6
    """
    block = cast(TransformerBlock, model.blocks[-1])
    seen: dict[str, Tensor] = {}
    hooks = [
        block.register_forward_hook(lambda m, x, out: seen.update(weights=out[2])),
        block.attention.W_q.register_forward_hook(lambda m, x, out: seen.update(x=x[0], q=out)),
        block.attention.W_k.register_forward_hook(lambda m, x, out: seen.update(k=out)),
    ]
    model.zero_grad()
    logits = model(symbols[:, :-1])
    nn.functional.cross_entropy(logits.flatten(0, 1), symbols[:, 1:].flatten()).backward()
    for hook in hooks:
        hook.remove()
    W_q, W_v = (getattr(block.attention, name).weight.grad for name in ("W_q", "W_v"))
    found = [*_of_weights(seen["weights"].detach()), *_of_inputs(block, seen)]
    found.append(0.0 if W_q is None else float(W_q.norm() / W_v.norm()))
    model.zero_grad()
    return dict(zip(MEASURES, found, strict=True))


def _of_weights(weights: Tensor) -> tuple[float, float, float]:
    n = weights.shape[-1]
    sums = weights.sum(-1, keepdim=True)
    p = weights / sums
    entropy = -(p * p.clamp_min(1e-12).log()).sum(-1)[..., 1:]
    share = entropy / torch.arange(2, n + 1, device=weights.device).log()
    forbidden = weights.triu(1).sum(-1).mean()
    return float(share.mean()), float((sums - 1).abs().mean()), float(forbidden)


def _of_inputs(block: TransformerBlock, seen: dict[str, Tensor]) -> tuple[float, float]:
    attention, x = block.attention, seen["x"].detach()
    q, k = (
        attention.positions.turn(attention._split(seen[name].detach(), attention.n_heads))
        for name in ("q", "k")
    )
    scores = attention.attention.score(q, k)
    if getattr(attention, "fault", "") == "small scores":
        scores = scores / q.shape[-1] ** 2
    return float(x.std(-2).mean()), float(scores.std(-1).mean())


def find_fault(measures: Mapping[str, float], twin: Mapping[str, float] | None = None) -> str:
    """Say which planted fault a row of the diagnostic table shows.

    The entropy is not used: it is near its highest with every fault, and in a sound model
    before training. How much inputs and scores differ depends on depth and width; without a
    twin both are compared with fixed limits, which fit about six blocks.

    Args:
        measures: one number for each name in ``MEASURES``; the entropy may be missing.
        twin: the same of a sound, untrained model of the same sizes.

    Returns:
        One name of ``FAULTS``; "none" if no measure is beyond its limit.

    Raises:
        ValueError: if a measure is missing.

    >>> row = {"sums": 0.0, "hidden": 0.0, "inputs": 0.9, "gradient": 0.1}
    >>> find_fault(row | {"scores": 0.3}), find_fault(row | {"scores": 0.001})
    ('none', 'small scores')
    >>> sound = row | {"scores": 0.3}
    >>> find_fault(sound | {"inputs": 0.4}), find_fault(sound | {"inputs": 0.4}, sound)
    ('none', 'no residual')
    """
    for name, row in (("measures", measures), ("twin", measures if twin is None else twin)):
        if missing := [measure for measure in MEASURES[1:] if measure not in row]:
            raise ValueError(f"find_fault: {name} must hold {missing}, got {[*row]}")
    inputs = 0.3 if twin is None else 0.7 * twin["inputs"]
    scores = 0.03 if twin is None else 0.1 * twin["scores"]
    # The first that fits is named: faults of the weights, of their inputs, then of gradients.
    signs = {
        "wrong axis": measures["sums"] > 0.05,
        "empty rows": measures["hidden"] > 0.01,
        "no residual": measures["inputs"] < inputs,
        "cut gradient": measures["gradient"] < 1e-6,
        "small scores": measures["scores"] < scores,
    }
    return next((fault for fault, found in signs.items() if found), "none")
