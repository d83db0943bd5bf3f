"""A question that a reader answers before the page does."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from attention_course.page.numbers import as_array

if TYPE_CHECKING:
    from attention_course.widgets.prediction import Prediction

COLUMNS = 72
DIGITS = 6  # of an answer that is stored: the page writes three
MOST_CHOICES, LARGEST = 12, 1e300  # as in widgets/prediction, which is loaded late


def predict(
    question: str,
    answer: Any,
    *,
    choices: Sequence[Any] | None = None,
    order: Sequence[Any] | None = None,
    unit: str = "",
    tolerance: float | None = None,
    reveal: Any = "",
    beliefs: Mapping[Any, str] | None = None,
) -> "Prediction":
    """Ask for a guess; show the answer, and how far off the guess was, when it is made.

    It is the last expression of the cell that computes the answer, so that the answer is never
    typed. Without ``choices`` or ``order`` the guess is a number.

    Args:
        question: plain text; write mathematics as it is read (``d_k = 64``, ``√d_k``), for
            ``$...$`` is not set.
        answer: a number; one of the choices; or the items of ``order`` in their right order.
        choices: 2 to 12 texts or numbers, of which one is right.
        order: 2 to 12 different texts or numbers, in the order in which they are first shown
            (which is turned round if it is the right one).
        unit: what follows the number, such as ``"%"`` or ``"nats"``.
        tolerance: how near to the answer a guess is right. Say it for an answer that was
            measured: a run elsewhere may differ by as much.
        reveal: text that is shown with the answer, such as a table that the cell computed; or
            a figure of the course, of which its alternative text is shown.
        beliefs: wrong guesses (a number, a choice, or an order as a tuple) to the belief that
            leads to each, in a sentence. A number is meant up to the tolerance, or to 5%.

    Returns:
        The widget.

    Raises:
        ValueError: if an argument is of another kind.

    >>> counts = {"dot": 3, "additive": 7}
    >>> predict("Which has more?", max(counts, key=counts.get), choices=list(counts))
    Predict: Which has more?
    answer: additive
    """
    if not isinstance(question, str) or not 1 <= len(question.strip()) <= 600:
        _refuse("question", "a text of at most 600 characters", question)
    if choices is not None and order is not None:
        _refuse("order", "left out where choices are given", order)
    reveal = _text_of(reveal)
    for name, text, most in (("unit", unit, 30), ("reveal", reveal, 20_000)):
        if not isinstance(text, str) or len(text) > most:
            _refuse(name, f"a text of at most {most} characters", text)
    state: dict[str, Any] = {"question": question.strip(), "unit": unit, "reveal": reveal}
    if choices is not None:
        items = _items("choices", choices)
        state |= {"kind": "choice", "choices": items, "answer": [_place(answer, items)]}
    elif order is not None:
        state |= {"kind": "order"} | _ordered(answer, _items("order", order))
    else:
        state |= {"kind": "number", "answer": [_number(answer)]}
    if tolerance is not None:
        if order is not None or choices is not None:
            _refuse("tolerance", "left out where the answer is no number", tolerance)
        state["tolerance"] = _tolerance(tolerance)
    state |= beliefs_of(beliefs or {}, state)
    from attention_course.widgets.prediction import Prediction

    return Prediction(**state)


def _refuse(name: str, expected: str, got: Any) -> NoReturn:
    raise ValueError(f"predict: {name} must be {expected}, got {got!r}")


def _text_of(reveal: Any) -> str:
    """Return a text as it is, and the alternative text of a figure, in lines."""
    meta = getattr(getattr(reveal, "layout", None), "meta", None)
    if isinstance(meta, dict) and "alt" in meta:
        return textwrap.fill(meta["alt"], COLUMNS)
    return str(reveal)


def _items(name: str, given: Any) -> list[str]:
    expected = f"2 to {MOST_CHOICES} different texts or numbers"
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        _refuse(name, expected, given)
    items = [str(item).strip() for item in given]
    if not 2 <= len(items) <= MOST_CHOICES or len({*items}) < len(items) or not all(items):
        _refuse(name, expected, given)
    return items


def _place(answer: Any, items: list[str]) -> int:
    said = str(answer).strip()
    if isinstance(answer, bool) or said not in items:
        _refuse("answer", f"one of {', '.join(items)}", answer)
    return items.index(said)


def _ordered(answer: Any, items: list[str]) -> dict[str, Any]:
    right = (
        [str(item).strip() for item in answer]
        if hasattr(answer, "__iter__") and not isinstance(answer, str)
        else []
    )
    if sorted(right) != sorted(items):
        _refuse("answer", f"the items of order ({', '.join(items)}) in another order", answer)
    shown = items[::-1] if items == right else items
    return {"choices": shown, "answer": [shown.index(item) for item in right]}


def _number(answer: Any) -> float:
    expected = "a finite number (or give choices or order)"
    try:
        (number,) = map(float, as_array("answer", answer))
    except ValueError:
        _refuse("answer", expected, answer)
    if not abs(number) <= LARGEST:
        _refuse("answer", expected, answer)
    return number if number.is_integer() else float(f"{number:.{DIGITS}g}")


def beliefs_of(given: Mapping[Any, str], state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a prediction stores of its beliefs; ``state`` has what else it stores."""
    expected = f"a dictionary of at most {MOST_CHOICES} wrong guesses to sentences"
    if not isinstance(given, Mapping) or len(given) > MOST_CHOICES:
        _refuse("beliefs", expected, given)
    believed = []
    for guess, sentence in given.items():
        if not isinstance(sentence, str) or not 1 <= len(sentence.strip()) <= 300:
            _refuse("beliefs", "sentences of at most 300 characters", sentence)
        if state["kind"] == "order":
            right = [str(item).strip() for item in guess] if isinstance(guess, tuple) else []
            if sorted(right) != sorted(state["choices"]):
                _refuse("beliefs", "about orders of all items, as tuples", guess)
            believed.append([state["choices"].index(item) for item in right])
        elif state["kind"] == "choice":
            believed.append([_place(guess, state["choices"])])
        else:
            believed.append([_number(guess)])
        near = 0 if state["kind"] != "number" else state.get("tolerance", 0)
        if max(abs(a - b) for a, b in zip(believed[-1], state["answer"], strict=True)) <= near:
            _refuse("beliefs", "about guesses that are wrong", guess)
    believed = [[float(number) for number in guess] for guess in believed]
    return {"believed": believed, "beliefs": [text.strip() for text in given.values()]}


def _tolerance(tolerance: Any) -> float:
    number = isinstance(tolerance, (int, float)) and not isinstance(tolerance, bool)
    if not number or not 0 < tolerance <= LARGEST:
        _refuse("tolerance", "a number above 0", tolerance)
    return float(tolerance)
