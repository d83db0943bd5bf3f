"""When real requests came to a language model, and how many tokens each took."""

from functools import cache
from importlib import resources


@cache
def conversations() -> tuple[tuple[float, int, int], ...]:
    """Return six hundred requests that came to one service in 148 seconds, in their order.

    Returns:
        For each the second in which it came, the tokens of its prompt and of its answer.

    Source:
        Patel et al. (2024), figure 3; see ``corpora/requests/PROVENANCE.md``.

    >>> conversations()[1]
    (4.31, 396, 109)
    """
    place = resources.files("attention_course.data") / "corpora/requests/conversations.csv"
    rows = [row.split(",") for row in place.read_text(encoding="utf-8").split()[1:]]
    return tuple((float(came), int(prompt), int(n)) for came, prompt, n in rows)
