"""Batches of sequences of unequal length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_course._shapes import Int
from attention_course.data.vocabulary import END, PAD


@dataclass(frozen=True)
class Batch:
    """Source and target sequences, padded with 0, and how long each really is.

    Attributes:
        source: numbers of the source symbols, one row an example.
        source_lengths: symbols in each row of ``source``.
        target: numbers of the target symbols, each row closed by the end mark.
        target_lengths: symbols in each row of ``target``, the end mark included.
    """

    source: Int[np.ndarray, "batch source"]
    source_lengths: Int[np.ndarray, " batch"]
    target: Int[np.ndarray, "batch target"]
    target_lengths: Int[np.ndarray, " batch"]


def pad(
    sequences: Sequence[Sequence[int]],
) -> tuple[Int[np.ndarray, "batch length"], Int[np.ndarray, " batch"]]:
    """Write sequences of unequal length into one array, filled up with 0.

    Args:
        sequences: at least one sequence of numbers.

    Returns:
        The array and the true lengths.

    Raises:
        ValueError: if there is no sequence, or one is empty.

    >>> pad([[5, 3], [4]])
    (array([[5, 3],
           [4, 0]]), array([2, 1]))
    """
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    if lengths.size == 0 or lengths.min() == 0:
        raise ValueError(
            f"pad: sequences must be one or more, none empty, got lengths {lengths.tolist()}"
        )
    rows = np.full((len(sequences), lengths.max()), PAD, dtype=np.int64)
    for row, sequence in zip(rows, sequences, strict=True):
        row[: len(sequence)] = sequence
    return rows, lengths


class LengthBatches:
    """Draws batches of examples of similar length, so that little of a batch is padding.

    Every example comes up about equally often: a first one is drawn from all, and the rest of
    the batch from its neighbours in order of length.

    Args:
        sources: numbers of the source symbols, one sequence an example.
        targets: numbers of the target symbols; the end mark is added here.
        size: examples in a batch.
        spread: the neighbours are the examples of a block ``spread`` batches wide.

    Raises:
        ValueError: if the two do not have the same number of examples, at least ``size``.

    >>> batches = LengthBatches([[3], [4, 5], [6, 7]], [[8], [9], [3]], size=2)
    >>> batches.draw(np.random.RandomState(0)).target
    array([[3, 2],
           [8, 2]])
    """

    def __init__(
        self,
        sources: Sequence[Sequence[int]],
        targets: Sequence[Sequence[int]],
        size: int,
        spread: int = 8,
    ):
        if len(sources) != len(targets) or not 0 < size <= len(sources):
            raise ValueError(
                "LengthBatches: sources and targets must be as many as each other and at "
                f"least size, got {len(sources)}, {len(targets)} and size {size}"
            )
        self.order = sorted(
            range(len(sources)), key=lambda i: (len(sources[i]), len(targets[i]))
        )
        self.sources, self.targets = sources, targets
        self.size, self.block = size, size * spread

    def draw(self, rng: np.random.RandomState) -> Batch:
        """Return the next batch, drawn with ``rng`` alone."""
        start = rng.randint(len(self.order)) // self.block * self.block
        block = self.order[start : start + self.block]
        if len(block) < self.size:
            block = self.order[-self.block :]
        chosen = [block[i] for i in rng.permutation(len(block))[: self.size]]
        return self.batch(chosen)

    def batch(self, chosen: Sequence[int]) -> Batch:
        """Return the batch of these examples, by their number."""
        source, source_lengths = pad([self.sources[i] for i in chosen])
        target, target_lengths = pad([[*self.targets[i], END] for i in chosen])
        return Batch(source, source_lengths, target, target_lengths)
