"""A small model for recall over a distance, with the attention of each layer to choose."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.lookup import N_DIGITS
from attention_course.data.recall import recall_batch
from attention_course.layers.attention import scaled_dot_product_attention
from attention_course.layers.scale.block_sparse import block_sparse_attention
from attention_course.layers.scale.linear_attention import linear_attention
from attention_course.layers.scale.sliding_window import sliding_window_attention
from attention_course.models._build import seeded, to_model
from attention_course.reference.masks import causal_mask
from attention_course.reference.scale.sparse import block_pattern

KINDS = ("full", "window", "blocks", "linear")
WIDTH, BLOCK = 32, 16  # of the window; of a block, of which a query sees its own and two more


class RecallModel(nn.Module):
    r"""Answer each question by causal attention over what has come.

    .. math:: x_t = E_w[\text{word}_t] + E_d[\text{digit}_t] + E_a[\text{asked}_t], \qquad
       x \leftarrow x + \operatorname{attend}(\operatorname{LN}(x))

    for each layer; no positions, since the task is about content alone.

    Args:
        kinds: the attention of each layer, of ``KINDS``.
        rng: where the initial weights are drawn from.
        n: words in the vocabulary.
        d: width of all vectors, and of the single head.

    >>> model = RecallModel(["window", "full"], np.random.RandomState(0), n=5, d=8)
    >>> model(*recall_tensors(np.random.RandomState(1), 2, n=5)[:3]).shape
    torch.Size([2, 5, 10])
    """

    def __init__(
        self, kinds: Sequence[str], rng: np.random.RandomState, n: int = 128, d: int = 64
    ):
        super().__init__()
        if not kinds or not {*kinds} <= {*KINDS}:
            raise ValueError(f"RecallModel: kinds must be of {KINDS}, got {kinds!r}")
        if min(n, d) < 1:
            raise ValueError(f"RecallModel: n and d must be positive, got {n} and {d}")
        self.kinds = tuple(kinds)
        with seeded(rng):
            self.words, self.asked = nn.Embedding(n, d), nn.Embedding(n, d)
            self.digits = nn.Embedding(N_DIGITS, d)
            self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in kinds)
            self.inputs = nn.ModuleList(nn.Linear(d, 3 * d, bias=False) for _ in kinds)
            self.outputs = nn.ModuleList(nn.Linear(d, d, bias=False) for _ in kinds)
            self.end = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, N_DIGITS))

    def forward(
        self,
        words: Int[Tensor, "batch n"],
        digits: Int[Tensor, "batch n"],
        asked: Int[Tensor, "batch n"],
    ) -> Float[Tensor, "batch n digits"]:
        """Return the logits of the ten digits at every step."""
        x = self.words(words) + self.digits(digits) + self.asked(asked)
        for i, kind in enumerate(self.kinds):
            q, k, v = self.inputs[i](self.norms[i](x)).chunk(3, dim=-1)
            x = x + self.outputs[i](attend_causally(kind, q, k, v))
        return self.end(x)


def attend_causally(
    kind: str,
    q: Float[Tensor, "*batch n d"],
    k: Float[Tensor, "*batch n d"],
    v: Float[Tensor, "*batch n d"],
) -> Float[Tensor, "*batch n d"]:
    """Attend in one of the four ways, never to what is to come.

    Args:
        kind: of ``KINDS``.
        q: queries.
        k: keys.
        v: values.

    Returns:
        The context vectors.

    >>> x = torch.ones(1, 40, 4)
    >>> [tuple(attend_causally(kind, x, x, x).shape) for kind in KINDS]
    [(1, 40, 4), (1, 40, 4), (1, 40, 4), (1, 40, 4)]
    """
    n = q.shape[-2]
    ways: dict[str, Callable[[], Tensor]] = {
        "full": lambda: scaled_dot_product_attention(q, k, v, _causal(n).to(q.device))[0],
        "window": lambda: sliding_window_attention(q, k, v, WIDTH),
        "blocks": lambda: block_sparse_attention(q, k, v, recall_blocks(n), BLOCK, causal=True),
        "linear": lambda: linear_attention(q, k, v, causal=True),
    }
    if kind not in ways:
        raise ValueError(f"attend_causally: kind must be one of {KINDS}, got {kind!r}")
    return ways[kind]()


def recall_blocks(n: int) -> Tensor:
    """Return the pattern that "blocks" has: own block, the first, one at random.

    Args:
        n: steps of the sequence.

    Returns:
        True where a block of queries sees a block of keys.

    Source:
        Zaheer et al. (2020), section 2, with these numbers.

    >>> recall_blocks(64).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 0, 1, 1]], dtype=torch.int32)
    """
    return torch.from_numpy(block_pattern(-(-n // BLOCK), n_local=1, n_first=1, n_random=1))


def recall_tensors(
    rng: np.random.RandomState, size: int = 16, n: int = 128
) -> tuple[Tensor, ...]:
    """Draw a batch as :func:`recall_batch` does, as tensors.

    Args:
        rng: where the sequences are drawn from.
        size: how many.
        n: steps in each.

    Returns:
        Words, digits, asked words, distances.

    Source:
        :func:`attention_course.data.recall.recall_batch`.

    >>> len(recall_tensors(np.random.RandomState(0), 2, n=4))
    4
    """
    return tuple(torch.from_numpy(a) for a in recall_batch(rng, size, n))


def recall_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    r"""Cross-entropy of the digit that is asked for, averaged over all steps.

    .. math:: L = -\frac1n \sum_t \ln \operatorname{softmax}(\text{logits}_t)_{y_t}

    Args:
        model: a :class:`RecallModel`.
        batch: what :func:`recall_tensors` returns.

    Returns:
        A scalar.

    Source:
        Standard.

    >>> model = RecallModel(["linear"], np.random.RandomState(0), n=5, d=8)
    >>> recall_loss(model, recall_tensors(np.random.RandomState(1), 2, n=5)).ndim
    0
    """
    if len(batch) != 4:
        raise ValueError(f"recall_loss: batch must have four parts, got {len(batch)}")
    words, digits, asked, distance = to_model(model, batch)
    wanted = _answers(digits, distance)
    logits = model(words, digits, asked)
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


@torch.no_grad()
def recall_by_distance(
    model: nn.Module,
    rng: np.random.RandomState,
    edges: Sequence[int],
    size: int = 64,
    n: int = 128,
) -> list[float]:
    """Share of the questions answered correctly, by how long ago the word came.

    Args:
        model: a :class:`RecallModel`.
        rng: where fresh sequences are drawn from.
        edges: distances at which the groups begin, and the end of the last.
        size: how many sequences.
        n: steps in each.

    Returns:
        One share for each group; a tenth by guessing.

    Source:
        Standard.

    >>> model = RecallModel(["full"], np.random.RandomState(0), n=5, d=8)
    >>> len(recall_by_distance(model, np.random.RandomState(1), (0, 2, 5), 9, n=5))
    2
    """
    words, digits, asked, distance = to_model(model, recall_tensors(rng, size, n))
    right = model(words, digits, asked).argmax(-1) == _answers(digits, distance)
    groups = [(distance >= a) & (distance < b) for a, b in pairwise(edges)]
    return [float(right[group].float().mean()) for group in groups]


def _answers(digits: Tensor, distance: Tensor) -> Tensor:
    now = torch.arange(digits.shape[1], device=digits.device)
    return digits.gather(1, now - distance)


def _causal(n: int) -> Tensor:
    return torch.from_numpy(causal_mask(n))
