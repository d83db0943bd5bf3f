"""What every trait of every widget may be, and what Python says of good and bad values."""

from typing import Any

import attention_course.widgets
from attention_course.widgets import CourseWidget
from attention_course.widgets.kit.traits import Checked

VALUES: list[Any] = [
    *(
        -1e9,
        -1000,
        -181,
        -20.5,
        -1,
        0,
        0.05,
        0.5,
        1,
        2,
        3,
        4,
        5,
        7,
        9,
        10,
        12,
        33,
        256,
        4097,
        1e9,
    ),
    *("", "abc", "attention", "Attention", "none", "a" * 201, "one two", None, True, False),
    *([], [1], [1, 2], [1, "2"], [1, None], [1, True], [2.5] * 5, [0] * 33, ["a", "b", "c"]),
    *([[0, 1], [1, 0]], [[0, 1], [9, 0]], [[1] * 6] * 6, [[1] * 6] * 5, [[2] * 6] * 6, {}),
]
# Python also wants a word in the text, and words that differ.
ASKS_MORE = {"SelfAttentionSteps.text", "Temperature.words"}


def _good(trait: Checked, value: Any) -> bool:
    try:
        trait.convert(value)
    except (TypeError, ValueError, KeyError):
        return False
    return True


def limits() -> list[dict[str, Any]]:
    """Return each trait's limits, with the values that it takes and those that it refuses."""
    rows = []
    for name in attention_course.widgets.__all__:
        widget = getattr(attention_course.widgets, name)
        if not (isinstance(widget, type) and issubclass(widget, CourseWidget)):
            continue
        for trait_name, trait in sorted(widget.class_traits().items()):
            if not isinstance(trait, Checked):
                continue
            limit = trait.limits
            ends = [limit[end] for end in ("min", "max") if end in limit]
            beyond = [e + side for e, side in zip(ends, (-1, 1), strict=False)]
            values = [*VALUES, *ends, *beyond, *limit.get("options", ())]
            if limit["kind"] == "items":  # a mask may have a name; the browser gets its rows
                values = [value for value in values if not isinstance(value, str)]
            judged = [(value, _good(trait, value)) for value in values]
            rows.append(
                {
                    "trait": f"{name}.{trait_name}",
                    "limit": limit,
                    "good": [value for value, good in judged if good],
                    "bad": [v for v, good in judged if not good],
                    "asks_more": f"{name}.{trait_name}" in ASKS_MORE,
                }
            )
    return rows


def constants() -> dict[str, Any]:
    """Return the sizes and names that each widget's mathematics takes from Python, by class."""
    classes = [
        getattr(attention_course.widgets, name) for name in attention_course.widgets.__all__
    ]
    widgets = [c for c in classes if isinstance(c, type) and issubclass(c, CourseWidget)]
    return {widget.__name__: widget._constants for widget in widgets if widget._constants}


FIXTURES = {"limits": limits, "constants": constants}
