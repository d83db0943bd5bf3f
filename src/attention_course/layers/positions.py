"""Where a word stands, said in one of three places: to the input, in q and k, to the scores."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.scores import upcast_half
from attention_course.reference.positions import alibi_slopes, sinusoidal_positions


class Positions(nn.Module):
    r"""The interface, and the case without positions: nothing is said anywhere.

    .. math:: x_t \to \operatorname{add}(x_t), \qquad
       e_{ij} = \frac{\operatorname{turn}_i(q_i) \cdot \operatorname{turn}_j(k_j)}{\sqrt{d_k}}
       + \operatorname{bias}_{ij}

    A kind of position overrides one of the three. ``start`` is the position of the first
    vector that is handed over: a decoder with a cache hands over the newest alone. One number
    serves the whole batch. Where texts are padded on the left their words begin at different
    places: what is turned or added to the scores depends on distances alone and stays right;
    what is added to the embeddings does not, so pad on the right there.

    >>> Positions().bias(2, 3) is None
    True
    """

    def add(
        self, x: Float[Tensor, "*batch n d_model"], start: int = 0
    ) -> Float[Tensor, "*batch n d_model"]:
        """Return the embeddings with their positions added."""
        return x

    def turn(
        self, x: Float[Tensor, "*batch heads n d_k"], start: int = 0
    ) -> Float[Tensor, "*batch heads n d_k"]:
        """Return the queries, or the keys, turned by their positions."""
        return x

    def bias(
        self, n_queries: int, n_keys: int, start: int = 0
    ) -> Float[Tensor, "heads q k"] | None:
        """Return what is added to the scores; ``start`` is the first query's position."""
        return None

    def _apply(self, fn: Callable[..., Tensor], recurse: bool = True) -> "Positions":
        # A Mac's device has no float64.
        if fn(torch.empty(0)).device.type == "mps":
            for name, x in self._buffers.items():
                self._buffers[name] = None if x is None else x.float()
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self


class SinusoidalPositions(Positions):
    r"""Add fixed sines and cosines of the position.

    .. math:: p_{t,2r} = \sin\frac{t}{10000^{2r/d}}, \qquad
       p_{t,2r+1} = \cos\frac{t}{10000^{2r/d}}

    Args:
        d_model: width of the embeddings.
        longest: positions that are computed beforehand.

    Raises:
        ValueError: if a size is not a positive whole number; later, if a sequence is longer.

    Source:
        Vaswani et al. (2017), section 3.5.

    >>> SinusoidalPositions(4, 9).add(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    table: Tensor

    def __init__(self, d_model: int, longest: int = 256):
        super().__init__()
        table = torch.from_numpy(sinusoidal_positions(longest, d_model))
        self.register_buffer("table", table, persistent=False)

    def add(
        self, x: Float[Tensor, "*batch n d_model"], start: int = 0
    ) -> Float[Tensor, "*batch n d_model"]:
        """Return the embeddings with their positions added."""
        return x + _rows(self.table, x, start).to(x.dtype)


class LearnedPositions(Positions):
    r"""Add a vector for each position that is learned like a word's.

    .. math:: x_t \to x_t + P_t

    Args:
        d_model: width of the embeddings.
        longest: positions there are vectors for; beyond, the model has nothing to say.

    Raises:
        ValueError: when a sequence is longer.

    Source:
        Gehring et al. (2017), section 3.1; Vaswani et al. (2017), table 3, row E.

    >>> LearnedPositions(4, 9).add(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, d_model: int, longest: int = 256):
        super().__init__()
        self.table = nn.Parameter(torch.empty(longest, d_model))
        nn.init.normal_(self.table, std=0.02)

    def add(
        self, x: Float[Tensor, "*batch n d_model"], start: int = 0
    ) -> Float[Tensor, "*batch n d_model"]:
        """Return the embeddings with their positions added."""
        return x + _rows(self.table, x, start)


class RotaryPositions(Positions):
    r"""Turn queries and keys, two features at a time, by angles that grow with position.

    .. math:: (x_{2r}, x_{2r+1}) \to
       \begin{pmatrix} \cos t\omega_r & -\sin t\omega_r \\
       \sin t\omega_r & \cos t\omega_r \end{pmatrix}
       \begin{pmatrix} x_{2r} \\ x_{2r+1} \end{pmatrix}, \qquad
       \omega_r = 10000^{-2r/d_k}

    Source:
        Su et al. (2021), section 3.2.

    >>> RotaryPositions().turn(torch.ones(2, 3, 5, 4)).shape
    torch.Size([2, 3, 5, 4])
    """

    def turn(
        self, x: Float[Tensor, "*batch heads n d_k"], start: int = 0
    ) -> Float[Tensor, "*batch heads n d_k"]:
        """Return the queries, or the keys, turned by their positions."""
        angles = _rotary_angles(x, start)
        cos = angles.cos().to(upcast_half(x).dtype)
        sin = angles.sin().to(upcast_half(x).dtype)
        a, b = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return turned.flatten(-2).to(x.dtype)


class ALiBiPositions(Positions):
    r"""Subtract from each score a multiple of the distance; every head has its own slope.

    .. math:: \operatorname{bias}^h_{ij} = -m_h\, |i - j|, \qquad m_h = 2^{-8h/H}

    Args:
        n_heads: H.

    Source:
        Press et al. (2022), section 3, where j is never behind i; the absolute value is ours,
        for encoders. Their slopes for numbers of heads that are no power of two differ.

    >>> ALiBiPositions(2).bias(3, 3).shape
    torch.Size([2, 3, 3])
    """

    slopes: Tensor

    def __init__(self, n_heads: int):
        super().__init__()
        slopes = torch.from_numpy(alibi_slopes(n_heads))
        self.register_buffer("slopes", slopes, persistent=False)

    def bias(
        self, n_queries: int, n_keys: int, start: int = 0
    ) -> Float[Tensor, "heads q k"] | None:
        """Return what is added to the scores; ``start`` is the first query's position."""
        device = self.slopes.device
        j = torch.arange(n_keys, device=device)
        i = torch.arange(start, start + n_queries, device=device)[:, None]
        return -self.slopes[:, None, None] * (i - j).abs()


KINDS = ("none", "sinusoidal", "learned", "rotary", "alibi")


def new_positions(kind: str, d_model: int, n_heads: int, longest: int = 256) -> Positions:
    """Build positions by name.

    Args:
        kind: "none", "sinusoidal", "learned", "rotary" or "alibi".
        d_model: width of the embeddings.
        n_heads: heads of the attention that is to know the positions.
        longest: positions that the first two can tell.

    Returns:
        A module with the three methods of :class:`Positions`.

    >>> sum(p.numel() for p in new_positions("learned", 8, 2, 10).parameters())
    80
    """
    if kind not in KINDS:
        raise ValueError(f"new_positions: kind must be one of {KINDS}, got {kind!r}")
    makers: dict[str, Callable[[], Positions]] = {
        "none": Positions,
        "sinusoidal": lambda: SinusoidalPositions(d_model, longest),
        "learned": lambda: LearnedPositions(d_model, longest),
        "rotary": RotaryPositions,
        "alibi": lambda: ALiBiPositions(n_heads),
    }
    return makers[kind]()


def _rows(table: Tensor, x: Tensor, start: int) -> Tensor:
    end = start + x.shape[-2]
    _check_end(table, end)
    return table[start:end]


def _check_end(table: Tensor, end: int) -> None:
    if end > len(table):
        raise ValueError(f"Positions: a sequence must end by {len(table)}, got position {end}")


def _rotary_angles(x: Tensor, start: int) -> Tensor:
    """Compute what ``reference.rotary_angles`` does where ``x`` lies, as exactly as it can."""
    n, d_k = x.shape[-2:]
    if d_k % 2:
        raise ValueError(f"RotaryPositions: d_k must be even, got {d_k}")
    exact = torch.float32 if x.device.type == "mps" else torch.float64
    t = torch.arange(start, start + n, dtype=exact, device=x.device)
    even = torch.arange(0, d_k, 2, dtype=exact, device=x.device)
    return t[:, None] / 10000.0 ** (even / d_k)
