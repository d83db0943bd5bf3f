"""Finds hidden inputs, or what is right for them, in a text that a student may read."""

from dataclasses import replace

import numpy as np

from attention_course.exercises import Exercise, runner
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
        public = [c for probe in self.plain.probes for c in public_calls(self.plain, probe)]
        hidden = _written(self._numbers(self.drawn)) - _written(self._numbers(public))
        return sorted(number for number in hidden if number in text)

    def _numbers(self, calls: list[runner.Call]) -> set[float]:
        solution = runner.load(self.plain.solution)
        arrays = []
        for call in calls:
            arrays += [*call.args, *call.kwargs.values()]
            if self.plain.uses == "numpy" and call.on is None:
                arrays += runner.run(solution, [call]).values
        arrays = [x for x in arrays if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
        return {number for x in arrays for number in x.ravel()[:500].tolist()}


def _written(numbers: set[float]) -> set[str]:
    """Return numbers as they may stand in a text, if they are long enough to be told apart."""
    forms = {form for x in numbers for form in (repr(x), f"{x:.6g}", f"{x:.8f}")}
    return {form for form in forms if sum(letter.isdigit() for letter in form) >= 6}
