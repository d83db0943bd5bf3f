"""Cut single words of the source out of what a translator looks back at.

As for parts of a model (:mod:`attention_course.models.cuts`), what a cut costs depends on what
is in the word's place: nothing, so that its weight goes to the others; the mean of all
words; or what another sentence has there.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention_course._shapes import Bool, Float
from attention_course.layers.transformer.cross_attention import KeysValues
from attention_course.models.cuts import BLADES
from attention_course.models.translators._translator import Translator
from attention_course.models.translators.bahdanau import Memory as Annotations
from attention_course.models.translators.encoder_decoder import DecoderCache
from attention_course.models.translators.luong import Memory as States


@contextmanager
def cut_words(
    model: Translator, where: Bool[Tensor, "batch source"], blade: str = "zero"
) -> Iterator[None]:
    """Cut words of the source, for as long as the context is open.

    Only what the decoder looks at is changed; other words may still have read the word that
    is cut, and the decoder's first state is as before.

    Args:
        model: a translator that keeps one vector for each source word.
        where: True where a word is cut. It is for the sources that are read while the context
            is open; each must keep a word.
        blade: "zero" forbids to look there; "mean" puts the mean over all words of the batch
            there; "other" what the next sentence of the batch has at the same place, or at its
            end.

    Raises:
        ValueError: if the blade is another, no word of a source would be left, or the model
            keeps one vector for all words.

    >>> from attention_course.models.translators.luong import LuongSeq2Seq
    >>> model = LuongSeq2Seq(6, 7, np.random.RandomState(0), 3, 4)
    >>> source, lengths = torch.tensor([[3, 4, 5]]), torch.tensor([3])
    >>> with cut_words(model, torch.tensor([[False, True, False]])):
    ...     model.follow(source, lengths, torch.tensor([[1]]))[1][0, 0, 1].item()
    0.0
    """
    if blade not in BLADES:
        raise ValueError(f"cut_words: blade must be one of {BLADES}, got {blade!r}")
    read: Callable[[Tensor, Tensor], Any] = getattr(model, "read")  # noqa: B009
    before = vars(model).get("read")

    def reading(source: Tensor, lengths: Tensor) -> Any:
        real = torch.arange(source.shape[1]) < lengths[:, None]
        if source.shape != where.shape or not (real & ~where).any(1).all():
            raise ValueError(
                "cut_words: where must be as large as the sources and leave a word of each, "
                f"got {tuple(where.shape)} for {tuple(source.shape)}"
            )
        return _changed(read(source, lengths), _blade(blade, where, real, lengths))

    vars(model)["read"] = reading
    try:
        yield
    finally:
        del vars(model)["read"]
        if before:  # a cut inside a cut
            vars(model)["read"] = before


_Change = Callable[[Tensor], Tensor]


def _blade(blade: str, where: Tensor, real: Tensor, lengths: Tensor) -> _Change:
    """Return what changes a tensor of words, or the mask of those that may be looked at."""

    def change(x: Tensor) -> Tensor:
        if x.dtype == torch.bool:
            if x.shape != where.shape:
                raise ValueError("cut_words: model must keep one vector for each source word")
            return x & ~where if blade == "zero" else x
        if blade == "zero":
            return x
        own = x if x.ndim == 3 else x.transpose(1, 2).flatten(2)  # heads side by side
        if blade == "mean":
            put = own[real].mean(0).expand_as(own)
        else:
            next_one = torch.roll(torch.arange(len(own)), -1)
            place = torch.arange(own.shape[1]).minimum(lengths[next_one, None] - 1)
            put = own[next_one[:, None], place]
        out = torch.where(where[:, :, None], put, own)
        return out if x.ndim == 3 else out.unflatten(2, (x.shape[1], -1)).transpose(1, 2)

    return change


def _changed(kept: Any, change: _Change) -> Any:
    """Return what a translator has read, with each tensor of words and each mask changed."""
    if isinstance(kept, DecoderCache):
        return kept._replace(memories=[_changed(memory, change) for memory in kept.memories])
    if isinstance(kept, KeysValues):
        mask = None if kept.mask is None else change(kept.mask)
        return KeysValues(change(kept.k), change(kept.v), mask)
    if isinstance(kept, Annotations):
        return Annotations(change(kept.annotations), change(kept.keys), change(kept.mask))
    if isinstance(kept, States):
        return States(change(kept.states), change(kept.mask))
    if isinstance(kept, tuple):  # the decoder's first state, and what it may look at
        return (*kept[:-1], _changed(kept[-1], change))
    return kept


def weight_on(
    weights: Float[np.ndarray, "target source"], places: Sequence[frozenset[int]]
) -> float | None:
    """Return which share of the weight lies on some places, on average over the words.

    Args:
        weights: one row for each target word, of sum 1.
        places: for each row the source positions asked about; rows without any do not count.

    Returns:
        From 0 to 1; None if no row asks about a place.

    >>> W = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    >>> weight_on(W, [frozenset({0}), frozenset({1, 2}), frozenset()])
    0.75
    """
    found = [
        float(row[sorted(at)].sum()) for row, at in zip(weights, places, strict=True) if at
    ]
    return float(np.mean(found)) if found else None
