"""One output for every input, at once: the aligned recurrent network."""

import numpy as np
import torch
from torch import nn

from attention_course._shapes import Float, Int
from attention_course.models._build import seeded, to_model


class RecurrentTagger(nn.Module):
    r"""A GRU that has to answer at every step, before it has read the next symbol.

    .. math:: h_t = \operatorname{GRU}(E_{x_t}, h_{t-1}), \qquad
       \text{logits}_t = W_{out} h_t + b_{out}

    Args:
        n_symbols: size of the vocabulary, the same for source and target.
        width: numbers in the state.
        rng: the generator of the first weights.

    Source:
        Elman (1990), with a GRU for the plain recurrence.

    >>> tagger = RecurrentTagger(29, 64, np.random.RandomState(0))
    >>> tagger(torch.tensor([[3, 4, 5], [6, 7, 8]])).shape
    torch.Size([2, 3, 29])
    """

    def __init__(self, n_symbols: int, width: int, rng: np.random.RandomState):
        super().__init__()
        for name, size in (("n_symbols", n_symbols), ("width", width)):
            if size < 1:
                raise ValueError(f"RecurrentTagger: {name} must be at least 1, got {size}")
        with seeded(rng):
            self.embedding = nn.Embedding(n_symbols, width)
            self.gru = nn.GRU(width, width, batch_first=True)
            self.output = nn.Linear(width, n_symbols)

    def forward(
        self, source: Int[torch.Tensor, "batch length"]
    ) -> Float[torch.Tensor, "batch length symbols"]:
        """Return one row of logits for each step, made from that step and those before."""
        states, _ = self.gru(self.embedding(source))
        return self.output(states)


def tagging_loss(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    r"""Cross-entropy of the true label of each step.

    .. math:: L = -\frac1N \sum_t \ln p(y_t \mid x_1, \dots, x_t)

    Args:
        model: returns logits for each step.
        batch: source and target symbols, of the same shape.

    Returns:
        The loss, in nats a symbol.

    Raises:
        ValueError: if source and target differ in shape: this design has one output for each
            input, no more and no fewer.

    >>> tagger = RecurrentTagger(5, 7, np.random.RandomState(0))
    >>> tagging_loss(tagger, (torch.tensor([[3, 4]]), torch.tensor([[4, 3]]))).shape
    torch.Size([])
    """
    source, target = to_model(model, batch)
    if source.shape != target.shape:
        raise ValueError(
            "tagging_loss: target must have the shape of source, "
            f"got {tuple(target.shape)} for {tuple(source.shape)}"
        )
    return nn.functional.cross_entropy(model(source).flatten(0, 1), target.flatten())
