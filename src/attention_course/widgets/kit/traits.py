"""The traits of a widget's state: what each may be, written once for Python and the browser.

A trait refuses a bad value with a ``ValueError``. What it allows is also a dictionary
(``Checked.limits``) that travels to the browser: ``kit/limits.js`` checks links by it, and the
ends of sliders come from there.
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import traitlets

if TYPE_CHECKING:
    _Trait = traitlets.TraitType[Any, Any]
else:  # Colab's traitlets takes no types
    _Trait = traitlets.TraitType


class Checked(_Trait):
    """A synced trait that refuses a bad value with the widget's name, expected and actual.

    Args:
        expected: what the value must be, in words.
        convert: returns the value as JSON can hold it, or raises.
        default: the value unless one is given.
        limits: ``kind`` and the numbers that go with it, as ``kit/limits.js`` reads them.
    """

    def __init__(
        self, expected: str, convert: Callable[[Any], Any], default: Any, /, **limits: Any
    ):
        super().__init__(default_value=default)
        self.expected, self.convert = expected, convert
        self.limits = {**limits, "expected": expected}
        self.tag(sync=True)

    def make_dynamic_default(self) -> Any:
        """Give each widget a list or dictionary of its own."""
        return self.convert(self.default_value)

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value as JSON holds it, or raise ValueError."""
        try:
            return self.convert(value)
        except (TypeError, ValueError, KeyError):
            raise ValueError(
                f"{type(obj).__name__}: {self.name} must be {self.expected}, got {value!r}"
            ) from None


def whole(low: int, high: int, default: int, stops: Sequence[int] = ()) -> Checked:
    """Return a trait for whole numbers; its slider has all of them, or ``stops``."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or int(value) != value or not low <= value <= high:
            raise ValueError
        return int(value)

    expected = f"a whole number from {low} to {high}"
    more = {"stops": list(stops)} if stops else {}
    return Checked(expected, convert, default, kind="whole", min=low, max=high, **more)


def number(
    low: float, high: float, default: float, slider: tuple[float, float] | None = None
) -> Checked:
    """Return a trait for finite numbers; ``slider`` is how far its slider goes."""

    def convert(value: Any) -> float:
        if isinstance(value, (bool, str)) or not low <= value <= high:
            raise ValueError
        return float(value)

    expected = f"a number from {low:g} to {high:g}"
    more = {"slider": list(slider)} if slider else {}
    return Checked(expected, convert, default, kind="number", min=low, max=high, **more)


def choice(
    options: Sequence[str] | Sequence[int], default: str | int, texts: Sequence[str] = ()
) -> Checked:
    """Return a trait for one of some words or whole numbers; its control shows ``texts``."""

    def convert(value: Any) -> str | int:
        if isinstance(value, bool) or value not in options:
            raise ValueError
        return options[options.index(value)]

    expected = "one of " + ", ".join(map(repr, options))
    more = {"texts": [text for _, text in zip(options, texts, strict=True)]} if texts else {}
    return Checked(expected, convert, default, kind="choice", options=list(options), **more)


def flag(default: bool) -> Checked:
    """Return a trait for True or False."""

    def convert(value: Any) -> bool:
        if not isinstance(value, bool):
            raise TypeError
        return value

    return Checked("True or False", convert, default, kind="flag")


def text(
    expected: str, shortest: int, longest: int, default: str, pattern: str = ""
) -> Checked:
    """Return a trait for text of so many characters that ``pattern`` fits from end to end.

    The pattern is one that Python and JavaScript read alike; none allows everything.
    """

    def convert(value: Any) -> str:
        if not isinstance(value, str) or not shortest <= len(value) <= longest:
            raise ValueError
        if pattern and not re.fullmatch(pattern, value):
            raise ValueError
        return value

    limits: dict[str, Any] = {"kind": "text", "fewest": shortest, "most": longest}
    return Checked(
        expected, convert, default, **limits | ({"pattern": pattern} if pattern else {})
    )


def sentence_of(
    language: str, words_of: Callable[[str], list[str]], longest: int, default: str
) -> Checked:
    """Return a trait for text of 1 to ``longest`` words, as ``words_of`` cuts it."""

    def convert(value: Any) -> str:
        if not isinstance(value, str) or len(value) > 300:
            raise ValueError
        if not 1 <= len(words_of(value)) <= longest:
            raise ValueError
        return value

    expected = f"{language} text of 1 to {longest} words and at most 300 characters"
    return Checked(expected, convert, default, kind="text", fewest=1, most=300)


def items(
    item: Checked, fewest: int, most: int, default: Sequence[Any], expected: str
) -> Checked:
    """Return a trait for a list of ``fewest`` to ``most`` items, each as the trait ``item``."""

    def convert(value: Any) -> list[Any]:
        if isinstance(value, (str, dict)):
            raise TypeError
        values = [item.convert(one) for one in value]
        if not fewest <= len(values) <= most:
            raise ValueError
        return values

    inner = {name: limit for name, limit in item.limits.items() if name != "expected"}
    limits = {"kind": "items", "fewest": fewest, "most": most, "item": inner}
    return Checked(expected, convert, default, **limits)


def numbers(limit: float, fewest: int, most: int, default: Sequence[float] = ()) -> Checked:
    """Return a trait for a list of numbers of size at most ``limit``."""
    count = f"{fewest} to {most}" if fewest else f"a list of at most {most}"
    expected = f"{count} numbers from {-limit:g} to {limit:g}"
    return items(number(-limit, limit, 0.0), fewest, most, default, expected)
