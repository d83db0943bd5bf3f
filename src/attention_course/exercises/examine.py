"""Decides whether an answer is right: calls it and compares the results."""

import ast
import hashlib
import io
import time
import tracemalloc
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from attention_course.exercises import runner, triton_answer
from attention_course.exercises.answer_code import THERE, imports_as_graded
from attention_course.exercises.exercise import Exercise, Probe
from attention_course.exercises.isolating import derived
from attention_course.exercises.probing import GROWTHS, LONG, SCALES, Drawn
from attention_course.exercises.runner import Call, Outcome
from attention_course.exercises.stopping import LONGEST_S, EndlessError, stopped_after

# A page's Python has one thread, and no clock that counts its computing: there our solution's
# own time is the measure, so that a busy machine or a slow one fails nobody.
COUNTED = hasattr(time, "thread_time")
thread_time = time.thread_time if COUNTED else time.perf_counter

# So much computing is allowed for a large input, and so long by the clock, where nobody counts
# computing. The grader stops it by the kernel's limit, in whole seconds.
LARGE_CPU_S, LARGE_WALL_S = 0.5, 4.0
# Where computing is not counted, so many times our solution's time are allowed.
TIMES = 6
TOO_SLOW, TOO_MUCH = "TooSlow", "TooMuchMemory"
# Where memory is counted, a session asks for so many times fewer blocks.
FEWER = 8
# So often the inputs are drawn of an answer that is right on the first ones.
DRAWS = 8
# Inputs are drawn twice as large only where our solution in single precision stays within this
# part of the tolerance. Where 1 - tanh² cancels, that does not show, and they never are.
STEADY, SATURATED = 0.25, ("gradient-through-time",)
# What stands for an answer that was stopped before.
NOT_TRIED = Outcome(
    error=EndlessError.__name__, message="not tried, because the answer was stopped before"
)


@dataclass(frozen=True)
class Finding:
    """What one probe found: the complaint is empty if the property holds."""

    probe: Probe
    complaint: str
    outcome: Outcome


@dataclass(frozen=True)
class Report:
    """What was found about an answer, probe by probe.

    Args:
        exercise: what was asked.
        findings: one for each of its probes.
        isolated: one for each probe that earns nothing and only tells mistakes apart; none if
            the answer is right.
    """

    exercise: Exercise
    findings: tuple[Finding, ...]
    isolated: tuple[Finding, ...] = ()

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The findings that complain."""
        return tuple(finding for finding in self.findings if finding.complaint)

    @property
    def right(self) -> bool:
        """Whether every property holds."""
        return not self.failed

    @property
    def parts(self) -> dict[str, bool]:
        """For each part of the exercise, whether all its properties hold."""
        lost = {finding.probe.part for finding in self.failed}
        return {part: part not in lost for part in self.exercise.points}

    @property
    def points(self) -> int:
        """The points of the parts that hold."""
        return sum(self.exercise.points[part] for part, holds in self.parts.items() if holds)


def generator(*names: str) -> np.random.Generator:
    """Return the generator that belongs to these names: the same ones, the same numbers."""
    return Drawn.of(_digest(*names))


def _digest(*names: str) -> bytes:
    # A zero byte in between: ("ab", "c") and ("a", "bc") must differ.
    return hashlib.sha256("\0".join(names).encode()).digest()


def drawn_calls(exercise: Exercise, probe: Probe, seed: bytes, draw: int = 0) -> list[Call]:
    """Return a probe's calls, public or hidden: the seed and the draw decide about them.

    Later draws have other lengths as well, as far as our solution takes them.
    """
    return _drawn(exercise, probe, seed, draw)[0]


def _drawn(
    exercise: Exercise, probe: Probe, seed: bytes, draw: int
) -> tuple[list[Call], Outcome | None]:
    """Return a probe's calls; what is right as well, where it was asked for already."""
    digest = _digest(seed.hex(), str(draw)) if draw else seed
    lengths = _other_lengths(exercise, probe, draw)
    scale = min(SCALES[draw % len(SCALES)], 1.0 if exercise.slug in SATURATED else np.inf)
    for most, longer in ((scale, lengths), (1.0, lengths), (1.0, {})) if draw else ():
        rng = Drawn.of(digest)
        rng.scale = min(scale, most)
        found = _of_lengths(exercise, probe, rng, longer)
        if found and (rng.scale <= 1 or _steady(exercise, probe, *found)):
            return found
    return list(probe.calls(Drawn.of(digest))), None


def _steady(exercise: Exercise, probe: Probe, calls: Sequence[Call], right: Outcome) -> bool:
    """Whether our solution finds nearly the same in single precision."""

    def single(x: Any) -> Any:
        if isinstance(x, dict):
            return {key: single(value) for key, value in x.items()}
        floats = isinstance(x, np.ndarray) and x.dtype == np.float64
        return x.astype(np.float32) if floats else x

    given = [
        replace(one, args=tuple(map(single, one.args)), kwargs=single(one.kwargs))
        for one in calls
    ]
    try:
        near = right_outcome(exercise, probe, given).values
    except RuntimeError:
        return False
    pairs = zip(right.values, near, strict=True)
    return all(
        isinstance(x, str) or (distance(exercise, x, y) <= STEADY).all() for x, y in pairs
    )


def _other_lengths(exercise: Exercise, probe: Probe, draw: int) -> dict[int, int]:
    """Return what is in a draw for the lengths of axes, found with one fixed seed.

    If not all of them can be others, each is tried alone.
    """
    growth = draw % len(GROWTHS)
    key = (exercise.slug, exercise.title, probe.name, str(growth))
    if not growth or probe.alone:
        return {}
    if key not in _LENGTHS:
        digest = _digest("lengths", *key)
        plain = Drawn.of(digest)
        before = [shape for call in probe.calls(plain) for shape in _shapes(call)]
        free = sorted(n for n in plain.asked if 1 < n < LONG and n not in probe.fixed)
        every = {n: GROWTHS[growth](n) for n in free}
        found = dict[int, int]()
        for more in (every, *({n: every[n]} for n in every)):
            trial = found | more
            calls, _ = _of_lengths(exercise, probe, Drawn.of(digest), trial) or ([], None)
            after = [shape for call in calls for shape in _shapes(call)]
            if after == [tuple(trial.get(n, n) for n in shape) for shape in before]:
                found = trial
            if found == every:
                break
        _LENGTHS[key] = found
    return _LENGTHS[key]


def _shapes(given: Any) -> Iterator[tuple[int, ...]]:
    """Yield the shapes of a call's arrays."""
    if isinstance(given, Call):
        given = (*given.args, *given.kwargs.values())
    if isinstance(given, dict):
        given = given.values()
    if isinstance(given, np.ndarray):
        yield given.shape
    elif isinstance(given, Iterable) and not isinstance(given, str):
        for one in given:
            yield from _shapes(one)


def _of_lengths(
    exercise: Exercise, probe: Probe, rng: Drawn, lengths: dict[int, int]
) -> tuple[list[Call], Outcome] | None:
    """Return the calls with other lengths, and what is right; None if they do not fit."""
    rng.lengths = lengths
    try:
        calls = list(probe.calls(rng))
        return calls, right_outcome(exercise, probe, calls)
    except Exception:
        return None


def public_calls(exercise: Exercise, probe: Probe) -> list[Call]:
    """Return a probe's calls with the inputs that everybody may see."""
    return _public(exercise, probe)[0]


def _public(exercise: Exercise, probe: Probe) -> tuple[list[Call], Outcome | None]:
    seed = _digest("public", exercise.slug, probe.name)
    return _drawn(exercise, probe, seed, 0 if probe.alone else exercise.draw)


def right_outcome(exercise: Exercise, probe: Probe, calls: Sequence[Call]) -> Outcome:
    """Return what our solution does with the calls.

    Raises:
        RuntimeError: if the solution itself raises; then the probe is wrong.
    """
    with _quietly():
        defined = _load(exercise, exercise.solution)
    began = thread_time()
    outcome = observe(exercise, probe, defined, calls, allowed=inf)
    _NEEDED[(*exercise.key, probe.name)] = thread_time() - began
    if outcome.error:
        raise RuntimeError(
            f"{exercise.slug}: the solution must pass {probe.name!r}, "
            f"raised {outcome.error}: {outcome.message}"
        )
    return outcome


def observe(
    exercise: Exercise,
    probe: Probe,
    defined: dict[str, Any],
    calls: Sequence[Call],
    allowed: float = LARGE_CPU_S,
) -> Outcome:
    """Make a probe's calls on an answer in this process.

    Args:
        exercise: what was asked.
        probe: which property.
        defined: what the answer defines, by name.
        calls: the probe's calls.
        allowed: so many seconds of computing, if the input is large; infinite of our solution,
            whose memory is not counted either.
    """
    with np.errstate(), _quietly():
        if exercise.launch is not None and exercise.target in defined:
            answer = defined[exercise.target]
            run = triton_answer.launched(answer, exercise.slug, exercise.launch)
            defined = {exercise.target: run}
        tensors = exercise.uses != "numpy"
        longest = (LARGE_WALL_S, allowed) if probe.large else (LONGEST_S,)
        began = thread_time() if probe.large else 0.0
        try:
            with stopped_after(*longest), imports_as_graded(exercise.uses):
                counted = probe.holds > 0 and allowed < inf
                came, held = _held(defined, calls, tensors, counted)
        except EndlessError:
            if probe.large:
                return _too_slow()
            message = f"it was stopped after {LONGEST_S:.0f} seconds; is there an endless loop?"
            came, held = Outcome(error=EndlessError.__name__, message=message), 0
    cpu_s = thread_time() - began if probe.large else 0.0
    return in_time(probe, witnessed(probe, calls, came, held), cpu_s, allowed)


def _held(
    defined: dict[str, Any], calls: Sequence[Call], tensors: bool, counted: bool
) -> tuple[Outcome, int]:
    """Run calls with an eighth of the blocks; say what all would have held at a time."""
    if not counted:
        return runner.run(defined, calls, tensors), 0
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    try:
        came = runner.run(defined, calls, tensors)
        return came, FEWER * (tracemalloc.get_traced_memory()[1] - before)
    finally:
        if not traced:
            tracemalloc.stop()


def witnessed(probe: Probe, calls: Sequence[Call], came: Outcome, held: int = 0) -> Outcome:
    """Return what is seen of an outcome from outside the answer.

    Args:
        probe: which property.
        calls: the calls that were made.
        came: their outcome.
        held: so many bytes the answer held at a time.
    """
    if probe.holds and held > probe.holds * 2**20:
        message = (
            "the answer holds much more memory at a time than one block needs: does it join "
            "the blocks, or keep a copy of each?"
        )
        return Outcome(error=TOO_MUCH, message=message, skipped=came.skipped)
    unlike = any(isinstance(x, str) != probe.texts for x in came.values)
    if probe.read is None or came.error or unlike:
        return came
    with np.errstate(all="ignore"):
        text = probe.read(calls, came.values)
    return replace(came, names=[probe.part], values=[text], kinds=["text"])


def allowed_here(exercise: Exercise, probe: Probe) -> float:
    """Return how many seconds an answer may compute on a large input."""
    needed = 0.0 if COUNTED else _NEEDED.get((*exercise.key, probe.name), 0.0)
    return max(LARGE_CPU_S, TIMES * needed)


def in_time(probe: Probe, came: Outcome, cpu_s: float, allowed: float = LARGE_CPU_S) -> Outcome:
    """Return the outcome of a probe; if its input is large and it took too long, only that."""
    return _too_slow() if probe.large and cpu_s > allowed else came


def _too_slow() -> Outcome:
    message = (
        f"a large input takes more than {LARGE_CPU_S} s of computing, and at most a tenth is "
        "needed: is there a loop?"
    )
    return Outcome(error=TOO_SLOW, message=message)


def _load(
    exercise: Exercise, source: str, forbidden: Sequence[str] = (), lenient: bool = False
) -> dict[str, Any]:
    with imports_as_graded(exercise.uses):
        if exercise.uses == "triton":
            return triton_answer.load(source, forbidden)
        return runner.load(source, forbidden, lenient)


def examine(exercise: Exercise, defined: dict[str, Any] | Outcome) -> Report:
    """Examine an answer in this process, with the public inputs.

    Args:
        exercise: what was asked.
        defined: what the answer defines, by name; or the error that came when it was loaded.
    """
    charged: set[str] = set()
    findings: list[Finding] = []
    endless = False
    for probe in exercise.probes:
        tried = finding_of(exercise, probe, NOT_TRIED if endless else defined, charged)
        findings.append(tried)
        endless = endless or tried.outcome.error == EndlessError.__name__
    report = Report(exercise, tuple(findings))
    if report.right or endless or isinstance(defined, Outcome):
        return report
    alone = [finding_of(exercise, probe, defined) for probe in isolating(exercise)]
    return replace(report, isolated=tuple(alone))


def without_large(exercise: Exercise, draw: int = 0) -> Exercise:
    """Return the exercise without its large inputs, with one of its draws."""
    small = tuple(probe for probe in exercise.probes if not probe.alone)
    return replace(exercise, probes=small, draw=draw)


def examine_again(report: Report, defined: dict[str, Any], draws: int = DRAWS) -> Report:
    """Return the report of the first draw of the inputs on which a right answer is wrong.

    Args:
        report: what was found with the first draw.
        defined: what the answer defines, by name.
        draws: how many there are, with the first.
    """
    once = not report.right or report.exercise.own or report.exercise.launch is not None
    for draw in range(1, 1 if once else draws):
        found = examine(without_large(report.exercise, draw), defined)
        if not found.right:
            return found
    return report


def isolating(exercise: Exercise) -> tuple[Probe, ...]:
    """Return the probes that earn nothing and only tell an exercise's mistakes apart."""
    if not exercise.wrong:
        return ()
    key = exercise.key
    if key not in _ISOLATING:
        small = [probe for probe in exercise.probes if not probe.alone]
        calls = {probe.name: public_calls(exercise, probe) for probe in small}
        found = (*exercise.isolating, *derived(exercise, calls))
        _ISOLATING[key] = tuple(probe for probe in found if _can_be_asked(exercise, probe))
    return _ISOLATING[key]


def _can_be_asked(exercise: Exercise, probe: Probe) -> bool:
    try:
        right = public_right(exercise, probe)
    except RuntimeError:
        return False
    return all(isinstance(x, str) or not np.isnan(x).any() for x in right.values)


def examine_source(exercise: Exercise, source: str) -> Report:
    """Examine an answer given as source; one that cannot be loaded fails every probe."""
    return examine(exercise, trial_of(exercise, source))


def trial_of(exercise: Exercise, source: str, lenient: bool = True) -> dict[str, Any] | Outcome:
    """Return what a source defines, or the error that comes when it is loaded."""
    try:
        with _quietly():
            return _load(exercise, source, exercise.forbidden, lenient)
    except (Exception, SystemExit) as error:
        line = getattr(error, "line", 0) or getattr(error, "lineno", 0)
        line = line or runner.last_line(error)
        return Outcome(error=type(error).__name__, message=str(error), line=line)


def finding_of(
    exercise: Exercise,
    probe: Probe,
    defined: dict[str, Any] | Outcome,
    charged: set[str] | None = None,
    share: float = 1.0,
) -> Finding:
    """Return what one probe finds about an answer, with the public inputs.

    Args:
        exercise: what was asked.
        probe: which property.
        defined: what the answer defines, by name; or the error that came when it was loaded.
        charged: what earlier probes complained of (:func:`judge`).
        share: of what a large input may take.
    """
    if isinstance(defined, Outcome):
        return Finding(probe, said_error(exercise, defined), defined)
    expected = public_right(exercise, probe)
    allowed = share * allowed_here(exercise, probe)
    came = observe(exercise, probe, defined, _kept_calls(exercise, probe), allowed)
    if came.error == TOO_SLOW and not COUNTED:  # the machine may have stalled meanwhile
        came = observe(exercise, probe, defined, _kept_calls(exercise, probe), allowed)
    complaint = judge(exercise, probe, expected, came, charged)
    if probe.large:  # too many numbers to keep
        came = replace(came, names=[], values=[], kinds=[])
    return Finding(probe, complaint, came)


def judge(
    exercise: Exercise,
    probe: Probe,
    expected: Outcome,
    came: Outcome,
    charged: set[str] | None = None,
) -> str:
    """Return what is wrong with an outcome, or an empty text.

    Shapes are compared before values, and nothing is broadcast.

    Args:
        exercise: what was asked.
        probe: which property.
        expected: what is right.
        came: what the answer did.
        charged: what of the session earlier probes complained of: once is enough. What this
            probe complains of is added.
    """
    if came.error:
        return said_error(exercise, came)
    if came.names != expected.names:
        return f"expected the results {expected.names}, got {came.names}"
    for name, right, value, kind, right_kind in zip(
        came.names, expected.values, came.values, came.kinds, expected.kinds, strict=True
    ):
        complaint = compare(exercise, _told(exercise, name), right, value)
        if not complaint and probe.dtype and kind != right_kind:
            complaint = f"{name}: expected dtype {right_kind}, got {kind}"
        if complaint:
            return complaint
    if came.changed:
        name = _told(exercise, came.changed[0])
        return f"the call overwrote its argument {name}: work on a copy"
    charged = set() if charged is None else charged
    changed = (name for name in came.state if name in runner.GENERATORS)
    more = [name for name in changed if name not in {*expected.state, *charged}]
    charged.update(more)
    return f"the call changed {more[0]}" if more else ""


def _told(exercise: Exercise, name: str) -> str:
    """Return an output's name with an argument's name where its number stands."""
    number = name.removeprefix("gradient of ")
    if not number.isdecimal():
        return name
    for node in ast.walk(ast.parse(exercise.stub)):
        if isinstance(node, ast.FunctionDef) and node.name in (exercise.target, "forward"):
            names = [one.arg for one in node.args.args if one.arg != "self"]
            if int(number) < len(names):
                return name.removesuffix(number) + names[int(number)]
    return name


def said_error(exercise: Exercise, outcome: Outcome) -> str:
    """Return an error in one sentence; of a wrong return, which raised nothing, the result."""
    where = f" (line {outcome.line} of your cell)" if outcome.line else ""
    first, *rest = outcome.message.splitlines() or [""]
    # What torch says of parameters that do not fit is below the first line.
    message = f"{first} {rest[0].strip()}" if first.endswith(":") and rest else first
    silent = (runner.WrongReturnError.__name__, EndlessError.__name__, TOO_SLOW, TOO_MUCH)
    if outcome.error in silent and message:
        return message
    if outcome.error == NameError.__name__ and outcome.skipped:
        message += f". Before that, {outcome.skipped[0]}"
    if outcome.error == ModuleNotFoundError.__name__:
        message += f". {THERE[exercise.uses]} there when it is graded"
    return f"raised {outcome.error}{where}" + (f": {message}" if message else "")


def compare(exercise: Exercise, name: str, right: Any, value: Any) -> str:
    """Return how an output differs from what is right, or an empty text."""
    if isinstance(right, str) or isinstance(value, str):
        same = type(right) is type(value) and right == value
        return "" if same else f"{name}: expected {_said(right)}, got {_said(value)}"
    if value.shape != right.shape:
        return f"{name}: expected shape {right.shape}, got {value.shape}"
    if (right.dtype == bool) != (value.dtype == bool):
        wanted = "True and False" if right.dtype == bool else "numbers"
        return f"{name}: expected {wanted}, got dtype {value.dtype}"
    wrong = ~(distance(exercise, right, value) <= 1)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    index = f"[{', '.join(map(str, at))}]" if at else ""
    more = int(wrong.sum()) - 1
    rest = f", and {more} more of {wrong.size}" if more else ""
    return f"{name}{index}: expected {_number(right[at])}, got {_number(value[at])}{rest}"


def distance(exercise: Exercise, right: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return how many tolerances each number is off; NaN where one of the two is NaN alone.

    The tolerance is ``atol + rtol * max |right|``: a share of the largest number expected, so
    that an answer in single precision is not rejected where a sum happens to cancel.
    """
    if right.dtype == bool:
        return np.where(right == value, 0.0, np.inf)
    finite = np.abs(right[np.isfinite(right)])
    tolerance = exercise.atol + exercise.rtol * finite.max(initial=0.0)
    same = (right == value) | (np.isnan(right) & np.isnan(value))
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(same, 0.0, np.abs(value - right) / tolerance)


def _said(x: Any) -> str:
    return repr(x) if isinstance(x, str) else f"an array of shape {x.shape}"


def _number(x: Any) -> str:
    return str(bool(x)) if isinstance(x, np.bool_) else f"{float(x):.6g}"


def _kept_calls(exercise: Exercise, probe: Probe) -> list[Call]:
    """Return a probe's public calls, drawn once: an answer gets copies of arrays alone."""
    key = (*exercise.key, probe.name)
    if key in _CALLS:
        return _CALLS[key]
    calls, right = _public(exercise, probe)
    if probe.holds:
        calls = [replace(one, args=tuple(map(_fewer, one.args))) for one in calls]
    if right is not None:
        _CACHE[key] = right
    given = [value for call in calls for value in (*call.args, *call.kwargs.values())]
    if not probe.alone and all(isinstance(x, _COPIED) or x is None for x in given):
        _CALLS[key] = calls
    return calls


def _fewer(x: Any) -> Any:
    """Return an eighth of blocks: where memory is counted to the byte, they are enough."""
    return x[: len(x) // FEWER] if isinstance(x, runner.Blocks) else x


_COPIED = (np.ndarray, str, int, float)
_CALLS: dict[tuple[str, ...], list[Call]] = {}
_ISOLATING: dict[tuple[str, ...], tuple[Probe, ...]] = {}
_CACHE: dict[tuple[str, ...], Outcome] = {}
_NEEDED: dict[tuple[str, ...], float] = {}
_LENGTHS: dict[tuple[str, ...], dict[int, int]] = {}


def public_right(exercise: Exercise, probe: Probe) -> Outcome:
    """Return what our solution does with a probe's public calls."""
    if probe.right:
        return probe.right
    key = (*exercise.key, probe.name)
    if key not in _CACHE:
        calls = _kept_calls(exercise, probe)
        _CACHE[key] = _CACHE.get(key) or right_outcome(exercise, probe, calls)
    return _CACHE[key]


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep an answer's prints and warnings from the reader while it is examined."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
