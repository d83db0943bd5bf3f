"""All score functions of the course by name, each built for the widths at hand."""

from collections.abc import Callable

import torch
from torch import nn

from attention_course.layers.recurrent.luong_scores import (
    ConcatScore,
    GeneralScore,
    LocationScore,
)
from attention_course.layers.recurrent.score_functions import CosineScore, KernelScore
from attention_course.layers.scores import AdditiveScore, DotScore, ScaledDotScore

_Build = Callable[[int, int, torch.Generator | None], nn.Module]
_BUILD: dict[str, _Build] = {
    "dot": lambda d, longest, generator: DotScore(),
    "scaled dot": lambda d, longest, generator: ScaledDotScore(),
    "general": lambda d, longest, generator: GeneralScore(d, d, generator),
    "additive": lambda d, longest, generator: AdditiveScore(d, d, d, generator),
    "concat": lambda d, longest, generator: ConcatScore(d, d, d, generator),
    "location": lambda d, longest, generator: LocationScore(d, longest, generator),
    "cosine": lambda d, longest, generator: CosineScore(1.0, d),
    "cosine, strength 1": lambda d, longest, generator: CosineScore(1.0),
    "kernel": lambda d, longest, generator: KernelScore(),
}
SCORE_NAMES = tuple(_BUILD)


def make_score(
    name: str, d: int, longest: int, generator: torch.Generator | None = None
) -> nn.Module:
    r"""Build a score function for queries and keys of one width.

    .. math:: e = \text{score}(\mathbf q, \mathbf k), \qquad \mathbf q, \mathbf k \in
       \mathbb R^d

    Hidden layers are as wide as the queries. "cosine" learns its strength, from 1 on;
    "cosine, strength 1" keeps it.

    Args:
        name: one of ``SCORE_NAMES``.
        d: width of queries and keys.
        longest: how many places "location" can tell apart.
        generator: where the initial weights are drawn from; torch's own unless given.

    Returns:
        A module that is called as ``score(q, k)``.

    Source:
        The papers named by each module.

    >>> [sum(p.numel() for p in make_score(name, 4, 9).parameters()) for name in SCORE_NAMES]
    [0, 0, 16, 36, 36, 36, 5, 0, 0]
    """
    if name not in _BUILD:
        raise ValueError(f"make_score: name must be one of {SCORE_NAMES}, got {name!r}")
    return _BUILD[name](d, longest, generator)
