"""Two layers of self-attention that say what *it* means; what they look at can be read."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.pronouns import IT, LENGTH, WORDS, pronoun_batch
from attention_course.layers.transformer.self_attention import SelfAttention
from attention_course.models._build import to_model
from attention_course.reference import sinusoidal_positions


class PronounReader(nn.Module):
    r"""Embeddings, positions, two layers of self-attention, and the same embeddings to answer.

    .. math:: X_0 = E + P, \quad X_{l+1} = X_l + \operatorname{SelfAttention}_l(X_l), \quad
       \text{logits} = \mathbf x_{2,\text{at}}\, E^\top

    Args:
        rng: where the first weights are drawn from.
        causal: let each word see only itself and what is before it.
        at: the position that answers; that of *it* unless given.
        d_model: width of everything.

    >>> reader = PronounReader(np.random.RandomState(0))
    >>> logits, weights = reader(pronoun_tensors(np.random.RandomState(1), 5)[0])
    >>> logits.shape, len(weights), weights[0].shape
    (torch.Size([5, 32]), 2, torch.Size([5, 11, 11]))
    """

    positions: Tensor
    mask: Tensor

    def __init__(
        self,
        rng: np.random.RandomState,
        causal: bool = False,
        at: int = IT,
        d_model: int = 32,
    ):
        super().__init__()
        self.at = at
        drawn = rng.standard_normal((len(WORDS), d_model)) / d_model**0.5
        self.embedding = nn.Parameter(torch.as_tensor(drawn, dtype=torch.float32))
        positions = sinusoidal_positions(LENGTH, d_model)
        self.register_buffer("positions", torch.as_tensor(positions, dtype=torch.float32))
        full = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
        self.register_buffer("mask", full.tril() if causal else full)
        self.layers = nn.ModuleList(SelfAttention(d_model, d_model, rng=rng) for _ in range(2))

    def forward(
        self, words: Int[Tensor, "batch words"]
    ) -> tuple[Float[Tensor, "batch vocabulary"], list[Tensor]]:
        """Return the logits of the noun that is meant, and the weights of both layers."""
        x, all_weights = self.embedding[words] + self.positions, []
        for layer in self.layers:
            context, weights = layer(x, self.mask)
            x = x + context
            all_weights.append(weights)
        return x[:, self.at] @ self.embedding.t(), all_weights


def pronoun_tensors(
    rng: np.random.RandomState, size: int = 64, held_out: bool = False
) -> tuple[Tensor, Tensor]:
    """Draw a batch as :func:`pronoun_batch` does, as tensors.

    Args:
        rng: where the sentences are drawn from.
        size: how many.
        held_out: as :func:`pronoun_batch`.

    Returns:
        Words and meant nouns.

    Source:
        :func:`attention_course.data.pronouns.pronoun_batch`.

    >>> pronoun_tensors(np.random.RandomState(0), 3)[0].shape
    torch.Size([3, 11])
    """
    words, meant = pronoun_batch(rng, size, held_out)
    return torch.from_numpy(words), torch.from_numpy(meant)


def pronoun_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""Cross-entropy of the noun that is meant, over the whole vocabulary.

    .. math:: L = -\ln \operatorname{softmax}(\text{logits})_{\text{noun}}

    Args:
        model: a :class:`PronounReader`.
        batch: what :func:`pronoun_tensors` returns.

    Returns:
        A scalar.

    Source:
        Standard.

    >>> reader = PronounReader(np.random.RandomState(0))
    >>> pronoun_loss(reader, pronoun_tensors(np.random.RandomState(1), 5)).ndim
    0
    """
    words, meant = to_model(model, batch)
    return nn.functional.cross_entropy(model(words)[0], meant)


def pronoun_accuracy(model: nn.Module, rng: np.random.RandomState, size: int = 1000) -> float:
    """Share of sentences with unseen pairs of nouns whose *it* is understood.

    Args:
        model: a :class:`PronounReader`.
        rng: where the sentences are drawn from.
        size: how many.

    Returns:
        From 0 to 1; a half for one who knows the two nouns and guesses between them.

    Source:
        Standard.

    >>> reader = PronounReader(np.random.RandomState(0))
    >>> 0 <= pronoun_accuracy(reader, np.random.RandomState(1), 50) <= 1
    True
    """
    words, meant = to_model(model, pronoun_tensors(rng, size, held_out=True))
    with torch.no_grad():
        return float((model(words)[0].argmax(dim=1) == meant).float().mean())
