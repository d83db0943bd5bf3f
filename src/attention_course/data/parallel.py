"""French and English verses, cut into words, with a part put aside for testing."""

import gzip
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np

from attention_course.data.vocabulary import Vocabulary

UNKNOWN = "<unknown>"
# Where an apostrophe belongs: "l' homme" in French, "god 's" in English.
_WORDS = {
    "french": re.compile(r"\w+'|\w+|[^\w\s]"),
    "english": re.compile(r"'(?:s|t|re|ve|ll|d|m)\b|\w+|[^\w\s]"),
}


@dataclass(frozen=True)
class Verse:
    """One sentence pair.

    Attributes:
        place: book, chapter and verse, as numbers.
        french: the words of the source.
        english: the words of the target.
    """

    place: str
    french: tuple[str, ...]
    english: tuple[str, ...]


@dataclass(frozen=True)
class TranslationTask:
    """French to English: what to learn from, what to test on, and the vocabularies.

    Attributes:
        train: the verses to learn from.
        test: held-out verses, none of whose French sentences is in ``train``.
        french: the most frequent French words, and the mark for the others.
        english: the same for English.
    """

    train: list[Verse]
    test: list[Verse]
    french: Vocabulary
    english: Vocabulary

    def source(self, verse: Verse) -> list[int]:
        """Return the numbers of the French words."""
        return self.french.encode(known(verse.french, self.french))

    def target(self, verse: Verse) -> list[int]:
        """Return the numbers of the English words."""
        return self.english.encode(known(verse.english, self.english))


def split_words(text: str, language: str) -> tuple[str, ...]:
    """Cut a sentence into lower-case words and marks.

    Args:
        text: the sentence.
        language: "french" or "english": they differ in where an apostrophe belongs.

    Returns:
        The words in order.

    Source:
        Common practice, simplified.

    >>> split_words("L'homme n'est pas seul.", "french")
    ("l'", 'homme', "n'", 'est', 'pas', 'seul', '.')
    """
    if language not in _WORDS:
        raise ValueError(f"split_words: language must be one of {[*_WORDS]}, got {language!r}")
    return tuple(_WORDS[language].findall(text.lower()))


def known(words: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    """Put the mark for unknown words in place of every word that is not in the vocabulary.

    Args:
        words: of one sentence.
        vocabulary: which holds the mark itself.

    Returns:
        As many words.

    Source:
        Bahdanau et al. (2015), section 4.1: "any word not included in the shortlist is mapped
        to a special token".

    >>> from attention_course.data.parallel import UNKNOWN
    >>> known(["god", "zebra"], Vocabulary(["god", UNKNOWN]))
    ['god', '<unknown>']
    """
    return [word if word in vocabulary else UNKNOWN for word in words]


def load_parallel(first: int | None = None) -> list[Verse]:
    """Read the verses, in the order of the books.

    Args:
        first: how many, from the beginning; all 31,102 unless given.

    Returns:
        The verses; one may be of any length.

    Source:
        Based on public-domain texts; see ``corpora/parallel/PROVENANCE.md``.

    >>> load_parallel(3)[2].french[:6]
    ('dieu', 'dit', ':', 'que', 'la', 'lumière')
    """
    file = resources.files("attention_course") / "data" / "corpora" / "parallel"
    text = gzip.decompress((file / "verses.tsv.gz").read_bytes()).decode("utf-8")
    verses = []
    for line in text.splitlines()[:first]:
        place, english, french = line.split("\t")
        verses.append(
            Verse(place, split_words(french, "french"), split_words(english, "english"))
        )
    return verses


def translation_task(
    rng: np.random.RandomState,
    held_out: int = 1500,
    shortest: int = 3,
    longest: int = 60,
    french: int = 4500,
    english: int = 3000,
) -> TranslationTask:
    """Divide the verses and choose the vocabularies from the training part alone.

    Args:
        rng: the generator that draws the held-out verses.
        held_out: how many are drawn; those whose French is in the training part word for
            word are then dropped, because they test memory and not translation.
        shortest: words that a verse must have, in both languages.
        longest: words that a verse may have.
        french: words in the French vocabulary, the unknown mark included.
        english: words in the English one.

    Returns:
        The task.

    Raises:
        ValueError: if there are not that many verses.

    >>> task = translation_task(np.random.RandomState(0))
    >>> len(task.train), len(task.french), len(task.english)
    (28788, 4503, 3003)
    """
    fits = range(shortest, longest + 1)
    verses = [v for v in load_parallel() if len(v.french) in fits and len(v.english) in fits]
    if not 0 < held_out < len(verses):
        raise ValueError(
            f"translation_task: held_out must be from 1 to {len(verses) - 1}, got {held_out}"
        )
    order = rng.permutation(len(verses))
    train = [verses[i] for i in sorted(order[held_out:])]
    test = [verses[i] for i in sorted(order[:held_out])]
    learned = {verse.french for verse in train}
    return TranslationTask(
        train,
        [verse for verse in test if verse.french not in learned],
        frequent([verse.french for verse in train], french),
        frequent([verse.english for verse in train], english),
    )


def length_bins(
    lengths: Sequence[int], edges: Sequence[int] = (10, 15, 20, 25, 30, 40, 60)
) -> dict[str, list[int]]:
    """Sort sentences into bins of length.

    Args:
        lengths: words in each sentence.
        edges: the longest that each bin takes, in rising order.

    Returns:
        For each bin ("11-15") the numbers of its sentences.

    Raises:
        ValueError: if a sentence is longer than the last edge.

    Source:
        Common practice.

    >>> length_bins([3, 12, 60, 11])
    {'3-10': [0], '11-15': [1, 3], '41-60': [2]}
    """
    if max(lengths, default=0) > edges[-1]:
        raise ValueError(
            f"length_bins: lengths must be at most {edges[-1]}, got {max(lengths)}"
        )
    bins: dict[str, list[int]] = {}
    lowest = min(lengths, default=1)
    for low, high in zip((lowest - 1, *edges), edges, strict=False):
        chosen = [i for i, length in enumerate(lengths) if low < length <= high]
        if chosen:
            bins[f"{low + 1}-{high}"] = chosen
    return bins


def frequent(sentences: Iterable[Sequence[str]], size: int) -> Vocabulary:
    """Return the vocabulary of the most frequent words.

    Args:
        sentences: what is counted.
        size: words to keep, the mark for all others included; of equals the first in the
            alphabet.

    Returns:
        The vocabulary.

    Source:
        Bahdanau et al. (2015), section 4.1.

    >>> frequent([["the", "king", "the"]], 2).symbols[3:]
    ['<unknown>', 'the']
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return Vocabulary([UNKNOWN, *ranked[: size - 1]])
