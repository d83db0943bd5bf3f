"""A short way to write many wrong answers that change the same place."""

from attention_course.exercises.source import Wrong


def changing(old: str, family: str, *rows: tuple[str, str, str]) -> tuple[Wrong, ...]:
    """Return wrong answers that put something else where the solution has ``old``.

    Args:
        old: what stands exactly once in the solution.
        family: the kind of mistake.
        rows: for each answer its name, what it has instead, and its hint.
    """
    return tuple(Wrong(name, family, hint, ((old, new),)) for name, new, hint in rows)
