"""The temperature of a softmax, on the scores 15, 60, 15, 35 of the worked example."""

import html
from typing import Any, ClassVar

import numpy as np
import traitlets

from attention_course.reference import entropy, softmax
from attention_course.widgets.kit.base import CourseWidget, table
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

    >>> Temperature(temperature=10).readouts()["weights"].round(3)
    array([0.01 , 0.906, 0.01 , 0.074])
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

    def readouts(self) -> dict[str, Any]:
        """Return what the widget shows, in float64: half precision rounds weights to 0."""
        scaled = np.array(self.scores) / self.temperature
        weights = softmax(scaled)
        return {
            "scaled": scaled,
            "weights": weights,
            "entropy": float(entropy(weights)),
            "top_weight": float(weights.max()),
        }

    def _named(self, i: int) -> str:
        return f"“{self.words[i]}”" if self.words else f"word {i + 1}"

    def _fallback(self) -> str:
        words = self.words or [f"word {i + 1}" for i in range(len(self.scores))]
        now = self.readouts()
        top = self._named(int(now["weights"].argmax()))
        sentence = (
            f"At temperature {self.temperature:g}, {top} gets {_say(now['top_weight'])} of the "
            f"weight; the entropy is {now['entropy']:.2g} nats, of at most "
            f"{np.log(len(words)):.3g}."
        )
        rows = []
        for temperature in (1.0, 5.0, 10.0, 25.0, 50.0, 100.0):
            weights = softmax(np.array(self.scores) / temperature)
            rows.append((f"{temperature:g}", *map(_say, weights), f"{entropy(weights):.2g}"))
        head = [f"{w} (score {e:g})" for w, e in zip(words, self.scores, strict=True)]
        return f"<p>{html.escape(sentence)}</p>" + table(
            ("temperature", *head, "entropy (nats)"), rows, "Weights at six temperatures"
        )


def _say(weight: float) -> str:
    """Write a weight so that only an exact 1 reads as 1."""
    return "more than 0.999" if 0.999 < weight < 1 else f"{weight:.2g}"
