"""*Defend it*: one change in a right answer; which properties fail then?

The change is made at one place of the answer's own code, helpers too, so the question is about
what was handed in. Which change it is follows from the answer and a name, here as where answers
are graded. What is right is found by running the changed answer.
"""

import ast
import hashlib
import linecache
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

from attention_course.exercises.answer_code import code_of
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.examine import Report, examine, examine_source, without_large
from attention_course.exercises.exercise import Exercise
from attention_course.exercises.one_change import Change, drawn
from attention_course.exercises.runner import input_refused, run_each, statements
from attention_course.exercises.stopping import EndlessError

# A question has so many choices, each of which is right for some change that was tried.
FEWEST, MOST = 3, 6
# The exercises whose questions are too much alike, or too seldom to be had, for points: of 25
# names more than five share one, fewer than 20 are asked, or one choice is right for more than
# half (tools/questions.py).
TOO_ALIKE = frozenset(
    {
        "attention-backward",
        "block-that-reads",
        "continuous-batching",
        "cosine-attention",
        "delta-rule",
        "encode-padded",
        "even-looks",
        "greedy-loop",
        "induction-head",
        "lstmn-step",
        "many-heads",
        "matching-cost",
        "mixed-cache",
        "multi-head-attention",
        "norm-weighted",
        "reinforce-gradient",
        "signal-reach",
        "squeeze-and-excitation",
        "stable-softmax",
        "window-mask",
    }
)
# After so many changed answers that had to be stopped, no more are tried.
STOPPED = 2


@dataclass(frozen=True)
class Question:
    """A change in an answer, and what comes of it.

    Args:
        what: the change in words.
        where: the function or class that changes.
        line: the number of the first of its lines that changes.
        before: the lines that change, as they were.
        after: what is there then.
        source: the whole changed answer.
        choices: which properties may fail, in words.
        right: the choice that is right.
        why: what is seen where a property fails.
    """

    what: str
    where: str
    line: int
    before: str
    after: str
    source: str
    choices: tuple[str, ...]
    right: str
    why: str


def defend(answer: Any, exercise: str, me: str = "", choice: int = 0) -> None:
    """Ask about a change in an answer, in a notebook: which properties fail then?

    Args:
        answer: the function or class, which ``check`` has accepted.
        exercise: the exercise's slug; after a colon, the name of a variant.
        me: your name as you hand in, where the defence earns points: the question is yours,
            and whoever grades it says what is right. Without it you practise, and are told.
        choice: the number of what you choose, once you know.

    Raises:
        ValueError: if there is no such exercise or choice, or the answer's code is not to be
            had.
    """
    found = exercise_named(exercise)
    source = _source_of(answer, found.target)
    if not examine(replace(found, wrong=()), {found.target: answer}).right:
        print(f"{found.slug}: there is something to defend once check finds it right.")
        return

    def examined(asked: Exercise, changed: str) -> Report:
        space = dict(code_of(answer)[0].__globals__)
        space.pop(found.target, None)
        with input_refused():
            run_each(statements(changed, "<changed>"), space, lambda error, line: None)
        return examine(asked, space)

    asked = question_of(found, source, me, examined)
    if isinstance(asked, str):
        print(f"{found.slug}: nothing is asked: {asked}.")
        return
    if not 0 <= choice <= len(asked.choices):
        raise ValueError(f"defend: choice must be from 1 to {len(asked.choices)}, got {choice}")
    print(question_text(found, asked))
    if choice:
        chosen = asked.choices[choice - 1]
        print(f"Your choice: {choice}, {chosen}.")
        if not whose(me):
            verdict = "Right" if chosen == asked.right else f"It is: {asked.right}"
            print(f"{verdict}. {asked.why}.")
    if not whose(me):
        print("This is practice: for points, give your name as me.")


def question_text(exercise: Exercise, asked: Question) -> str:
    """Return a question in words, its choices numbered from 1."""
    signs = (("-", asked.before), ("+", asked.after))
    lines = (f"  {sign} {line}" for sign, text in signs for line in text.split("\n"))
    choices = (f"{number:4}  {one}" for number, one in enumerate(asked.choices, start=1))
    place = f"in line {asked.line} of {asked.where}"
    begins = f"{exercise.slug}: one change, {place}: {asked.what}."
    return "\n".join([begins, *lines, "Which properties fail then?", *choices])


def whose(name: str) -> str:
    """Return a name so that its spelling does not count: its words, in their order.

    >>> whose("Ada Lovelace") == whose("lovelace_ada")
    True
    """
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(sorted(words))


def _source_of(answer: Any, target: str) -> str:
    """Return the cell that an answer was written in, and what it uses of other cells.

    Raises:
        ValueError: if it is not to be had.
    """
    pieces: dict[str, None] = {}
    home = ""
    for function in code_of(answer):
        file = function.__code__.co_filename
        cell = "".join(linecache.getlines(file))
        if cell and not pieces:
            home = file
            pieces[cell] = None
            if function.__name__ not in (target, "__init__"):
                pieces |= _named(function.__name__, function.__qualname__, target, cell)
        elif cell and file != home:
            line = function.__code__.co_firstlineno
            for node in ast.parse(cell).body:
                first = min(x.lineno for x in (node, *getattr(node, "decorator_list", ())))
                if first <= line <= (node.end_lineno or 0):
                    pieces["\n".join(cell.splitlines()[first - 1 : node.end_lineno])] = None
    if not pieces:
        raise ValueError(
            "defend: the answer's cell must be there to be read: run it in a notebook"
        )
    return "\n\n\n".join(pieces)


def _named(name: str, qualified: str, target: str, cell: str) -> dict[str, None]:
    """Return what names an answer that was written under another name in its cell."""
    own = re.search(rf"^(def |class |async def )?{re.escape(target)}\b", cell, re.M)
    return {} if own or name != qualified else {f"{target} = {name}": None}


def question_of(
    exercise: Exercise,
    source: str,
    seed: str,
    examined: Callable[[Exercise, str], Report | None] = examine_source,
    changes: Callable[[str, str, str], Sequence[Change]] = drawn,
) -> Question | str:
    """Return the question that belongs to a right answer and a name.

    Of the changes that fail a property, those are asked about more often of whose kind there
    are few: else whoever says that all fail is mostly right.

    Args:
        exercise: what was asked.
        source: the answer, which is right.
        seed: whose question it is.
        examined: runs and judges a source; None if it had to be stopped.
        changes: makes changes in a source's reach of a name, in a seed's order.

    Returns:
        The question; or why nothing is asked.
    """
    # Without mistakes that have a name, nothing is run to tell them apart.
    plain = without_large(replace(exercise, wrong=()))
    name = f"{whose(seed)}\0{exercise.name}"
    try:
        found = changes(source, exercise.target, name)
    except ValueError as error:
        return str(error)
    tried: list[tuple[Change, Report, str]] = []
    stopped = 0
    for change in found:
        report = examined(plain, change.made(source))
        if report is None or _endless(report):
            stopped += 1
            if stopped == STOPPED:
                break
        elif report.failed:
            tried.append((change, report, _which(report)))
    if not tried:
        return "no change that was tried fails a property"
    count = Counter(which for *_, which in tried)
    if len(count) < FEWEST:
        return f"the changes that were tried have fewer than {FEWEST} outcomes to choose from"
    change, report, right = tried[_drawn([count[which] for *_, which in tried], name)]
    choices = [right, *(which for which in count if which != right)][:MOST]
    before, after = change.shown(source)
    return Question(
        change.what,
        change.where,
        change.line,
        before,
        after,
        change.made(source),
        tuple(sorted(choices, key=lambda which: (which[:4] != "all ", len(which), which))),
        right,
        _why(report),
    )


def _drawn(counts: Sequence[int], seed: str) -> int:
    """Return which of several is drawn, each with a weight that falls with its count."""
    weights = [isqrt(10**8 // count) for count in counts]
    digest = hashlib.sha256(f"{seed}\0asked".encode(errors="surrogatepass")).digest()
    at = int.from_bytes(digest[:8]) % sum(weights)
    for number, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return number
    raise AssertionError("a number below the sum lies in one of its parts")


def _endless(report: Report) -> bool:
    return any(one.outcome.error == EndlessError.__name__ for one in report.findings)


def _which(report: Report) -> str:
    """Return in words which properties fail."""
    failed = [one.probe.name for one in report.failed]
    held = [one.probe.name for one in report.findings if not one.complaint]
    if not held:
        return f"all {len(failed)}"
    few, word = (failed, "only") if len(failed) <= len(held) else (held, "all but")
    return f"{word} {', '.join(f'“{name}”' for name in few)}"


def _why(report: Report) -> str:
    """Return what is seen of the first property that fails, and of one that holds."""
    first = report.failed[0]
    complaint = re.sub(r" \(line \d+ of your cell\)", "", first.complaint).rstrip(".")
    seen = f"With the inputs of “{first.probe.name}”: {complaint}"
    held = next((one.probe.name for one in report.findings if not one.complaint), "")
    return seen + (f". With those of “{held}” it still gives what is right" if held else "")
