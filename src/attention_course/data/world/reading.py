"""Words as people type them, read as the small world writes them."""

import re
import unicodedata
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from itertools import islice

from attention_course.data.world.grammar import vocabulary
from attention_course.data.world.parser import Chart, Token
from attention_course.data.world.probabilities import Beginning

_ENGLISH = {"neighbor": "neighbour", "neighbors": "neighbours"}
_SHORT = re.compile(r"\b(do|does|did|is|are|was|were)n[' ]?t\b")
_IS = re.compile(r"\b(he|she|it|they|who|that)'(s|re|ll)\b")
_VERBS = {"s": "is", "re": "are", "ll": "will"}
LONGEST = 200


def bare(word: str) -> str:
    """Return a word without its accents."""
    parted = unicodedata.normalize("NFD", word.replace("œ", "oe"))
    return "".join(c for c in parted if not unicodedata.combining(c))


@cache
def _unaccented(language: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for word in vocabulary(language):
        found.setdefault(bare(word), set()).add(word)
    return {key: frozenset(words) for key, words in found.items()}


def read_sentence(text: str, language: str, ended: bool = True) -> list[Token]:
    """Return for each word of a text the words that it may stand for.

    Capitals, accents left out, both kinds of apostrophe, contractions (*didn't*, *it's*),
    American spelling and a missing full stop are read.

    Args:
        text: one sentence.
        language: ``"french"`` or ``"english"``.
        ended: whether a mark is added where it is missing at the end.

    Returns:
        A set of the grammar's words for each position.

    Raises:
        TypeError: if the text is no string.
        ValueError: if it is empty, longer than 200 words, or has a word that the small world
            lacks; the message names the nearest. Or if the language is another.

    >>> [sorted(token) for token in read_sentence("L’ecole est claire", "french")]
    [["l'"], ['école'], ['est'], ['claire'], ['.']]
    """
    if not isinstance(text, str):
        raise TypeError(f"read_sentence: text must be a string, got {type(text).__name__}")
    vocabulary(language)  # or an error that names both languages
    plain = re.sub(r"[’‘`´]", "'", text.lower()).strip()
    if language == "english":
        plain = _SHORT.sub(r"\1 not", plain)
        plain = _IS.sub(lambda found: f"{found[1]} {_VERBS[found[2]]}", plain)
    else:
        plain = re.sub(r"\b(l|n|d|qu|j|s)'\s*", r"\1' ", plain)
    plain = re.sub(r'[,;:"“”«»()]', " ", plain)
    plain = re.sub(r"([.?!])[.?!\s]+$", r"\1", plain)
    joined, mark = ("[-']", "") if language == "english" else ("-", "'?")
    words = re.findall(rf"[^\W\d_]+(?:{joined}[^\W\d_]+)*{mark}|\S", plain)
    if not set(words) - set(".?!"):
        raise ValueError(
            "read_sentence: expected a sentence, got no word; try 'the red dress is beautiful'"
        )
    if len(words) > LONGEST:
        raise ValueError(f"read_sentence: expected at most {LONGEST} words, got {len(words)}")
    if ended and words[-1] not in ".?!":
        question = {"english": ("does", "do", "is", "are", "who"), "french": ("est-ce", "qui")}
        words.append("?" if words[0] in question[language] else ".")
    return [_token(word, language) for word in words]


def _token(word: str, language: str) -> frozenset[str]:
    word = _ENGLISH.get(word, word) if language == "english" else word
    if word == "!":
        return frozenset(".")
    if word in vocabulary(language):
        return frozenset([word])
    known = _unaccented(language)
    if bare(word) in known:
        return known[bare(word)]
    near = get_close_matches(bare(word), list(known), n=3, cutoff=0.6)
    nearest = [w for key in near for w in sorted(known[key])]
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else ""
    raise ValueError(f"read_sentence: the small world has no {language} word {word!r}{hint}")


def translations(
    text: str, language: str, most: int = 64, strict: bool = True
) -> list[tuple[str, ...]]:
    """Return all right translations of a sentence as somebody types it.

    Args:
        text: one sentence.
        language: the language that it is in.
        most: how many trees are read.
        strict: whether a text that is no sentence is refused; else it has no translation.

    Raises:
        ValueError: as :func:`read_sentence`; or if it is no sentence of the small world: the
            message says how far it was one, and what could follow.

    >>> [" ".join(words) for words in translations("The girl runs to the bank", "english")]
    ['la fille court vers la banque .', 'la fille court vers la rive .']
    """
    tokens = read_sentence(text, language)
    other = "english" if language == "french" else "french"
    for meant in (tokens, [_any_accents(token, language) for token in tokens]):
        chart = Chart(language, meant)
        trees = (tree for part in chart.whole() for tree in chart.trees(part))
        found = {tree.sentence(other) for tree in islice(trees, most)}
        if found or not strict:
            return sorted(found)
    raise ValueError(_where_it_ends(tokens, language))


def _any_accents(token: Token, language: str) -> Token:
    same = _unaccented(language)
    return frozenset().union(*(same[word] for word in token or () if word in same)) or token


def _where_it_ends(tokens: Sequence[Token], language: str) -> str:
    words = [min(token or ()) for token in tokens]
    for end in range(len(words) + 1):
        after = Beginning(words[:end], language).following()
        if end == len(words) or words[end] not in after:
            likely = sorted(after, key=lambda word: (-after[word], word))[:5]
            said = " ".join(words[:end]) or "the beginning"
            more = f"could follow: {', '.join(likely)}" if likely else "nothing follows it"
            got = words[end] if end < len(words) else "the end"
            return f"translations: after {said!r} expected another word ({more}), got {got!r}"
    raise AssertionError("a beginning is always found")
