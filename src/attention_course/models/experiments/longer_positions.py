"""Rotary positions beyond the length of training: slower clocks, and four ways to slow them."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.positions import RotaryPositions
from attention_course.layers.scores import finest, upcast_half
from attention_course.reference._check import one_of, whole
from attention_course.reference._checked import checked

WAYS = ("plain", "larger base", "interpolation", "YaRN")


@checked(way=one_of(*WAYS), d_k=whole(4), trained=whole())
def slowed_speeds(
    way: str, d_k: int, factor: float, trained: int
) -> Float[np.ndarray, " pairs"]:
    r"""Return how fast each pair turns in a text that is ``factor`` times as long.

    .. math:: \omega_r = b^{-2r/d_k}, \qquad
       b' = b\, s^{d_k/(d_k-2)}, \qquad
       \omega'_r = \omega_r / s, \qquad
       \omega''_r = \gamma_r \omega_r + (1 - \gamma_r)\, \omega_r / s

    Args:
        way: one of ``WAYS``.
        d_k: width of a query, 4 or more; each two features are a pair.
        factor: s, by how much texts are longer than in training.
        trained: the length of training.

    Returns:
        Radians a position, a number for each pair.

    Source:
        Chen et al. (2023) for interpolation; Peng et al. (2024), sections 3.1, 3.2 and 3.4,
        for the larger base and YaRN; its limits, 1 and 32 rounds, are 1 and 4 rounds here.

    >>> slowed_speeds("interpolation", 4, 2, 32)
    array([0.5  , 0.005])
    """
    share = np.arange(0, d_k, 2) / d_k
    speeds = 10000.0**-share
    rounds = trained * speeds / (2 * np.pi)  # in a text of training
    kept = np.clip((rounds - 1) / (4 - 1), 0, 1)
    found = {
        "plain": speeds,
        "interpolation": speeds / factor,
        "larger base": (10000.0 * factor ** (d_k / (d_k - 2))) ** -share,
        "YaRN": kept * speeds + (1 - kept) * speeds / factor,
    }
    return found[way]


class SlowedRotary(RotaryPositions):
    r"""Rotary positions whose clocks run at the speeds of :func:`slowed_speeds`.

    .. math:: (x_{2r}, x_{2r+1}) \to \text{turned by } t\, \omega_r

    Args:
        way: one of ``WAYS``; YaRN also makes scores larger, by (0.1 ln s + 1)².
        factor: s, by how much texts are longer than in training.
        trained: the length of training.

    Raises:
        ValueError: when vectors come, if there is no such way.

    Source:
        Chen et al. (2023); Peng et al. (2024), sections 3.1, 3.2 and 3.4.

    >>> SlowedRotary("YaRN", 4, 32).turn(torch.ones(1, 1, 5, 4)).shape
    torch.Size([1, 1, 5, 4])
    """

    def __init__(self, way: str, factor: float, trained: int):
        super().__init__()
        self.way, self.factor, self.trained = way, factor, trained

    def turn(
        self, x: Float[Tensor, "*batch heads n d_k"], start: int = 0
    ) -> Float[Tensor, "*batch heads n d_k"]:
        """Return the queries, or the keys, turned by their positions."""
        n, d_k = x.shape[-2:]
        speeds = slowed_speeds(self.way, d_k, self.factor, self.trained)
        exact = finest(x.device)
        t = torch.arange(start, start + n, dtype=exact, device=x.device)
        angles = t[:, None] * torch.from_numpy(speeds).to(x.device, exact)
        size = 0.1 * math.log(self.factor) + 1 if self.way == "YaRN" else 1.0
        cos, sin = (
            size * part.to(upcast_half(x).dtype) for part in (angles.cos(), angles.sin())
        )
        a, b = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return turned.flatten(-2).to(x.dtype)


def slow_down(model: nn.Module, way: str, factor: float, trained: int) -> None:
    r"""Put slowed positions in the place of a model's rotary ones; nothing is learned.

    .. math:: \theta_r \to \omega_r

    Args:
        model: any model with ``RotaryPositions`` in it.
        way: one of ``WAYS``.
        factor: by how much texts are longer than in training.
        trained: the length of training.

    >>> from attention_course.layers import RotaryPositions
    >>> holder = torch.nn.ModuleList([RotaryPositions()])
    >>> slow_down(holder, "interpolation", 4, 32)
    >>> holder[0].way
    'interpolation'
    """
    for module in list(model.modules()):
        for name, part in module.named_children():
            if isinstance(part, RotaryPositions):
                setattr(module, name, SlowedRotary(way, factor, trained))
