"""Finds a student's answers in what was handed in; nothing else of it is looked at.

An answer is found by what it is: everything that is not as it was handed out is the student's.
It is looked for in one place after the other, the most certain first. For code these are the
cell with the marker, the cell of that name, and any other cell that defines what is asked for.
Words are taken from their own cell and from those that were added below its question; where
there are none, from what was added elsewhere. What cannot be told is not guessed: a person
looks. Outputs, tags and the kernel's name are dropped, and test cells are never run.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from attention_course.exercises.protocol import Reading, chosen, readings
from course_grader.safe_text import MOST_BYTES as MOST_SHOWN
from course_grader.safe_text import listed, one_line
from course_grader.submissions.cells import WRITTEN, Cell, IntakeError, read_file
from course_grader.submissions.dependencies import Facts, completed, facts
from course_grader.submissions.notebook import ANSWER
from course_grader.submissions.parsing import UnparsableError, are_python
from course_grader.verdicts import Verdict

# How the notebook's own cells name an exercise and its variant; a teacher's own has a table.
_ASKS = re.compile(
    r'^(?:check\(\w{1,80}, "|"slug": ")([a-z0-9-]{1,80})'
    r'(?:(?::|",\n"variant": ")([\w+-]{0,80}))?"',
    re.M,
)
# Of so many other cells that answer an exercise too, the last ones, the worth is found.
MOST_RIVALS = 3
_PICTURE = re.compile(r"\(?data:image/[\w.+-]{1,20};base64,[A-Za-z0-9+/=\s]*\)?")
_NUMBER = re.compile(r"\d+")
_SHOWN = re.compile(r"!\[|<img\b")


@dataclass
class Submission:
    """What a student handed in.

    Args:
        answers: for each exercise found, the source of its answer.
        written: for each written item found, its text without the marker.
        notes: what was noticed, one sentence each.
        verdict: OK, or MALFORMED if nothing could be read.
        reason: why it is MALFORMED.
        variants: for each exercise, the variant that the notebook's check cells name.
        looks: for each item what a person should look at, because it was not where it should
            be; an exercise that is here and has no answer is not read.
        unread: for each exercise that is not read, the code that may be its answer.
        rivals: for each exercise that several cells answer in different ways, the answers by
            the cells' numbers.
    """

    answers: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    verdict: Verdict = Verdict.OK
    reason: str = ""
    variants: dict[str, str] = field(default_factory=dict)
    looks: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    rivals: dict[str, dict[int, str]] = field(default_factory=dict)

    def look(self, item: str, why: str) -> None:
        """Note that a person should look at an item."""
        self.looks[item] = f"{self.looks[item]}; {why}" if item in self.looks else why
        self.notes.append(f"{item}: {why}")


def read_submission(
    data: bytes, targets: Mapping[str, str], written: Sequence[str] = (), released: bytes = b""
) -> Submission:
    """Return the answers in a notebook.

    Args:
        data: the file's bytes.
        targets: for each exercise that is asked for, the function or class that it wants.
        written: the names of the written items that are asked for.
        released: the notebook that was handed out; what is in it is not the student's.

    Returns:
        The submission; one that cannot be read, or holds nothing of what was handed out, is
        MALFORMED and says why.
    """
    try:
        file = read_file(data)
        code = _Code.of(file.cells)
    except (IntakeError, UnparsableError) as error:
        return Submission(verdict=Verdict.MALFORMED, reason=one_line(str(error)))
    submission = Submission(notes=file.notes)
    handed_out = read_file(released).cells if released else []
    if handed_out and not _is_ours(file.cells, code, targets, written, handed_out):
        return Submission(verdict=Verdict.MALFORMED, reason=_not_ours(file.cells))
    for slug, target in targets.items():
        _find(submission, _Search(slug, target, file.cells, code, handed_out))
    submission.variants = _variants(file.cells, targets)
    _take_written(submission, file.cells, list(targets), written, handed_out)
    return submission


# ---- code -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Code:
    """The code of all cells, by source: how it is read, and what it gives."""

    plain: dict[str, Reading]
    facts: dict[str, Facts | None]

    @classmethod
    def of(cls, cells: list[Cell]) -> "_Code":
        """Read all code as a notebook does; it is parsed in a child first, and here once."""
        ways = {cell.source: readings(cell.source) for cell in cells if cell.is_code}
        every = list(dict.fromkeys(one.source for way in ways.values() for one in way))
        python = dict(zip(every, are_python(every), strict=True))
        plain = {s: chosen(way, python.__getitem__) for s, way in ways.items()}
        known = {s: facts(x.source) if python[x.source] else None for s, x in plain.items()}
        return cls(plain, known)

    def defines(self, cell: Cell, target: str) -> bool:
        """Say whether a cell's code gives the target, more than a stub of it.

        Of code that is no Python only its marker, or its name, says whose it is.
        """
        known = self.facts[cell.source]
        if known is None:
            return bool(_definition(target).search(cell.source))
        return known.defines.get(target) is False


@dataclass(frozen=True)
class _Search:
    """The search for one answer in code."""

    slug: str
    target: str
    cells: list[Cell]
    code: _Code
    handed_out: list[Cell]

    def marked(self) -> list[Cell]:
        """The cells that begin with the exercise's marker."""
        return [cell for cell in self.cells if cell.marker == self.slug]

    def named(self) -> list[Cell]:
        """The cells that a program for notebooks knows by the exercise's name."""
        return [
            cell
            for cell in self.cells
            if cell.marker is None and cell.kind == "code" and cell.name == self.slug
        ]

    def loose(self) -> list[Cell]:
        """The other cells that define the target, if Python can read them."""
        return [
            cell
            for cell in self.cells
            if cell.marker is None and cell.kind == "code" and cell.name != self.slug
            if self.code.facts[cell.source] and self.written(cell)
        ]

    def written(self, cell: Cell) -> bool:
        """Say whether a cell defines the target otherwise than as it was handed out."""
        return self.code.defines(cell, self.target) and not self.untouched(cell)

    def untouched(self, cell: Cell) -> bool:
        """Say whether a cell's code is as it was handed out, or empty."""
        own = bare(cell.source)
        if not own or own in self._handed_out:
            return True
        known = self.code.facts.get(cell.source)
        return known is not None and known.defines.get(self.target) is True

    @cached_property
    def _handed_out(self) -> set[tuple[str, ...]]:
        return {bare(cell.source) for cell in self.handed_out if cell.kind == "code"}

    def mentions(self) -> list[Cell]:
        """The cells that may hold it where nothing of it can be used.

        Their text looks like its definition, in words, in a comment or under another marker.
        """
        line, known = _definition(self.target), {each.content for each in self.handed_out}
        return [
            cell for cell in self.cells if line.search(cell.source) and self._maybe(cell, known)
        ]

    def _maybe(self, cell: Cell, known: Container[str]) -> bool:
        if cell.content in known:
            return False
        gives = self.code.facts.get(cell.source)
        own = cell.marker == self.slug and cell.is_code
        return gives is None or not (own or gives.defines.get(self.target) is True)


def _definition(target: str) -> re.Pattern[str]:
    """Return what finds a definition in text; one that is quoted or commented out too."""
    name = re.escape(target)
    return re.compile(
        rf"^[ \t>#]{{0,9}}(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b"
        rf"|^(?:[ \t]{{0,3}}[>#]+[ \t]*)?{name}[ \t]*(?::[^=\n]*)?=(?!=)",
        re.M,
    )


def _find(submission: Submission, search: _Search) -> None:
    """Take the answer from the first place that has one; say so where it is not its own."""
    slug, target = search.slug, search.target
    marked, named, loose = search.marked(), search.named(), search.loose()
    if any(cell.kind != "code" for cell in marked):
        submission.notes.append(f"{slug}: its cell is not a code cell; taken as code")
    for own in (marked, named, loose):
        if worked := [cell for cell in own if search.written(cell)]:
            if own is named:
                _say_named(submission, search, bool(marked))
            elif own is loose:
                where = f"was found in {_cells_said(loose)}, not in its own"
                submission.look(slug, f"{target} {where}")
            _keep_rivals(submission, search, worked[-1], [*worked[:-1], *loose])
            _take(submission, search, worked[-1])
            return
    changed = [cell for cell in (*named, *marked) if not search.untouched(cell)]
    if maybe := search.mentions():
        seems = f"may hold {target}, and cannot be used"
        if changed:
            submission.look(slug, f"{_cells_said(maybe)} {seems}")
            _take(submission, search, changed[-1])
        else:
            _leave(submission, search, maybe, seems)
    elif own := changed or marked or named:
        if own[-1] in named and not marked:
            _say_named(submission, search, bool(marked))
        _take(submission, search, own[-1])
    else:
        submission.look(slug, "no answer cell was found")


def _leave(submission: Submission, search: _Search, cells: list[Cell], why: str) -> None:
    """Guess nothing: leave an answer to a person, with the code that may be it."""
    said = f"{_cells_said(cells)} {why}: not graded before a person has looked"
    submission.look(search.slug, said)
    pieces = [f"# cell {cell.place}\n{cell.source}" for cell in cells]
    submission.unread[search.slug] = "\n\n".join(pieces)


def _say_named(submission: Submission, search: _Search, marked: bool) -> None:
    """Say that an answer was found by the name that a program for notebooks keeps."""
    said = "its first line is gone; found by its name"
    if marked:
        said = f"{search.target} is not in the marked cell; taken from the one of its name"
    submission.notes.append(f"{search.slug}: {said}")


def _keep_rivals(
    submission: Submission, search: _Search, taken: Cell, others: Sequence[Cell]
) -> None:
    """Keep what other cells answer in another way; say which they are."""
    others = [x for x in dict.fromkeys(others) if bare(x.source) != bare(taken.source)]
    if others:
        also = f"{_cells_said(others)} define{'s' * (len(others) == 1)} {search.target} too"
        submission.notes.append(f"{search.slug}: {also}")
        last = [*others[-MOST_RIVALS:], taken]
        submission.rivals[search.slug] = {x.place: _with_others(search, x)[0] for x in last}


def _cells_said(cells: Sequence[Cell]) -> str:
    """Return the numbers of some cells in words."""
    numbers = [str(cell.place) for cell in cells[:5]]
    more = " and others" if len(cells) > 5 else ""
    return f"cell{'s' * (len(cells) > 1)} {listed(numbers)}{more}"


def _take(submission: Submission, search: _Search, cell: Cell) -> None:
    """Take a cell's code, and along with it what it uses of other cells."""
    slug = search.slug
    said = search.code.plain[cell.source].said
    submission.notes += [f"{slug}: {one_line(one, 400)}" for one in said]
    submission.answers[slug], along = _with_others(search, cell)
    if along:
        names = one_line(", ".join(along), 400)
        submission.notes.append(f"{slug}: taken along from other cells: {names}")


def _with_others(search: _Search, cell: Cell) -> tuple[str, list[str]]:
    """Return a cell's code with what it uses of other cells, and what that is."""
    code = [one for one in search.cells if one.is_code]
    others = {
        one.place: known
        for one in code
        if one.place != cell.place and (known := search.code.facts[one.source])
    }
    checks = re.compile(rf"\bcheck\(\s*{re.escape(search.target)}\b")
    below = (c.place for c in code if c.place >= cell.place and checks.search(c.source))
    return completed(search.code.plain[cell.source].source, others, next(below, cell.place))


def bare(source: str) -> tuple[str, ...]:
    r"""Return the lines of a source without imports, comments and empty ones.

    >>> bare("# EXERCISE f\nimport numpy as np\n\ndef f():  \n    return 1\n")
    ('def f():', '    return 1')
    """
    lines = [line.rstrip() for line in source.removeprefix("\ufeff").splitlines()]
    return tuple(
        x for x in lines if x and not x.lstrip().startswith(("#", "import ", "from ", "%"))
    )


def _is_ours(
    cells: list[Cell],
    code: _Code,
    targets: Mapping[str, str],
    written: Sequence[str],
    handed_out: list[Cell],
) -> bool:
    """Say whether anything in a file belongs to what was asked: a cell of it, or an answer.

    The first cell of code is that of every assignment.
    """
    set_up = [each.content for each in handed_out if each.kind == "code"][:1]
    ours = {each.content for each in handed_out if each.content not in set_up}
    names = {*targets, *written} | {each.name for each in handed_out if each.name}
    for cell in cells:
        known = {cell.marker, cell.name, _written_name(cell, written)} - {"", None}
        if cell.content in ours or known & names:
            return True
    lines = [_definition(target) for target in targets.values()]
    return any(line.search(cell.source) for line in lines for cell in cells)


def _not_ours(cells: list[Cell]) -> str:
    """Return why a file is not read that holds nothing of the assignment; names what it has."""
    said = "nothing of this assignment is in the file"
    others = dict.fromkeys(cell.marker for cell in cells if cell.marker)
    asks = [one_line(other, 60) for other in list(others)[:5]]
    return f"{said}: it asks for {listed(asks)}" if asks else said


def _variants(cells: list[Cell], slugs: Mapping[str, str]) -> dict[str, str]:
    """Return the variants that the notebook's own check cells name, where they agree."""
    named: dict[str, set[str]] = {}
    for cell in cells:
        for slug, variant in _ASKS.findall(cell.source):
            named.setdefault(slug, set()).add(variant)
    return {s: next(iter(named[s])) for s in slugs if len(named.get(s, ())) == 1}


# ---- words ----------------------------------------------------------------------------------


def _written_name(cell: Cell, names: Sequence[str]) -> str:
    """Return the written item whose own cell this is, by a line of it or by its name."""
    for line in cell.source.removeprefix("\ufeff").splitlines():
        found = WRITTEN.fullmatch(line)
        if found and found[1] in names:
            return found[1]
    return cell.name if cell.name in names else ""


@dataclass
class _Words:
    """What a student wrote for one item: in its own cells, and added below its question.

    ``question`` is the number of the question's cell if it is not as it was handed out.
    """

    there: bool = False
    own: list[str] = field(default_factory=list)
    below: list[Cell] = field(default_factory=list)
    code: list[Cell] = field(default_factory=list)
    question: int = 0


def _take_written(
    submission: Submission,
    cells: list[Cell],
    slugs: Sequence[str],
    names: Sequence[str],
    handed_out: list[Cell],
) -> None:
    """Take the words of all written items: a person reads them, so all that may be one is."""
    found = {name: _Words() for name in names}
    elsewhere = _Words()
    release = _Release.of(handed_out, slugs, names)
    item = ""
    for cell in cells:
        name = _written_name(cell, names)
        if name:
            item, found[name].there = name, True
            found[name].own += [text] if (text := _words(cell.source)) else []
            continue
        own = next((each for each in (cell.marker, cell.name) if each in slugs), None)
        known, added = release.known(cell)
        item = own or (item if known is None else known)
        if cell.marker in slugs:
            continue
        words = found.get(item, elsewhere)
        if added is None:
            words.question = cell.place
        elif text := _words(added):
            new = Cell(cell.kind, text, place=cell.place)
            (words.code if cell.kind == "code" else words.below).append(new)
    for name, words in found.items():
        text = _joined(submission, name, words, elsewhere.below)
        if text or words.there:
            submission.written[name] = text
        else:
            submission.look(name, "no written answer was found")
        if words.question and not text:
            changed = f"cell {words.question}, is not as it was handed out"
            submission.look(name, f"its question, {changed}: does it hold the answer?")
        if _SHOWN.search(text):
            submission.look(name, "its answer has a picture, which only the notebook shows")
        if len(text.encode(errors="replace")) > MOST_SHOWN:
            submission.look(name, "its answer is longer than is shown; the notebook has it all")


def _joined(submission: Submission, name: str, words: _Words, elsewhere: list[Cell]) -> str:
    """Return an answer's words: of its own cells the last one, and what was added below."""
    below = words.below or ([] if words.own else words.code)
    if len(words.own) > 1:
        several = f"{len(words.own)} cells answer it; the last one that is written counts"
        submission.notes.append(f"{name}: {several}")
    if words.own and below:
        submission.notes.append(f"{name}: {_cells_said(below)} below it was taken along")
    elif below:
        own = "empty" if words.there else "gone"
        submission.look(name, f"its own cell is {own}; taken from {_cells_said(below)}")
    elif elsewhere and not words.own:
        below, said = elsewhere, f"{_cells_said(elsewhere)} may hold the answer"
        submission.look(name, f"nothing stands in its place; {said}")
    return "\n\n".join([*words.own[-1:], *(cell.source.strip() for cell in below)])


@dataclass(frozen=True)
class _Release:
    """The cells that were handed out, by their first line, each with its item.

    A cell of words belongs to the item that is asked for next. Numbers may differ: a due time
    or a maximum may have changed since.
    """

    cells: dict[tuple[bool, str], tuple[str, str]]
    lines: set[str]

    @classmethod
    def of(
        cls, handed_out: list[Cell], slugs: Sequence[str], names: Sequence[str]
    ) -> "_Release":
        """Note each cell with its item."""
        found: dict[tuple[bool, str], tuple[str, str]] = {}
        waiting: list[Cell] = []
        item = ""
        for cell in handed_out:
            own = _written_name(cell, names) or (cell.marker if cell.marker in slugs else "")
            item = own or item
            waiting.append(cell)
            if own or cell.kind == "code":
                found |= {_first(each): (item, each.content) for each in waiting}
                waiting = []
        words = (cell.content for cell in handed_out if cell.kind != "code")
        return cls(found, {line for text in words for line in text.split("\n")})

    def known(self, cell: Cell) -> tuple[str | None, str | None]:
        """Return the item of a cell that was handed out, and what was added to its words.

        The item is None if it is a new cell, the words are if they cannot be told apart.
        """
        item, ours = self.cells.get(_first(cell), (None, ""))
        own = cell.content.split("\n")
        if item is None:
            return None, "\n".join(line for line in own if not line or line not in self.lines)
        if cell.kind == "code" or not item:
            return item, ""
        first, rest = own[: ours.count("\n") + 1], own[ours.count("\n") + 1 :]
        same = _NUMBER.sub("0", "\n".join(first)) == _NUMBER.sub("0", ours)
        return item, "\n".join(rest) if same else None


def _first(cell: Cell) -> tuple[bool, str]:
    """Return what a cell that was handed out is known by: its code, or its first line."""
    code = cell.kind == "code"
    return code, _NUMBER.sub("0", cell.content if code else cell.content.split("\n")[0])


def _words(source: str) -> str:
    """Return what a student wrote into a cell for words, without its marker and our line."""
    lines = source.removeprefix("\ufeff").splitlines()
    text = "\n".join(line for line in lines if not WRITTEN.fullmatch(line))
    return _PICTURE.sub("[a picture]", text.replace(ANSWER, "")).strip()
