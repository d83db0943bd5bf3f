"""Three readers that guess the next symbol: one vector, a tape, one causal head."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.vocabulary import PAD
from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.lstmn import LSTMN
from attention_course.models._build import device_of, seeded

KINDS = ("lstm", "lstmn", "head")


class CausalHead(nn.Module):
    r"""One head of scaled dot-product attention over the past and the present.

    .. math:: s^t = \operatorname{softmax}_{i \le t}\left(
       \frac{W_q x_t \cdot W_k x_i}{\sqrt{d}}\right), \qquad h_t = \sum_{i \le t} s_i^t W_v x_i

    Args:
        inputs: width of an input.
        d: width of queries, keys and values.

    Source:
        Vaswani et al. (2017), sections 3.2.1 and 3.2.3.

    >>> h, weights = CausalHead(3, 5)(torch.ones(2, 6, 3))
    >>> h.shape, weights.shape
    (torch.Size([2, 6, 5]), torch.Size([2, 6, 6]))
    """

    def __init__(self, inputs: int, d: int):
        super().__init__()
        self.W_q = nn.Linear(inputs, d, bias=False)
        self.W_k = nn.Linear(inputs, d, bias=False)
        self.W_v = nn.Linear(inputs, d, bias=False)
        self.attention = Attention()

    def forward(
        self, x: Float[Tensor, "batch steps inputs"]
    ) -> tuple[Float[Tensor, "batch steps d"], Float[Tensor, "batch steps steps"]]:
        """Return what each position collected, and whom it looked at; no step waits."""
        steps = x.shape[1]
        causal = torch.ones(steps, steps, dtype=torch.bool, device=x.device).tril()
        return self.attention(self.W_q(x), self.W_k(x), self.W_v(x), causal)


class NextSymbolModel(nn.Module):
    r"""Guess each next symbol from those before.

    .. math:: p(y_{t+1} \mid y_1, \dots, y_t) \propto \exp(W_o h_t + b_o)

    Args:
        kind: "lstm" (one cell), "lstmn" (a tape) or "head" (one causal head; it knows no
            order, so a learned vector for each position is added to its input).
        n_symbols: size of the vocabulary.
        rng: the generator of the first weights.
        width: of embeddings and states.
        longest: positions that "head" can tell apart.

    Source:
        Cheng et al. (2016), section 5.1, at a small fraction of its size.

    >>> reader = NextSymbolModel("lstmn", 9, np.random.RandomState(0), width=8)
    >>> logits, weights = reader.follow(torch.tensor([[1, 3, 4]]))
    >>> logits.shape, weights.shape
    (torch.Size([1, 3, 9]), torch.Size([1, 3, 3]))
    """

    def __init__(
        self,
        kind: str,
        n_symbols: int,
        rng: np.random.RandomState,
        width: int = 64,
        longest: int = 64,
    ):
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"NextSymbolModel: kind must be one of {KINDS}, got {kind!r}")
        for name, size in (("n_symbols", n_symbols), ("width", width), ("longest", longest)):
            if size < 1:
                raise ValueError(f"NextSymbolModel: {name} must be at least 1, got {size}")
        with seeded(rng):
            self.E = nn.Embedding(n_symbols, width)
            self.W_o = nn.Linear(width, n_symbols)
            self.positions = nn.Embedding(longest, width) if kind == "head" else None
            makers: dict[str, Callable[[], nn.Module]] = {
                "lstm": lambda: nn.LSTM(width, width, batch_first=True),
                "lstmn": lambda: LSTMN(width, width, width),
                "head": lambda: CausalHead(width, width),
            }
            self.core = makers[kind]()

    def follow(
        self, tokens: Int[Tensor, "batch steps"]
    ) -> tuple[Float[Tensor, "batch steps symbols"], Float[Tensor, "batch steps steps"] | None]:
        """Return logits, and the weights if there are any."""
        x = self.E(tokens)
        if self.positions is not None:
            x = x + self.positions(torch.arange(tokens.shape[1], device=x.device))
        h, weights = self.core(x)
        return self.W_o(h), None if isinstance(weights, tuple) else weights

    def forward(
        self, tokens: Int[Tensor, "batch steps"]
    ) -> Float[Tensor, "batch steps symbols"]:
        """Return the logits alone."""
        return self.follow(tokens)[0]


def next_symbol_loss(reader: nn.Module, rows: Int[np.ndarray, "batch length"]) -> Tensor:
    r"""Cross-entropy of each next symbol, averaged over those that are not padding.

    .. math:: L = -\frac1N \sum_t \ln p(y_{t+1} \mid y_1, \dots, y_t)

    Args:
        reader: any of the three, or another module that returns logits.
        rows: sequences with start and end mark, filled up with 0.

    Returns:
        The loss, in nats a symbol; its exponential is the perplexity.

    Source:
        Cheng et al. (2016), section 5.1.

    >>> reader = NextSymbolModel("lstm", 9, np.random.RandomState(0), width=8)
    >>> next_symbol_loss(reader, np.array([[1, 3, 2, 0]])).ndim
    0
    """
    tokens = torch.from_numpy(rows).to(device_of(reader))
    logits = reader(tokens[:, :-1])
    return nn.functional.cross_entropy(
        logits.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD
    )
