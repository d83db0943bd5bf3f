"""Guesses of every kind, and what Python says of each."""

from typing import Any

import numpy as np

from attention_course.widgets.prediction import Prediction
from attention_course.widgets.prediction.widget import spoken

NUMBERS = (0.0, 1.0, -1.0, 0.41, 17.0, 1e-200, -1e-200, 2.9e-20, 1e5, 491.99)


def _number(answer: float, guess: list[float]) -> dict[str, Any]:
    return {"kind": "number", "answer": [answer], "guess": guess, "choices": []}


def predictions() -> list[dict[str, Any]]:
    """Return settings of the widget with its read-outs."""
    draw = np.random.RandomState(11)
    settings: list[dict[str, Any]] = [
        _number(answer, guess)
        for answer in NUMBERS
        for guess in [[], *([other] for other in (*NUMBERS, answer * 1.5, answer * 40))]
    ]
    for n in (2, 3, 5, 12):
        choices = [f"choice {i}" for i in range(n)]
        for _ in range(8):
            right, guess = draw.permutation(n).tolist(), draw.permutation(n).tolist()
            both = {"choices": choices}
            settings.append(both | {"kind": "order", "answer": right, "guess": guess})
            settings.append(both | {"kind": "choice", "answer": right[:1], "guess": guess[:1]})
    return [
        setting
        | {"opened": opened, "numbers": Prediction(**setting, opened=opened).readouts()}
        | {"said": spoken(float(setting["answer"][0]))}
        for setting in settings
        for opened in (True, False)
    ]


FIXTURES = {"prediction": predictions}
