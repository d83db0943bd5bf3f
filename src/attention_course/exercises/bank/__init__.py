"""All exercises, each in a module of its own: ``EXERCISE``."""

import pkgutil
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from attention_course.exercises.source import Exercise


@cache
def all_exercises() -> dict[str, Exercise]:
    """Return every exercise by its slug.

    Raises:
        RuntimeError: if two exercises share a slug or ask for the same name.
    """
    found: dict[str, Exercise] = {}
    targets: dict[str, str] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        if module.startswith("_"):
            continue
        exercise = import_module(f"{__name__}.{module}").EXERCISE
        if exercise.slug in found or exercise.target in targets:
            raise RuntimeError(f"two exercises are called {exercise.slug} or {exercise.target}")
        found[exercise.slug] = exercise
        targets[exercise.target] = exercise.slug
    return found


def exercise_named(name: str) -> Exercise:
    """Return the exercise of a slug; after a colon, one of its variants.

    Raises:
        ValueError: if there is none; it says which is called nearly so, or else all.

    >>> exercise_named("four-steps").target
    'four_steps'
    """
    slug, _, variant = name.partition(":")
    if slug not in all_exercises():
        near = get_close_matches(slug, all_exercises(), n=1)
        rest = f"did you mean {near[0]}?" if near else f"there are {', '.join(all_exercises())}"
        raise ValueError(f"there is no exercise {slug}; {rest}")
    return all_exercises()[slug].varied(variant)


def exercise_of(answer: Any) -> Exercise:
    """Return the exercise that asks for a function or class of this name.

    Raises:
        ValueError: if none does.
    """
    name = getattr(answer, "__name__", type(answer).__name__)
    for exercise in all_exercises().values():
        if exercise.target == name:
            return exercise
    raise ValueError(f'no exercise asks for {name}; name it: check({name}, "slug")')
