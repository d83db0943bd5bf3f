"""A claim about numbers that the page makes, checked each time that its cell runs."""

import html
import math
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from IPython.display import display

from attention_course.page.fold import Output, folded
from attention_course.page.numbers import as_array, as_given, rounded

# Set by the course's own runs of a notebook: what does not hold raises there.
RAISES = "ATTENTION_COURSE_HOLD_RAISES"
# A bound this small is one on a difference that should be zero: its digits are noise.
ZERO = 1e-4
_KINDS = "at_least, at_most, above, below, near or within"


class HoldFailed(AssertionError):  # noqa: N818 - what a reader would call it
    """What is claimed does not hold; the message names rule, numbers and threshold."""


class _Rule(NamedTuple):
    """A bound: in words, how far inside it a number is, and which of several is shown."""

    words: str
    spare: Callable[[float], float]
    worst: str
    closed: bool = True
    expected: float = 0.0
    tolerance: float = 0.0  # where a difference from what is expected is bounded

    def holds(self, x: float) -> bool:
        spare = self.spare(x)
        return spare >= 0 if self.closed else spare > 0

    def said(self, x: float) -> str:
        """Return a number that holds, and by how much; nothing of what should be zero."""
        if abs(x - self.expected) < self.tolerance <= ZERO:
            return ""
        return f"{rounded(x)} ({self._distance(x)} to spare)"

    def missed(self, x: float) -> str:
        """Return a number that does not hold, and how far off it is."""
        off = math.isfinite(self.spare(x))
        return f"{rounded(x)} ({self._distance(x)} off)" if off else rounded(x)

    def _distance(self, x: float) -> str:
        """Return how far a number is from its bound; 0 if only rounding separates them."""
        far = abs(self.spare(x))
        return rounded(far, 2) if far > 1e-12 * abs(x) else "0"


def hold(
    claim: str,
    value: Any,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    near: tuple[float, float] | None = None,
    within: tuple[float, float] | None = None,
) -> None:
    """Claim that numbers keep a bound, and say so: in one line, with the numbers folded.

    When the claim holds, a small closed fold has the rule, the numbers and how much they have
    to spare. When it does not, the course's tests stop; for a reader, whose torch or device may
    be another, one line says so and the notebook goes on. NaN never holds.

    Args:
        claim: an English sentence, without its full stop.
        value: a number, an array or tensor (every element must hold) or a dictionary from
            name to number.
        at_least: the value is this or more. May be beside ``at_most``; otherwise exactly
            one bound is given.
        at_most: the value is this or less.
        above: the value is more than this.
        below: the value is less than this.
        near: ``(expected, tolerance)``: the value differs from it by at most the tolerance.
            Of a difference that should be zero the rule alone is shown, never its digits.
        within: ``(low, high)``: the value lies between them, ends included.

    Raises:
        ValueError: if the claim is no sentence, the value is not made of numbers, or there is
            not exactly one bound.
        HoldFailed: in the course's own runs, if the claim does not hold.

    >>> hold("attention is ahead by 0.1 or more", 0.99 - 0.41, at_least=0.1)
    Holds: attention is ahead by 0.1 or more
      at least 0.1: 0.58 (0.48 to spare)
    >>> hold("the weights of each row add up to 1", [1.0, 1.0 - 1e-16], near=(1, 1e-12))
    Holds: the weights of each row add up to 1
      within 1e-12 of 1: all 2
    """
    if not isinstance(claim, str) or not claim.strip():
        raise ValueError(f"hold: claim must be an English sentence, got {claim!r}")
    rule = _rule(at_least, at_most, above, below, near, within)
    numbers = _numbers(value)
    failed = {name: [x for x in found if not rule.holds(x)] for name, found in numbers.items()}
    if any(failed.values()):
        _fail(claim, rule, {name: bad for name, bad in failed.items() if bad}, numbers)
        return
    found = [_worst(rule, name, numbers[name], rule.said) for name in numbers]
    line = ": ".join(filter(None, [rule.words, "; ".join(filter(None, found))]))
    display(Output(f"Holds: {claim}\n  {line}", folded(f"✓ {claim}", line)))


def _fail(
    claim: str,
    rule: _Rule,
    failed: dict[str, list[float]],
    numbers: dict[str, list[float]],
) -> None:
    found = [
        _worst(rule, name, numbers[name], rule.missed)
        + (f", and {len(bad)} of them do not hold" if len(bad) > 1 else "")
        for name, bad in failed.items()
    ]
    text = f"{claim}: expected {rule.words}, got {'; '.join(found)}"
    if os.environ.get(RAISES):
        raise HoldFailed(text)
    line = f"Does not hold here (another version or device may differ): {text}"
    display(Output(line, f'<p class="ac-hold ac-hold-failed">✗ {html.escape(line)}</p>'))


def _worst(rule: _Rule, name: str, numbers: list[float], say: Callable[[float], str]) -> str:
    """Return the number that has the least to spare, with what it is called."""
    # NaN first: it cannot be compared.
    worst = min(numbers, key=lambda x: (not math.isnan(x), rule.spare(x)))
    said = say(worst)
    if name:
        return f"{name} {said}".rstrip()
    if len(numbers) == 1:
        return said
    count = len(numbers)
    return f"the {rule.worst} of {count} is {said}" if said else f"all {count}"


def _rule(at_least: Any, at_most: Any, above: Any, below: Any, near: Any, within: Any) -> _Rule:
    given = {
        "at_least": at_least,
        "at_most": at_most,
        "above": above,
        "below": below,
        "near": near,
        "within": within,
    }
    names = [name for name, bound in given.items() if bound is not None]
    if names == ["at_least", "at_most"]:
        names, within = ["within"], (at_least, at_most)
    if len(names) != 1:
        raise ValueError(
            f"hold: bound must be one of {_KINDS} (or at_least with at_most), "
            f"got {', '.join(names) or 'none'}"
        )
    name = names[0]
    if name == "near":
        expected, tolerance = _pair(name, near, "(expected, tolerance)")
        if tolerance <= 0:
            raise ValueError(f"hold: near must have a tolerance above 0, got {tolerance!r}")
        words = f"within {as_given(tolerance)} of {as_given(expected)}"
        return _Rule(
            words,
            lambda x: tolerance - abs(x - expected),
            "farthest",
            expected=expected,
            tolerance=tolerance,
        )
    if name == "within":
        low, high = _pair(name, within, "(low, high)")
        if low > high:
            raise ValueError(f"hold: within must be (low, high), got {(low, high)!r}")
        words = f"from {as_given(low)} to {as_given(high)}"
        return _Rule(words, lambda x: min(x - low, high - x), "one nearest to an end")
    bound, closed = _bound(name, given[name]), name.startswith("at_")
    words = f"{name.replace('_', ' ')} {as_given(bound)}"
    if name in ("at_least", "above"):
        return _Rule(words, lambda x: x - bound, "smallest", closed)
    return _Rule(words, lambda x: bound - x, "largest", closed, tolerance=bound)


def _bound(name: str, bound: Any) -> float:
    try:
        number = math.nan if isinstance(bound, (bool, str)) else float(bound)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"hold: {name} must be a finite number, got {bound!r}")
    return number


def _pair(name: str, pair: Any, expected: str) -> tuple[float, float]:
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise ValueError(f"hold: {name} must be {expected}, got {pair!r}")
    return _bound(name, pair[0]), _bound(name, pair[1])


def _numbers(value: Any) -> dict[str, list[float]]:
    """Return the numbers by name; without a dictionary, all under the empty name."""
    if not isinstance(value, Mapping):
        return {"": as_array("hold: value", value).tolist()}
    if not value:
        raise ValueError("hold: value must hold at least one number, got {}")
    return {str(k): as_array(f"hold: value[{k!r}]", v).tolist() for k, v in value.items()}
