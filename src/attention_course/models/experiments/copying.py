"""A small copier that sees its source only through attention: global, local-m or local-p."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.data import Batch, LengthBatches, random_strings, reverse
from attention_course.data.vocabulary import END, START
from attention_course.layers.attention import Attention
from attention_course.layers.recurrent.local import LocalAttention, PredictedCentre
from attention_course.layers.scores import DotScore
from attention_course.models._build import check_lengths, device_of, seeded

KINDS = ("global", "local-m", "local-p")
N_SYMBOLS, SHORTEST, LONGEST = 20, 8, 14


class LocalAttentionCopier(nn.Module):
    r"""Write a string again, or backwards, looking at it through a window.

    .. math:: \mathbf h_s = E_{x_s} + P_s, \qquad
       \tilde{\mathbf h}_t = \tanh(W_c [\mathbf c_t ; \mathbf h_t])

    The memory holds a symbol and its place and nothing of its neighbours, and the decoder
    starts from the *length* of the source alone. So whatever the window does not show is not
    known: a right answer shows that the window was in the right place.

    Args:
        kind: one of ``KINDS``.
        D: half the window's width; not used by "global".
        rng: where the initial weights are drawn from.
        d: width of states and memory.

    Source:
        Luong et al. (2015), sections 3.1 and 3.2, with the encoder taken out on purpose.

    >>> model = LocalAttentionCopier("local-p", 2, np.random.RandomState(0), d=8)
    >>> source, lengths = torch.full((2, 5), 3), torch.tensor([5, 4])
    >>> logits, weights, centres = model.follow(source, lengths, torch.full((2, 6), 1))
    >>> logits.shape, weights.shape, centres.shape
    (torch.Size([2, 6, 23]), torch.Size([2, 6, 5]), torch.Size([2, 6]))
    """

    attention: Attention | LocalAttention

    def __init__(self, kind: str, D: int, rng: np.random.RandomState, d: int = 48):
        super().__init__()
        if kind not in KINDS:
            raise ValueError(f"LocalAttentionCopier: kind must be one of {KINDS}, got {kind!r}")
        self.kind = kind
        with seeded(rng):
            self.symbols = nn.Embedding(N_SYMBOLS + 3, d)
            self.places = nn.Embedding(LONGEST, d)
            self.first = nn.Embedding(LONGEST + 1, d)
            self.fed = nn.Embedding(N_SYMBOLS + 3, d)
            self.decoder = nn.GRU(d, d, batch_first=True)
            self.W_c = nn.Linear(2 * d, d)
            self.output = nn.Linear(d, N_SYMBOLS + 3)
            predictor = PredictedCentre(d, d) if kind == "local-p" else None
        if kind == "global":
            self.attention = Attention(DotScore())
        else:
            self.attention = LocalAttention(DotScore(), D, predictor)

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        fed: Int[Tensor, "batch target"],
    ) -> Float[Tensor, "batch target symbols"]:
        """Return the logits of every next symbol, given the true ones before."""
        return self.follow(source, lengths, fed)[0]

    def follow(
        self,
        source: Int[Tensor, "batch source"],
        lengths: Int[Tensor, " batch"],
        fed: Int[Tensor, "batch target"],
    ) -> tuple[Tensor, Float[Tensor, "batch target source"], Tensor | None]:
        """Return logits, weights, and the centres (None for global attention).

        Args:
            source: numbers of the source symbols, padded.
            lengths: true lengths.
            fed: the target, moved right by one.
        """
        check_lengths("LocalAttentionCopier", source, lengths)
        positions = torch.arange(source.shape[1], device=source.device)
        memory = self.symbols(source) + self.places(positions)
        mask = (positions < lengths.unsqueeze(1)).unsqueeze(1)
        states, _ = self.decoder(self.fed(fed), self.first(lengths).unsqueeze(0))
        context, weights, *centres = self.attention(states, memory, memory, mask)
        joined = torch.tanh(self.W_c(torch.cat([context, states], -1)))
        return self.output(joined), weights, centres[0] if centres else None


def copy_batches(task: str, rng: np.random.RandomState, count: int, size: int) -> LengthBatches:
    """Draw strings of 8 to 14 symbols, to be copied or reversed.

    Args:
        task: "copy" or "reverse".
        rng: where the strings are drawn from.
        count: how many strings of each length.
        size: strings in a batch.

    Returns:
        The batches.

    >>> batch = copy_batches("reverse", np.random.RandomState(0), 4, 2).draw(
    ...     np.random.RandomState(1))
    >>> bool((batch.target[0, :8] == batch.source[0, 7::-1]).all())
    True
    """
    if task not in ("copy", "reverse"):
        raise ValueError(f"copy_batches: task must be 'copy' or 'reverse', got {task!r}")
    sources, targets = [], []
    for length in range(SHORTEST, LONGEST + 1):
        strings = random_strings(count, length, N_SYMBOLS, rng)
        sources += strings.tolist()
        targets += (reverse(strings) if task == "reverse" else strings).tolist()
    return LengthBatches(sources, targets, size)


@torch.no_grad()
def symbol_accuracy(model: LocalAttentionCopier, batches: LengthBatches) -> float:
    """Share of symbols that are right, the end mark left out.

    Args:
        model: fed with the true symbols before.
        batches: every string in it counts.

    Returns:
        From 0 to 1; a twentieth by guessing.

    Source:
        Standard.

    >>> batches = copy_batches("copy", np.random.RandomState(0), 3, 2)
    >>> model = LocalAttentionCopier("global", 2, np.random.RandomState(0), d=8)
    >>> 0 <= symbol_accuracy(model, batches) <= 1
    True
    """
    batch = batches.batch(range(len(batches.sources)))
    source, lengths, fed, target = (
        t.to(device_of(model))
        for t in (
            torch.from_numpy(batch.source),
            *teacher_forced(batch),
            torch.from_numpy(batch.target),
        )
    )
    logits = model(source, lengths, fed)
    symbol = target > END
    right = (logits.argmax(-1) == target) & symbol
    return float(right.sum() / symbol.sum())


def teacher_forced(batch: Batch) -> tuple[Int[Tensor, " batch"], Int[Tensor, "batch target"]]:
    """Return the lengths, and the target moved right by one behind the start mark.

    Args:
        batch: strings and what is to be written.

    Returns:
        Two tensors, as :meth:`LocalAttentionCopier.follow` wants them after the source.

    Source:
        Teacher forcing; Sutskever et al. (2014).

    >>> batch = copy_batches("copy", np.random.RandomState(0), 1, 1).batch([0])
    >>> [x.shape for x in teacher_forced(batch)]
    [torch.Size([1]), torch.Size([1, 9])]
    """
    target = torch.from_numpy(batch.target)
    start = target.new_full((len(target), 1), START)
    return torch.from_numpy(batch.source_lengths), torch.cat([start, target[:, :-1]], 1)


def window_reach(task: str, length: int, D: int) -> float:
    r"""Share of target symbols that stand inside local-m's window.

    .. math:: \frac 1S \, \bigl| \{ t : |s(t) - t| \le D \} \bigr|

    Args:
        task: "copy", s(t) = t, or "reverse", s(t) = S - 1 - t.
        length: S.
        D: half the window's width.

    Returns:
        From 0 to 1: the accuracy that local-m can reach without guessing.

    Source:
        Counted from Luong et al. (2015), section 3.2.

    >>> window_reach("copy", 10, 2), window_reach("reverse", 10, 2)
    (1.0, 0.2)
    """
    if task not in ("copy", "reverse"):
        raise ValueError(f"window_reach: task must be 'copy' or 'reverse', got {task!r}")
    t = np.arange(length)
    wanted = t if task == "copy" else length - 1 - t
    return float((np.abs(wanted - t) <= D).mean())
