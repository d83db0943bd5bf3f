"""Bidirectional encoders, BERT and ALBERT, made of the course's blocks."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.tensors import read_tensors
from attention_course.layers.transformer.transformer_block import TransformerBlock
from attention_course.models.pretrained.files import find_model
from attention_course.models.pretrained.smiles import Smiles
from attention_course.models.pretrained.wordpiece import WordPiece

EPSILON = 1e-12  # of BERT's normalisations; torch's own is 1e-5


class Seen(NamedTuple):
    """What an encoder makes of a text, and where its heads looked."""

    x: Float[Tensor, "n d_model"]
    weights: Float[Tensor, "layers heads n n"]
    layers: Float[
        Tensor, "inputs n d_model"
    ]  # what enters each block, and what leaves the last


class SmoothFeedForward(nn.Module):
    r"""A feed-forward part whose bend is smooth.

    .. math:: \operatorname{FFN}(x) = \operatorname{GELU}(x W_1 + b_1)\, W_2 + b_2

    Args:
        d_model: width of the vectors.
        d_ff: width in between.

    Source:
        Devlin et al. (2019), appendix A.2.

    >>> SmoothFeedForward(6, 24)(torch.ones(5, 6)).shape
    torch.Size([5, 6])
    """

    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Return as many vectors."""
        return self.W_2(nn.functional.gelu(self.W_1(x)))


class BidirectionalEncoder(nn.Module):
    r"""A stack of blocks that each see the whole text.

    .. math:: x^0 = \operatorname{LN}(E_{w_i} + P_i + S), \qquad x^{l+1} = \text{block}_l(x^l)

    Args:
        n_symbols: size of the vocabulary.
        d_model: width of the vectors.
        n_heads: heads of each block.
        d_ff: width inside the feed-forward parts.
        n_layers: how often a block is passed.
        d_embedding: width of the embeddings, if less than ``d_model`` (ALBERT).
        shared: whether one block is passed every time (ALBERT).
        longest: positions there are vectors for.

    Source:
        Devlin et al. (2019), section 3; Lan et al. (2020), section 3.1, for the last two.

    >>> BidirectionalEncoder(9, 6, 3, 24, 2)(torch.tensor([1, 2, 3, 4])).weights.shape
    torch.Size([2, 3, 4, 4])
    """

    def __init__(
        self,
        n_symbols: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_layers: int,
        d_embedding: int | None = None,
        shared: bool = False,
        longest: int = 512,
    ):
        super().__init__()
        width = d_embedding or d_model
        self.E, self.P, self.S = (nn.Embedding(n, width) for n in (n_symbols, longest, 2))
        self.start = nn.LayerNorm(width, eps=EPSILON)
        self.widen = nn.Linear(width, d_model) if d_embedding else nn.Identity()
        self.blocks = nn.ModuleList(
            smooth_block(d_model, n_heads, d_ff) for _ in range(1 if shared else n_layers)
        )
        self.n_layers = n_layers

    def forward(self, tokens: Int[Tensor, " n"]) -> Seen:
        """Read one text.

        Raises:
            ValueError: if it is empty or longer than there are positions for.
        """
        n, longest = len(tokens), len(self.P.weight)
        if not 0 < n <= longest:
            expected = f"tokens must be 1 to {longest}"
            raise ValueError(f"BidirectionalEncoder: {expected}, got {n}")
        x = self.E(tokens) + self.P.weight[: len(tokens)] + self.S.weight[0]
        x = self.widen(self.start(x))[None]
        found, inputs = [], [x[0]]
        for layer in range(self.n_layers):
            x, _, weights = self.blocks[layer % len(self.blocks)](x)
            found.append(weights[0])
            inputs.append(x[0])
        return Seen(x[0], torch.stack(found), torch.stack(inputs))


def smooth_block(d_model: int, n_heads: int, d_ff: int) -> TransformerBlock:
    """Return a block of the course with BERT's feed-forward part and normalisation.

    Args:
        d_model: width of the vectors.
        n_heads: how many heads.
        d_ff: width inside the feed-forward part.

    Source:
        Devlin et al. (2019), appendix A.2.

    >>> smooth_block(6, 3, 24)(torch.ones(1, 5, 6))[0].shape
    torch.Size([1, 5, 6])
    """
    block = TransformerBlock(d_model, n_heads, d_ff)
    block.feed_forward = SmoothFeedForward(d_model, d_ff)  # type: ignore[assignment]
    block.norms = nn.ModuleList(nn.LayerNorm(d_model, eps=EPSILON) for _ in range(2))
    return block


def sentence_vector(seen: Seen) -> Float[Tensor, " d_model"]:
    r"""Return MiniLM's vector of a sentence: the mean of its tokens, with length 1.

    .. math:: s = \bar x / \lVert \bar x \rVert

    Args:
        seen: what the encoder made of it.

    Source:
        Reimers and Gurevych (2019), section 3, with the mean.

    >>> seen = BidirectionalEncoder(9, 6, 3, 24, 2)(torch.tensor([1, 2]))
    >>> float(sentence_vector(seen).detach().norm().round(decimals=5))
    1.0
    """
    return nn.functional.normalize(seen.x.mean(0), dim=0)


def load_minilm() -> tuple[BidirectionalEncoder, WordPiece]:
    """Load MiniLM-L6: 6 layers of 12 heads, 22.7 million parameters, English sentences.

    Returns:
        The encoder and its tokeniser.

    Raises:
        MissingModelError: if it is not installed as pinned.

    Source:
        Wang et al. (2020); trained on pairs of sentences by the authors of
        sentence-transformers.
    """
    file = find_model("MiniLM")
    model = BidirectionalEncoder(30522, 384, 12, 1536, 6)
    _fill(model, dict(read_tensors(file.read_bytes())[0]), BERT)
    return model, WordPiece(_lines(file.parent / "vocab.txt"))


def load_rxnmapper() -> tuple[BidirectionalEncoder, Smiles]:
    """Load RXNMapper: one block of 8 heads passed 12 times, 0.9 million parameters.

    Returns:
        The encoder and its tokeniser.

    Raises:
        MissingModelError: if it is not installed as pinned.

    Source:
        Schwaller et al. (2021).
    """
    file = find_model("RXNMapper")
    model = BidirectionalEncoder(591, 256, 8, 512, 12, d_embedding=128, shared=True)
    stored = torch.load(file, map_location="cpu", weights_only=True)
    _fill(model, {name: x.numpy() for name, x in stored.items()}, ALBERT)
    return model, Smiles(_lines(file.parent / "vocab.txt"))


def random_twin(model: BidirectionalEncoder, seed: int) -> BidirectionalEncoder:
    """Return the same encoder untrained: each matrix has its numbers in another order.

    Args:
        model: is left as it is.
        seed: of the order.

    Returns:
        An encoder whose parameters have the same mean and spread as the trained ones, matrix
        by matrix, and no structure.

    >>> model = BidirectionalEncoder(9, 6, 3, 24, 2)
    >>> twin = random_twin(model, 0)
    >>> bool(torch.isclose(twin.E.weight.sum(), model.E.weight.sum(), atol=1e-4))
    True
    """
    generator = torch.Generator().manual_seed(seed)
    first = model.blocks[0]
    assert isinstance(first, TransformerBlock)
    twin = BidirectionalEncoder(
        model.E.num_embeddings,
        first.attention.W_q.in_features,
        first.attention.n_heads,
        first.feed_forward.W_1.out_features,
        model.n_layers,
        None if isinstance(model.widen, nn.Identity) else model.E.embedding_dim,
        len(model.blocks) < model.n_layers,
    )
    mixed = {name: _mixed(x, generator) for name, x in model.state_dict().items()}
    twin.load_state_dict(mixed)
    return twin.eval().requires_grad_(False)


# What the files call each part, and what it is called here.
BLOCK = {
    "attention.W_q": r"attention\.(?:self\.)?query",
    "attention.W_k": r"attention\.(?:self\.)?key",
    "attention.W_v": r"attention\.(?:self\.)?value",
    "attention.W_o": r"attention\.(?:output\.)?dense",
    "norms.0": r"attention\.(?:output\.)?LayerNorm",
}
STEM = {
    "E": r"embeddings\.word_embeddings",
    "P": r"embeddings\.position_embeddings",
    "S": r"embeddings\.token_type_embeddings",
    "start": r"embeddings\.LayerNorm",
}
BERT = STEM | {
    rf"blocks.\1.{ours}": rf"encoder\.layer\.(\d+)\.{theirs}"
    for ours, theirs in (
        BLOCK
        | {
            "feed_forward.W_1": r"intermediate\.dense",
            "feed_forward.W_2": r"output\.dense",
            "norms.1": r"output\.LayerNorm",
        }
    ).items()
}
ALBERT = {
    ours: rf"albert\.{theirs}"
    for ours, theirs in (
        STEM
        | {"widen": r"encoder\.embedding_hidden_mapping_in"}
        | {
            f"blocks.0.{ours}": rf"encoder\.albert_layer_groups\.0\.albert_layers\.0\.{theirs}"
            for ours, theirs in (
                BLOCK
                | {
                    "feed_forward.W_1": "ffn",
                    "feed_forward.W_2": "ffn_output",
                    "norms.1": "full_layer_layer_norm",
                }
            ).items()
        }
    ).items()
}


def _fill(
    model: BidirectionalEncoder, stored: Mapping[str, object], names: Mapping[str, str]
) -> None:
    """Give a model the file's arrays, each by our name for it; none of ours may be left out."""
    found = {}
    for name, x in stored.items():
        stem, _, kind = name.rpartition(".")
        for ours, theirs in names.items():
            if match := re.fullmatch(theirs, stem):
                found[f"{match.expand(ours)}.{kind}"] = torch.from_numpy(np.array(x))
    model.load_state_dict(found)
    model.eval().requires_grad_(False)


def _mixed(x: Tensor, generator: torch.Generator) -> Tensor:
    order = torch.randperm(x.numel(), generator=generator)
    return x.flatten()[order].view_as(x)


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
