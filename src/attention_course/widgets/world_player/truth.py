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


def nearest(written: Sequence[str], words: Sequence[str]) -> list[frozenset[int] | None]:
    """Return for each written word the words that it comes from, by the nearest translation.

    Args:
        written: French words.
        words: the English sentence that they translate.

    Returns:
        Positions in the sentence; None for a word that is not in the right translation that
        shares most words with what is written.
    """
    trees = parse(words, "english", MOST)
    right = {" ".join(t.sentence("french")): Pair(t).alignment("english") for t in trees}
    runs = {text: shared(written, text.split()) for text in sorted(right)}
    text, run = max(runs.items(), key=lambda item: len(item[1]))
    own = {i: right[text][j] for i, j in run}
    return [own.get(i) for i in range(len(written))]
