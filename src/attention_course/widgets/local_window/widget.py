"""Local attention over a row of words: move the window's centre and see what is left."""

from typing import ClassVar

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, items, number, numbers, text, whole

KINDS = ("global", "local-m", "local-p without Gaussian", "local-p")
LIMIT, FEWEST, MOST, LETTERS = 20.0, 3, 16, 20
WORDS = [
    *("yesterday", "the", "old", "man", "who", "sold", "us"),
    *("bread", "at", "the", "corner", "closed", "his", "shop"),
]
SCORES = [0.5, -1.0, -0.5, 0.2, -0.8, 2.0, -0.5, 0.0, -1.0, -1.0, 0.3, 4.0, -0.5, 1.0]


class LocalWindow(CourseWidget, folder="local_window"):
    """One row of source scores, seen through a window.

    Attributes:
        words: the source, 3 to 16 words; position 0 is the first.
        scores: one score for each word, from -20 to 20.
        kind: "global", "local-m" (the centre is the step t, a whole number), "local-p
            without Gaussian", or "local-p".
        centre: where the window stands, 0 to 15; local-m rounds it.
        half_width: D, 1 to 10.
    """

    _state: ClassVar[tuple[str, ...]] = ("words", "scores", "kind", "centre", "half_width")

    words = items(
        text("", 0, LETTERS, ""),
        FEWEST,
        MOST,
        WORDS,
        f"{FEWEST} to {MOST} words of at most {LETTERS} letters",
    )
    scores = numbers(LIMIT, FEWEST, MOST, SCORES)
    kind = choice(KINDS, "local-m")
    centre = number(0.0, MOST - 1.0, 1.0)
    half_width = whole(1, 10, 2)

    def _check(self) -> None:
        if len(self.words) != len(self.scores):
            raise ValueError(
                f"LocalWindow: scores must be one for each of {len(self.words)} words, "
                f"got {len(self.scores)}"
            )
