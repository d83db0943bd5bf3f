"""CMUdict: how English words are written and how they are spoken."""

import gzip
import re
from importlib import resources

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
