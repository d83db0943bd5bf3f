"""The Transformer as its paper draws it: no cache, one way to normalise, written to be read.

:class:`attention_course.models.translators.transformer.Transformer` computes the same; it keeps
keys and values while it writes, and knows other positions. Both take the same weights.
"""

import re
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.data.batches import Batch
from attention_course.data.vocabulary import END, START
from attention_course.layers.positions import SinusoidalPositions
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.layers.transformer.transformer_block import FeedForward
from attention_course.models._build import seeded
from attention_course.models.translators.regularised import smoothed_loss


class EncoderLayer(nn.Module):
    """Look at the whole source, then think about each position on its own.

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: heads of the attention.
        d_ff: width inside the feed-forward part.

    Source:
        Vaswani et al. (2017), section 3.1.

    >>> real = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    >>> EncoderLayer(6, 3, 24)(torch.ones(2, 5, 6), real).shape
    torch.Size([2, 5, 6])
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, bias=True)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        real: Bool[Tensor, "batch 1 1 n"],
    ) -> Float[Tensor, "batch n d_model"]:
        """Return as many vectors; ``real`` is False where there is padding."""
        found, _ = self.attention(x, mask=real)
        x = self.norms[0](x + found)
        return self.norms[1](x + self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Look at what is written so far, then at the source, then think.

    Args:
        d_model: width of the vectors that enter and leave.
        n_heads: heads of each attention.
        d_ff: width inside the feed-forward part.

    Source:
        Vaswani et al. (2017), section 3.1.

    >>> layer, real = DecoderLayer(6, 3, 24), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    >>> y, weights = layer(torch.ones(2, 4, 6), torch.ones(2, 5, 6), real)
    >>> y.shape, weights.shape
    (torch.Size([2, 4, 6]), torch.Size([2, 3, 4, 5]))
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, bias=True)
        self.cross = MultiHeadAttention(d_model, n_heads, bias=True)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3))

    def forward(
        self,
        y: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch n d_model"],
        real: Bool[Tensor, "batch 1 1 n"],
    ) -> tuple[
        Float[Tensor, "batch target d_model"],
        Float[Tensor, "batch heads target n"],
    ]:
        """Return as many vectors, and where each position looked in the source."""
        n = y.shape[1]
        past = torch.ones(n, n, dtype=torch.bool, device=y.device).tril()
        found, _ = self.attention(y, mask=past)
        y = self.norms[0](y + found)
        found, weights = self.cross(y, memory, mask=real)
        y = self.norms[1](y + found)
        return self.norms[2](y + self.feed_forward(y)), weights


class PlacedWords(nn.Module):
    r"""Turn words into vectors that know where they stand.

    .. math:: x_t = \sqrt d\, E_{w_t} + P_t

    Args:
        n_symbols: size of the vocabulary.
        d_model: width of the vectors, d.

    Source:
        Vaswani et al. (2017), sections 3.4 and 3.5.

    >>> PlacedWords(9, 6)(torch.tensor([[3, 4]])).shape
    torch.Size([1, 2, 6])
    """

    def __init__(self, n_symbols: int, d_model: int):
        super().__init__()
        self.E = nn.Embedding(n_symbols, d_model)
        nn.init.normal_(self.E.weight, std=d_model**-0.5)
        self.positions = SinusoidalPositions(d_model)

    def forward(
        self,
        symbols: Int[Tensor, "batch n"],
    ) -> Float[Tensor, "batch n d_model"]:
        """Look up, make longer, add the positions."""
        x = self.E(symbols) * self.E.embedding_dim**0.5
        return self.positions.add(x)


class Encoder(nn.Module):
    """Read: one vector for each source word, which knows of all the others.

    Args:
        n_symbols: size of the source vocabulary.
        n_layers: how many layers.
        d_model: width of all vectors.
        n_heads: heads of each attention.
        d_ff: width inside the feed-forward parts.

    Source:
        Vaswani et al. (2017), figure 1, on the left.

    >>> real = torch.ones(1, 1, 1, 2, dtype=torch.bool)
    >>> Encoder(9, 2, 6, 3, 24)(torch.tensor([[3, 4]]), real).shape
    torch.Size([1, 2, 6])
    """

    def __init__(
        self,
        n_symbols: int,
        n_layers: int = 2,
        d_model: int = 128,
        n_heads: int = 4,
        d_ff: int = 315,
    ):
        super().__init__()
        self.words = PlacedWords(n_symbols, d_model)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)
        )

    def forward(
        self,
        source: Int[Tensor, "batch n"],
        real: Bool[Tensor, "batch 1 1 n"],
    ) -> Float[Tensor, "batch n d_model"]:
        """Return the vectors of the last layer."""
        x = self.words(source)
        for layer in self.layers:
            x = layer(x, real)
        return x


class Decoder(nn.Module):
    r"""Write: the logits of the next word at every position.

    .. math:: p(y_{i+1}) \propto \exp(E\, y_i + b)

    The table E is used twice, for what is written and for choosing what to write.

    Args:
        n_symbols: size of the target vocabulary.
        n_layers: how many layers.
        d_model: width of all vectors.
        n_heads: heads of each attention.
        d_ff: width inside the feed-forward parts.

    Source:
        Vaswani et al. (2017), figure 1, on the right; section 3.4 for the shared table.

    >>> memory, real = torch.ones(1, 2, 6), torch.ones(1, 1, 1, 2, dtype=torch.bool)
    >>> logits, weights = Decoder(7, 2, 6, 3, 24)(torch.tensor([[1, 3, 4]]), memory, real)
    >>> logits.shape, weights.shape
    (torch.Size([1, 3, 7]), torch.Size([1, 3, 3, 2]))
    """

    def __init__(
        self,
        n_symbols: int,
        n_layers: int = 2,
        d_model: int = 128,
        n_heads: int = 4,
        d_ff: int = 315,
    ):
        super().__init__()
        self.words = PlacedWords(n_symbols, d_model)
        self.b = nn.Parameter(torch.zeros(n_symbols))
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)
        )

    def forward(
        self,
        target_in: Int[Tensor, "batch target"],
        memory: Float[Tensor, "batch n d_model"],
        real: Bool[Tensor, "batch 1 1 n"],
    ) -> tuple[
        Float[Tensor, "batch target symbols"],
        Float[Tensor, "batch heads target n"],
    ]:
        """Return logits, and where the last layer looked in the source."""
        y = self.words(target_in)
        for layer in self.layers:
            y, weights = layer(y, memory, real)
        return y @ self.words.E.weight.T + self.b, weights


class AssembledTransformer(nn.Module):
    """An encoder that reads and a decoder that writes.

    Args:
        n_source: size of the source vocabulary.
        n_target: size of the target vocabulary.
        rng: the generator of the first weights.
        **sizes: as :class:`Encoder`; the paper's base model has 6 layers, width 512, 8 heads
            and 2048 inside the feed-forward parts.

    Source:
        Vaswani et al. (2017), sections 3.1 to 3.5, without dropout.

    >>> model = AssembledTransformer(9, 7, np.random.RandomState(0), n_layers=1)
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> model(source, lengths, torch.tensor([[1, 4], [1, 6]])).shape
    torch.Size([2, 2, 7])
    """

    def __init__(
        self,
        n_source: int,
        n_target: int,
        rng: np.random.RandomState,
        **sizes: int,
    ):
        super().__init__()
        with seeded(rng):
            self.encoder = Encoder(n_source, **sizes)
            self.decoder = Decoder(n_target, **sizes)

    def read(
        self,
        source: Int[Tensor, "batch n"],
        lengths: Int[Tensor, " batch"],
    ) -> tuple[Tensor, Tensor]:
        """Return one vector for each source word, and where there are words."""
        places = torch.arange(source.shape[1], device=source.device)
        real = (places < lengths[:, None])[:, None, None, :]
        return self.encoder(source, real), real

    def forward(
        self,
        source: Int[Tensor, "batch n"],
        lengths: Int[Tensor, " batch"],
        target_in: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target symbols"]:
        """Return the logits of all steps of a given target at once."""
        return self.decoder(target_in, *self.read(source, lengths))[0]


@torch.no_grad()
def write_greedily(
    model: AssembledTransformer,
    source: Int[Tensor, "batch n"],
    lengths: Int[Tensor, " batch"],
    longest: int = 60,
) -> Int[Tensor, "batch written"]:
    """Feed the likeliest word back in until every row has ended.

    Args:
        model: which reads the source once, and all it has written again at every step.
        source: numbers of the source words.
        lengths: words in each row.
        longest: words after which writing is cut off.

    Returns:
        The words written; what follows the end mark of a row is unused.

    >>> model = AssembledTransformer(9, 7, np.random.RandomState(0), n_layers=1)
    >>> write_greedily(model, torch.tensor([[3, 4, 5]]), torch.tensor([3]), 4).shape[1] <= 4
    True
    """
    memory, real = model.read(source, lengths)
    words = source.new_full((len(source), 1), START)
    ended = words[:, 0] == END
    while words.shape[1] <= longest and not ended.all():
        logits, _ = model.decoder(words, memory, real)
        newest = logits[:, -1].argmax(-1)
        words = torch.cat([words, newest[:, None]], dim=1)
        ended |= newest == END
    return words[:, 1:]


def training_step(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    batch: Batch,
    step: int,
    peak: float = 3e-3,
    rise: int = 200,
) -> float:
    r"""Take one step; the rate rises in a straight line, then falls with the root of time.

    .. math:: \eta_t = \eta \min\left(\frac tw, \sqrt{\frac wt}\right)

    Args:
        model: a translator.
        optimiser: with the model's parameters; its rate is set here.
        batch: what to learn from.
        step: counted from 1, t.
        peak: the highest rate.
        rise: the steps until it is reached, w.

    Returns:
        The loss before the step.

    Source:
        Vaswani et al. (2017), section 5.3; clipping: Pascanu et al. (2013).
    """
    rate = peak * min(step / rise, (rise / step) ** 0.5)
    for group in optimiser.param_groups:
        group["lr"] = rate
    loss = smoothed_loss(model, batch)
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimiser.step()
    return loss.item()


def assembled(model: nn.Module) -> AssembledTransformer:
    """Put the weights of the course's other Transformer into this one.

    Args:
        model: a :class:`attention_course.models.translators.transformer.Transformer` that
            normalises after each part and has sinusoidal positions.

    Returns:
        A model that computes the same.
    """
    renamed = {"core.": "", "E_x.": "encoder.words.E.", "E_y.": "decoder.words.E."}
    given = {}
    for name, weight in model.state_dict().items():
        for old, new in renamed.items():
            name = name.replace(old, new)
        name = re.sub(r"^(encoder|decoder)\.(\d)", r"\1.layers.\2", name)
        given["decoder.b" if name == "b" else name] = weight
    first = model.get_submodule("core.encoder.0")
    d_ff, d_model = first.get_parameter("feed_forward.W_1.weight").shape
    n_layers = len(list(model.get_submodule("core.encoder").children()))
    n_heads = cast(MultiHeadAttention, first.get_submodule("attention")).n_heads
    vocabularies = len(given["encoder.words.E.weight"]), len(given["decoder.b"])
    rng = np.random.RandomState(0)
    sizes = {"n_layers": n_layers, "d_model": d_model, "n_heads": n_heads, "d_ff": d_ff}
    ours = AssembledTransformer(*vocabularies, rng, **sizes)
    ours.to(given["decoder.b"]).load_state_dict(given)
    return ours.eval()
