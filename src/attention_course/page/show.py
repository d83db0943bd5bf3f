"""Show a function or class of the course."""

from typing import Any

from IPython.display import display

from attention_course._source import LONGEST, source_of


class _Shown:
    """Source for a terminal and for nbval, and as Markdown, which every host highlights."""

    def __init__(self, source: str):
        self.source = source

    def __repr__(self) -> str:
        return self.source

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.source}\n```"


def show(thing: Any, *, lines: int | None = LONGEST) -> None:
    """Display the source of a function or class, without docstrings and annotations.

    A comment on top says where it stands, one below ``def`` which shapes go in and come out. A
    dotted name is read without importing anything, so that code for a device can be shown where
    the device's packages are missing.

    Args:
        thing: a function, a class, or the dotted name of one.
        lines: the most lines that are shown; None allows any number.

    Raises:
        ValueError: if there is no such definition in a file, or it is longer than ``lines``
            or wider than 76 columns.

    >>> show("attention_course.reference.softmax")  # doctest: +ELLIPSIS
    # attention_course.reference.softmax.softmax
    def softmax(...
    """
    display(_Shown(source_of(thing, lines)))
