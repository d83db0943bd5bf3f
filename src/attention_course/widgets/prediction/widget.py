"""A question, a guess, and then what the cell computed."""

import html
import re
from itertools import combinations
from typing import ClassVar

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import choice, flag, items, number, numbers, text

MOST_CHOICES = 12
LARGEST = 1e300
NEAR = 0.05  # of the number to which a belief leads, where the tolerance is smaller
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class Prediction(CourseWidget, folder="prediction"):
    """Ask for a number, a choice or an order; show the answer after the guess.

    ``ac.predict`` makes one out of what a cell computed, and says what it takes.

    Attributes:
        question: what is asked.
        kind: "number", "choice" or "order".
        answer: the number; the place of the right choice; the places of all choices in
            their right order. A list in each case.
        choices: what there is to choose from, or to put in order, as it is first shown.
        unit: what follows the number.
        tolerance: how near a guess has to be to be right; 0 for as near as it is written.
        reveal: text that is shown with the answer.
        believed: wrong guesses, each like ``answer``.
        beliefs: for each of them the belief that leads to it, in a sentence.
        guess: like ``answer``; empty before there is one.
        opened: whether the answer is shown.
    """

    _state: ClassVar[tuple[str, ...]] = ("guess", "opened")

    question = text("a text of 1 to 600 characters", 1, 600, "?")
    kind = choice(("number", "choice", "order"), "number")
    answer = numbers(LARGEST, 1, MOST_CHOICES, [0.0])
    choices = items(
        text("", 1, 200, " "), 0, MOST_CHOICES, [], f"a list of at most {MOST_CHOICES} texts"
    )
    unit = text("a text of at most 30 characters", 0, 30, "")
    tolerance = number(0.0, LARGEST, 0.0)
    reveal = text("a text of at most 20000 characters", 0, 20_000, "")
    believed = items(
        numbers(LARGEST, 1, MOST_CHOICES), 0, MOST_CHOICES, [], "a list of at most 12 guesses"
    )
    beliefs = items(
        text("", 1, 300, " "), 0, MOST_CHOICES, [], f"a list of at most {MOST_CHOICES} texts"
    )
    guess = numbers(LARGEST, 0, MOST_CHOICES)
    opened = flag(default=False)

    def __repr__(self) -> str:
        """Return question, answer and what is revealed, as a terminal and nbval read them."""
        said = f"Predict: {self.question}\nanswer: {self._answer()}"
        return f"{said}\n{self.reveal}" if self.reveal else said

    def readouts(self) -> dict[str, float]:
        """Return what the widget says of the guess; nothing before it is opened."""
        if not self.opened or not self.guess:
            return {}
        if self.kind == "choice":
            return {"right": float(self.guess == self.answer)}
        if self.kind == "order":
            places = [self.guess.index(item) for item in self.answer]
            pairs = [a > b for a, b in combinations(places, 2)]
            return {"wrong": float(sum(pairs)), "pairs": float(len(pairs))}
        (guess,), (answer,) = self.guess, self.answer
        found = {"difference": guess - answer}
        if guess and answer and (guess > 0) == (answer > 0):
            found["factor"] = max(guess / answer, answer / guess)
        return found

    def belief(self) -> str:
        """Return the belief that leads to the guess; nothing if none is known, or it is right.

        >>> asked = Prediction(answer=[3.0], believed=[[4.0]], beliefs=["Four is a guess."])
        >>> asked.guess = [4.1]
        >>> asked.belief()
        'Four is a guess.'
        """
        if not self.guess or self.guess == self.answer:
            return ""
        pairs = zip(self.believed, self.beliefs, strict=True)
        if self.kind != "number":
            return next((said for guess, said in pairs if guess == self.guess), "")
        if abs(self.guess[0] - self.answer[0]) <= self.tolerance:
            return ""
        found = [(abs(self.guess[0] - number), number, said) for (number,), said in pairs]
        gap, number, said = min(found, default=(1.0, 0.0, ""))
        return said if gap <= max(self.tolerance, NEAR * abs(number)) else ""

    def _default_key(self) -> str:
        words = re.findall(r"[a-z0-9]+", self.question.lower())
        return "-".join(["predict", *words[:6]])

    def _answer(self) -> str:
        if self.kind != "number":
            return ", ".join(self.choices[int(at)] for at in self.answer)
        within = f" (within {self.tolerance:g})" if self.tolerance else ""
        space = "" if not self.unit or self.unit[0] in "%°" else " "
        return f"{spoken(self.answer[0])}{space}{self.unit}{within}"

    def _fallback(self) -> str:
        more = f"<pre>{html.escape(self.reveal)}</pre>" if self.reveal else ""
        return (
            f"<p><b>Predict.</b> {html.escape(self.question)}</p>"
            "<details><summary>Show the answer</summary>"
            f"<p>The answer is {html.escape(self._answer())}.</p>{more}</details>"
        )


def spoken(x: float) -> str:
    """Return a number for people, as ``written`` in ``maths.js`` does.

    >>> [spoken(x) for x in (492.0, 0.41234, 2.91e-20, -0.5)]
    ['492', '0.412', '2.91 × 10⁻²⁰', '−0.5']
    """
    if x.is_integer() and abs(x) < 1e15:
        return f"{x:.0f}".replace("-", "−")
    sign, size = "−" if x < 0 else "", abs(x)
    digits, _, power = f"{size:.2e}".partition("e")
    if int(power) < -3 or int(power) > 4:
        digits = digits.rstrip("0").rstrip(".")
        return f"{sign}{digits} × 10{str(int(power)).translate(_RAISED)}"
    return f"{sign}{float(f'{size:.2e}'):g}"
