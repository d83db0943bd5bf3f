"""*Defend it*: one change in a right answer; which property fails first, and what is printed?

The change is made at one place of the answer's own syntax tree, so the question is about the
code that was handed in. Which change it is follows from the answer and a seed, here as where
answers are graded. What is right is found by running the changed answer.
"""

import ast
import hashlib
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from attention_course.exercises.answer_code import code_of
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.examine import Report, examine, examine_source
from attention_course.exercises.exercise import Exercise
from attention_course.exercises.runner import nobody_asked, run_each, statements

NONE = "none: every property still holds"
# So many changes are tried, in the order that the seed gives: a reader waits for it. Of so many
# questions one is about a change that fails nothing, if the answer has such a place.
MOST, HARMLESS = 12, 6
# Among so many, one that the first property does not see is preferred: there is more to think.
CHOSEN_OF = 5
_OTHER_AXIS = {-1: -2, -2: -1, 0: 1, 1: 0, 2: 1, -3: -2}
# For a comparison one that differs where both sides are equal, and the opposite.
_COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
_LEFT_OUT = {
    ast.Div: "what it is divided by is left out",
    ast.Mult: "a factor is left out",
    ast.Add: "what is added is left out",
    ast.Sub: "what is subtracted is left out",
}
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda)


@dataclass(frozen=True)
class Change:
    """One place of an answer that is written otherwise.

    Args:
        what: the change in words.
        start: where the place begins, in bytes of the source.
        end: where it ends.
        text: what then stands there.
    """

    what: str
    start: int
    end: int
    text: str

    def made(self, source: str) -> str:
        """Return a source with the change in it."""
        whole = source.encode()
        return (whole[: self.start] + self.text.encode() + whole[self.end :]).decode()


@dataclass(frozen=True)
class Question:
    """A change in an answer, and what comes of it.

    Args:
        what: the change in words.
        line: the number of the first line that changes.
        before: the lines that change, as they were.
        after: what stands there then.
        source: the whole changed answer.
        choices: the exercise's properties, in the order in which they are tried, and that none
            fails.
        right: the choice that is right.
    """

    what: str
    line: int
    before: str
    after: str
    source: str
    choices: tuple[str, ...]
    right: str


def defend(answer: Any, exercise: str, me: str, choice: int = 0) -> None:
    """Ask about a change in an answer, in a notebook; what is right is said by who grades it.

    Args:
        answer: the function or class, which ``check`` has accepted.
        exercise: the exercise's slug; after a colon, the name of a variant.
        me: your name as you hand in; the question is yours.
        choice: the number of what you choose, once you know.

    Raises:
        ValueError: if there is no such exercise or choice, no name, or the answer's code is
            not to be had.
    """
    found, source = exercise_named(exercise), _cell_of(answer)
    if not me.strip():
        raise ValueError('defend: me must be your name as you hand in, got ""')
    if not examine(replace(found, wrong=()), {found.target: answer}).right:
        print(f"{found.slug}: there is something to defend once check finds it right.")
        return

    def examined(asked: Exercise, changed: str) -> Report:
        space = dict(code_of(answer)[0].__globals__)
        space.pop(found.target, None)
        with nobody_asked():
            run_each(statements(changed, "<changed>"), space, lambda error, line: None)
        return examine(asked, space)

    asked = question_of(found, source, me.strip(), examined)
    if asked is None:
        print(f"{found.slug}: no change that was tried fails a property: nothing is asked.")
        return
    if not 0 <= choice <= len(asked.choices):
        raise ValueError(f"defend: choice must be from 1 to {len(asked.choices)}, got {choice}")
    print(said(found, asked))
    if choice:
        print(f"Your choice: {choice}, {asked.choices[choice - 1]}.")


def said(exercise: Exercise, asked: Question) -> str:
    """Return a question in words, its choices numbered from 1."""
    signs = (("-", asked.before), ("+", asked.after))
    lines = (f"  {sign} {line}" for sign, text in signs for line in text.split("\n"))
    choices = (f"{number:4}  {one}" for number, one in enumerate(asked.choices, start=1))
    begins = f"{exercise.slug}: one change, in line {asked.line} of the answer: {asked.what}."
    ends = "Which property fails first, and what is printed?"
    return "\n".join([begins, *lines, ends, *choices])


def _cell_of(answer: Any) -> str:
    """Return the cell that an answer was written in.

    Raises:
        ValueError: if it is not to be had.
    """
    for function in code_of(answer):
        if lines := linecache.getlines(function.__code__.co_filename):
            return "".join(lines)
    raise ValueError("defend: the answer's cell must be there to be read: run it in a notebook")


def question_of(
    exercise: Exercise,
    source: str,
    seed: str,
    examined: Callable[[Exercise, str], Report] = examine_source,
) -> Question | None:
    """Return the question that belongs to a right answer and a seed.

    A change that the first property does not see is asked about before others, and one that
    fails some before one that fails all.

    Args:
        exercise: what was asked.
        source: the answer, which is right.
        seed: whose question it is.
        examined: runs and judges a source.

    Returns:
        The question; None if no change that was tried fails a property.

    Raises:
        SyntaxError: if the source is no Python.
    """
    # Without mistakes that have a name, nothing is run to tell them apart.
    plain = replace(exercise, wrong=())
    found, harmless = _drawn(changes(source, exercise.target), f"{seed}\0{exercise.name}")
    best: dict[int, Question] = {}
    for number, change in enumerate(found, start=1):
        report = examined(plain, change.made(source))
        rank = _rank(report)
        best.setdefault(rank, _question(report, source, change))
        if not harmless and (rank == 3 or (number >= CHOSEN_OF and max(best) > 0)):
            break
    failing = [best[rank] for rank in sorted(best, reverse=True) if rank > 0]
    return best.get(0, failing[0]) if failing and harmless else next(iter(failing), None)


def _rank(report: Report) -> int:
    """Return how much there is to think about a change; 0 if it fails nothing."""
    if report.right:
        return 0
    first, some = report.findings[0].complaint, len(report.failed) < len(report.findings)
    return 1 + some + (not first)


def _question(report: Report, source: str, change: Change) -> Question:
    """Return what is asked about a change."""
    changed = change.made(source)
    first, last = (source.encode()[:at].count(b"\n") for at in (change.start, change.end))
    more = changed.count("\n") - source.count("\n")
    return Question(
        change.what,
        first + 1,
        "\n".join(source.split("\n")[first : last + 1]),
        "\n".join(changed.split("\n")[first : last + 1 + more]),
        changed,
        (*(finding.probe.name for finding in report.findings), NONE),
        report.failed[0].probe.name if report.failed else NONE,
    )


def _drawn(found: list[Change], seed: str) -> tuple[list[Change], bool]:
    """Return the changes to try, in a seed's order, and whether one may fail nothing."""
    digests = [hashlib.sha256(f"{seed}\0{n}".encode()).digest() for n in range(len(found) + 1)]
    order = sorted(range(len(found)), key=digests.__getitem__)
    return [found[n] for n in order[:MOST]], digests[-1][0] % HARMLESS == 0


def changes(source: str, target: str) -> list[Change]:
    """Return every change that can be made in what an answer defines under a name.

    Raises:
        SyntaxError: if the source is no Python.
    """
    place = _Places(source)
    blocks = [one for one in ast.parse(source).body if getattr(one, "name", "") == target]
    nodes = ast.walk(blocks[-1]) if blocks else iter(())
    found = {
        one for node in nodes for made in _of_node(node, place) for one in _kept(source, made)
    }
    return sorted(found, key=lambda one: (one.start, one.end, one.text))


def _kept(source: str, change: Change) -> Iterator[Change]:
    """Yield a change if it leaves Python that is not what it was; without idle brackets."""
    came = _tree(change.made(source))
    if came in ("", _tree(source)):
        return
    bare = replace(change, text=change.text[1:-1])
    idle = change.text.startswith("(") and _tree(bare.made(source)) == came
    yield bare if idle else change


def _tree(source: str) -> str:
    """Return what Python reads, and nothing if it cannot."""
    try:
        return ast.dump(ast.parse(source))
    except SyntaxError:
        return ""


class _Places:
    """Where the expressions of a source stand in its bytes."""

    def __init__(self, source: str):
        self.whole = source.encode()
        self.lines = [0]
        for line in self.whole.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def of(self, node: ast.expr) -> tuple[int, int]:
        """Return where one begins and ends."""
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr) -> str:
        """Return what stands there, in brackets where it could fall apart."""
        start, end = self.of(node)
        text = self.whole[start:end].decode()
        return f"({text})" if isinstance(node, _LOOSE) else text

    def swapped(self, what: str, first: ast.expr, second: ast.expr) -> Change:
        """Return the change in which two expressions change places."""
        (start, middle), (end, last) = self.of(first), self.of(second)
        between = self.whole[middle:end].decode()
        return Change(what, start, last, self.text(second) + between + self.text(first))


def _of_node(node: ast.AST, place: _Places) -> Iterator[Change]:
    """Yield the changes at one node of the tree."""
    if isinstance(node, ast.BinOp):
        yield from _of_operation(node, place)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        between = place.of(node.left)[1], place.of(node.comparators[0])[0]
        text = place.whole[slice(*between)].decode()
        for sign in _COMPARED.get(text.strip(" ()"), ()):
            other = text.replace(text.strip(" ()"), sign)
            yield Change("the comparison is another", *between, other)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not):
        yield Change("what is negated is not", *place.of(node), place.text(node.operand))
    elif isinstance(node, ast.Attribute) and node.attr == "T":
        yield Change("a transpose is left out", *place.of(node), place.text(node.value))
    elif isinstance(node, ast.Call):
        yield from _of_call(node, place)


def _of_operation(node: ast.BinOp, place: _Places) -> Iterator[Change]:
    """Yield what becomes of two operands and a sign."""
    if isinstance(node.op, ast.MatMult):
        yield place.swapped("two matrices change places", node.left, node.right)
    elif type(node.op) in _LEFT_OUT:
        largest = isinstance(node.op, ast.Sub) and "max" in place.text(node.right)
        what = "the largest is not subtracted" if largest else _LEFT_OUT[type(node.op)]
        yield Change(what, *place.of(node), place.text(node.left))


def _of_call(node: ast.Call, place: _Places) -> Iterator[Change]:
    """Yield what becomes of a call: its axes, its arguments, or all of it left out."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for keyword in node.keywords:
        yield from _of_keyword(keyword, place)
    if any(isinstance(one, ast.Starred) for one in node.args):
        return
    if name == "swapaxes":
        array = node.args[0] if len(node.args) == 3 else node.func
        array = (
            array.value if isinstance(array, ast.Attribute) and array is node.func else array
        )
        yield Change("two axes are not swapped", *place.of(node), place.text(array))
    elif name == "where" and len(node.args) == 3:
        yield place.swapped("the two cases change places", *node.args[1:])
    elif len(node.args) == 2:
        yield place.swapped("two arguments change places", *node.args)


def _of_keyword(keyword: ast.keyword, place: _Places) -> Iterator[Change]:
    """Yield another axis, or one that is not kept."""
    try:
        value = ast.literal_eval(keyword.value)
    except ValueError:
        return
    if keyword.arg == "axis" and isinstance(value, int) and value in _OTHER_AXIS:
        text = str(_OTHER_AXIS[value])
        yield Change("it goes along another axis", *place.of(keyword.value), text)
    elif keyword.arg == "keepdims" and value is True:
        yield Change("the axis is not kept", *place.of(keyword.value), "False")
