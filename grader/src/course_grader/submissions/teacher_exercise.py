"""Reads a teacher's own exercise: one Python file with ``EXERCISE = Exercise(...)``.

The file is the teacher's, so its code runs here, once a process of its own has lived through
it: what ends that process, or never ends, is said in one line. It is carried as a text, because
a text travels to other processes and machines and an exercise, which holds functions, does not.
``attention-course exercise --example`` prints such a file.
"""

import ast
import hashlib
import inspect
import io
import re
import resource
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import MISSING, dataclass, fields, replace
from functools import lru_cache, partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from attention_course.exercises.protocol import (
    Call,
    EndlessError,
    Exercise,
    Probe,
    Right,
    Variant,
    Wrong,
    examine_source,
    stopped_after,
    targets,
)
from course_grader.safe_text import one_line

MOST_BYTES = 200_000
SECONDS = 10.0
MOST_MEMORY = 8 << 30
# A process that has said nothing for so long is ended.
SILENCE_S = 90.0
FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.py")
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
Say = Callable[[str], None]
Came = TypeVar("Came")


class TeacherError(ValueError):
    """An exercise's file cannot be used; the message names it, the line and what is wrong."""


@dataclass(frozen=True)
class TeacherExercise:
    """The file of a teacher's own exercise: its name and its text."""

    file: str
    text: str

    @property
    def exercise(self) -> Exercise:
        """The exercise that it makes; a process that others start leaves the trial to them.

        Raises:
            TeacherError: if it makes none; names the file, the line and what would mend it.
        """
        if parent_process() is None:
            _outlived(self)
        return _made(self)

    def anew(self) -> Exercise:
        """Return the exercise as another run of the file makes it."""
        return _made.__wrapped__(self)

    def line_of(self, piece: str, line: int) -> int:
        """Return the file's number of a line of a piece of code in it; 0 if it is not found."""
        at = self.text.find(piece.strip("\n"))
        return self.text[:at].count("\n") + line if at >= 0 and line else 0

    def place_of(self, piece: str, line: int) -> str:
        """Return where a line of a piece of code stands, in words."""
        number = self.line_of(piece, line)
        return f"{self.file}, line {number}" if number else self.file

    @contextmanager
    def running(self, what: str) -> Iterator[None]:
        """Turn whatever its code raises inside the block into one line; end it if it is slow.

        Raises:
            TeacherError: and says what was going on, and in which line of the file.
        """
        try:
            with (
                stopped_after(SECONDS),
                redirect_stdout(io.StringIO()),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                yield
        except EndlessError as error:
            slow = f"{what} takes more than {SECONDS:.0f} s; is there an endless loop?"
            raise TeacherError(f"{self._where(error)}: {slow}") from None
        except SyntaxError as error:
            raise TeacherError(f"{self._where(error)}: no Python: {error.msg}") from None
        except (Exception, SystemExit) as error:
            raised = f"{type(error).__name__}: {one_line(error)}".rstrip(": ")
            raise TeacherError(f"{self._where(error)}: {what} raises {raised}") from None

    def _where(self, error: BaseException) -> str:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == self.file]
        if isinstance(error, SyntaxError) and error.filename == self.file:
            lines.append(error.lineno)
        return f"{self.file}, line {lines[-1]}" if lines and lines[-1] else self.file


def read_teacher_exercise(path: Path) -> TeacherExercise:
    """Return the file of an exercise, unread.

    Raises:
        TeacherError: if it is no file that could hold one.
    """
    if not FILE.fullmatch(path.name):
        raise TeacherError(f"{path}: the file's name must be like my_exercise.py")
    if not path.is_file():
        raise TeacherError(f"{path}: there is no such file")
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TeacherError(
            f"{path}: it may have {MOST_BYTES} bytes; let its probes draw what is large"
        )
    try:
        return TeacherExercise(path.name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TeacherError(f"{path}, line {line}: it must be text in UTF-8") from None


def in_child(own: TeacherExercise, work: Callable[..., Came], *more: object) -> Came:
    """Return what a function of a file comes to in a process of its own, with little memory.

    Args:
        own: the file.
        work: takes the file, a function that says what is done just now, and the rest.
        *more: the rest.

    Raises:
        TeacherError: if it raises one, if the process ends, or nothing is heard of it for long.
    """
    context = get_context("spawn")
    hear, tell = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(tell, own, work, more), daemon=True)
    process.start()
    tell.close()
    doing = "is read"
    try:
        while True:
            if not hear.poll(SILENCE_S):
                raise TeacherError(
                    f"{own.file}: nothing was heard for {SILENCE_S:.0f} s while it {doing}: it "
                    "is too slow, or never ends; use smaller inputs"
                )
            kind, said = hear.recv()
            if kind == "done":
                return said
            if kind == "wrong":
                raise TeacherError(said)
            doing = said
    except EOFError:
        raise TeacherError(
            f"{own.file}: Python itself ended while it {doing}: the file ends it, or asks for "
            f"more than {MOST_MEMORY >> 30} GiB of memory"
        ) from None
    finally:
        process.kill()
        process.join()
        hear.close()


def _serve(
    tell: Connection, own: TeacherExercise, work: Callable[..., Any], more: tuple[Any]
) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = work(own, lambda text: tell.send(("at", text)), *more)
        tell.send(("done", done))
    except TeacherError as error:
        tell.send(("wrong", str(error)))
    except Exception as error:
        raised = f"{type(error).__name__}: {one_line(error)}"
        tell.send(("wrong", f"{own.file}: it cannot be tried: {raised}"))


@lru_cache(maxsize=64)
def _outlived(own: TeacherExercise) -> None:
    in_child(own, _lived_through)


def _lived_through(own: TeacherExercise, say: Say) -> None:
    """Do once what grading does with a file; what only raises is said where it is needed."""
    exercise = own.exercise
    for form in ("", *exercise.forms):
        say(f"draws inputs and solves them{f' as {form}' if form else ''}")
        with suppress(Exception):
            asked = exercise.varied(form)
            examine_source(asked, asked.solution)


@lru_cache(maxsize=64)
def _made(own: TeacherExercise) -> Exercise:
    space: dict[str, Any] = {"__name__": "own_exercise", "__file__": own.file}
    with own.running("the file"):
        exec(compile(own.text, own.file, "exec", dont_inherit=True), space)
    found = space.get("EXERCISE")
    if not isinstance(found, Exercise):
        raise TeacherError(
            f"{own.file}: it must end in EXERCISE = Exercise(...), got {type(found).__name__}; "
            "attention-course exercise --example prints such a file"
        )
    for name, why in _unfit(found):
        raise TeacherError(f"{_field(own, name)}: {name} {why}")
    fingerprint = hashlib.sha256(own.text.encode(errors="surrogatepass")).hexdigest()
    made = replace(
        found,
        statement=inspect.cleandoc(found.statement),
        stub=f"{inspect.cleandoc(found.stub)}\n",
        solution=f"{inspect.cleandoc(found.solution)}\n",
        probes=tuple(replace(p, calls=partial(_calls, own, p)) for p in found.probes),
        isolating=tuple(replace(p, calls=partial(_calls, own, p)) for p in found.isolating),
        variants=tuple(replace(v, adapt=partial(_adapted, own, v)) for v in found.variants),
        own=fingerprint,
    )
    with own.running("a wrong or an odd answer"):
        answers: tuple[Wrong | Right, ...] = (*made.wrong, *made.right)
        for answer in answers:
            made.source_of(answer)
        for form in made.forms:
            made.varied(form)
    return made


def _calls(own: TeacherExercise, probe: Probe, rng: np.random.Generator) -> list[Call]:
    """Draw a probe's calls; whatever goes wrong is said in one line."""
    with own.running(f"the probe {probe.name!r}"):
        drawn = list(probe.calls(rng))
        if not drawn or not all(isinstance(call, Call) for call in drawn):
            raise TypeError("it must return Calls in a list")
        return drawn


def _adapted(own: TeacherExercise, variant: Variant, call: Call) -> Call:
    """Change a call as a variant does; whatever goes wrong is said in one line."""
    with own.running(f"the variant {variant.name!r}"):
        adapted = variant.adapt(call)
        if not isinstance(adapted, Call):
            raise TypeError("adapt must return a Call")
        return adapted


def _unfit(found: Exercise) -> Iterator[tuple[str, str]]:
    """Yield each field that cannot be used, and why."""
    hints = get_type_hints(Exercise)
    for one in fields(Exercise):
        name, value, hint = one.name, getattr(found, one.name), hints[one.name]
        kind, must = get_origin(hint) or hint, one.default is MISSING
        if kind is tuple:
            kind = get_args(hint)[0]
            if not isinstance(value, tuple) or not all(isinstance(x, kind) for x in value):
                wanted = f"must be a tuple of {kind.__name__}, like (one, two,)"
                yield name, f"{wanted}, got {_short(value)}"
            elif must and not value:
                yield name, f"must hold at least one {kind.__name__}"
        elif kind in (str, int, float, dict):
            empty = must and isinstance(value, str) and not value.strip()
            if empty or not isinstance(value, kind):
                yield (
                    name,
                    f"must be of type {kind.__name__} and not empty, got {_short(value)}",
                )
    if not NAME.fullmatch(found.slug) or found.slug in targets():
        yield "slug", f"must be like my-exercise and none of the bank's, got {found.slug!r}"
    if not found.target.isidentifier() or found.target in targets().values():
        yield "target", f"must be a name that the bank does not ask for, got {found.target!r}"
    if found.uses not in ("numpy", "torch"):
        yield "uses", f"must be numpy or torch, got {found.uses!r}"
    if found.minutes < 1:
        yield "minutes", f"must be positive, got {found.minutes}"
    points = found.points
    if not points or not all(type(p) is int and p > 0 for p in points.values()):
        yield "points", "must give each part a whole number of points, at least 1"
    names = [probe.name for probe in found.probes]
    if len(set(names)) < len(names):
        yield "probes", "must have a name of their own each"
    parts = {probe.part for probe in found.probes}
    if parts != set(points):
        wanted, got = (", ".join(sorted(map(str, those))) for those in (points, parts))
        yield "probes", f"must belong to the parts {wanted}, got {got}"
    for probe in found.probes:
        if not callable(probe.calls):
            yield "probes", f"{probe.name!r} must draw its calls: lambda rng: [Call(...)]"
        if probe.public and probe.large:
            yield "probes", f"{probe.name!r} is large: it cannot be public as well"
    shown = {probe.part for probe in found.probes if probe.public}
    for part in sorted(parts - shown):
        wanted = f"of the part {part!r} need one with public=True"
        yield "probes", f"{wanted}, or students cannot check it; a small one will do"


def _short(value: object) -> str:
    return one_line(repr(value), 60)


def _field(own: TeacherExercise, name: str) -> str:
    """Return where a field is given, in words."""
    for node in ast.walk(ast.parse(own.text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Exercise"):
            for given in node.keywords:
                if given.arg == name:
                    return f"{own.file}, line {given.value.lineno}"
    return own.file
