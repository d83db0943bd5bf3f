"""A translation held against the right ones, as ``truth.js`` does it in the page."""

from collections.abc import Sequence

from attention_course.data.world import Pair, parse

MOST = 2000  # trees that are looked at


def shared(written: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the longest run of words that both have in the same order.

    >>> shared("la rive est belle .".split(), "la banque est .".split())
    [(0, 0), (2, 2), (4, 3)]
    """
    n, m = len(written), len(right)
    longest = [[0] * (m + 1) for _ in range(n + 1)]  # of what follows
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if written[i] == right[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < n and j < m:
        if written[i] == right[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def closest(
    written: Sequence[str], words: Sequence[str]
) -> tuple[list[str], list[tuple[int, int]], Pair]:
    """Return the right translation that shares most words with what is written.

    Args:
        written: French words.
        words: the English sentence that they translate.

    Returns:
        Its words; the places that both share, by :func:`shared`; and the pair.
    """
    trees = {" ".join(t.sentence("french")): t for t in parse(words, "english", MOST)}
    runs = {text: shared(written, text.split()) for text in sorted(trees)}
    text, run = max(runs.items(), key=lambda item: len(item[1]))
    return text.split(), run, Pair(trees[text])


def nearest(written: Sequence[str], words: Sequence[str]) -> list[frozenset[int] | None]:
    """Return for each written word the words that it comes from, by the nearest translation.

    Args:
        written: French words.
        words: the English sentence that they translate.

    Returns:
        Positions in the sentence; None for a word that is not in the right translation that
        shares most words with what is written.
    """
    _, run, pair = closest(written, words)
    sources = pair.alignment("english")
    own = {i: sources[j] for i, j in run}
    return [own.get(i) for i in range(len(written))]


def places(run: Sequence[tuple[int, int]], written: int, right: int) -> list[int]:
    """Return for each written word its place in the right translation, -1 where unclear.

    Args:
        run: the places that both share; between them, equally many words stand for each other.
        written: how many words are written.
        right: how many the right translation has.

    >>> places([(0, 0), (3, 3)], 5, 4)
    [0, 1, 2, 3, -1]
    """
    found, ends = [-1] * written, [*run, (written, right)]
    i = j = 0
    for next_i, next_j in ends:
        if next_i - i == next_j - j:
            found[i:next_i] = range(j, next_j)
        if next_i < written:
            found[next_i] = next_j
        i, j = next_i + 1, next_j + 1
    return found
