"""What the grader uses of the course: what stands here, and nothing else.

The grader lies beside the course, in a distribution of its own, and grades with this module
alone.
:func:`version` says what of it a grader must know; :func:`digest` of what a grade rests on.
"""

import hashlib
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType

from attention_course import __version__
from attention_course._setup_cell import COURSE, UNSET, setup_cell
from attention_course.exercises import one_change, runner
from attention_course.exercises.bank import all_exercises, exercise_named, targets
from attention_course.exercises.cell import Reading, chosen, readings
from attention_course.exercises.check import said_report
from attention_course.exercises.defend import TOO_ALIKE, Question, question_of, whose
from attention_course.exercises.diagnosis import AND, diagnose, names_of
from attention_course.exercises.examine import (
    LARGE_CPU_S,
    TOO_SLOW,
    Finding,
    Report,
    drawn_calls,
    examine_source,
    finding_of,
    generator,
    in_time,
    isolating,
    judge,
    observe,
    public_calls,
    said_error,
    trial_of,
    without_large,
    witnessed,
)
from attention_course.exercises.examples import as_text, own_exercise
from attention_course.exercises.exercise import Exercise, Probe, Right, Variant, Wrong
from attention_course.exercises.one_change import Change
from attention_course.exercises.probing import draw
from attention_course.exercises.runner import HELPER_CELLS_MARKER, Call, Outcome, pack_calls
from attention_course.exercises.stopping import EndlessError, stopped_after

# In turn what an exercise and a release need, how a cell is read, the sandbox, which holds the
# file of runner, the comparison, what is asked about an answer, and what a student is told.
__all__ = ["Call", "Exercise", "Probe", "Right", "Variant", "Wrong", "draw"]
__all__ += ["COURSE", "UNSET", "__version__", "as_text", "own_exercise", "setup_cell"]
__all__ += ["all_exercises", "exercise_named", "targets"]
__all__ += ["Reading", "chosen", "readings"]
__all__ += ["HELPER_CELLS_MARKER", "Outcome", "pack_calls", "runner"]
__all__ += ["LARGE_CPU_S", "TOO_SLOW", "EndlessError", "Finding", "Report"]
__all__ += ["examine_source", "finding_of", "generator", "in_time", "isolating", "judge"]
__all__ += ["observe", "public_calls", "said_error", "witnessed"]
__all__ += ["stopped_after", "trial_of"]
__all__ += ["drawn_calls", "without_large"]
__all__ += ["TOO_ALIKE", "Change", "Question", "one_change", "question_of", "whose"]
__all__ += ["AND", "diagnose", "names_of", "said_report"]
__all__ += ["digest", "files", "version"]

# How files end that decide about points, and the folder of the package.
KINDS = (".py", ".md", ".toml", ".txt")
PACKAGE = Path(__file__).parents[1]


def version() -> str:
    """Return the fingerprint of what is stated here: its names, parameters and fields.

    It is the same on every Python, and stays while only what is inside a function changes.
    """
    stated = "\n".join(f"{name} {_form(globals()[name])}" for name in sorted(__all__))
    return hashlib.sha256(stated.encode()).hexdigest()[:12]


def _form(value: object) -> str:
    if isinstance(value, ModuleType):
        own = {n: v for n, v in vars(value).items() if n[0] != "_"}
        return " ".join(
            f"{name} {_form(one)}"
            for name, one in sorted(own.items())
            if getattr(one, "__module__", "") == value.__name__
        )
    if isinstance(value, type) and is_dataclass(value):
        return ", ".join(field.name for field in fields(value))
    if isinstance(value, type) or not callable(value):
        return ""
    return ", ".join(inspect.signature(value).parameters)


def digest() -> str:
    """Return the fingerprint of the course's version and of all that decides about points."""
    found = hashlib.sha256(__version__.encode())
    for path in files("exercises", "data/world"):
        found.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def files(*folders: str) -> Iterator[Path]:
    """Yield the files of these folders of the package that decide about points."""
    for folder in folders:
        for path in sorted((PACKAGE / folder).rglob("*")):
            if path.suffix in KINDS:
                yield path
