"""What stands between the model and its parts: it says which part failed, where, and how."""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from attention_course.assembled.slots import Slot, Wanted
from attention_course.exercises.runner import error_line

LOOPS = ("greedy", "beam")


class PartError(ValueError):
    """A reader's part cannot be used; the message names it, its block and its step."""


class _EndlessError(Exception):
    pass


class Seen(NamedTuple):
    """What a part has returned, from what: its path of slots, where, after which words."""

    path: tuple[str, ...]
    block: str
    at: str
    written: tuple[int, ...]
    given: tuple[Any, ...]
    named: dict[str, Any]
    found: Any


class Guard:
    """Call the parts of one model, and look at what the reader's return.

    Args:
        slots: those of the model.
        mine: the reader's parts, by the names of their slots.
        on_error: "stop", or "course" to go on with the course's part.
        n_words: numbers that greedy and beam may return.
    """

    def __init__(
        self,
        slots: Mapping[str, Slot],
        mine: Mapping[str, Callable[..., Any]],
        on_error: str,
        n_words: int,
    ):
        self.slots = slots
        self.mine, self.on_error, self.n_words = mine, on_error, n_words
        self.notes: list[str] = []
        self.seen: list[Seen] | None = None
        self.path: list[str] = []
        self.block, self.at = "", ""
        self.written: tuple[int, ...] = ()
        self.caches: list[GuardedCache] = []

    def install(self, space: dict[str, Any], prefix: str) -> None:
        """Put every part of a namespace behind this guard."""
        for name, slot in self.slots.items():
            key = prefix + slot.name
            part = partial(GuardedCache, self) if name == "cache" else self.run
            space[key] = partial(part, name, space[key])
        for name, at in {"encode": "while reading", "follow": "with all words at once"}.items():
            if prefix + name in space:
                # A context manager of contextlib decorates functions too.
                space[prefix + name] = self.place(at, ())(space[prefix + name])

    @contextmanager
    def place(self, at: str, written: tuple[int, ...]) -> Iterator[None]:
        """Say where the model is as long as the block runs."""
        before = self.at, self.written
        self.at, self.written = at, written
        try:
            yield
        finally:
            self.at, self.written = before

    def run(self, name: str, course: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Call the part of a slot: the reader's, or else the course's."""
        mine = self.mine.get(name)
        if name in LOOPS:
            mine, course = mine and self.limited(mine), self.limited(course)
        slot = self.slots[name]
        wanted = slot.wanted(*args, **more) if mine and slot.wanted else None
        return self.call(name, mine, course, args, more, wanted)

    def call(
        self,
        name: str,
        mine: Callable[..., Any] | None,
        course: Callable[..., Any],
        args: Sequence[Any],
        more: Mapping[str, Any],
        wanted: Wanted | None,
    ) -> Any:
        """Call a part; raise if the reader's cannot be used, or go on with the course's."""
        block = self.block
        self.block = next((a["name"] for a in args if isinstance(a, Mapping)), block)
        self.path.append(name)
        marks = [(cache, len(cache.pieces)) for cache in self.caches]
        watched = self.seen is not None
        given, named = (_copied(tuple(args)), _copied(dict(more))) if watched else ((), {})
        try:
            if mine is None:
                found, wrong = course(*args, **more), ""
            else:
                found, wrong = self.attempt(name, mine, args, more, wanted)
            if wrong:
                self.say(name, wrong)
                for cache, length in marks:
                    cache.back_to(length)
                found = course(*args, **more)
            if self.seen is not None:
                at = tuple(self.path), self.block, self.at, self.written
                self.seen.append(Seen(*at, given, named, _copied(found)))
            return found
        finally:
            self.path.pop()
            self.block = block

    def say(self, name: str, wrong: str) -> None:
        """Raise, or note it where the course's part goes on."""
        message = f"{name} {place_named(self.block, self.at)}: {wrong}"
        if self.on_error == "stop":
            raise PartError(message) from None
        note = f"{message}; the course's {name} goes on"
        if not any(earlier.startswith(f"{name} ") for earlier in self.notes):
            warn(note, stacklevel=2)
        self.notes.append(note)

    def attempt(
        self,
        name: str,
        mine: Callable[..., Any],
        args: Sequence[Any],
        more: Mapping[str, Any],
        wanted: Wanted | None,
    ) -> tuple[Any, str]:
        """Return what a reader's part returns, and what is wrong with it, or nothing."""
        kept = {id(a): frozen(a) for a in (*args, *more.values())}
        try:
            with np.errstate(all="ignore"):
                found = mine(*(kept[id(a)] for a in args),
                             **{key: kept[id(a)] for key, a in more.items()})  # fmt: skip
        except PartError:
            raise
        except _EndlessError as error:
            return None, str(error)
        except Exception as error:
            if "read-only" in str(error) or "mappingproxy" in str(error):
                return None, "expected the arguments to stay as they are, got a write into one"
            return None, raised(error, self.slots[name].call)
        except BaseException as error:  # a limit of time: the innermost part is the first
            error.add_note(f"{name} {place_named(self.block, self.at)}")
            error.add_note(str(sum(one.path[-1] == name for one in self.seen or ())))
            raise
        if name in LOOPS:
            return self.words(found, args[3])
        found = _as_arrays(found, wanted or [])
        return found, complaint(found, wanted or [])

    def limited(self, loop: Callable[..., Any]) -> Callable[..., Any]:
        """Return a loop that may ask for logits only so often."""

        def call(next_logits: Callable[..., Any], *rest: int) -> Any:
            return loop(self.counted(next_logits, *rest[2:]), *rest)

        return call

    def counted(
        self, next_logits: Callable[..., Any], longest: int, width: int = 1
    ) -> Callable[[Sequence[int]], np.ndarray]:
        """Return ``next_logits`` with a limit to its calls and with its place said."""
        calls, limit = 0, (longest + 1) * width

        def counted(written: Sequence[int]) -> np.ndarray:
            nonlocal calls
            calls += 1
            if calls > limit:
                said = f"expected at most {limit} calls of next_logits, got one more"
                raise _EndlessError(said)
            numbers, wrong = self.words(written, longest + 1)
            if wrong or not numbers:
                raise TypeError(f"next_logits: {wrong or 'expected a word or more, got none'}")
            with self.place(f"at word {len(numbers)}", tuple(numbers)):
                return next_logits(numbers)

        return counted

    def words(self, found: Any, longest: int) -> tuple[list[int], str]:
        """Return numbers of words as a list, and what is wrong with them, or nothing."""
        whole = isinstance(found, (list, tuple, np.ndarray)) and all(
            isinstance(n, (int, np.integer)) and 0 <= n < self.n_words for n in found
        )
        if not whole or len(found) > longest:
            expected = f"expected at most {longest} whole numbers below {self.n_words}"
            return [], f"{expected}, got {str(found)[:60]}"
        return [int(n) for n in found], ""


class GuardedCache:
    """A cache of the reader's, or of the course's once that has failed."""

    def __init__(self, guard: Guard, name: str, course: Callable[[], Any]):
        self.guard, self.name, self.course = guard, name, course
        self.kind = guard.mine.get(name)
        self.pieces: list[tuple[np.ndarray, np.ndarray]] = []
        self.cache: Any = None
        guard.caches.append(self)

    def step(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Any:
        """Keep keys and values, and attend, with what is kept so far."""
        n = sum(piece[0].shape[-2] for piece in [*self.pieces, (k, v)])
        wanted: Wanted = [(float, (*q.shape[:-1], n)), (float, (*q.shape[:-1], v.shape[-1]))]
        mine = None if self.kind is None else self._mine
        found = self.guard.call(self.name, mine, self._course, (q, k, v), {}, wanted)
        self.pieces.append((k, v))
        return found

    def back_to(self, length: int) -> None:
        """Forget all pieces but the first."""
        if length < len(self.pieces):
            self.pieces, self.cache = self.pieces[:length], None

    def _filled(self) -> Any:
        if self.cache is None:
            self.cache = (self.kind or self.course)()
            for k, v in self.pieces:
                self.cache.append(k, v)
        return self.cache

    def _mine(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Any:
        cache = self._filled()
        n = cache.length + k.shape[-2]
        found = cache.step(q, k, v)
        if cache.length != n:
            raise ValueError(f"length is {cache.length} where {n} positions are kept")
        return found

    def _course(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Any:
        if self.kind is not None:  # it has failed: the course's begins with what came before
            self.kind = self.cache = None
        return self._filled().step(q, k, v)


def place_named(block: str, at: str) -> str:
    """Return the words for a block, if it is in one, and a step."""
    return f"in {block} {at}" if block else at


def raised(error: BaseException, call: str) -> str:
    """Say at which line of a part what was raised, or that it cannot be called."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [(frame.filename, frame.lineno or 0) for frame in frames]
    theirs = [file for file, _ in lines if file != __file__ and file[:8] != "<adapter"]
    if not theirs:
        return f"expected {call}, got {type(error).__name__}: {error}"
    return error_line(error, [line for file, line in lines if file == theirs[0]][-1])


def _copied(a: Any) -> Any:
    """Return arrays as they are now, whatever is written into them later."""
    if isinstance(a, tuple):
        return tuple(_copied(one) for one in a)
    if isinstance(a, dict):
        return {key: _copied(one) for key, one in a.items()}
    return a.copy() if isinstance(a, np.ndarray) else a


def frozen(a: Any) -> Any:
    """Return arrays that nobody can write into, also those in lists and dictionaries."""
    if isinstance(a, np.ndarray) and a.flags.writeable:
        a = a.view()
        a.flags.writeable = False
    elif isinstance(a, dict):
        return MappingProxyType({key: frozen(value) for key, value in a.items()})
    return [frozen(one) for one in a] if isinstance(a, list) else a


def _as_arrays(found: Any, wanted: Wanted) -> Any:
    """Return lists of numbers, tensors, and single precision as arrays, as ``check`` does."""
    if len(wanted) > 1 and isinstance(found, tuple | list) and len(found) == len(wanted):
        pairs = zip(found, wanted, strict=True)
        return tuple(_as_arrays(one, [each]) for one, each in pairs)
    if len(wanted) != 1 or not (isinstance(found, list | tuple) or hasattr(found, "__array__")):
        return found
    try:
        array = np.asarray(found.detach() if hasattr(found, "detach") else found)
    except (ValueError, TypeError):  # rows of different lengths, a tensor on another device
        return found
    same = array.dtype.kind == np.dtype(wanted[0][0]).kind
    return array.astype(wanted[0][0], copy=False) if same else found


def complaint(found: Any, wanted: Wanted) -> str:
    """Say what was expected in place of what a part has returned, or nothing."""
    if len(wanted) > 1 and not (isinstance(found, tuple | list) and len(found) == len(wanted)):
        return f"expected {len(wanted)} arrays, got {_said(found)}"
    for i, (dtype, shape) in enumerate(wanted):
        one = found[i] if len(wanted) > 1 else found
        right = isinstance(one, np.ndarray) and one.dtype == dtype and one.shape == shape
        which = f" as result {i + 1}" if len(wanted) > 1 else ""
        expected = f"expected an array of {np.dtype(dtype)} of shape {shape}{which}"
        if not right:
            return f"{expected}, got {_said(one)}"
        if not np.isfinite(one).all():
            kind = "NaN" if np.isnan(one).any() else "infinity"
            return f"{expected} with finite numbers, got {kind}"
    return ""


def _said(found: Any) -> str:
    if isinstance(found, np.ndarray):
        return f"an array of {found.dtype} of shape {found.shape}"
    if isinstance(found, tuple | list):
        return f"{type(found).__name__} of {len(found)}"
    return "None" if found is None else f"a value of type {type(found).__name__}"
