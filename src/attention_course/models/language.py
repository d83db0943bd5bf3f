"""A causal language model: a stack of blocks that guesses the next symbol, and samples."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.packed import pack_words, unpack_translator
from attention_course.layers.positions import new_positions
from attention_course.layers.scale.caches import KVCache
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models._build import seeded

Kept = Sequence[KeysValues | KVCache | None]  # what each block remembers


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
        norm_first: whether each block normalises before its parts, not after the sums.

    Source:
        Radford et al. (2019), section 2.3, with positions to choose from and one table for
        reading and writing.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> model(torch.tensor([[1, 3, 4]])).shape
    torch.Size([1, 3, 9])
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
        norm_first: bool = True,
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
                    d_model, n_heads, d_ff, norm_first=norm_first, positions=self.positions
                )
                for _ in range(n_layers)
            )
            # Normalised after the sums, the last block's output is so already.
            self.end = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def step(
        self,
        symbols: Int[Tensor, "batch new"],
        past: Kept | None = None,
        only_last: bool = False,
    ) -> tuple[Float[Tensor, "batch logits symbols"], list[KeysValues | KVCache]]:
        """Take in further symbols.

        Args:
            symbols: the new ones.
            past: keys and values of all before, one for each block; None at the start.
                :meth:`new_caches` makes some that are written into.
            only_last: leave out the logits of all new symbols but the last.

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
        x = x[:, -1:] if only_last else x
        return self.end(x) @ self.E.weight.T, kept

    def new_caches(self, longest: int, batch: int = 1) -> list[KVCache]:
        """Return an empty cache for each block, with room for so many positions."""
        attentions = (block.get_submodule("attention") for block in self.blocks)
        return [
            part.new_cache(batch, longest)
            for part in attentions
            if isinstance(part, BlockAttention)
        ]

    def forward(
        self, symbols: Int[Tensor, "batch steps"]
    ) -> Float[Tensor, "batch steps symbols"]:
        """Return the logits of every step at once."""
        return self.step(symbols)[0]


def load_language_model() -> LanguageModel:
    """Load the small world's language model that the pages run, in evaluation mode.

    Returns:
        A model of four blocks for up to 48 words; its symbols are three marks and then
        ``vocabulary("english")`` of :mod:`attention_course.data.world`.

    Source:
        ``benchmarks/world_words.py``.

    >>> load_language_model()(torch.tensor([[3, 4]])).shape
    torch.Size([1, 2, 303])
    """
    weights = {k: torch.from_numpy(a) for k, a in unpack_translator(pack_words())[0].items()}
    symbols = len(weights["E.weight"])
    model = LanguageModel(symbols, np.random.RandomState(0), 64, 4, 192, 4, "learned", 48)
    model.load_state_dict(weights, strict=False)  # the blocks share one table of positions
    return model.eval()


@torch.no_grad()
def write(
    model: LanguageModel,
    prompt: list[int],
    n: int,
    rng: np.random.RandomState,
    keep: str = "in place",
    temperature: float = 1.0,
) -> list[int]:
    r"""Read a prompt at once, then write n symbols, one after the other.

    .. math:: y_{t+1} \sim \operatorname{softmax}(\text{logits}_t / \tau)

    Args:
        model: the language model.
        prompt: at least one symbol to go on from.
        n: how many to write.
        rng: draws one number for each symbol.
        keep: "in place", keys and values in memory that is taken once; "joined", in new memory
            at every step; "nothing", all is computed again for every symbol.
        temperature: tau; the nearer to 0, the more often the likeliest symbol is taken.

    Returns:
        The n symbols: the same whatever is kept.

    Raises:
        ValueError: if the prompt is empty, ``keep`` is not one of the three, or the temperature
            is not positive.

    Source:
        Common practice.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> ways = ("in place", "joined", "nothing")
    >>> len({tuple(write(model, [3], 5, np.random.RandomState(0), keep)) for keep in ways})
    1
    """
    check_writing(prompt, keep, temperature)
    past: Kept | None = None
    if keep == "in place":
        past = model.new_caches(len(prompt) + n)
    device = model.E.weight.device
    written, new = [*prompt], [*prompt]  # first the prompt, at once
    for draw in rng.random_sample(n):
        symbols = torch.tensor([new], device=device)
        logits, past = model.step(symbols, past, only_last=True)
        p = (logits[0, -1].cpu().double() / temperature).softmax(-1)
        symbol = int((p.cumsum(-1) < draw).sum().clamp(max=len(p) - 1))
        written.append(symbol)
        new = [symbol]  # then one at a time
        if keep == "nothing":
            past, new = None, written
    return written[len(prompt) :]


def check_writing(prompt: list[int], keep: str, temperature: float) -> None:
    """Raise unless there is something to go on from, and a way to do it."""
    ways = ("in place", "joined", "nothing")
    if not prompt or not temperature > 0 or keep not in ways:
        raise ValueError(
            "write: prompt must not be empty, temperature must be positive and keep one of "
            f"{ways}, got {prompt}, {temperature} and {keep!r}"
        )
