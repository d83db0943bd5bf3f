"""What every translator that looks back does alike."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data.vocabulary import END, PAD, START

# From the newest symbols and what is kept: logits, weights and what is kept now.
Advance = Callable[[Tensor, Any], tuple[Tensor, Tensor, Any]]


class Translator(nn.Module):
    """The base of the translators: a subclass reads, follows and advances.

    It has ``follow(source, lengths, target_in)``, which returns logits and weights of every
    step of a given target, ``_begin(source, lengths)``, which returns what is kept before the
    first step, and ``_advance(symbol, kept)`` as :func:`greedy_decode` calls it.
    """

    follow: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    _begin: Callable[[Tensor, Tensor], Any]
    _advance: Advance

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target symbols"]:
        """Return the logits alone, as every model of the course does."""
        return self.follow(source, lengths, target_in)[0]

    @torch.no_grad()
    def write(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        longest: int = 32,
    ) -> tuple[Int[Tensor, "batch written"], Float[Tensor, "batch *heads written keys"]]:
        """Write greedily and say where the model looked before each symbol.

        Args:
            source: numbers of the source symbols.
            lengths: symbols in each row.
            longest: steps after which writing is cut off.

        Returns:
            The symbols written (after the end mark a row holds padding) and the weights.
        """
        kept = self._begin(source, lengths)
        return greedy_decode(self._advance, kept, source, longest)

    def generate(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        longest: int = 32,
    ) -> Int[Tensor, "batch written"]:
        """Write greedily, and return the symbols alone."""
        return self.write(source, lengths, longest)[0]


def greedy_decode(
    advance: Advance, kept: Any, source: Int[Tensor, "batch source"], longest: int
) -> tuple[Int[Tensor, "batch written"], Float[Tensor, "batch *heads written keys"]]:
    """Feed the likeliest symbol back in until every row has ended; cut off at ``longest``."""
    symbol = source.new_full((len(source),), START)
    ended = source.new_zeros(len(source), dtype=torch.bool)
    written: list[Tensor] = []
    looked: list[Tensor] = []
    while len(written) < longest and not ended.all():
        logits, weights, kept = advance(symbol, kept)
        symbol = logits.argmax(-1)
        written.append(torch.where(ended, PAD, symbol))
        looked.append(weights)
        ended |= symbol == END
    return torch.stack(written, 1), torch.stack(looked, -2)
