"""Multi-head latent attention: one small vector a token, from which all heads' keys come."""

from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.layers.positions import Positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.scores import upcast_half
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import LOOK, BlockAttention
from attention_course.reference._check import broadcasts_to, whole
from attention_course.reference._checked import checked


@checked(mask=broadcasts_to("*batch heads q k"))
def latent_attention(
    q: Float[Tensor, "*batch heads q d_k"],
    q_rotated: Float[Tensor, "*batch heads q d_r"],
    c: Float[Tensor, "*batch k r"],
    k_rotated: Float[Tensor, "*batch k d_r"],
    W_k: Float[Tensor, "heads r d_k"],
    W_v: Float[Tensor, "heads r d_v"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch heads q d_v"], Float[Tensor, "*batch heads q k"]]:
    r"""Make every head's keys and values of the latents, then attend as usual.

    .. math:: k^h_j = [c_j W_k^h ;\, k^R_j], \qquad v^h_j = c_j W_v^h

    Args:
        q: the part of the queries that is not turned.
        q_rotated: the part that positions have turned.
        c: the latents, one for each token.
        k_rotated: the turned part of the keys, which all heads share.
        W_k: makes keys of latents, one matrix a head.
        W_v: makes values of latents.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The contexts and the weights of every head.

    Source:
        DeepSeek-AI (2024), section 2.1 and appendix C.

    >>> import torch
    >>> q, c, k_rotated = torch.ones(3, 5, 4), torch.ones(6, 7), torch.ones(6, 2)
    >>> W = torch.ones(3, 7, 4)
    >>> latent_attention(q, q[..., :2], c, k_rotated, W, W)[0].shape
    torch.Size([3, 5, 4])
    """
    dtype, scale = q.dtype, (q.shape[-1] + q_rotated.shape[-1]) ** -0.5
    q, q_rotated, c, k_rotated, W_k, W_v = map(
        upcast_half, (q, q_rotated, c, k_rotated, W_k, W_v)
    )
    c, k_rotated = c.unsqueeze(-3), k_rotated.unsqueeze(-3)  # the same for all heads
    k, v = c @ W_k, c @ W_v
    scores = q @ k.mT + q_rotated @ k_rotated.mT
    weights = masked_softmax_unchecked(scores * scale, mask)
    return (weights @ v).to(dtype), weights.to(dtype)


@checked(mask=broadcasts_to("*batch heads q k"))
def absorbed_latent_attention(
    q: Float[Tensor, "*batch heads q d_k"],
    q_rotated: Float[Tensor, "*batch heads q d_r"],
    c: Float[Tensor, "*batch k r"],
    k_rotated: Float[Tensor, "*batch k d_r"],
    W_k: Float[Tensor, "heads r d_k"],
    W_v: Float[Tensor, "heads r d_v"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "*batch heads q d_v"], Float[Tensor, "*batch heads q k"]]:
    r"""Compute the same without a key or a value: queries go to the latents instead.

    .. math:: q^h_i \cdot (c_j W_k^h) = (q^h_i {W_k^h}^\top) \cdot c_j, \qquad
       \sum_j \alpha^h_{ij}\, (c_j W_v^h) = \Bigl(\sum_j \alpha^h_{ij}\, c_j\Bigr) W_v^h

    Args:
        q: the part of the queries that is not turned.
        q_rotated: the part that positions have turned.
        c: the latents, one for each token.
        k_rotated: the turned part of the keys, which all heads share.
        W_k: makes keys of latents, one matrix a head.
        W_v: makes values of latents.
        mask: True = may attend; broadcasts to the scores.

    Returns:
        The contexts and the weights of every head: those of :func:`latent_attention`.

    Source:
        DeepSeek-AI (2024), section 2.1.2, which says that the matrices can be absorbed.

    >>> import torch
    >>> q, c, k_rotated = torch.ones(3, 5, 4), torch.ones(6, 7), torch.ones(6, 2)
    >>> W = torch.ones(3, 7, 4)
    >>> absorbed_latent_attention(q, q[..., :2], c, k_rotated, W, W)[0].shape
    torch.Size([3, 5, 4])
    """
    dtype, scale = q.dtype, (q.shape[-1] + q_rotated.shape[-1]) ** -0.5
    q, q_rotated, c, k_rotated, W_k, W_v = map(
        upcast_half, (q, q_rotated, c, k_rotated, W_k, W_v)
    )
    c, k_rotated = c.unsqueeze(-3), k_rotated.unsqueeze(-3)
    asked = q @ W_k.mT  # as wide as a latent
    scores = asked @ c.mT + q_rotated @ k_rotated.mT
    weights = masked_softmax_unchecked(scores * scale, mask)
    return (weights @ c @ W_v).to(dtype), weights.to(dtype)


class LatentAttention(BlockAttention):
    r"""Attention whose cache holds a latent and one turned key a token, whatever the heads.

    .. math:: c_j = x_j W_c, \qquad k^R_j = \operatorname{turn}_j(x_j W_r)

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: how many heads.
        r: width of a latent.
        d_r: width of the turned part of queries and keys.
        positions: turn that part; not at all unless given.

    Attributes:
        absorbed: whether queries go to the latents, rather than latents becoming keys.

    Source:
        DeepSeek-AI (2024), section 2.1, without the latent of the queries, which saves
        memory in training, and without the normalisation of the latents.

    >>> import torch
    >>> attention = LatentAttention(6, n_heads=3, r=4, d_r=2)
    >>> kept = attention.keys_and_values(torch.ones(2, 5, 6))
    >>> kept.k.shape, kept.v.shape
    (torch.Size([2, 1, 5, 2]), torch.Size([2, 1, 5, 4]))
    """

    absorbed = False

    @checked(r=whole(), d_r=whole())
    def __init__(
        self, d_model: int, n_heads: int, r: int, d_r: int, positions: Positions | None = None
    ):
        super().__init__(d_model, n_heads, bias=False, positions=positions)
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, n_heads * (self.d_k + d_r), bias=False)
        self.W_c = nn.Linear(d_model, r, bias=False)
        self.W_r = nn.Linear(d_model, d_r, bias=False)
        self.W_k = nn.Linear(r, d_model, bias=False)
        self.W_v = nn.Linear(r, d_model, bias=False)

    def keys_and_values(
        self,
        x: Float[Tensor, "batch keys d_model"],
        padding: Bool[Tensor, "batch keys"] | None = None,
        start: int = 0,
    ) -> KeysValues:
        """Return the turned keys in the place of keys, and the latents in that of values."""
        k_rotated = self.positions.turn(self.W_r(x)[:, None], start)
        return KeysValues(k_rotated, self.W_c(x)[:, None], padding)

    def new_cache(self, batch: int, longest: int) -> KVCache:
        """Return an empty cache: as for one head, with a key of d_r and a value of r."""
        weight, widths = self.W_c.weight, (self.W_r.out_features, self.W_c.out_features)
        return KVCache(batch, 1, longest, *widths, dtype=weight.dtype, device=weight.device)

    @checked(**LOOK)
    def look(
        self,
        x: Float[Tensor, "batch queries d_model"],
        seen: KeysValues | KVCache,
        mask: Bool[Tensor, "..."] | None = None,
        start: int = 0,
    ) -> tuple[
        Float[Tensor, "batch queries d_model"], Float[Tensor, "batch heads queries keys"]
    ]:
        """Return what each position takes away, and the weights of every head."""
        if seen.mask is not None:
            real = seen.mask[:, None, None, :]
            mask = real if mask is None else real & mask
        q, q_rotated = self._split(self.W_q(x), self.n_heads).tensor_split([self.d_k], -1)
        q_rotated = self.positions.turn(q_rotated, start)
        W_k, W_v = (W.weight.unflatten(0, (self.n_heads, -1)).mT for W in (self.W_k, self.W_v))
        form = absorbed_latent_attention if self.absorbed else latent_attention
        context, weights = form(q, q_rotated, seen.v[:, 0], seen.k[:, 0], W_k, W_v, mask)
        return self.W_o(context.transpose(1, 2).flatten(2)), weights
