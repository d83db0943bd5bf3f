"""One model for look-ups and one for sequences, in which only the score function changes."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.lookup import N_DIGITS, N_PAIRS, N_WORDS
from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.score_table import make_score
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, Memory

D_V = 64


class LookupWithScore(nn.Module):
    r"""Look a word up by attending to its translation, with any score function.

    .. math:: \mathbf q = \mathbf x_{\text{asked}}, \qquad \mathbf k_j = \mathbf y_j, \qquad
       \mathbf v_j = \mathbf z_{\text{digit } j}

    Query and keys are the embeddings themselves, of variance 1: whatever matrices a score
    function has are its own.

    Args:
        score: one of ``SCORE_NAMES``.
        d: width of queries and keys.
        rng: where the initial weights are drawn from.

    Raises:
        ValueError: if there is no such score function, or the width is not positive.

    Source:
        Written for this course, after the comparison in Britz et al. (2017).

    >>> model = LookupWithScore("general", 8, np.random.RandomState(0))
    >>> words = torch.arange(16).expand(5, 16)
    >>> logits, weights = model(words, words % 10, torch.arange(5))
    >>> logits.shape, weights.shape
    (torch.Size([5, 10]), torch.Size([5, 16]))
    """

    def __init__(self, score: str, d: int, rng: np.random.RandomState):
        super().__init__()
        if isinstance(d, bool) or not isinstance(d, int) or d < 1:
            raise ValueError(f"LookupWithScore: d must be a positive whole number, got {d!r}")

        def normal(*shape: int, std: float = 1.0) -> nn.Parameter:
            drawn = rng.standard_normal(shape) * std
            return nn.Parameter(torch.tensor(drawn, dtype=torch.float32))

        self.asked, self.words = normal(N_WORDS, d), normal(N_WORDS, d)
        self.digits = normal(N_DIGITS, D_V)
        self.read_out = normal(D_V, N_DIGITS, std=D_V**-0.5)
        self.attention = Attention(make_score(score, d, N_PAIRS, _generator(rng)))

    def forward(
        self,
        words: Int[Tensor, "batch pairs"],
        digits: Int[Tensor, "batch pairs"],
        asked: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch digits"], Float[Tensor, "batch pairs"]]:
        """Return the logits of the ten digits and the weights of the pairs."""
        q, k, v = self.asked[asked].unsqueeze(1), self.words[words], self.digits[digits]
        context, weights = self.attention(q, k, v)
        return context[:, 0] @ self.read_out, weights[:, 0]


class Seq2SeqWithScore(BahdanauSeq2Seq):
    r"""Bahdanau's translator, with any score function in the place of the additive one.

    .. math:: e_{ij} = \text{score}(\mathbf s_{i-1}, \mathbf h_j)

    Encoder, decoder and output layer stay as they are. The decoder's state must be as wide
    as an annotation, so that a plain dot product fits.

    Args:
        score: one of ``SCORE_NAMES``.
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        longest: how many places "location" can tell apart.
        **sizes: as :class:`BahdanauSeq2Seq`, without ``alignment``.

    Raises:
        ValueError: if there is no such score function, or ``decoder`` is not twice
            ``encoder``.

    Source:
        Bahdanau et al. (2015), appendix A, with the score of another paper.

    >>> sizes = {"embedding": 3, "encoder": 4, "decoder": 8, "maxout": 2}
    >>> model = Seq2SeqWithScore("dot", 6, 7, np.random.RandomState(0), **sizes)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))[1].shape
    torch.Size([2, 2, 3])
    """

    def __init__(
        self,
        score: str,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        longest: int = 40,
        **sizes: int,
    ):
        self._score = score, longest
        super().__init__(n_source, n_target, rng, **sizes)

    def _attention(self, d_query: int, d_key: int, d_a: int) -> nn.Module:
        if d_query != d_key:
            raise ValueError(
                "Seq2SeqWithScore: decoder must be twice as wide as encoder, "
                f"got {d_query} and {d_key // 2}"
            )
        name, longest = self._score
        return Attention(make_score(name, d_query, longest))

    def _remember(self, annotations: Tensor, mask: Tensor, ends: Tensor) -> Memory:
        return Memory(annotations, annotations, mask)

    def look(
        self, s: Float[Tensor, "batch decoder"], memory: Memory
    ) -> tuple[Float[Tensor, "batch context"], Float[Tensor, "batch keys"]]:
        """Return the context for the state before the step, and the weights behind it."""
        context, weights = self.attention(
            s.unsqueeze(1), memory.keys, memory.annotations, memory.mask.unsqueeze(1)
        )
        return context[:, 0], weights[:, 0]


def _generator(rng: np.random.RandomState) -> torch.Generator:
    return torch.Generator().manual_seed(int(rng.randint(2**31 - 1)))
