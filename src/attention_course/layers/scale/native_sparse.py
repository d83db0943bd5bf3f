"""Attention that chooses what it reads: summaries of blocks, the best blocks, a window."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.positions import Positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.scores import upcast_half
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.reference._check import enough_keys, one_format, whole
from attention_course.reference._checked import checked


@checked(
    enough_keys,
    one_format("q", "k"),
    non_empty_axes="size",
    ways=lambda: 3,
    chosen=whole(),
    width=whole(),
)
def native_sparse_attention(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch k d_k"],
    v: Float[Tensor, "*batch k d_v"],
    gates: Float[Tensor, "*batch q ways"],
    pool: Float[Tensor, " size"],
    chosen: int,
    width: int,
) -> Float[Tensor, "*batch q d_v"]:
    r"""Attend to summaries of earlier blocks, to the best of those blocks, and to a window.

    .. math:: \mathbf c_i = g^1_i\, \mathbf c_i^\text{summaries}
       + g^2_i\, \mathbf c_i^\text{chosen} + g^3_i\, \mathbf c_i^\text{window}

    A summary is the sum of a block's keys, or values, weighted by ``pool``. The weights that
    the summaries get say which blocks are read in full. The block of the query itself always
    is, and it has no summary yet. This form computes all scores and masks them.

    Args:
        q: queries; the last one is beside the last key.
        k: keys, at least as many as queries.
        v: values, one for each key.
        gates: how much each of the three counts, for each query.
        pool: weights of a block's positions in its summary; there are as many as positions.
        chosen: blocks that are read in full, that of the query among them.
        width: how many keys the window has, that of the query among them.

    Returns:
        The context vectors.

    Source:
        Yuan et al. (2025), equations 5 to 12, with blocks that do not overlap, a weighted sum
        in the place of a small network, and the same keys for all three parts.

    >>> x, gates, pool = torch.ones(2, 9, 4), torch.ones(2, 9, 3), torch.ones(3) / 3
    >>> native_sparse_attention(x, x, x, gates, pool, chosen=2, width=2).shape
    torch.Size([2, 9, 4])
    """
    return _three_ways(q, k, v, gates, pool, chosen, width)


def summaries(
    x: Float[Tensor, "*batch n d"], pool: Float[Tensor, " size"]
) -> Float[Tensor, "*batch blocks d"]:
    r"""Return the weighted sum of every block.

    .. math:: s_b = \sum_{t} p_t\, x_{bl + t}

    Args:
        x: keys, or values.
        pool: p, the weights of a block's l positions.

    Returns:
        One vector for each block. The last block is filled up with zeros where it is not whole.

    Source:
        Yuan et al. (2025), equation 7, with a weighted sum for the network.

    >>> summaries(torch.tensor([[1.0], [3.0], [5.0]]), torch.tensor([0.5, 0.5]))
    tensor([[2.0000],
            [2.5000]])
    """
    filled = nn.functional.pad(x, (0, 0, 0, -x.shape[-2] % len(pool)))
    blocks = filled.unflatten(-2, (-1, len(pool)))
    return (pool[:, None] * blocks).sum(dim=-2)


def chosen_mask(
    weights: Float[Tensor, "*batch q blocks"], size: int, chosen: int, n_keys: int
) -> Bool[Tensor, "*batch q k"]:
    r"""Say which keys a query may read in full: those of its own block and of the best before.

    .. math:: B_i = \{\lfloor i / l \rfloor\} \cup
       \operatorname{top}_{n - 1} \{ \alpha_{ib} : b < \lfloor i / l \rfloor \}

    Args:
        weights: what each block's summary got; they need not sum to 1, so scores do as well. Of
            equal ones the earlier block is taken.
        size: l, positions in a block.
        chosen: n, blocks that are read, that of the query among them.
        n_keys: how many keys there are; the last query is beside the last of them.

    Returns:
        True = may attend; never what comes after the query.

    Source:
        Yuan et al. (2025), equations 8 to 12.

    >>> chosen_mask(torch.tensor([[0.1, 0.9, 0.0]]), size=2, chosen=2, n_keys=5)
    tensor([[False, False,  True,  True,  True]])
    """
    j = torch.arange(n_keys, device=weights.device)
    i = j[n_keys - weights.shape[-2] :, None]
    block, mine = j // size, i // size
    here = torch.arange(weights.shape[-1], device=weights.device)
    ranked = weights.masked_fill(here >= mine, -torch.inf)
    best = ranked.argsort(dim=-1, descending=True, stable=True)[..., : chosen - 1]
    among = (best[..., None] == block).any(dim=-2) & (block < mine)
    return (among | (block == mine)) & (j <= i)


def _three_ways(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    gates: Tensor,
    pool: Tensor,
    chosen: int,
    width: int,
) -> Tensor:
    n_q, n, size = q.shape[-2], k.shape[-2], len(pool)
    j = torch.arange(n, device=q.device)
    i = j[n - n_q :, None]
    earlier = torch.arange(-(-n // size), device=q.device) < i // size
    near = (j <= i) & (j > i - width)
    short_k, short_v = summaries(k, pool), summaries(v, pool)
    summed, weights = _attended(q, short_k, short_v, earlier)
    full = chosen_mask(weights.detach(), size, chosen, n)
    parts = [summed]
    for mask in (full, near):
        parts.append(_attended(q, k, v, mask)[0])
    return (gates[..., None] * torch.stack(parts, dim=-2)).sum(dim=-2)


def _attended(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    scores = q.shape[-1] ** -0.5 * upcast_half(q) @ upcast_half(k).mT
    weights = masked_softmax_unchecked(scores, mask)
    return (weights @ upcast_half(v)).to(v.dtype), weights.to(v.dtype)


class NativeSparseAttention(BlockAttention):
    r"""Heads that each choose what they read.

    .. math:: g_i = \sigma(x_i W_g)

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        size: positions in a block.
        chosen: blocks that are read in full, that of the query among them.
        width: keys in the window.
        positions: how scores come to know positions; biases are left out.

    Source:
        Yuan et al. (2025), with the simplifications of :func:`native_sparse_attention`.

    >>> attention = NativeSparseAttention(6, n_heads=3, size=2, chosen=2, width=2)
    >>> x = torch.ones(2, 5, 6)
    >>> attention.look(x, attention.keys_and_values(x))[0].shape
    torch.Size([2, 5, 6])
    """

    @checked(size=whole(), chosen=whole(), width=whole())
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        size: int,
        chosen: int,
        width: int,
        positions: Positions | None = None,
    ):
        super().__init__(d_model, n_heads, bias=False, positions=positions)
        self.chosen, self.width = chosen, width
        self.pool = nn.Parameter(torch.full((size,), 1 / size))
        self.W_g = nn.Linear(d_model, 3 * n_heads)

    def look(
        self,
        x: Float[Tensor, "batch queries d_model"],
        seen: KeysValues | KVCache,
        mask: Bool[Tensor, "..."] | None = None,
        start: int = 0,
    ) -> tuple[Float[Tensor, "batch queries d_model"], Float[Tensor, "batch heads queries 3"]]:
        """Return what each position takes away, and its gates.

        Args:
            x: the vectors that ask.
            seen: what :meth:`keys_and_values` returned.
            mask: is not used: a query never sees what comes after it, and all before.
            start: position of the first query.

        Raises:
            ValueError: if there is padding in ``seen``.
        """
        if seen.mask is not None:
            got = tuple(seen.mask.shape)
            raise ValueError(f"NativeSparseAttention: padding must be None, got a mask {got}")
        q = self.positions.turn(self._split(self.W_q(x), self.n_heads), start)
        gates = self._split(self.W_g(x).sigmoid(), self.n_heads)
        sizes = self.pool, self.chosen, self.width
        context = _three_ways(q, seen.k, seen.v, gates, *sizes)
        return self.W_o(context.transpose(1, 2).flatten(2)), gates
