"""Finds hidden inputs, or what is right for them, in a text that a student may read."""

import re
from dataclasses import replace
from functools import cache

import numpy as np

from attention_course.exercises import Exercise, exercise_named, runner
from attention_course.exercises.examine import public_calls


class Recorded:
    """An exercise that writes down every input it draws.

    Args:
        exercise: what is asked.
    """

    def __init__(self, exercise: Exercise):
        self.drawn: list[runner.Call] = []
        self.plain = exercise
        self.exercise = replace(exercise, probes=tuple(map(self._recording, exercise.probes)))

    def _recording(self, probe):
        def calls(rng):
            made = list(probe.calls(rng))
            self.drawn += made
            return made

        return replace(probe, calls=calls)

    def told(self, text: str) -> list[str]:
        """Return the hidden numbers that stand in a text; the public ones may."""
        found = np.array([float(x) for x in NUMBER.findall(text) if _long(x)])
        if not found.size:
            return []
        near = _near(found, _numbers(self.plain, self.drawn))
        hidden = _written(near) - _written(_near(found, _public(self.plain.slug)))
        return sorted(number for number in hidden if number in text)


# A number without its sign, as Python or NumPy writes it.
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[-+]?\d+)?")


@cache
def _public(slug: str) -> np.ndarray:
    exercise = exercise_named(slug)
    calls = [c for probe in exercise.probes for c in public_calls(exercise, probe)]
    return _numbers(exercise, calls)


def _numbers(exercise: Exercise, calls: list[runner.Call]) -> np.ndarray:
    """Return the numbers of calls and of what is right for them, 500 of each array."""
    solution = runner.load(exercise.solution)
    arrays = [np.empty(0)]
    for call in calls:
        arrays += [*call.args, *call.kwargs.values()]
        if exercise.uses == "numpy" and call.on is None:
            arrays += runner.run(solution, [call]).values
    arrays = [x for x in arrays if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
    numbers = np.unique(np.concatenate([x.ravel()[:500].astype(float) for x in arrays]))
    return numbers[np.isfinite(numbers)]


def _near(found: np.ndarray, numbers: np.ndarray) -> list[float]:
    """Return the numbers of which a form may stand in a text where these were found."""
    size = np.abs(numbers)
    order = np.sort(found)
    room = 1e-5 * size + 1e-7
    first, last = (np.searchsorted(order, size + sign * room) for sign in (-1, 1))
    return numbers[first < last].tolist()


def _written(numbers: list[float]) -> set[str]:
    """Return numbers as they may stand in a text, if they are long enough to be told apart."""
    forms = {form for x in numbers for form in (repr(x), f"{x:.6g}", f"{x:.8f}")}
    return set(filter(_long, forms))


def _long(form: str) -> bool:
    return sum(letter.isdigit() for letter in form) >= 6
