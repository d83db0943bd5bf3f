"""What ``checked`` can ask of an argument: each rule returns what the body gets, or raises."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

SUM_TOLERANCE = 0.01
#: How messages call an axis that queries, keys and their like share.
WORDS = {"q": "the number of queries", "k": "the number of keys", "d_k": "their last axis, d_k"}
WORDS |= {"d_q": "the query width", "d_key": "the key width", "d_a": "the hidden width"}
LEAST = {"k": "at least one key", "source": "at least one row", "parts": "at least one part"}


def fail(function: str, argument: str, expected: str, got: object) -> ValueError:
    """Return the error that every public function raises for a bad argument."""
    return ValueError(f"{function}: {argument} must be {expected}, got {got}")


class Call:
    """One call of a public function: its name, its arguments and the lengths of their axes."""

    __slots__ = ("batches", "function", "given", "owners", "sizes")

    def __init__(self, function: str, given: dict[str, Any]):
        self.function, self.given = function, given
        self.sizes: dict[str, int] = {}  # by axis
        self.owners: dict[str, str] = {}  # the argument that an axis was found in
        self.batches: dict[str, tuple[int, ...]] = {}  # by name: the axes in front

    def __getitem__(self, name: str) -> Any:
        return self.sizes[name] if name in self.sizes else self.given[name]

    def fail(self, argument: str, expected: str, got: object = None) -> ValueError:
        """Return the error for one argument; an array is told by its shape."""
        if got is None:
            got = f"shape {tuple(self.given[argument].shape)}"
        return fail(self.function, argument, expected, got)

    def disagree(self, arguments: list[str], what: str, has: str = "shape") -> ValueError:
        """Return the error for arguments that do not fit together, with what each has."""
        *first, last = arguments
        found = [getattr(self.given[name], has) for name in arguments]
        known = [tuple(x) if has == "shape" else x for x in found]
        shapes = [f"{n} of {has} {x}" for n, x in zip(arguments, known, strict=True)]
        told = ", ".join(shapes) if len(shapes) > 2 else " and ".join(shapes)
        expected = f"{', '.join(first)} and {last} must agree in {what}"
        return ValueError(f"{self.function}: {expected}, got {told}")

    def require_length(self, axis: str, length: int) -> None:
        """Raise unless an axis has this length, which it has from now on if it had none."""
        if self.sizes.setdefault(axis, length) != length:
            raise self.fail(self.owners[axis], f"an array with {axis} = {length}")


Rule = Callable[[Call, str, Any], Any]


def finite(call: Call, argument: str, x: Any) -> float:
    """Ask for a finite number, and make it a Python float: it keeps float16 as it is."""
    number = isinstance(x, (int, float, np.integer, np.floating))
    if not number or isinstance(x, bool) or not math.isfinite(x):
        raise call.fail(argument, "a finite number", repr(x))
    return float(x)


def all_finite(call: Call, argument: str, x: np.ndarray) -> np.ndarray:
    """Ask for an array without NaN and infinity."""
    if not np.isfinite(x).all():
        raise call.fail(argument, "finite numbers", f"{x[~np.isfinite(x)][0]} in it")
    return x


def positive_number(call: Call, argument: str, x: Any) -> Any:
    """Ask for a finite number above 0."""
    number = isinstance(x, (int, float, np.integer, np.floating))
    if not number or isinstance(x, bool) or not 0 < x < math.inf:
        raise call.fail(argument, "a positive finite number", repr(x))
    return x


def sums_to_one(call: Call, argument: str, p: Any) -> np.ndarray:
    """Ask for rows that sum to 1, or to 0 where nothing was seen.

    A hundredth is allowed: weights stored in bfloat16 have lost up to half of that.
    """
    if not np.all((p >= 0) & (p <= 1)):  # False for NaN as well
        got = f"range {p.min()} to {p.max()}"
        raise call.fail(argument, "weights between 0 and 1", got)
    sums = p.sum(axis=-1, dtype=np.float64)
    off = (np.abs(sums - 1) > SUM_TOLERANCE) & (sums != 0)
    if off.any():
        expected = "weights that sum to 1 in each row (or to 0 where nothing is seen)"
        raise call.fail(argument, expected, f"a sum of {np.atleast_1d(sums)[off].flat[0]:.3g}")
    return p


def whole(least: int = 1, most: int | None = None) -> Rule:
    """Ask for a whole number in a range, and make it an int."""
    expected = "a positive whole number" if least == 1 else f"a whole number from {least}"
    if most is not None:
        expected = f"a whole number from {least} to {most}"

    def whole(call: Call, argument: str, n: Any) -> int:
        try:
            found = least - 1 if isinstance(n, (bool, np.bool_)) else operator.index(n)
        except TypeError:
            found = least - 1
        if found < least or (most is not None and found > most):
            raise call.fail(argument, expected, repr(n))
        return found

    return whole


def even(call: Call, argument: str, n: int) -> int:
    """Ask for an even number."""
    if n % 2:
        raise call.fail(argument, "even", n)
    return n


def _compared(words: str, holds: Callable[[Any, Any], bool]) -> Callable[[str], Rule]:
    def with_other(other: str) -> Rule:
        def compare(call: Call, argument: str, n: Any) -> Any:
            if not holds(n, call[other]):
                raise call.fail(argument, f"{words} {other} = {call[other]}", n)
            return n

        return compare

    return with_other


#: Each takes the name of another argument, or of an axis.
at_least = _compared("at least", operator.ge)
at_most = _compared("at most", operator.le)
below = _compared("below", operator.lt)
multiple_of = _compared("a multiple of", lambda n, other: n % other == 0)
divisor_of = _compared("a divisor of", lambda n, other: other % n == 0)


def one_of(*choices: str) -> Rule:
    """Ask for one of several names."""

    def choose(call: Call, argument: str, x: Any) -> str:
        if not isinstance(x, str) or x not in choices:
            raise call.fail(argument, f"one of {', '.join(choices)}", repr(x))
        return x

    return choose


def broadcasts_to(shape: str, expand: bool = False) -> Rule:
    """Ask for booleans that broadcast to a shape, such as "*batch q k"; ``expand`` does so."""

    def broadcasts(call: Call, argument: str, mask: Any) -> Any:
        wanted: tuple[int, ...] = ()
        for axis in shape.split():
            wanted += call.batches[axis[1:]] if axis[0] == "*" else (call[axis],)
        try:
            known = np.broadcast_shapes(tuple(mask.shape), wanted) == wanted
        except ValueError:
            known = False
        if not known:
            whose = "the scores'" if argument == "mask" else "the"
            raise call.fail(argument, f"broadcastable to {whose} shape {wanted}")
        return np.broadcast_to(mask, wanted) if expand else mask

    return broadcasts


def symbols_of(rows: str) -> Rule:
    """Ask for numbers of rows of another argument (``"weights.E_x"``: of a part of it)."""

    def symbols(call: Call, argument: str, tokens: Any) -> Any:
        name, *parts = rows.split(".")
        table = getattr(call[name], parts[0]) if parts else call[name]
        if not isinstance(table, np.ndarray) or table.ndim != 2:
            raise call.fail(rows, "an array with exactly 2 axes", type(table).__name__)
        if len(tokens) == 0 or not all(0 <= token < len(table) for token in tokens):
            expected = f"one or more numbers below {len(table)}"
            raise call.fail(argument, expected, list(tokens))
        return tokens

    return symbols


def non_empty(call: Call, argument: str, x: Any) -> Any:
    """Ask for a sequence of at least one."""
    if len(x) == 0:
        raise call.fail(argument, "one or more", "none")
    return x


def enough_keys(call: Call) -> None:
    """Ask for as many keys as queries, where a query sees what is before it."""
    if call["k"] < call["q"] and call.given.get("causal", True):
        raise call.fail("k", f"at least as many keys as queries, {call['q']}")


def square_if_causal(call: Call, argument: str, causal: bool) -> bool:
    """Ask for as many keys as queries, where a query sees what is before it."""
    if causal and call["q"] != call["k"]:
        expected = "False where queries and keys differ in number"
        raise call.fail(argument, expected, causal)
    return causal


def one_format(*names: str) -> Callable[[Call], None]:
    """Ask for tensors of one dtype, on one device."""

    def ask(call: Call) -> None:
        for has in ("dtype", "device"):
            if len({getattr(call.given[name], has) for name in names}) > 1:
                raise call.disagree([*names], f"their {has}", has)

    return ask


def text(call: Call, argument: str, x: Any) -> str:
    """Ask for a text."""
    if not isinstance(x, str):
        raise call.fail(argument, "text", repr(x))
    return x


def non_empty_text(call: Call, argument: str, text: Any) -> str:
    """Ask for a text of at least one symbol."""
    if not isinstance(text, str) or not text:
        raise call.fail(argument, "a text of at least one symbol", repr(text))
    return text
