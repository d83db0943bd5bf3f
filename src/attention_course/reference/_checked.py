"""The decorator that checks what a public function is given, as its signature says.

So a body holds the formula alone. An inner call of another public function is not checked
again, unless its arrays come in a record or a list, into which a signature does not look.
"""

import inspect
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast, get_args, no_type_check

import numpy as np

from attention_course._shapes import axes_of
from attention_course.reference._check import LEAST, WORDS, Call

F = TypeVar("F", bound=Callable[..., Any])
PLAIN = (int, float, str, bool, None, type(None), np.random.RandomState, ...)
KINDS = {"Float": "f", "Int": "iu", "Bool": "b"}


class _Within(threading.local):
    checked = False


_within = _Within()


def checked(
    *also: Callable[[Call], object],
    filled: str = "",
    half: bool | str = False,
    quiet: str = "",
    **rules: Any,
) -> Callable[[F], F]:
    """Check arguments by their annotations, and by what no shape can say.

    Args:
        also: called last, for what concerns several arguments.
        filled: axes that must not be empty.
        half: compute float16 in float32 and round what comes out; names of arguments round
            the first result alone, to their format.
        quiet: what NumPy need not warn of while the body runs.
        rules: for an argument a rule of ``_check``, or several; for an axis its length, as a
            function of other axes and arguments.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        parameters = signature.parameters.values()
        shapes = {p.name: _shape(p) for p in parameters}
        arrays = [shape for shape in shapes.values() if shape]
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        names = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        deep = not all(_plain(p.annotation) for p in parameters)
        single = axes_of(signature.return_annotation) is not None
        ordered = {n: rule if isinstance(rule, tuple) else (rule,) for n, rule in rules.items()}
        loose = {n for n, (rule, *_) in ordered.items() if rule.__name__ == "fits"}
        halves = half.split() if isinstance(half, str) else [a.name for a in arrays]
        if quiet:
            function = _quietly(function, dict.fromkeys(quiet.split(), "ignore"))

        def check(given: dict[str, Any]) -> None:
            call = Call(function.__name__, given)
            _check_arrays(call, arrays, loose)
            for axis in filled.split():
                if call.sizes[axis] == 0:
                    expected = LEAST.get(axis, f"{axis} of at least 1")
                    raise call.fail(call.owners[axis], f"an array with {expected}")
            for name, several in ordered.items():
                if name not in shapes:
                    call.hold(name, several[0](*map(call.__getitem__, _names(several[0]))))
                elif given[name] is not None or defaults.get(name, 0) is not None:
                    for rule in several:
                        given[name] = rule(call, name, given[name])
            for rule in also:
                rule(call)

        @no_type_check
        def wrapper(*args, **kwargs):
            __tracebackhide__ = True
            if _within.checked:
                return function(*args, **kwargs)
            given = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
            twice = kwargs and not kwargs.keys().isdisjoint(names[: len(args)])
            if twice or len(args) > len(names) or given.keys() != shapes.keys():
                return function(*args, **kwargs)  # Python says what is wrong
            try:
                check(given)
            except ValueError as error:
                raise error.with_traceback(None) from None
            rounds = half and _widen(given, arrays, halves)
            _within.checked = not deep
            try:
                found = function(**given)
            finally:
                _within.checked = False
            if rounds:
                found = _rounded(found, half)
            return np.asarray(found) if single and isinstance(found, np.generic) else found

        # A traceback names the function, not what checks for it.
        wrapper.__code__ = wrapper.__code__.replace(co_name=function.__name__)
        return cast(F, wraps(function)(wrapper))

    return decorate


def _quietly(function: F, ignored: dict[str, Any]) -> F:
    @wraps(function)
    @no_type_check
    def quietly(*args, **kwargs):
        with np.errstate(**ignored):
            return function(*args, **kwargs)

    return cast(F, quietly)


class _Shape(NamedTuple):
    """What an annotation says of one argument."""

    name: str
    kind: str  # of its dtype
    axes: tuple[tuple[int, str], ...]  # the named ones; from the end behind a star
    star: str | None
    rank: int  # how many axes beside the star's
    before: int  # how many of them in front of it
    also: tuple[type, ...]  # what may come instead of an array


def _shape(parameter: inspect.Parameter) -> _Shape | None:
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    if axes_of(parameter.annotation):
        kinds = (parameter.annotation,)
    found = [known for kind in kinds if (known := axes_of(kind))]
    if not found:
        return None
    words = found[0][1].replace("...", "*").replace("#", "").split()
    at = next((i for i, word in enumerate(words) if word[0] == "*"), len(words))
    rest = len(words) - at - 1
    axes = [*enumerate(words[:at]), *zip(range(-rest, 0), words[at + 1 :], strict=False)]
    star = words[at][1:] if at < len(words) else None
    other = [kind for kind in kinds if not axes_of(kind)]
    also = (*other, int, np.number) if float in other else tuple(other)
    rank, kind = len(words) - (star is not None), KINDS[found[0][0]]
    return _Shape(parameter.name, kind, tuple(axes), star, rank, at, also)


def _plain(kind: Any) -> bool:
    """Return whether checks see all of an argument: it is no record, list or function."""
    if axes_of(kind) or any(kind is known for known in PLAIN):
        return True
    return bool(get_args(kind)) and all(map(_plain, get_args(kind)))


def _check_arrays(call: Call, arrays: list[_Shape], loose: set[str]) -> None:
    given, sizes, owners, batches = call.given, call.sizes, call.owners, call.batches
    present = []
    for shape in arrays:
        x = given[shape.name]
        if not isinstance(x, np.ndarray):
            if isinstance(x, shape.also):
                continue
            raise call.fail(shape.name, _what(shape.kind, "a NumPy array"), type(x).__name__)
        if x.dtype.kind not in shape.kind:
            raise call.fail(shape.name, _what(shape.kind, "an array"), f"dtype {x.dtype}")
        if shape.name not in loose:
            present.append((shape, x.shape))
            if x.ndim < shape.rank or (x.ndim != shape.rank and shape.star is None):
                how = "exactly" if shape.star is None else "at least"
                axes = f"{shape.rank} {'axis' if shape.rank == 1 else 'axes'}"
                raise call.fail(shape.name, f"an array with {how} {axes}")
    for shape, lengths in present:
        for at, axis in shape.axes:
            if sizes.setdefault(axis, lengths[at]) != lengths[at]:
                if owners.get(axis, shape.name) == shape.name:
                    raise call.fail(shape.name, f"an array whose axes {axis} are equal")
                what = WORDS.get(axis, f"the axis {axis}")
                raise call.disagree([owners[axis], shape.name], what)
            owners.setdefault(axis, shape.name)
    for shape, lengths in present:
        if shape.star:
            batch = lengths[shape.before : len(lengths) - shape.rank + shape.before]
            if batches.setdefault(shape.star, batch) != batch:
                alike = [other.name for other, _ in present if other.star == shape.star]
                raise call.disagree(alike, "their batch axes")


def _names(length: Callable[..., int]) -> tuple[str, ...]:
    return length.__code__.co_varnames[: length.__code__.co_argcount]


def _what(kind: str, array: str) -> str:
    if kind == "b":
        return "a boolean NumPy array (True = may attend)"
    return f"{array} of floats" if kind == "f" else "a NumPy array of whole numbers"


def _widen(given: dict[str, Any], arrays: list[_Shape], halves: list[str]) -> bool:
    """Make float32 of float16; return whether what comes out is rounded to float16 again."""
    floats = [a.name for a in arrays if a.kind == "f" and isinstance(given[a.name], np.ndarray)]
    short = [name for name in floats if given[name].dtype.char == "e"]
    for name in short:
        given[name] = given[name].astype(np.float32)
    return bool(short) and all(name in short for name in floats if name in halves)


def _rounded(found: Any, half: bool | str) -> Any:
    if not isinstance(found, tuple):
        return found.astype(np.float16)
    rest = found[1:] if isinstance(half, str) else (x.astype(np.float16) for x in found[1:])
    return (found[0].astype(np.float16), *rest)
