"""A small translator in which one attention layer is used in three ways."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.transformer.cross_attention import (
    CrossAttention,
    KeysValues,
    extend,
)
from attention_course.models._build import check_lengths, seeded
from attention_course.models.translators._translator import Translator
from attention_course.reference.transformer.attention_only import (
    AttentionOnlyWeights,
    HeadWeights,
)

_Kept = tuple[KeysValues, KeysValues | None, int]  # of the source, of the target; its length


class AttentionOnlySeq2Seq(Translator):
    r"""Read, write and look across with attention alone.

    .. math::
       \begin{aligned}
       m &= x + A_1(x, x) && \text{encoder: self-attention, padding mask} \\
       s &= y + A_2(y, y) && \text{decoder: self-attention, causal mask} \\
       t &= s + A_3(s, m) && \text{cross-attention, padding mask} \\
       \text{logits} &= (t + W_2 \max(0, W_1 t + b_1) + b_2)\, W + b
       \end{aligned}

    where x and y are embeddings plus a learned vector for each position. A full block has
    normalisation as well, and a feed-forward part after every attention.

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        width: of every vector, d_model.
        n_heads: heads of each of the three.
        longest: positions that can be told apart, in source and target.
        ahead: how many positions behind itself a decoder position may see. 0 is the causal
            mask; anything more shows the decoder what it is to predict.

    Raises:
        ValueError: if a size is not positive, or ``ahead`` is negative.

    Source:
        Vaswani et al. (2017), section 3.2.3, "Applications of Attention in our Model".

    >>> model = AttentionOnlySeq2Seq(9, 7, np.random.RandomState(0), width=8)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> logits, weights = model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))
    >>> logits.shape, weights.shape
    (torch.Size([2, 2, 7]), torch.Size([2, 4, 2, 3]))
    """

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        width: int = 64,
        n_heads: int = 4,
        longest: int = 48,
        ahead: int = 0,
    ):
        super().__init__()
        sizes = {"n_source": n_source, "n_target": n_target, "width": width}
        for name, size in (sizes | {"n_heads": n_heads, "longest": longest}).items():
            if size < 1:
                raise ValueError(f"AttentionOnlySeq2Seq: {name} must be at least 1, got {size}")
        if ahead < 0:
            raise ValueError(f"AttentionOnlySeq2Seq: ahead must be at least 0, got {ahead}")
        self.ahead = ahead
        with seeded(rng):
            self.E_x, self.P_x = nn.Embedding(n_source, width), nn.Embedding(longest, width)
            self.E_y, self.P_y = nn.Embedding(n_target, width), nn.Embedding(longest, width)
            self.encoder_self = CrossAttention(width, n_heads=n_heads)
            self.decoder_self = CrossAttention(width, n_heads=n_heads)
            self.cross = CrossAttention(width, n_heads=n_heads)
            self.W_1, self.W_2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
            self.output = nn.Linear(width, n_target)

    def read(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]
    ) -> KeysValues:
        """Read the source once; return what cross-attention keeps of it."""
        check_lengths("AttentionOnlySeq2Seq.read", source, lengths)
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        x = self.E_x(source) + self.P_x.weight[: source.shape[1]]
        m = x + self.encoder_self(x, x, padding=real)[0]
        return self.cross.keys_and_values(m, real)

    def emit(
        self, s: Float[Tensor, "batch target width"], memory: KeysValues
    ) -> tuple[Float[Tensor, "batch target symbols"], Tensor]:
        """Look across from each decoder position; return logits and cross weights."""
        found, weights = self.cross.look(s, memory)
        t = s + found
        return self.output(t + self.W_2(torch.relu(self.W_1(t)))), weights

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target symbols"], Tensor]:
        """Score all steps of a given target at once (teacher forcing).

        Args:
            source: numbers of the source symbols.
            lengths: symbols in each row.
            target_in: the target moved right by one, the start mark first.

        Returns:
            Logits, and the cross weights of every head.
        """
        n = target_in.shape[1]
        y = self.E_y(target_in) + self.P_y.weight[:n]
        mask = torch.ones(n, n, dtype=torch.bool, device=y.device).tril(self.ahead)
        s = y + self.decoder_self(y, y, mask)[0]
        return self.emit(s, self.read(source, lengths))

    def step(
        self, symbol: Int[Tensor, " batch"], at: int, kept: KeysValues | None
    ) -> tuple[Float[Tensor, "batch 1 width"], KeysValues]:
        """Take in one more target symbol; what came before is in ``kept``.

        Args:
            symbol: the newest symbol of each row.
            at: its position.
            kept: keys and values of the positions before it, or None.

        Returns:
            The decoder's vector at this position, and what is to be kept.
        """
        y = (self.E_y(symbol) + self.P_y.weight[at])[:, None]
        kept = extend(kept, self.decoder_self.keys_and_values(y))
        return y + self.decoder_self.look(y, kept)[0], kept

    def _begin(self, source: Tensor, lengths: Tensor) -> _Kept:
        return self.read(source, lengths), None, 0

    def _advance(self, symbol: Tensor, kept: _Kept) -> tuple[Tensor, Tensor, _Kept]:
        memory, past, at = kept
        s, past = self.step(symbol, at, past)
        logits, weights = self.emit(s, memory)
        return logits[:, -1], weights[..., 0, :], (memory, past, at + 1)


def heads_of(layer: CrossAttention) -> HeadWeights:
    """Copy a layer's weights into stacks of one matrix for each head.

    Args:
        layer: whose matrices multiply columns; the copies multiply rows.

    Returns:
        The stacks, as the reference takes them.

    >>> from attention_course.layers import CrossAttention
    >>> [W.shape for W in heads_of(CrossAttention(6, d_memory=4, n_heads=2))]
    [(2, 6, 3), (2, 4, 3), (2, 4, 3), (2, 3, 6)]
    """
    n = layer.n_heads
    W_q, W_k, W_v, W_o = (
        getattr(layer, name).weight.detach().cpu().numpy().copy()
        for name in HeadWeights._fields
    )
    q, k, v = (W.reshape(n, -1, W.shape[1]).transpose(0, 2, 1) for W in (W_q, W_k, W_v))
    return HeadWeights(q, k, v, W_o.T.reshape(n, -1, W_o.shape[0]))


def attention_only_weights(model: AttentionOnlySeq2Seq) -> AttentionOnlyWeights:
    """Copy a model's weights into the arrays that the reference takes.

    Args:
        model: the translator.

    Returns:
        The weights by their letters, as float64 if the model is.

    >>> model = AttentionOnlySeq2Seq(9, 7, np.random.RandomState(0), width=8)
    >>> attention_only_weights(model).cross.W_q.shape
    (4, 8, 2)
    """

    def array(tensor: Tensor) -> np.ndarray:
        return tensor.detach().cpu().numpy().copy()

    return AttentionOnlyWeights(
        E_x=array(model.E_x.weight),
        P_x=array(model.P_x.weight),
        E_y=array(model.E_y.weight),
        P_y=array(model.P_y.weight),
        encoder_self=heads_of(model.encoder_self),
        decoder_self=heads_of(model.decoder_self),
        cross=heads_of(model.cross),
        W_1=array(model.W_1.weight).T,
        b_1=array(model.W_1.bias),
        W_2=array(model.W_2.weight).T,
        b_2=array(model.W_2.bias),
        W=array(model.output.weight).T,
        b=array(model.output.bias),
    )
