"""A language model that grows part by part, from pairs of words to two blocks."""

from collections.abc import Iterable
from dataclasses import dataclass
from types import MethodType
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from attention_course.data.tensors import load_checkpoint
from attention_course.data.vocabulary import Vocabulary
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models.language import LanguageModel


@dataclass(frozen=True)
class Stage:
    """What a model has got so far.

    Attributes:
        look: what a word takes something from: "nothing"; a look of ``FIXED``, such as
            "itself" or the "mean" of all words so far; or by "weights" that it computes.
        heads: how many sets of weights.
        feed_forward: whether each attention is followed by a feed-forward part.
        blocks: how many.
        positions: "learned" or "none".
        residual: whether a part adds what it has found to what came in, or replaces it.
        norm: whether vectors are normalised before each part, and at the end.
    """

    look: str = "weights"
    heads: int = 4
    feed_forward: bool = True
    blocks: int = 2
    positions: str = "learned"
    residual: bool = True
    norm: bool = True


# Where the heads of a fixed attention look; a word that is not there is the first.
FIXED = {
    "itself": ("itself",),
    "mean": ("mean",),
    "itself and mean": ("itself", "mean"),
    "four places": ("itself", "one back", "two back", "mean"),
}
# Each has one thing more than the one before, or another ("mean of the past" and "one head" get
# positions as well); the last three lack one thing of "second block".
STAGES = {
    "one word": Stage("nothing", 1, False, 1, "none"),
    "two matrices": Stage("itself", 1, False, 1, "none"),
    "mean of the past": Stage("mean", 1, False, 1),
    "itself and the mean": Stage("itself and mean", 2, False, 1, "none"),
    "four fixed places": Stage("four places", 4, False, 1, "none"),
    "one head": Stage("weights", 1, False, 1),
    "four heads": Stage("weights", 4, False, 1),
    "feed-forward": Stage(blocks=1),
    "second block": Stage(),
    "no positions": Stage(positions="none"),
    "no normalisation": Stage(norm=False),
    "no residual": Stage(residual=False),
}


class FixedAttention(BlockAttention):
    r"""Attention whose weights are fixed: no queries, no keys.

    .. math:: z_i = W_o \operatorname{concat}_h \sum_{j \le i} \alpha^h_{ij} W_v^h x_j, \qquad
       \alpha^h_{ij} = [j = \max(i - b_h, 1)] \quad\text{or}\quad \alpha^h_{ij} = \tfrac1i

    Args:
        d_model: width of the vectors.
        look: one of ``FIXED``, which has a head for each of its places.

    >>> attention = FixedAttention(6, "itself and mean")
    >>> x = torch.ones(1, 3, 6)
    >>> attention.look(x, attention.keys_and_values(x))[1][0, :, 1].tolist()
    [[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]
    """

    def __init__(self, d_model: int, look: str):
        if look not in FIXED:
            raise ValueError(
                f"FixedAttention: look must be one of {', '.join(map(repr, FIXED))}, "
                f"got {look!r}"
            )
        super().__init__(d_model, len(FIXED[look]))
        del self.W_q, self.W_k
        self.places = FIXED[look]

    def keys_and_values(
        self, x: Tensor, padding: Tensor | None = None, start: int = 0
    ) -> KeysValues:
        """Return the values, which stand for the keys as well."""
        v = self._split(self.W_v(x), len(self.places))
        return KeysValues(v, v, padding)

    def look(
        self, x: Tensor, seen: KeysValues | KVCache, mask: Tensor | None = None, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Return what each position takes away, and the weights."""
        n, keys = x.shape[-2], seen.k.shape[-2]
        rows = torch.arange(start, start + n, device=x.device)
        ones = torch.ones(keys, keys, dtype=x.dtype, device=x.device).tril()
        one_hot = torch.eye(keys, dtype=x.dtype, device=x.device)
        back = {"itself": 0, "one back": 1, "two back": 2}
        heads = [
            (ones / ones.sum(-1, keepdim=True))[rows]
            if place == "mean"
            else one_hot[(rows - back[place]).clamp(min=0)]
            for place in self.places
        ]
        weights = torch.stack(heads).expand(len(x), len(heads), n, keys)
        return self.W_o((weights @ seen.v).transpose(1, 2).flatten(2)), weights


class NoAttention(BlockAttention):
    """Attention that brings nothing back.

    >>> attention = NoAttention(6, 1)
    >>> x = torch.ones(1, 3, 6)
    >>> attention.look(x, attention.keys_and_values(x))[0].abs().max().item()
    0.0
    """

    def __init__(self, d_model: int, n_heads: int):
        super().__init__(d_model, n_heads)
        del self.W_q, self.W_k, self.W_v, self.W_o

    def keys_and_values(
        self, x: Tensor, padding: Tensor | None = None, start: int = 0
    ) -> KeysValues:
        """Return the vectors as they are."""
        return KeysValues(x[:, None], x[:, None], padding)

    def look(
        self, x: Tensor, seen: KeysValues | KVCache, mask: Tensor | None = None, start: int = 0
    ) -> tuple[Tensor, Tensor]:
        """Return zeros, and weights of zero."""
        weights = x.new_zeros(len(x), 1, x.shape[-2], seen.k.shape[-2])
        return torch.zeros_like(x), weights


class Nothing(nn.Module):
    """A part that has nothing to add.

    >>> Nothing()(torch.ones(2)).tolist()
    [0.0, 0.0]
    """

    def forward(self, x: Tensor) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(x)


def growing_model(
    stage: Stage,
    n_symbols: int,
    rng: np.random.RandomState,
    d_model: int = 128,
    longest: int = 48,
) -> LanguageModel:
    """Build a language model that has the parts of one stage and no others.

    Args:
        stage: one of ``STAGES``, or another.
        n_symbols: size of the vocabulary.
        rng: the generator of the first parameters.
        d_model: width of the vectors; the feed-forward part is four times as wide.
        longest: positions that the model can tell.

    Returns:
        A :class:`LanguageModel`; with all parts it is one without any change.

    Raises:
        ValueError: if the sizes do not fit, or the stage looks in an unknown way.

    >>> from attention_course.models.experiments.growing import STAGES
    >>> model = growing_model(STAGES["one word"], 9, np.random.RandomState(0), 8)
    >>> sum(p.numel() for p in model.parameters())
    104
    """
    model = LanguageModel(
        n_symbols,
        rng,
        d_model,
        stage.heads,
        4 * d_model,
        stage.blocks,
        stage.positions,
        longest,
    )
    for block in cast(Iterable[TransformerBlock], model.blocks):
        if stage.look == "nothing":
            block.attention = NoAttention(d_model, 1)
        elif stage.look != "weights":
            fixed = FixedAttention(d_model, stage.look)
            fixed.W_v, fixed.W_o = block.attention.W_v, block.attention.W_o
            block.attention = fixed
        if not stage.feed_forward:
            block.feed_forward, block.norms[1] = Nothing(), nn.Identity()  # type: ignore[assignment]
        if not stage.norm:
            block.norms = nn.ModuleList(nn.Identity() for _ in block.norms)
        if not stage.residual:
            # The second part has only the first one's word for it.
            block._join = MethodType(_replace, block)  # type: ignore[method-assign]
    if not stage.norm:
        model.end = nn.Identity()
    return model


def _replace(block: TransformerBlock, i: int, x: Tensor, found: Tensor) -> Tensor:
    return found


def load_word_model(
    words: Vocabulary, checkpoint: str = "words"
) -> tuple[LanguageModel, dict[str, str]]:
    """Load a language model that ``benchmarks/growing.py`` has trained: that of the pages.

    Args:
        words: the vocabulary of ``word_text()``, on which it was trained.
        checkpoint: another file of ``data/checkpoints``, of a model made alike.

    Returns:
        The model in evaluation mode, and where its weights come from.

    Raises:
        ValueError: if the weights do not fit the vocabulary.

    Source:
        ``data/checkpoints/PROVENANCE.md``.
    """
    arrays, about = load_checkpoint(checkpoint)
    weights = {key: torch.from_numpy(array.astype(np.float32)) for key, array in arrays.items()}
    if len(words) != len(weights["E.weight"]):
        raise ValueError(
            f"load_word_model: words must be the {len(weights['E.weight'])} of word_text(), "
            f"got {len(words)}"
        )
    blocks = sum(key.endswith("feed_forward.W_1.bias") for key in weights)
    model = growing_model(Stage(blocks=blocks), len(words), np.random.RandomState(0))
    shared = (name for name in model.state_dict() if name.endswith("positions.table"))
    model.load_state_dict(weights | dict.fromkeys(shared, weights["positions.table"]))
    return model.eval(), about
