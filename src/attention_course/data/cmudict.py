"""CMUdict: how English words are written and how they are spoken."""

import gzip
import re
from collections.abc import Sequence
from importlib import resources

import numpy as np

Pair = tuple[tuple[str, ...], tuple[str, ...]]


def load_cmudict(stress: bool = False) -> list[Pair]:
    """Read every word that is written with the letters a to z alone.

    Args:
        stress: keep the digit that marks stress on a vowel (``AH0``); dropped otherwise,
            which leaves 39 phonemes.

    Returns:
        Pairs of letters and phonemes, in alphabetical order; the first pronunciation where
        the dictionary has several.

    Source:
        Carnegie Mellon Pronouncing Dictionary; see ``corpora/cmudict/PROVENANCE.md``.

    >>> dict(load_cmudict())[tuple("robe")]
    ('R', 'OW', 'B')
    """
    file = (
        resources.files("attention_course") / "data" / "corpora" / "cmudict" / "cmudict.dict.gz"
    )
    text = gzip.decompress(file.read_bytes()).decode("utf-8")
    pairs = []
    for line in text.splitlines():
        word, *phonemes = line.partition("#")[0].split()
        if re.fullmatch("[a-z]+", word):
            sounds = phonemes if stress else [p.rstrip("012") for p in phonemes]
            pairs.append((tuple(word), tuple(sounds)))
    return pairs


def hold_out(
    pairs: Sequence[Pair], share: float, most: int, rng: np.random.RandomState
) -> tuple[list[Pair], list[Pair]]:
    """Put some pairs of every source length aside for testing.

    Drawn length by length, because long words are rare: a plain draw would leave too few of
    them to measure anything.

    Args:
        pairs: source and target sequences.
        share: the share of each length that is put aside, rounded down.
        most: but never more than this many of one length.
        rng: the generator that draws them.

    Returns:
        The pairs to train on and the held-out ones, each in their old order.

    Raises:
        ValueError: if ``share`` is not between 0 and 1 or ``most`` is negative.

    >>> pairs = [(("a",), ("AH",)), (("o",), ("OW",)), (("s", "o"), ("S", "OW"))]
    >>> train, test = hold_out(pairs, 0.5, 100, np.random.RandomState(0))
    >>> len(train), len(test)
    (2, 1)
    """
    if not 0 <= share <= 1 or most < 0:
        raise ValueError(
            "hold_out: share must be between 0 and 1 and most not negative, "
            f"got {share} and {most}"
        )
    by_length: dict[int, list[int]] = {}
    for i, (source, _) in enumerate(pairs):
        by_length.setdefault(len(source), []).append(i)
    aside: set[int] = set()
    for _, members in sorted(by_length.items()):
        count = min(int(share * len(members)), most)
        aside.update(members[j] for j in rng.permutation(len(members))[:count])
    train = [pair for i, pair in enumerate(pairs) if i not in aside]
    return train, [pair for i, pair in enumerate(pairs) if i in aside]
