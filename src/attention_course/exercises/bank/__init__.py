"""All exercises, each in a folder of its own, which is called by its slug."""

from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from attention_course.exercises.exercise import Exercise
from attention_course.exercises.folder import load_exercise, load_settings

_BANK = Path(__file__).parent
# A teacher's own, as far as this session was told of them, by name.
_OWN: dict[str, Exercise] = {}


@cache
def targets() -> dict[str, str]:
    """Return for each slug the function or class that its exercise asks for; nothing is loaded.

    Raises:
        ValueError: if two exercises ask for the same name.
    """
    found: dict[str, str] = {}
    for path in sorted(_BANK.glob("*/statement.md")):
        target = load_settings(path.parent)["target"]
        if target in found.values():
            raise ValueError(f"targets: each name must be asked for once, {target} is twice")
        found[path.parent.name] = target
    return found


def asked() -> dict[str, str]:
    """Return :func:`targets` with those of a teacher's own exercises that are known here."""
    return targets() | {own.slug: own.target for own in _OWN.values()}


def know(own: Exercise) -> None:
    """Let this session find a teacher's own exercise by its name."""
    _OWN[own.name] = own


@cache
def _loaded(slug: str) -> Exercise:
    return load_exercise(_BANK / slug)


def all_exercises() -> dict[str, Exercise]:
    """Return every exercise that can be graded, by its slug."""
    return {slug: _loaded(slug) for slug in targets() if slug not in _kernels()}


def kernel_exercises() -> dict[str, Exercise]:
    """Return the exercises whose answers are Triton kernels: checked, and never graded."""
    return {slug: _loaded(slug) for slug in _kernels()}


@cache
def _kernels() -> tuple[str, ...]:
    return tuple(
        slug for slug in targets() if load_settings(_BANK / slug).get("uses") == "triton"
    )


def exercise_named(name: str) -> Exercise:
    """Return the exercise of a slug; after a colon, one of its variants.

    Raises:
        ValueError: if there is none; it says which is called nearly so, or else all.

    >>> exercise_named("four-steps").target
    'four_steps'
    """
    if name in _OWN:
        return _OWN[name]
    slug, _, variant = name.partition(":")
    if slug not in targets():
        near = get_close_matches(slug, targets(), n=1)
        rest = f"did you mean {near[0]}?" if near else f"there are {', '.join(targets())}"
        raise ValueError(f"there is no exercise {slug}; {rest}")
    return _loaded(slug).varied(variant)


def exercise_of(answer: Any) -> Exercise:
    """Return the exercise that asks for a function or class of this name.

    Raises:
        ValueError: if none does.
    """
    name = getattr(answer, "__name__", type(answer).__name__)
    for own in _OWN.values():
        if own.target == name:
            return own
    for slug, target in targets().items():
        if target == name:
            return _loaded(slug)
    raise ValueError(f'no exercise asks for {name}; name it: check({name}, "slug")')
