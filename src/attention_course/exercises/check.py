"""What a reader calls: ``check`` says which property failed where, ``hint`` opens one hint."""

import re
import sys
import textwrap
from dataclasses import replace
from types import ModuleType
from typing import Any

from attention_course.exercises.answer_code import THERE, code_of, not_there
from attention_course.exercises.bank import asked, exercise_named, exercise_of
from attention_course.exercises.diagnosis import diagnose, names_of
from attention_course.exercises.examine import (
    Report,
    compare,
    examine,
    examine_again,
    public_right,
)
from attention_course.exercises.exercise import Exercise
from attention_course.exercises.failing import FailingCase, case_of
from attention_course.exercises.runner import GENERATORS, ForbiddenError, refuse
from attention_course.exercises.triton_answer import why_not

NOT_WRITTEN = "NotImplementedError"
HELD, FAILED = "✓", "×"
_opened: dict[str, int] = {}
_checked: dict[str, Report] = {}
# For each slug the exercise, or the variant of it, that was checked last.
_last: dict[str, Exercise] = {}


def check(answer: Any, exercise: str = "", attempt: int = 1) -> None:
    """Examine an answer and print what was found; the solution is never shown.

    Args:
        answer: the function or class that an exercise asks for.
        exercise: the exercise's slug, after a colon the name of a variant; unless given, it is
            found by the answer's name, in the variant that was checked last.
        attempt: each number draws other inputs, and the same ones whenever it is given.

    Raises:
        TypeError: if the answer is no function or class: its name, or what it returns.
        ValueError: if no exercise asks for an answer of that name, or the attempt is no number
            from 1.

    >>> def four_steps(q, k, v):
    ...     raise NotImplementedError
    >>> check(four_steps)
    four-steps: not written yet.
    Replace NotImplementedError in four_steps, then run both cells.
    """
    _require_function(answer, exercise)
    if not isinstance(attempt, int) or attempt < 1:
        raise ValueError(f"check: attempt must be a whole number from 1, got {attempt!r}")
    found = exercise_named(exercise) if exercise else _meant(answer)
    _print(answer_report(replace(found, draw=attempt - 1), answer))


def hint(exercise: Any) -> None:
    """Print the next hint of an exercise; called again, the one after it.

    Args:
        exercise: its slug, or the function or class that answers it.

    Raises:
        ValueError: if there is no such exercise.
    """
    found = _meant(exercise)
    if not found.hints:
        _print(f"{found.slug} has no hints.")
        return
    number = min(_opened.get(found.name, 0) + 1, len(found.hints))
    _opened[found.name] = number
    left = len(found.hints) - number
    more = f"{left} more: call hint again" if left else "that was the last"
    text = f"Hint {number} of {len(found.hints)} ({more}): {found.hints[number - 1]}"
    _print(_wrapped(text))


def failing_case(exercise: Any, failing: str = "") -> FailingCase:
    """Return inputs on which an answer failed when it was checked, and both results.

    Args:
        exercise: its slug, or the function or class that answers it.
        failing: the property that fails, as ``check`` calls it; of several the one with the
            fewest numbers.

    Raises:
        ValueError: if there is no such exercise, it was not checked or nothing fails.

    >>> def four_steps(q, k, v):
    ...     return k @ q, v
    >>> check(four_steps)  # doctest: +ELLIPSIS
    four-steps: 0 of 6 properties hold...
    >>> case = failing_case("four-steps")
    >>> four_steps(**case.inputs)[0] == case.got["weights"]
    array([ True])
    """
    found = _meant(exercise)
    if found.name not in _checked:
        form = f', "{found.name}"' if found.variant else ""
        raise ValueError(f"failing_case: check it first: check({found.target}{form})")
    return case_of(_checked[found.name], failing)


def _meant(exercise: Any) -> Exercise:
    """Return the exercise of a slug or an answer, in the form that was checked last."""
    if isinstance(exercise, str):
        return _last.get(exercise) or exercise_named(exercise)
    found = exercise_of(exercise)
    return _last.get(found.slug, found)


def _require_function(answer: Any, exercise: str) -> None:
    """Make sure that an answer is the function or class itself.

    Raises:
        TypeError: and says what is wanted.
    """
    known = asked()
    if isinstance(answer, str):
        target = known.get((exercise or answer).partition(":")[0], answer)
        raise TypeError(f"check takes the function itself: check({target})")
    slug, made = exercise.partition(":")[0], type(answer).__name__
    if callable(answer) and (made not in known.values() or isinstance(answer, type)):
        return
    target = known.get(slug, made if made in known.values() else "my_function")
    what = "class" if made == target else "function"
    shape = f" of shape {tuple(answer.shape)}" if hasattr(answer, "shape") else ""
    got = f"{'an' if made[0] in 'aeioun' and made != 'numpy' else 'a'} {made}{shape}"
    raise TypeError(f"check takes the {what} itself, check({target}), got {got}")


def report_on(exercise: Exercise, answer: Any) -> Report:
    """Examine an answer in this session.

    Raises:
        ForbiddenError: if it fetches what it is asked to build.
    """
    for function in code_of(answer):
        around = function.__globals__
        modules = [name for name, value in around.items() if isinstance(value, ModuleType)]
        refuse(function.__code__, exercise.forbidden, modules)
    if missing := not_there(answer, exercise.uses):
        here = THERE[exercise.uses]
        raise ForbiddenError(f"{here} there when it is graded, not {missing}")
    defined = {exercise.target: answer}
    report = examine(exercise, defined)
    if exercise.draw and report.right:
        report = examine(replace(exercise, draw=0), defined)
    return examine_again(report, defined)


def answer_report(exercise: Exercise, answer: Any) -> str:
    """Return what ``check`` prints."""
    _last[exercise.slug] = exercise
    if exercise.uses == "triton" and not _unwritten(answer) and (reason := why_not()):
        return _wrapped(f"{exercise.slug}: {reason}.")
    try:
        if exercise.uses == "triton" and _unwritten(answer):
            return said_unwritten(exercise)
        _checked.pop(exercise.name, None)
        report = _checked[exercise.name] = report_on(exercise, answer)
    except ForbiddenError as error:
        return f"{exercise.slug}: {error}. Write it without."
    return said_report(report)


def _unwritten(answer: Any) -> bool:
    """Say of a kernel, which cannot be run everywhere, whether it still is the stub."""
    return NOT_WRITTEN in getattr(getattr(answer, "__code__", None), "co_names", ())


def said_report(report: Report) -> str:
    """Return a report in words: what holds, what failed where, and which mistake it is like."""
    exercise = report.exercise
    if all(finding.outcome.error == NOT_WRITTEN for finding in report.findings):
        return said_unwritten(exercise)
    total, held = len(report.findings), len(report.findings) - len(report.failed)
    if report.right:
        shown = " on the public examples" * any(probe.right for probe in exercise.probes)
        right = f"{exercise.slug}: right{shown}. All {total} properties hold."
        return "\n".join([right, *_said_settings(report)])
    lines = [f"{exercise.slug}: {held} of {total} properties hold."]
    lines += [said_mistakes(report), said_outputs(report)]
    first = report.failed[0]
    alike = total > 1 and {one.complaint for one in report.findings} == {first.complaint}
    if alike:
        lines.append(_wrapped(f"All {total} fail alike: {first.complaint}", 2))
    else:
        before = ""
        for finding in report.findings:
            lines.append(f"  {FAILED if finding.complaint else HELD} {finding.probe.name}")
            if finding is first:
                lines += [_wrapped(finding.complaint, 6), _wrapped(finding.probe.hint, 6)]
            elif finding.complaint not in ("", before):
                how = re.sub(r", and \d+ more of \d+$", "", finding.complaint)
                lines.append(_wrapped(textwrap.shorten(how, 198, placeholder="…"), 6))
            before = finding.complaint
    lines.append(f'hint("{exercise.name}") opens a hint.' if exercise.hints else "")
    shows = f'ac.failing_case("{exercise.name}") shows an input that fails.'
    lines.append("" if alike else shows)
    return "\n".join(line for line in lines if line)


def _said_settings(report: Report) -> list[str]:
    """Return which settings of the session an answer changes, which costs nothing."""
    left = (one.outcome.state for one in report.findings)
    names = dict.fromkeys(name for state in left for name in state if name not in GENERATORS)
    note = f"It changes {' and '.join(names)} for everybody; here that is put back."
    return [_wrapped(note)] if names else []


def said_mistakes(report: Report) -> str:
    """Return the mistakes that were recognised, in a sentence, with their hints."""
    found = diagnose(report)
    if not found.mistakes:
        return ""
    begins = "This" if found.whole else "Part of this"
    hints = " ".join(dict.fromkeys(wrong.hint for wrong in found.mistakes))
    return _wrapped(f"{begins} is what comes if {names_of(found.mistakes)}. {hints}")


def said_outputs(report: Report) -> str:
    """Return which outputs are right in every property, where others are not."""
    right: dict[str, bool] = {}
    for finding in report.findings:
        if finding.probe.large:
            continue
        wanted, came = public_right(report.exercise, finding.probe), finding.outcome
        got = [*came.values, *[None] * len(wanted.values)]
        for name, value, one in zip(wanted.names, wanted.values, got, strict=False):
            same = one is not None and not compare(report.exercise, name, value, one)
            right[name] = right.get(name, True) and same
    named = [name for name, holds in right.items() if holds]
    if not named or len(named) == len(right):
        return ""
    return _wrapped(f"Right in every property: {', '.join(named)}.")


def said_unwritten(exercise: Exercise) -> str:
    """Return what is said of a stub."""
    what = f"Replace NotImplementedError in {exercise.target}, then run both cells."
    return f"{exercise.slug}: not written yet.\n{textwrap.fill(what, 76)}"


def _wrapped(text: str, indent: int = 0) -> str:
    """Return a text in lines that fit the book's column."""
    margin = " " * indent
    return textwrap.fill(text, 72, initial_indent=margin, subsequent_indent=margin)


def _print(text: str) -> None:
    """Print a text; a console that cannot show all its characters gets plainer ones."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.replace(HELD, "v").replace(FAILED, "x")
        text = text.encode(encoding, "replace").decode(encoding)
    print(text)
