"""The decorator that checks what a public function is given, as its signature says.

Arrays of NumPy and tensors of torch are declared in the same way, and a method is named by its
class. So a body holds the formula alone. An inner call of another public function is not
checked again, unless its arrays come in an object or a list, into which a signature does not
look.
"""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast, get_args, no_type_check

import numpy as np

from attention_course._shapes import array_type, axes_of
from attention_course.reference._check import LEAST, WORDS, Call

F = TypeVar("F", bound=Callable[..., Any])
PLAIN = (int, float, str, bool, None, type(None), np.random.RandomState, ...)
#: How the names of a kind's formats begin.
KINDS = {"Float": ("float", "bfloat"), "Int": ("int", "uint"), "Bool": ("bool",)}

_inside_checked_call = ContextVar("_inside_checked_call", default=False)


def checked(
    *also: Callable[[Call], object],
    non_empty_axes: str = "",
    upcast_float16: bool | str = False,
    ignore_warnings: str = "",
    **rules: Any,
) -> Callable[[F], F]:
    """Check arguments by their annotations, and by what no shape can say.

    Args:
        also: called last, for what concerns several arguments.
        non_empty_axes: axes that must not be empty.
        upcast_float16: compute float16 in float32 and round the result; names of arguments
            round the first result alone, to their format.
        ignore_warnings: what NumPy need not warn of while the body runs.
        rules: for an argument a rule of ``_check``, or several; for an axis its length, as a
            function of other axes and arguments.
    """

    def decorate(function: F) -> F:
        declared = _Declared(function, also, non_empty_axes.split(), rules)
        if ignore_warnings:
            ignored: dict[str, Any] = dict.fromkeys(ignore_warnings.split(), "ignore")
            function = np.errstate(**ignored)(function)
        compute = _upcasting(function, declared, upcast_float16) if upcast_float16 else function

        @wraps(function)
        @no_type_check
        def checked_call(*args, **kwargs):
            __tracebackhide__ = True
            if _inside_checked_call.get():
                return function(*args, **kwargs)
            try:
                given = declared.bind(*args, **kwargs)
            except TypeError:
                return function(*args, **kwargs)  # Python says what is wrong
            try:
                declared.check(given)
            except ValueError as error:
                # The reader sees the call, not the steps of the check.
                raise error.with_traceback(None) from None
            before = _inside_checked_call.set(not declared.hides_arrays)
            try:
                found = compute(**given)
            finally:
                _inside_checked_call.reset(before)
            single = declared.returns_array and isinstance(found, np.generic)
            return np.asarray(found) if single else found

        return cast(F, checked_call)

    return decorate


class _Shape(NamedTuple):
    """What an annotation says of one argument."""

    name: str
    array: type  # of NumPy or torch
    kind: str  # of its dtype
    axes: tuple[tuple[int, str], ...]  # the named ones; from the end behind a star
    star: str | None
    rank: int  # how many axes beside the star's
    before: int  # how many of them in front of it
    also: tuple[type, ...]  # what may come instead of an array

    def expected(self, array: str) -> str:
        """Return what the argument must be, in words."""
        whose = "a NumPy array" if self.array is np.ndarray else "a tensor"
        if self.kind == "Bool":
            return f"{whose.replace('a ', 'a boolean ')} (True = may attend)"
        if self.kind == "Int":
            return f"{whose} of whole numbers"
        return f"{array if self.array is np.ndarray else whose} of floats"


class _Declared:
    """What a function's signature and its rules ask of a call."""

    def __init__(
        self,
        function: Callable[..., Any],
        also: tuple[Callable[[Call], object], ...],
        non_empty: list[str],
        rules: dict[str, Any],
    ):
        self.signature = inspect.signature(function)
        self.name, self.also, self.non_empty = function.__name__, also, non_empty
        parameters = self.signature.parameters
        shapes = [_shape(p) for p in parameters.values()]
        self.arrays = [shape for shape in shapes if shape]
        self.optional = {p.name for p in parameters.values() if p.default is None}
        self.hides_arrays = not all(_plain(p.annotation) for p in parameters.values())
        self.returns_array = axes_of(self.signature.return_annotation) is not None
        self.rules = {
            n: rule if isinstance(rule, tuple) else (rule,) for n, rule in rules.items()
        }
        self.broadcast = {
            n for n, (rule, *_) in self.rules.items() if rule.__name__ == "broadcasts"
        }

    @no_type_check
    def bind(self, *args, **kwargs) -> dict[str, Any]:
        """Return a call's arguments by name; raise TypeError as Python does."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def check(self, given: dict[str, Any]) -> None:
        """Raise unless a call is right; put what the rules return in the arguments' places."""
        function = type(given["self"]).__name__ if "self" in given else self.name
        call = Call(function, given)
        _check_arrays(call, self.arrays, self.broadcast)
        for axis in self.non_empty:
            if call.sizes[axis] == 0:
                expected = LEAST.get(axis, f"{axis} of at least 1")
                raise call.fail(call.owners[axis], f"an array with {expected}")
        for name, rules in self.rules.items():
            if name not in given:
                call.require_length(name, rules[0](*map(call.__getitem__, _names(rules[0]))))
            elif given[name] is not None or name not in self.optional:
                for rule in rules:
                    given[name] = rule(call, name, given[name])
        for ask in self.also:
            ask(call)


def _shape(parameter: inspect.Parameter) -> _Shape | None:
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    if axes_of(parameter.annotation):
        kinds = (parameter.annotation,)
    found = [(kind, known) for kind in kinds if (known := axes_of(kind))]
    if not found:
        return None
    annotation, (kind, named) = found[0]
    words = named.replace("...", "*").replace("#", "").split()
    at = next((i for i, word in enumerate(words) if word[0] == "*"), len(words))
    rest = len(words) - at - 1
    axes = [*enumerate(words[:at]), *zip(range(-rest, 0), words[at + 1 :], strict=False)]
    star = words[at][1:] if at < len(words) else None
    other = [kind for kind in kinds if not axes_of(kind)]
    also = (*other, int, np.number) if float in other else tuple(other)
    rank, array = len(words) - (star is not None), array_type(annotation)
    return _Shape(parameter.name, array, kind, tuple(axes), star, rank, at, also)


def _plain(kind: Any) -> bool:
    """Return whether checks see all of an argument: it is no record, list or function."""
    if axes_of(kind) or any(kind is known for known in PLAIN):
        return True
    return bool(get_args(kind)) and all(map(_plain, get_args(kind)))


def _check_arrays(call: Call, arrays: list[_Shape], broadcast: set[str]) -> None:
    """Raise unless arrays have the declared kinds, axes and equal lengths."""
    present = [shape for shape in arrays if _is_array(call, shape)]
    for shape in present:
        _check_kind(call, shape, shape.name not in broadcast)
    present = [shape for shape in present if shape.name not in broadcast]
    for shape in present:
        _check_axes(call, shape)
    for shape in present:
        if shape.star:
            _check_batch(call, shape, present)


def _is_array(call: Call, shape: _Shape) -> bool:
    x = call.given[shape.name]
    if isinstance(x, shape.array):
        return True
    if isinstance(x, shape.also):
        return False
    raise call.fail(shape.name, shape.expected("a NumPy array"), type(x).__name__)


def _check_kind(call: Call, shape: _Shape, rank: bool) -> None:
    x = call.given[shape.name]
    if not getattr(x.dtype, "name", str(x.dtype).rpartition(".")[2]).startswith(
        KINDS[shape.kind]
    ):
        raise call.fail(shape.name, shape.expected("an array"), f"dtype {x.dtype}")
    if rank and (x.ndim < shape.rank or (x.ndim != shape.rank and shape.star is None)):
        how = "exactly" if shape.star is None else "at least"
        axes = f"{shape.rank} {'axis' if shape.rank == 1 else 'axes'}"
        raise call.fail(shape.name, f"an array with {how} {axes}")


def _check_axes(call: Call, shape: _Shape) -> None:
    lengths, sizes, owners = call.given[shape.name].shape, call.sizes, call.owners
    for at, axis in shape.axes:
        if sizes.setdefault(axis, lengths[at]) != lengths[at]:
            if owners.get(axis, shape.name) == shape.name:
                raise call.fail(shape.name, f"an array whose axes {axis} are equal")
            what = WORDS.get(axis, f"the axis {axis}")
            raise call.disagree([owners[axis], shape.name], what)
        owners.setdefault(axis, shape.name)


def _check_batch(call: Call, shape: _Shape, present: list[_Shape]) -> None:
    lengths, star = tuple(call.given[shape.name].shape), shape.star or ""
    batch = lengths[shape.before : len(lengths) - shape.rank + shape.before]
    if call.batches.setdefault(star, batch) != batch:
        alike = [other.name for other in present if other.star == star]
        raise call.disagree(alike, "their batch axes")


def _names(length: Callable[..., int]) -> tuple[str, ...]:
    return length.__code__.co_varnames[: length.__code__.co_argcount]


def _upcasting(function: F, declared: _Declared, upcast: bool | str) -> Callable[..., Any]:
    """Make float32 of float16, and round to it again what those arguments alone have made."""
    floats = [shape.name for shape in declared.arrays if shape.kind == "Float"]
    rounding = upcast.split() if isinstance(upcast, str) else floats

    def compute(**given: Any) -> Any:
        present = [name for name in floats if isinstance(given[name], np.ndarray)]
        short = [name for name in present if given[name].dtype == np.float16]
        wide = {name: given[name].astype(np.float32) for name in short}
        found = function(**{**given, **wide})
        if not (bool(short) and all(name in short for name in present if name in rounding)):
            return found
        if not isinstance(found, tuple):
            return found.astype(np.float16)
        rounded = found[:1] if isinstance(upcast, str) else found
        return (*(x.astype(np.float16) for x in rounded), *found[len(rounded) :])

    return compute
