"""The model of the miniature replica: embeddings, one attention layer, a read-out."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.lookup import N_DIGITS, N_WORDS, lookup_batch
from attention_course.layers.attention import Attention
from attention_course.layers.scores import AdditiveScore, DotScore, ScaledDotScore
from attention_course.models._build import to_model

D_MODEL = 64
METHODS = ("unscaled", "scaled", "additive", "unscaled, small start")


class LookupModel(nn.Module):
    r"""Look a word up by attending to its translation.

    .. math:: \mathbf q = W_q\, \mathbf x_{\text{asked}}, \qquad
       \mathbf k_j = W_k\, \mathbf y_j, \qquad
       \mathbf v_j = \mathbf z_{\text{digit } j}

    Embeddings start as in ``nn.Embedding`` (variance 1), the projections so that queries and
    keys have variance 1 too: the assumption under which the factor was derived.

    Args:
        method: one of ``METHODS``. "unscaled, small start" divides the initial projections by
            the fourth root of d_k, so that its first scores equal the scaled ones.
        d_k: width of queries and keys, or of the additive score's hidden layer.
        rng: where the initial weights are drawn from.

    Raises:
        ValueError: if the method is unknown or the width not a positive whole number.

    Source:
        Written for this course, after the comparison in Britz et al. (2017).

    >>> model = LookupModel("scaled", 8, np.random.RandomState(0))
    >>> logits, weights = model(*lookup_tensors(np.random.RandomState(1), 5)[:3])
    >>> logits.shape, weights.shape
    (torch.Size([5, 10]), torch.Size([5, 16]))
    """

    W_q: nn.Parameter | None
    W_k: nn.Parameter | None

    def __init__(self, method: str, d_k: int, rng: np.random.RandomState):
        super().__init__()
        if method not in METHODS:
            raise ValueError(f"LookupModel: method must be one of {METHODS}, got {method!r}")
        if isinstance(d_k, bool) or not isinstance(d_k, int) or d_k < 1:
            raise ValueError(f"LookupModel: d_k must be a positive whole number, got {d_k!r}")

        def normal(*shape: int, std: float = 1.0) -> nn.Parameter:
            drawn = rng.standard_normal(shape) * std
            return nn.Parameter(torch.tensor(drawn, dtype=torch.float32))

        self.asked, self.words = normal(N_WORDS, D_MODEL), normal(N_WORDS, D_MODEL)
        self.digits = normal(N_DIGITS, D_MODEL)
        self.read_out = normal(D_MODEL, N_DIGITS, std=D_MODEL**-0.5)
        if method == "additive":
            seed = int(rng.randint(2**31 - 1))
            generator = torch.Generator().manual_seed(seed)
            self.W_q = self.W_k = None
            self.attention = Attention(AdditiveScore(D_MODEL, D_MODEL, d_k, generator))
        else:
            std = D_MODEL**-0.5 * (d_k**-0.25 if "small" in method else 1.0)
            self.W_q, self.W_k = normal(D_MODEL, d_k, std=std), normal(D_MODEL, d_k, std=std)
            self.attention = Attention(ScaledDotScore() if method == "scaled" else DotScore())

    def forward(
        self,
        words: Int[Tensor, "batch pairs"],
        digits: Int[Tensor, "batch pairs"],
        asked: Int[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch digits"], Float[Tensor, "batch pairs"]]:
        """Return the logits of the ten digits and the weights of the pairs."""
        q, k, v = self.asked[asked].unsqueeze(1), self.words[words], self.digits[digits]
        if self.W_q is not None and self.W_k is not None:
            q, k = q @ self.W_q, k @ self.W_k
        context, weights = self.attention(q, k, v)
        return context[:, 0] @ self.read_out, weights[:, 0]


def lookup_tensors(rng: np.random.RandomState, size: int = 64) -> tuple[Tensor, ...]:
    """Draw a batch as :func:`lookup_batch` does, as tensors.

    Args:
        rng: where the rows are drawn from.
        size: how many rows.

    Returns:
        Foreign words, digits, asked words, positions.

    Source:
        :func:`attention_course.data.lookup.lookup_batch`.

    >>> len(lookup_tensors(np.random.RandomState(0), 2))
    4
    """
    return tuple(torch.from_numpy(a) for a in lookup_batch(rng, size))


def lookup_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    r"""Cross-entropy of the digit that is beside the translation.

    .. math:: L = -\ln \operatorname{softmax}(\text{logits})_{\text{digit}}

    Args:
        model: a :class:`LookupModel`.
        batch: what :func:`lookup_tensors` returns.

    Returns:
        A scalar.

    Source:
        Standard.

    >>> model = LookupModel("scaled", 8, np.random.RandomState(0))
    >>> lookup_loss(model, lookup_tensors(np.random.RandomState(1), 5)).ndim
    0
    """
    if len(batch) != 4:
        raise ValueError(f"lookup_loss: batch must have four parts, got {len(batch)}")
    words, digits, asked, position = to_model(model, batch)
    wanted = digits.gather(1, position.unsqueeze(1)).squeeze(1)
    return nn.functional.cross_entropy(model(words, digits, asked)[0], wanted)


def lookup_accuracy(model: nn.Module, rng: np.random.RandomState, size: int = 2000) -> float:
    """Share of fresh rows that the model answers correctly.

    Args:
        model: a :class:`LookupModel`.
        rng: where the rows are drawn from.
        size: how many rows.

    Returns:
        From 0 to 1; a tenth by guessing.

    Source:
        Standard.

    >>> model = LookupModel("scaled", 8, np.random.RandomState(0))
    >>> 0 <= lookup_accuracy(model, np.random.RandomState(1), 100) <= 1
    True
    """
    words, digits, asked, position = to_model(model, lookup_tensors(rng, size))
    with torch.no_grad():
        answer = model(words, digits, asked)[0].argmax(dim=1)
    return float((answer == digits.gather(1, position.unsqueeze(1)).squeeze(1)).float().mean())
