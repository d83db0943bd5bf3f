"""A row says of a function how its result can be had otherwise.

``amiss`` looks at the function by every draw of its row: its values beside those of each
rival, its arguments afterwards, arrays that do not lie in one piece, the format of its
results, and a batch.
"""

import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch


class Given(NamedTuple):
    """Arguments of one call."""

    args: tuple
    more: dict[str, Any]

    def to(self, function: Callable, warned: str = "ignore") -> Any:
        with np.errstate(over=warned, invalid=warned, divide=warned, under="ignore"):
            return function(*copy.deepcopy(self.args), **copy.deepcopy(self.more))

    def changed(self, change: Callable[[np.ndarray], np.ndarray]) -> "Given":
        """Return the same call with every array of floats changed."""

        def each(x: Any) -> Any:
            if isinstance(x, np.ndarray) and x.dtype.kind == "f":
                return change(x)
            whole = isinstance(x, (tuple, list)) and not hasattr(x, "_fields")
            return type(x)(map(each, x)) if whole else x

        return Given(each(self.args), {name: each(x) for name, x in self.more.items()})


def given(*args: Any, **more: Any) -> Given:
    return Given(args, more)


class Row(NamedTuple):
    """One function: its rivals and its draws."""

    function: Callable
    rivals: tuple[Callable, ...]
    draws: Sequence[Given]
    atol: float
    formats: bool  # results have the format of the arguments
    batch: int  # so many of the first arguments may have one more axis in front
    name: str


def row(
    function: Callable,
    *rivals: Callable,
    draws: Sequence[Given],
    atol: float = 1e-10,
    formats: bool = False,
    batch: int = 0,
    part: str = "",
) -> Row:
    name = " ".join(filter(None, [function.__name__, part]))
    return Row(function, rivals, draws, atol, formats, batch, name)


def leaves(found: Any) -> list[np.ndarray]:
    """Return all arrays and numbers in a result, however deep."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return [x for part in found for x in leaves(part)]
    if hasattr(found, "detach"):
        found = found.detach()
    return [np.asarray(found)]


def differs(found: Any, wanted: Any, atol: float) -> str:
    """Say in which way two results differ; nothing if they do not."""
    one, other = leaves(found), leaves(wanted)
    if [x.shape for x in one] != [x.shape for x in other]:
        return f"shapes {[x.shape for x in one]} instead of {[x.shape for x in other]}"
    if [x.dtype == bool for x in one] != [x.dtype == bool for x in other]:
        return "numbers for booleans, or booleans for numbers"
    with np.errstate(all="ignore"):
        off = [
            np.abs(np.subtract(a, b, dtype=float)).max(initial=0)
            for a, b in zip(one, other, strict=True)
            if not (np.array_equal(a, b) or np.allclose(a, b, atol, atol, equal_nan=True))
        ]
    return f"off by {max(off):.3g}" if off else ""


def amiss(of: Row) -> Iterator[str]:
    """Yield what is wrong with a row's function, one draw after the other."""
    for at, call in enumerate(of.draws):
        kept = copy.deepcopy(call)
        with np.errstate(all="ignore"):
            found = of.function(*kept.args, **kept.more)
        for number, rival in enumerate(of.rivals):
            if said := differs(found, call.to(rival), of.atol):
                yield f"draw {at}, rival {number}: {said}"
        if differs([*kept.args, *kept.more.values()], [*call.args, *call.more.values()], 0):
            yield f"draw {at}: an argument was changed"
        apart = call.changed(lambda x: np.repeat(x[..., None], 2, -1)[..., 0])
        if said := differs(apart.to(of.function), found, of.atol):
            yield f"draw {at}, not in one piece: {said}"
    if of.formats:
        for dtype in (np.float16, np.float32, np.float64):
            call = of.draws[0].changed(lambda x, dtype=dtype: x.astype(dtype))
            formats = {x.dtype for x in leaves(call.to(of.function)) if x.dtype.kind == "f"}
            if formats != {np.dtype(dtype)}:
                yield f"of {dtype.__name__} it makes {formats}"
    if of.batch:
        args, more = of.draws[0]
        turned = [np.flip(x, 0).copy() if x.ndim else x for x in args[: of.batch]]
        both = [np.stack(pair) for pair in zip(args[: of.batch], turned, strict=True)]
        together = given(*both, *args[of.batch :], **more).to(of.function)
        for i, alone in enumerate((args[: of.batch], turned)):
            one = given(*alone, *args[of.batch :], **more).to(of.function)
            if said := differs([x[i] for x in leaves(together)], one, of.atol):
                yield f"in a batch: {said}"


def is_right(rows: Sequence[Row]) -> Callable:
    """Mark a test of each row."""
    return pytest.mark.parametrize("of", rows, ids=[of.name for of in rows])


# What rivals are made of.


def draws(seed: int, *shapes: tuple[int, ...] | int) -> list[np.ndarray]:
    """Seeded standard normal arrays."""
    generator = np.random.RandomState(seed)
    return [generator.standard_normal(shape) for shape in shapes]


def by_torch(function: Callable) -> Callable:
    """Make a rival of arrays of what computes with tensors."""

    @functools.wraps(function)
    def rival(*args: Any, **more: Any) -> Any:
        def tensor(x: Any) -> Any:
            if not isinstance(x, np.ndarray):
                return x
            return torch.from_numpy(x if min(x.strides, default=0) >= 0 else x.copy())

        return function(*map(tensor, args), **{name: tensor(x) for name, x in more.items()})

    return rival


def slopes(function: Callable[[np.ndarray], float], x: np.ndarray, step: float = 1e-6):
    """Central differences of a number by each entry of an array."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        plus, minus = x.copy(), x.copy()
        plus[place] += step
        minus[place] -= step
        found[place] = (function(plus) - function(minus)) / (2 * step)
    return found
