"""A causal language model: a stack of blocks that guesses the next symbol, and samples."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.positions import new_positions
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import TransformerBlock
from attention_course.models._build import seeded


class LanguageModel(nn.Module):
    r"""The decoder alone: no source, no cross-attention.

    .. math:: p(y_{t+1} \mid y_1, \dots, y_t) \propto \exp\bigl(E\, \operatorname{LN}(z_t)\bigr)

    where z_t has passed through the blocks, each seeing positions up to t.

    Args:
        n_symbols: size of the vocabulary.
        rng: the generator of the first weights.
        d_model: width of all vectors.
        n_heads: heads of each block.
        d_ff: width inside the feed-forward parts.
        n_layers: blocks.
        positions: a kind that :func:`new_positions` knows.
        longest: positions that sinusoidal and learned ones can tell.

    Raises:
        ValueError: if a size is not positive, or there is no such kind.

    Source:
        Radford et al. (2019), section 2.3, with positions to choose from and one table for
        reading and writing.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> model(torch.tensor([[1, 3, 4]])).shape
    torch.Size([1, 3, 9])

    Taught in ``transformer/transformer-block``.
    """

    def __init__(
        self,
        n_symbols: int,
        rng: np.random.RandomState,
        d_model: int = 64,
        n_heads: int = 4,
        d_ff: int = 256,
        n_layers: int = 2,
        positions: str = "rotary",
        longest: int = 256,
    ):
        super().__init__()
        for name, size in (("n_symbols", n_symbols), ("d_ff", d_ff), ("n_layers", n_layers)):
            if size < 1:
                raise ValueError(f"LanguageModel: {name} must be at least 1, got {size}")
        with seeded(rng):
            self.E = nn.Embedding(n_symbols, d_model)
            nn.init.normal_(self.E.weight, std=d_model**-0.5)
            self.positions = new_positions(positions, d_model, n_heads, longest)
            self.blocks = nn.ModuleList(
                TransformerBlock(
                    d_model, n_heads, d_ff, norm_first=True, positions=self.positions
                )
                for _ in range(n_layers)
            )
            self.end = nn.LayerNorm(d_model)

    def step(
        self, symbols: Int[Tensor, "batch new"], past: Sequence[KeysValues | None] | None = None
    ) -> tuple[Float[Tensor, "batch new symbols"], list[KeysValues]]:
        """Take in further symbols.

        Args:
            symbols: the new ones.
            past: keys and values of all before, one for each block; None at the start.

        Returns:
            Logits of what comes after each new symbol, and what is to be kept.
        """
        past = [None] * len(self.blocks) if past is None else past
        before, n = 0 if past[0] is None else past[0].k.shape[-2], symbols.shape[1]
        x = self.positions.add(self.E(symbols) * self.E.embedding_dim**0.5, before)
        mask = torch.ones(n, before + n, dtype=torch.bool, device=x.device).tril(before)
        kept = []
        for block, old in zip(self.blocks, past, strict=True):
            x, new, _ = block(x, mask, kept=old)
            kept.append(new)
        return self.end(x) @ self.E.weight.T, kept

    def forward(
        self, symbols: Int[Tensor, "batch steps"]
    ) -> Float[Tensor, "batch steps symbols"]:
        """Return the logits of every step at once."""
        return self.step(symbols)[0]


@torch.no_grad()
def sample(
    model: LanguageModel,
    prompt: list[int],
    n: int,
    rng: np.random.RandomState,
    temperature: float = 1.0,
    cached: bool = True,
) -> list[int]:
    r"""Draw n symbols, one after the other, each given all before.

    .. math:: y_{t+1} \sim \operatorname{softmax}(\text{logits}_t / \tau)

    Args:
        model: the language model.
        prompt: at least one symbol to go on from.
        n: how many to draw.
        rng: draws one number for each symbol.
        temperature: tau; the nearer to 0, the more often the likeliest symbol is taken.
        cached: whether keys and values are kept, or all is computed again for every symbol.

    Returns:
        The n symbols: the same with and without the cache.

    Raises:
        ValueError: if the prompt is empty or the temperature is not positive.

    Source:
        Common practice.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> len(sample(model, [3], 5, np.random.RandomState(0)))
    5

    Taught in ``transformer/transformer-block``.
    """
    if not prompt or not temperature > 0:
        raise ValueError(
            "sample: prompt must not be empty and temperature must be positive, "
            f"got {prompt} and {temperature}"
        )
    written, past, new = [*prompt], None, [*prompt]
    for draw in rng.random_sample(n):
        logits, kept = model.step(torch.tensor([new], device=model.E.weight.device), past)
        p = (logits[0, -1].double() / temperature).softmax(-1)
        symbol = int((p.cumsum(-1) < draw).sum().clamp(max=len(p) - 1))
        written.append(symbol)
        past, new = (kept, [symbol]) if cached else (None, written)
    return written[len(prompt) :]
