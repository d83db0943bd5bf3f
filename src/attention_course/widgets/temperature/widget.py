"""The temperature of a softmax, on the scores 15, 60, 15, 35 of the worked example."""

from typing import Any, ClassVar

import traitlets

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import Checked, items, number, numbers, text

FEWEST_WORDS, MOST_WORDS = 2, 8
LARGEST_SCORE = 1000.0


_WORDS = items(text("", 1, 100, "", r"[\s\S]*\S[\s\S]*"), 0, MOST_WORDS, [], "")


def _words(value: Any) -> list[str]:
    words = _WORDS.convert(value)
    if len(set(words)) != len(words):
        raise ValueError
    return words


class Temperature(CourseWidget, folder="temperature"):
    r"""Divide four scores by a temperature and see the weights spread.

    .. math:: \alpha_j = \operatorname{softmax}(e / T)_j

    Args:
        scores: 2 to 8 numbers, each from -1000 to 1000.
        temperature: what the scores are divided by, 1 to 100.
        words: one name for each score; "word 1", "word 2", ... unless given.
        key: names the widget in links; "temperature" unless given.

    Raises:
        ValueError: if a value is outside its range, or there is not one word for each score.

    >>> Temperature(temperature=10)
    Temperature(scores=[15.0, 60.0, 15.0, 35.0], temperature=10.0)
    """

    _state: ClassVar[tuple[str, ...]] = ("scores", "temperature")

    scores = numbers(LARGEST_SCORE, FEWEST_WORDS, MOST_WORDS, [15.0, 60.0, 15.0, 35.0])
    temperature = number(1.0, 100.0, 1.0)
    words = Checked("different words", _words, [], **_WORDS.limits)

    def __init__(self, **kwargs: Any) -> None:
        if "scores" in kwargs and "words" not in kwargs:
            kwargs["words"] = []
        super().__init__(**kwargs)

    @traitlets.validate("words", "scores")
    def _one_word_each(self, proposal: Any) -> Any:
        value = proposal["value"]
        here = {"scores": self.scores, "words": self.words, proposal["trait"].name: value}
        if here["words"] and len(here["words"]) != len(here["scores"]):
            raise ValueError(
                f"Temperature: words must be {len(here['scores'])} words, one for each score, "
                f"got {len(here['words'])}"
            )
        return value
