"""The delta rule in chunks, and the layer of a recurrence that can overwrite and forget."""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.scores import upcast_half
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import BlockAttention
from attention_course.reference._check import whole
from attention_course.reference._checked import checked

CHUNK = 32  # steps whose products with each other are computed as a table


@checked(size=whole())
def gated_delta_from_logs(
    q: Float[Tensor, "*batch n d_k"],
    k: Float[Tensor, "*batch n d_k"],
    v: Float[Tensor, "*batch n d_v"],
    beta: Float[Tensor, "*batch n"],
    log_decay: Float[Tensor, "*batch n"],
    erase: bool = True,
    size: int = CHUNK,
) -> Float[Tensor, "*batch n d_v"]:
    r"""Run the gated delta rule over a sequence, chunk by chunk.

    .. math:: (I + L)\, U = \operatorname{diag}(\beta)\,(V - \operatorname{diag}(c)\, K S),
       \qquad L_{ij} = \beta_i \frac{c_i}{c_j}\, \mathbf k_i \cdot \mathbf k_j \quad (j < i)

    where c is the product of the decays since the chunk began, and S what came before it.

    Args:
        q: queries.
        k: keys, one for each query.
        v: values.
        beta: how much of a value is written, from 0 to 1.
        log_decay: logarithm of what is kept of the past at each step, at most 0.
        erase: whether what the key held is taken away first; without, L and c K S are left
            out, and what is left is linear attention with a decay.
        size: steps in a chunk.

    Returns:
        What each query reads, the step's own value included.

    Source:
        Yang et al. (2024); with decays, Yang et al. (2025).

    >>> x, one = torch.eye(2)[[0, 0]], torch.ones(2)
    >>> gated_delta_from_logs(x, x, torch.tensor([[3.0], [5.0]]), one, 0 * one).flatten()
    tensor([3., 5.])
    """
    dtype = v.dtype
    q, k, v = map(upcast_half, (q, k, v))
    S, found = 0 * (k[..., :1, :].mT @ v[..., :1, :]), []
    for start in range(0, q.shape[-2], size):
        here = slice(start, start + size)
        Q, K, b = q[..., here, :], k[..., here, :], beta[..., here, None]
        c = log_decay[..., here].cumsum(-1)
        ratio = (c[..., :, None] - c[..., None, :]).tril().exp().tril()
        c = c[..., None]
        U = b * v[..., here, :]
        if erase:
            L = b * (ratio * (K @ K.mT)).tril(-1)
            one = torch.eye(L.shape[-1], dtype=L.dtype, device=L.device)
            U = U - b * c.exp() * (K @ S)
            U = torch.linalg.solve_triangular(one + L, U, upper=False, unitriangular=True)
        found.append(c.exp() * (Q @ S) + (ratio * (Q @ K.mT)) @ U)
        left = (c[..., -1:, :] - c).exp()
        S = c[..., -1:, :].exp() * S + (left * K).mT @ U
    return torch.cat(found, dim=-2).to(dtype)


class RecurrentAttention(BlockAttention):
    r"""Heads that keep a matrix instead of keys and values, and update it by one of four rules.

    .. math:: S_t = \alpha_t \bigl(I - \beta_t \mathbf k_t \mathbf k_t^\top\bigr) S_{t-1}
       + \beta_t \mathbf k_t \mathbf v_t^\top, \qquad
       \mathbf o_t = \operatorname{norm}(S_t^\top \mathbf q_t)

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        erase: whether what a key held is taken away before its value is written.
        decay: whether there is an alpha; otherwise it is 1.
        short: width of a causal convolution of queries, keys and values; 1 for none.

    Raises:
        ValueError: if a size is not positive, or ``n_heads`` does not divide ``d_model``; when
            called, if there are more keys than queries.

    Source:
        Yang et al. (2024) and Yang et al. (2025), with queries and keys of length 1 after a
        SiLU, and without the second gate at the end.

    >>> attention = RecurrentAttention(6, n_heads=3)
    >>> x = torch.ones(1, 4, 6)
    >>> attention.look(x, attention.keys_and_values(x))[0].shape
    torch.Size([1, 4, 6])
    """

    @checked(short=whole())
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        erase: bool = True,
        decay: bool = False,
        short: int = 1,
    ):
        super().__init__(d_model, n_heads, bias=False)
        self.erase, self.decay = erase, decay
        self.W_beta = nn.Linear(d_model, n_heads)
        self.W_alpha = nn.Linear(d_model, n_heads) if decay else None
        if self.W_alpha is not None:
            nn.init.constant_(self.W_alpha.bias, 5.0)  # at first 0.7% is forgotten a step
        self.short = nn.ModuleList(
            nn.Conv1d(d_model, d_model, short, padding=short - 1, groups=d_model)
            for _ in range(3 if short > 1 else 0)
        )

    def look(
        self,
        x: Float[Tensor, "batch queries d_model"],
        seen: KeysValues | KVCache,
        mask: Bool[Tensor, "..."] | None = None,
        start: int = 0,
    ) -> tuple[
        Float[Tensor, "batch queries d_model"], Float[Tensor, "batch heads queries keys"]
    ]:
        """Return what each position takes away; there are no weights, so a table of zeros.

        The rule is causal whatever ``mask`` says, and reads x alone.
        """
        n = x.shape[1]
        if seen.k.shape[-2] != n:
            raise ValueError(
                f"RecurrentAttention: x must hold every position, got {n} of {seen.k.shape[-2]}"
            )
        parts = [self.W_q(x), self.W_k(x), self.W_v(x)]
        for i, short in enumerate(self.short):
            parts[i] = short(parts[i].mT)[..., :n].mT
        q, k, v = (self._split(part, self.n_heads) for part in parts)
        q, k = (nn.functional.normalize(nn.functional.silu(each), dim=-1) for each in (q, k))
        beta = self.W_beta(x).sigmoid().mT
        log_decay = 0 * beta
        if self.W_alpha is not None:
            log_decay = nn.functional.logsigmoid(self.W_alpha(x)).mT
        context = gated_delta_from_logs(q, k, v, beta, log_decay, self.erase)
        context = nn.functional.rms_norm(context, context.shape[-1:])
        joined = context.transpose(1, 2).flatten(2)
        return self.W_o(joined), x.new_zeros(len(x), self.n_heads, n, n)
