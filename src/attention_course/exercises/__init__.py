"""The exercises: what each asks, what is right, and what goes wrong.

``check`` and ``hint`` are what a reader calls. The bank is light: it needs NumPy,
and torch only when an exercise in torch is examined.
"""

from attention_course.exercises.bank import (
    all_exercises,
    exercise_named,
    exercise_of,
    kernel_exercises,
    targets,
)
from attention_course.exercises.breaking import break_it
from attention_course.exercises.cell import in_notebook
from attention_course.exercises.check import check, failing_case, hint
from attention_course.exercises.defend import defend
from attention_course.exercises.diagnosis import diagnose, recognise
from attention_course.exercises.examine import Report, examine, examine_source
from attention_course.exercises.examples import own_exercise
from attention_course.exercises.exercise import Exercise, Probe, Right, Variant, Wrong
from attention_course.exercises.runner import Call

in_notebook()

__all__ = [
    "Call",
    "Exercise",
    "Probe",
    "Report",
    "Right",
    "Variant",
    "Wrong",
    "all_exercises",
    "break_it",
    "check",
    "defend",
    "diagnose",
    "examine",
    "examine_source",
    "exercise_named",
    "exercise_of",
    "failing_case",
    "hint",
    "kernel_exercises",
    "own_exercise",
    "recognise",
    "targets",
]
