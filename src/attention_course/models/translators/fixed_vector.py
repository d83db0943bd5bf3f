"""Read everything, keep one vector, write everything.

The specification is ``reference.encode_by_loops`` and ``reference.decode_by_loops``.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from attention_course._shapes import Float, Int
from attention_course.data.batches import Batch, pad
from attention_course.data.vocabulary import END, PAD, START, Vocabulary
from attention_course.models._build import check_lengths, device_of, seeded
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.regularised import smoothed_loss


class FixedVectorSeq2Seq(nn.Module):
    r"""A GRU reads the source; its last state is all that a second GRU gets to write from.

    .. math:: c = h_T, \qquad s_0 = c, \qquad s_i = \operatorname{GRU}(E_{y_{i-1}}, s_{i-1})

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        width: how many numbers the fixed vector holds (and every state, and embedding).
        rng: the generator of the first weights.

    Source:
        Sutskever et al. (2014), section 2, with the GRU of Cho et al. (2014) for the LSTM and
        one layer for four.

    >>> model = FixedVectorSeq2Seq(29, 42, 64, np.random.RandomState(0))
    >>> model.encode(torch.tensor([[3, 4, 5], [6, 0, 0]]), torch.tensor([3, 1])).shape
    torch.Size([2, 64])
    """

    def __init__(self, n_source: int, n_target: int, width: int, rng: np.random.RandomState):
        super().__init__()
        for name, size in (("n_source", n_source), ("n_target", n_target), ("width", width)):
            if size < 1:
                raise ValueError(f"FixedVectorSeq2Seq: {name} must be at least 1, got {size}")
        self.width = width
        with seeded(rng):
            self.source_embedding = nn.Embedding(n_source, width)
            self.encoder = nn.GRU(width, width, batch_first=True)
            self.target_embedding = nn.Embedding(n_target, width)
            self.decoder = nn.GRU(width, width, batch_first=True)
            self.output = nn.Linear(width, n_target)

    def encode(
        self, source: Int[torch.Tensor, "batch source"], lengths: Int[torch.Tensor, " batch"]
    ) -> Float[torch.Tensor, "batch width"]:
        """Return the state after the last real symbol; padding behind it has no influence."""
        check_lengths("FixedVectorSeq2Seq.encode", source, lengths)
        states, _ = self.encoder(self.source_embedding(source))
        return states[torch.arange(len(source), device=source.device), lengths - 1]

    def decode(
        self,
        context: Float[torch.Tensor, "batch width"],
        target_in: Int[torch.Tensor, "batch target"],
    ) -> Float[torch.Tensor, "batch target symbols"]:
        """Return the logits of every step, given the true symbol before each."""
        states, _ = self.decoder(self.target_embedding(target_in), context[None])
        return self.output(states)

    def forward(
        self,
        source: Int[torch.Tensor, "batch source"],
        lengths: Int[torch.Tensor, " batch"],
        target_in: Int[torch.Tensor, "batch target"],
    ) -> Float[torch.Tensor, "batch target symbols"]:
        """Encode, then decode."""
        return self.decode(self.encode(source, lengths), target_in)

    @torch.no_grad()
    def generate(
        self,
        source: Int[torch.Tensor, "batch source"],
        lengths: Int[torch.Tensor, " batch"],
        longest: int = 32,
    ) -> Int[torch.Tensor, "batch written"]:
        """Write greedily: feed the likeliest symbol back in until every row has ended.

        Args:
            source: numbers of the source symbols.
            lengths: symbols in each row.
            longest: steps after which writing is cut off.

        Returns:
            The symbols written; after the end mark a row holds padding.
        """
        state = self.encode(source, lengths)[None]
        symbol = source.new_full((len(source), 1), START)
        ended = source.new_zeros(len(source), dtype=torch.bool)
        written: list[torch.Tensor] = []
        while len(written) < longest and not ended.all():
            states, state = self.decoder(self.target_embedding(symbol), state)
            symbol = self.output(states).argmax(-1)
            written.append(torch.where(ended, PAD, symbol[:, 0]))
            ended |= symbol[:, 0] == END
        return torch.stack(written, 1)


def sequence_loss(model: nn.Module, batch: Batch) -> torch.Tensor:
    r"""Cross-entropy of the true target, averaged over its real symbols.

    .. math:: L = -\frac1N \sum_i \ln p(y_i \mid y_1, \dots, y_{i-1}, x)

    During training the model is fed the true symbol before each step (*teacher forcing*).

    Args:
        model: called with source, source lengths and the target moved right by one.
        batch: what to learn from; padding does not count.

    Returns:
        The loss, in nats a symbol.

    Source:
        Sutskever et al. (2014), section 3.2; the average is ours.

    >>> model = FixedVectorSeq2Seq(5, 6, 7, np.random.RandomState(0))
    >>> from attention_course.data import Batch
    >>> one = np.array([[3]]), np.array([1])
    >>> sequence_loss(model, Batch(*one, *one)).shape
    torch.Size([])
    """
    return smoothed_loss(model, batch)


def translate(
    model: FixedVectorSeq2Seq | Translator,
    sources: Sequence[Sequence[int]],
    target_vocabulary: Vocabulary,
    longest: int = 32,
    size: int = 256,
) -> list[list[str]]:
    """Write the target of each source greedily, in batches of similar length.

    Args:
        model: a trained model.
        sources: numbers of the source symbols.
        target_vocabulary: turns numbers back into symbols.
        longest: steps after which writing is cut off.
        size: sources in a batch.

    Returns:
        One list of symbols for each source, in the order they came.

    >>> model = FixedVectorSeq2Seq(5, 6, 7, np.random.RandomState(0))
    >>> from attention_course.data import Vocabulary
    >>> len(translate(model, [[3, 4], [4]], Vocabulary("abc")))
    2
    """
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    written: list[list[str]] = [[] for _ in sources]
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        rows, lengths = pad([sources[i] for i in chosen])
        source, symbols = (torch.from_numpy(a).to(device_of(model)) for a in (rows, lengths))
        numbers = model.generate(source, symbols, longest)
        for i, row in zip(chosen, numbers.tolist(), strict=True):
            written[i] = target_vocabulary.decode(row)
    return written
