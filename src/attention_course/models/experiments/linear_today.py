"""Two tasks beside recall and copying: digits that change, and questions that are rare."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Int
from attention_course.data.lookup import N_DIGITS
from attention_course.models._build import to_model
from attention_course.models.experiments.attention_today import TodayModel

WORDS, STEPS = 16, 64  # of the rewriting: each word comes four times on average
IDLE_WORDS, OFTEN = 64, 0.125  # of the rare questions: different words, share of the steps


def rewritten_batch(
    rng: np.random.RandomState, size: int, n: int = STEPS, words: int = WORDS
) -> tuple[Tensor, ...]:
    """Draw sequences in which words come again with a new digit; what counts is the newest.

    Each step brings a word with a digit, and asks for one of the words that have come, each as
    likely as the others.

    Args:
        rng: where the sequences are drawn from; advanced in place.
        size: how many sequences.
        n: steps in each.
        words: size of the vocabulary.

    Returns:
        Words, digits, the words that are asked for, and how many steps ago each was last
        written: what :func:`attention_course.models.experiments.recall.recall_loss` takes.

    >>> words, digits, asked, ago = rewritten_batch(np.random.RandomState(0), 2, 9, 3)
    >>> bool((words.gather(1, torch.arange(9) - ago) == asked).all())
    True
    """
    if min(size, n, words) < 1:
        raise ValueError(f"rewritten_batch: sizes must be positive, got {size, n, words}")
    word, digit = rng.randint(words, size=(size, n)), rng.randint(N_DIGITS, size=(size, n))
    last = np.full((size, words), -1)
    asked, ago = np.zeros((size, n), int), np.zeros((size, n), int)
    for t in range(n):
        last[np.arange(size), word[:, t]] = t
        asked[:, t] = np.where(last >= 0, rng.random_sample(last.shape), -1).argmax(axis=1)
        ago[:, t] = t - last[np.arange(size), asked[:, t]]
    return tuple(torch.from_numpy(a) for a in (word, digit, asked, ago))


@torch.no_grad()
def right_by_writing(
    model: nn.Module, rng: np.random.RandomState, edges: Sequence[int], size: int = 128
) -> list[float]:
    """Share of right answers, by how often the word that is asked for has been written.

    Args:
        model: takes words, digits and asked words.
        rng: where fresh sequences are drawn from.
        edges: counts at which the groups begin, and the end of the last.
        size: how many sequences.

    Returns:
        One share for each group; a tenth by guessing.

    Source:
        Standard.

    >>> class Present(nn.Module):
    ...     def forward(self, words, digits, asked):
    ...         return nn.functional.one_hot(digits, 10)
    >>> found = right_by_writing(Present(), np.random.RandomState(0), (1, 2, 99), 9)
    >>> max(found) < 0.5
    True
    """
    words, digits, asked, ago = to_model(model, rewritten_batch(rng, size))
    steps = torch.arange(words.shape[1], device=words.device)
    right = model(words, digits, asked).argmax(-1) == digits.gather(1, steps - ago)
    same = words[:, None, :] == asked[:, :, None]  # batch, question, step
    times = same.tril().sum(-1)
    groups = [(times >= low) & (times < high) for low, high in pairwise(edges)]
    return [float(right[group].float().mean()) for group in groups]


def seldom_batch(rng: np.random.RandomState, size: int, n: int = STEPS) -> tuple[Tensor, ...]:
    """Draw sequences that begin with a mark, and ask for an earlier digit now and then.

    The n - 1 words are all different, and each has a digit. Where nothing is asked, the answer
    is the remainder of the word's own number by ten: nothing need be fetched.

    Args:
        rng: where the sequences are drawn from; advanced in place.
        size: how many sequences.
        n: steps in each, at most ``IDLE_WORDS``.

    Returns:
        Words (0 is the mark), digits, asked words (0 where nothing is asked) and answers.

    Raises:
        ValueError: if a number is not positive, or there are too few words.

    >>> words, digits, asked, wanted = seldom_batch(np.random.RandomState(0), 2, 9)
    >>> idle = asked == 0
    >>> bool((wanted[idle] == words[idle] % 10).all()), int(words[0, 0])
    (True, 0)
    """
    if size < 1 or not 2 <= n <= IDLE_WORDS:
        raise ValueError(
            f"seldom_batch: size must be positive and n from 2 to {IDLE_WORDS}, "
            f"got {size} and {n}"
        )
    words = 1 + rng.random_sample((size, IDLE_WORDS - 1)).argsort(axis=1)[:, : n - 1]
    words = np.concatenate([np.zeros((size, 1), int), words], axis=1)
    digits = rng.randint(N_DIGITS, size=(size, n))
    digits[:, 0] = 0
    t = np.arange(n)
    place = 1 + (rng.random_sample((size, n)) * np.maximum(t, 1)).astype(int)
    ask = (rng.random_sample((size, n)) < OFTEN) & (t > 0)
    rows = np.arange(size)[:, None]
    place = np.minimum(place, n - 1)
    asked = np.where(ask, words[rows, place], 0)
    wanted = np.where(ask, digits[rows, place], words % N_DIGITS)
    return tuple(torch.from_numpy(a) for a in (words, digits, asked, wanted))


def seldom_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """Cross-entropy of all answers.

    Args:
        model: takes words, digits and asked words.
        batch: what :func:`seldom_batch` returns.

    Returns:
        A scalar, in nats an answer.

    Source:
        Standard.

    >>> class Flat(nn.Module):
    ...     def forward(self, words, digits, asked):
    ...         return torch.zeros(*words.shape, 10)
    >>> round(float(seldom_loss(Flat(), seldom_batch(np.random.RandomState(0), 2))), 3)
    2.303
    """
    words, digits, asked, wanted = to_model(model, batch)
    logits = model(words, digits, asked)
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


@torch.no_grad()
def seldom_found(model: TodayModel, rng: np.random.RandomState, size: int = 64) -> list[float]:
    """Share of right answers where something is asked and where not, and the mark's weight.

    Only the steps from the 17th on count; weights are the mean over the first layer's heads.

    Args:
        model: a :class:`TodayModel`.
        rng: where fresh sequences are drawn from.
        size: how many sequences.

    Returns:
        Right where asked, right where idle, weight of the mark where asked, and where idle.

    >>> model = TodayModel(["plain"], [64, 10, 64], 10, np.random.RandomState(0), "none")
    >>> len(seldom_found(model, np.random.RandomState(1), 2))
    4
    """
    words, digits, asked, wanted = to_model(model, seldom_batch(rng, size))
    weights: list[Tensor] = []
    first = model.blocks[0]
    hook = first.register_forward_hook(lambda module, given, made: weights.append(made[2]))
    right = (model(words, digits, asked).argmax(-1) == wanted).float()
    hook.remove()
    late = torch.arange(words.shape[1], device=words.device) >= 16
    groups = [late & (asked > 0), late & (asked == 0)]
    mark = weights[0][..., 0].mean(1)  # heads
    return [float(x[group].mean()) for x in (right, mark) for group in groups]
