"""Which script made a recorded result, when and on what machine, in a closed fold."""

from IPython.display import display

from attention_course.measure.records import recorded
from attention_course.page.fold import Output, folded

SUMMARY = "How this was recorded"


def recorded_by(*names: str) -> None:
    """Say which script made each recorded result, when and on what machine.

    The page shows one small closed line; opened, it has a line for each record. It stands
    in the cell that reads the record, or in one of its own.

    Args:
        *names: one record or more, named as for ``measure.recorded``.

    Raises:
        ValueError: if there is no name, or no such record.

    >>> recorded_by("lstmn")  # doctest: +ELLIPSIS
    How this was recorded
      benchmarks/lstmn.py | 20...-... | Linux x86_64, ... CPU cores
    """
    if not names:
        raise ValueError("recorded_by: names must be one record or more, got none")
    origins = [recorded(name)[1] for name in names]
    lines = [f"{made['script']} | {made['date']} | {made['machine']}" for made in origins]
    display(Output("\n  ".join([SUMMARY, *lines]), folded(SUMMARY, *lines)))
