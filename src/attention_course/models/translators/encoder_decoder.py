"""The two stacks of a Transformer, from the course's own parts."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.positions import Positions
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.reference.transformer import transformer_block as reference

_TheirLayer = nn.TransformerEncoderLayer | nn.TransformerDecoderLayer


class DecoderCache(NamedTuple):
    """What a decoder keeps between two symbols.

    Attributes:
        memories: the source's keys and values, for each block.
        past: those of the target so far, for each block; None at the start.
    """

    memories: list[KeysValues]
    past: list[KeysValues | None]


class EncoderDecoder(nn.Module):
    r"""A stack of blocks that reads, and one that writes and looks across.

    .. math:: m = \operatorname{encode}(x), \qquad z = \operatorname{decode}(y, m)

    Args:
        d_model: width of all vectors.
        n_heads: heads of each attention.
        d_ff: width inside the feed-forward parts.
        n_encoder: blocks that read.
        n_decoder: blocks that write.
        norm_first: whether a block normalises before its parts.
        final_norm: whether one more normalisation closes each stack; with ``norm_first``
            unless given. ``torch.nn.Transformer`` always has it.
        positions: how self-attention's scores come to know positions.

    Source:
        Vaswani et al. (2017), figure 1 without the embeddings.

    >>> model = EncoderDecoder(8, 2, 16, 1, 1)
    >>> model(torch.ones(2, 5, 8), torch.ones(2, 3, 8)).shape
    torch.Size([2, 3, 8])
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_encoder: int,
        n_decoder: int,
        norm_first: bool = False,
        final_norm: bool | None = None,
        positions: Positions | None = None,
    ):
        super().__init__()
        final_norm = norm_first if final_norm is None else final_norm
        block = partial(
            TransformerBlock, d_model, n_heads, d_ff, norm_first=norm_first, positions=positions
        )
        self.encoder = nn.ModuleList(block() for _ in range(n_encoder))
        self.decoder = nn.ModuleList(block(cross=True) for _ in range(n_decoder))
        self.ends = nn.ModuleList(
            nn.LayerNorm(d_model) if final_norm else nn.Identity() for _ in range(2)
        )

    def encode(
        self,
        x: Float[Tensor, "batch source d_model"],
        padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch source d_model"]:
        """Return one vector for each source position; padding is never looked at."""
        for block in self.encoder:
            x = block(x, padding=padding)[0]
        return self.ends[0](x)

    def start(
        self,
        m: Float[Tensor, "batch source d_model"],
        padding: Bool[Tensor, "batch source"] | None = None,
    ) -> DecoderCache:
        """Return the source's keys and values for every block, and an empty past."""
        crosses = [cast(BlockAttention, block.cross) for block in self.decoder]
        memories = [cross.keys_and_values(m, padding) for cross in crosses]
        return DecoderCache(memories, [None] * len(memories))

    def decode(
        self, y: Float[Tensor, "batch new d_model"], kept: DecoderCache
    ) -> tuple[Float[Tensor, "batch new d_model"], DecoderCache, Tensor]:
        """Take in some more target positions, all of them or one.

        Args:
            y: their embeddings.
            kept: from :meth:`start`, or from the call before.

        Returns:
            Their vectors, what is to be kept, and the last block's cross weights.
        """
        before = 0 if kept.past[0] is None else kept.past[0].k.shape[-2]
        n, past = y.shape[1], []
        mask = torch.ones(n, before + n, dtype=torch.bool, device=y.device).tril(before)
        for block, memory, old in zip(self.decoder, *kept, strict=True):
            y, new, weights = block(y, mask, kept=old, memory=memory)
            past.append(new)
        return self.ends[1](y), DecoderCache(kept.memories, past), weights

    def forward(
        self,
        x: Float[Tensor, "batch source d_model"],
        y: Float[Tensor, "batch target d_model"],
        padding: Bool[Tensor, "batch source"] | None = None,
    ) -> Float[Tensor, "batch target d_model"]:
        """Read all of x, write all of y, each position seeing itself and what is before."""
        return self.decode(y, self.start(self.encode(x, padding), padding))[0]


def from_torch(theirs: nn.Transformer) -> EncoderDecoder:
    """Return our two stacks with the weights of torch's.

    Args:
        theirs: with ReLU, biases and no dropout.

    Returns:
        A model that computes the same.

    Raises:
        ValueError: if a layer has dropout or another activation.

    >>> theirs = torch.nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
    >>> sum(p.numel() for p in from_torch(theirs).parameters())
    1536
    """
    encoder, decoder = theirs.encoder.layers, theirs.decoder.layers
    first = encoder[0]
    ours = EncoderDecoder(
        theirs.d_model,
        theirs.nhead,
        first.linear1.out_features,
        len(encoder),
        len(decoder),
        norm_first=first.norm_first,
        final_norm=True,
    ).to(first.linear1.weight)
    pairs = [*zip(ours.encoder, encoder, strict=True)]
    pairs += [*zip(ours.decoder, decoder, strict=True)]
    for block, layer in pairs:
        _copy_block(cast(TransformerBlock, block), cast(_TheirLayer, layer))
    for end, stack in zip(ours.ends, (theirs.encoder, theirs.decoder), strict=True):
        end.load_state_dict(stack.norm.state_dict())
    return ours


def _copy_block(block: TransformerBlock, layer: _TheirLayer) -> None:
    relu = layer.activation in (torch.relu, nn.functional.relu)
    if layer.dropout.p or not relu:
        raise ValueError(
            "from_torch: theirs must have ReLU and dropout 0, "
            f"got {layer.activation} and {layer.dropout.p}"
        )
    _copy_attention(block.attention, layer.self_attn)
    if block.cross is not None:
        theirs = cast(nn.TransformerDecoderLayer, layer)
        _copy_attention(block.cross, theirs.multihead_attn)
    block.feed_forward.W_1.load_state_dict(layer.linear1.state_dict())
    block.feed_forward.W_2.load_state_dict(layer.linear2.state_dict())
    for i, norm in enumerate(block.norms):
        norm.load_state_dict(getattr(layer, f"norm{i + 1}").state_dict())


def _copy_attention(ours: BlockAttention, theirs: nn.MultiheadAttention) -> None:
    ours.load_state_dict(MultiHeadAttention.from_torch(theirs).state_dict())


def blocks_of(blocks: nn.ModuleList) -> list[reference.Block]:
    """Copy the weights of a stack into the arrays that the reference takes.

    Args:
        blocks: ``encoder`` or ``decoder`` of an :class:`EncoderDecoder`.

    Returns:
        One tuple of arrays for each block, as float64 if the blocks are.

    >>> blocks_of(EncoderDecoder(8, 2, 16, 1, 1).decoder)[0].W[0].shape
    (8, 16)
    """
    return [
        reference.Block(
            _heads_of(block.attention),
            None if block.cross is None else _heads_of(block.cross),
            *_arrays(block.feed_forward.W_1, block.feed_forward.W_2),
            [norm_of(cast(nn.LayerNorm, norm)) for norm in block.norms],
            block.norm_first,
        )
        for block in cast(Iterable[TransformerBlock], blocks)
    ]


def norm_of(norm: nn.LayerNorm) -> reference.Norm:
    """Copy gain and shift of a layer normalisation.

    Args:
        norm: torch's module.

    Returns:
        The two arrays.

    >>> norm_of(torch.nn.LayerNorm(3)).gain.tolist()
    [1.0, 1.0, 1.0]
    """
    return reference.Norm(*(p.detach().cpu().numpy().copy() for p in (norm.weight, norm.bias)))


def _heads_of(layer: BlockAttention) -> reference.Heads:
    return reference.Heads(layer.n_heads, *_arrays(layer.W_q, layer.W_k, layer.W_v, layer.W_o))


def _arrays(*layers: nn.Linear) -> tuple[list[np.ndarray], list[np.ndarray]]:
    W = [layer.weight.detach().cpu().numpy().T.copy() for layer in layers]
    return W, [layer.bias.detach().cpu().numpy().copy() for layer in layers]
