"""A translator without recurrence: embeddings, positions, two stacks, one shared table."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.positions import Positions, new_positions
from attention_course.models._build import check_lengths, seeded
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.encoder_decoder import DecoderCache, EncoderDecoder


class Transformer(Translator):
    r"""Read and write with attention alone.

    .. math:: x = \sqrt d\, E_x + P, \qquad y = \sqrt d\, E_y + P, \qquad
       p(y_{i+1}) \propto \exp\bigl(E_y\, \operatorname{decode}(y, \operatorname{encode}(x))_i
       + b\bigr)

    The table E_y is used twice, for what is written and for choosing what to write.

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        d_model: width of all vectors (512 in the paper's base model).
        n_heads: heads of each attention (8).
        d_ff: width inside the feed-forward parts (2048).
        n_layers: blocks in each stack (6).
        norm_first: whether a block normalises before its parts.
        positions: a kind that :func:`new_positions` knows.
        longest: positions that sinusoidal and learned ones can tell.

    Source:
        Vaswani et al. (2017), sections 3.1 to 3.5, without dropout.

    >>> model = Transformer(9, 7, np.random.RandomState(0), 8, 2, 16, 1)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> logits, weights = model.follow(source, lengths, torch.tensor([[1, 4], [1, 6]]))
    >>> logits.shape, weights.shape
    (torch.Size([2, 2, 7]), torch.Size([2, 2, 2, 3]))
    """

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        d_model: int = 128,
        n_heads: int = 4,
        d_ff: int = 320,
        n_layers: int = 2,
        norm_first: bool = False,
        positions: str = "sinusoidal",
        longest: int = 128,
    ):
        super().__init__()
        sizes = {"n_source": n_source, "n_target": n_target, "d_ff": d_ff}
        for name, size in (sizes | {"n_layers": n_layers}).items():
            if size < 1:
                raise ValueError(f"Transformer: {name} must be at least 1, got {size}")
        with seeded(rng):
            self.E_x = nn.Embedding(n_source, d_model)
            self.E_y = nn.Embedding(n_target, d_model)
            for table in (self.E_x, self.E_y):
                nn.init.normal_(table.weight, std=d_model**-0.5)
            self.b = nn.Parameter(torch.zeros(n_target))
            self.P_x = new_positions(positions, d_model, n_heads, longest)
            self.P_y = new_positions(positions, d_model, n_heads, longest)
            self.core = EncoderDecoder(
                d_model, n_heads, d_ff, n_layers, n_layers, norm_first, positions=self.P_x
            )

    def _enter(self, E: nn.Embedding, P: Positions, symbols: Tensor, start: int = 0) -> Tensor:
        return P.add(E(symbols) * E.embedding_dim**0.5, start)

    def read(
        self, source: Int[Tensor, "batch source"], lengths: Int[Tensor, " batch"]
    ) -> DecoderCache:
        """Read the source once; return what the decoder keeps of it."""
        check_lengths("Transformer.read", source, lengths)
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        return self.core.start(
            self.core.encode(self._enter(self.E_x, self.P_x, source), real), real
        )

    def step(
        self, symbols: Int[Tensor, "batch new"], kept: DecoderCache
    ) -> tuple[Float[Tensor, "batch new symbols"], DecoderCache, Tensor]:
        """Take in further target symbols; return logits, what to keep, and cross weights."""
        start = 0 if kept.past[0] is None else kept.past[0].k.shape[-2]
        y = self._enter(self.E_y, self.P_y, symbols, start)
        z, kept, weights = self.core.decode(y, kept)
        return z @ self.E_y.weight.T + self.b, kept, weights

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target symbols"], Tensor]:
        """Score all steps of a given target at once; return logits and cross weights."""
        logits, _, weights = self.step(target_in, self.read(source, lengths))
        return logits, weights

    def _begin(self, source: Tensor, lengths: Tensor) -> DecoderCache:
        return self.read(source, lengths)

    def _advance(
        self, symbol: Tensor, kept: DecoderCache
    ) -> tuple[Tensor, Tensor, DecoderCache]:
        logits, kept, weights = self.step(symbol[:, None], kept)
        return logits[:, -1], weights[..., 0, :], kept
