"""Fills the grade table of Moodle, Canvas or Gradescope, and changes nothing else in it.

A table is cut into its cells with every quotation mark and line end where it was, so that all
that is not a grade comes back byte for byte. A grade is written only where it is sure whose it
is and that it is final; everything else is left as it stood and said.

Source: Moodle's ``mod/assign/gradingtable.php`` and ``feedback/offline/importgradeslib.php``
(the participant's number stands first, then who it is, then the grade and the highest grade
side by side; titles are in the language of whoever downloads), Canvas's
``lib/gradebook_exporter.rb`` (columns *ID*, *Title (id)*, the row *Points Possible*), and the
grades that Gradescope exports (columns *SID*, *Email*, *Total Score*, *Max Points*; of a whole
course *Title* and *Title - Max Points*; of an assignment's questions *1: Title (5.0 pts)*).
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from course_grader.safe_text import one_line
from course_grader.submissions.platforms import (
    KNOWN_BY,
    Cell,
    kind_of,
    matched,
    moodle_name,
    records,
)


@dataclass(frozen=True)
class Final:
    """What a student has in the end.

    Args:
        student: the student.
        mark: the points, as they are written; empty while they are not final.
        waits: what is still open, in words.
    """

    student: str
    mark: str
    waits: str = ""


@dataclass
class Filled:
    """Result of filling a table.

    Args:
        text: the table, filled.
        rows: which row of the table, its cells, is whose.
        written: who got a mark that did not stand there.
        replaced: whose other mark stood there, and which.
        left: who got none, and why.
    """

    text: str
    rows: dict[str, list[str]] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class System:
    """A learning platform's table of grades.

    Args:
        name: what it is called.
        title: what a column may be called that holds the grade, as a pattern.
        keys: the columns by which a student may be known; without them, all before the grade.
        number: the column with the platform's own number of a person; without it, the first.
        most: the column with the highest grade, if each row has one; without it, the one behind
            the grade.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    number: str = ""
    most: str = ""

    def grade(self, title: str) -> bool:
        """Say whether a column may hold the grade, by its name in small letters."""
        return bool(re.fullmatch(self.title, title, re.DOTALL))


SYSTEMS = {
    "moodle": System("Moodle", r"grade"),
    "canvas": System("Canvas", r".*\(\d+\)", ("id", *KNOWN_BY["Canvas"]), "id"),
    "gradescope": System(
        "Gradescope", r"total score", KNOWN_BY["Gradescope"], "sid", "max points"
    ),
}
# What Canvas writes where a grade must not be: excused, and not assigned.
_NO_GRADE = ("EX", "N/A")
# How Moodle says that a grade may not be changed, in English, German and their neighbours. In
# any other language Moodle itself leaves that grade as it is.
_NO = ("no", "nein", "non", "nee", "nej", "nei", "não", "nie", "ne", "ei", "нет", "όχι")


def fill(
    text: str, system: System, finals: Sequence[Final], most: str, column: str = ""
) -> Filled:
    """Return a platform's table with the marks of those who are graded.

    Args:
        text: the table, as the platform wrote it.
        system: which platform's.
        finals: what each student has in the end.
        most: the highest mark that the assignment gives.
        column: the grade's column, by its name; found if it is empty.

    Raises:
        ValueError: if the text is no such table, if two rows may be one student's or two
            students one row's, or if the table's highest grade is another one.
    """
    mark = text[: text.startswith("\ufeff")]
    table = list(records(text.removeprefix(mark)))
    head = _head(table, system, column)
    rows = _rows(table[1:], head)
    _same_most(table[1:], rows, head, most)
    whose = _whose(rows, finals, head)
    at = head.grade
    filled = Filled("")
    for final in finals:
        row = whose.get(final.student)
        if row is None:
            filled.left.append((final.student, "no row of the table is theirs"))
            continue
        if other := _another(row, final.student, head):
            filled.left.append((final.student, other))
            continue
        filled.rows[final.student] = [cell.value for cell in row]
        stood = row[at].value.strip()
        if why := _forbidden(row, head) or final.waits:
            filled.left.append((final.student, why))
        elif not _equal(stood, final.mark):
            if stood and stood != "-":
                filled.replaced.append(f"{final.student} ({stood} -> {final.mark})")
            else:
                filled.written.append(final.student)
            row[at].put(final.mark)
    filled.text = mark + "".join(cell.raw + cell.end for row in table for cell in row)
    return filled


@dataclass(frozen=True)
class _Head:
    """Where a table has what: its titles in small letters, and the columns by their number."""

    system: System
    titles: list[str]
    grade: int
    most: int | None
    keys: list[int]
    number: int | None


def _head(table: list[list[Cell]], system: System, column: str) -> _Head:
    """Find the columns of a table."""
    if not table:
        raise ValueError("the table is empty")
    named = [cell.value.strip() for cell in table[0]]
    titles = [title.lower() for title in named]
    if column:
        asked = column.strip().lower()
        fits = [i for i, title in enumerate(titles) if title == asked]
        fits = fits or [i for i, title in enumerate(titles) if _is_called(title, asked)]
    else:
        fits = [i for i, title in enumerate(titles) if system.grade(title)]
        whose = system.name
        with suppress(ValueError):
            rows = [[cell.value for cell in row] for row in table[1:]]
            whose = kind_of(titles, list(filter(any, rows)))
        if not fits and whose not in (system.name, "own"):
            raise ValueError(f"line 1: this is {whose}'s table: give it as --{whose.lower()}")
        if not fits and not system.keys:
            fits = _before_the_most(table[1:], len(titles))
    if len(fits) != 1:
        choice = [named[i] for i in fits] or named
        raise ValueError(
            f"line 1: one column must hold the grade, found {len(fits) or 'none'}; name it "
            f"with --column, one of: {'; '.join(map(one_line, choice))}"
        )
    grade = fits[0]
    if not system.keys:  # Moodle's order is fixed, its words are not
        other = [row[grade] for row in table[1:] if len(row) == len(titles)]
        if stood := [cell.value for cell in other if not _may_be_grade(cell)]:
            raise ValueError(
                f"line 1: the column {one_line(named[grade])} must hold grades, "
                f"got {one_line(stood[0], 80)!r}; name the grade's column with --column"
            )
        behind = grade + 1 if grade + 1 < len(titles) else None
        head = _Head(system, titles, grade, behind, list(range(grade)), 0 if grade else None)
    else:
        keys = [i for i, title in enumerate(titles) if title in system.keys]
        place = {title: i for i, title in enumerate(titles)}
        most_at = None
        if system.most:  # of a whole course each assignment has its own
            total = place.get(system.most) if system.grade(titles[grade]) else None
            most_at = place.get(f"{titles[grade]} - {system.most}", total)
        head = _Head(system, titles, grade, most_at, keys, place.get(system.number))
    if not head.keys:
        wanted = ", ".join(system.keys) or "the participant's number, before the grade"
        raise ValueError(
            f"line 1: a table of {system.name} has one of the columns {wanted}, "
            f"got {'; '.join(map(one_line, named))}"
        )
    return head


def _is_called(title: str, asked: str) -> bool:
    """Return whether a column has this name, without or by Canvas's number behind it."""
    return asked == re.sub(r" \(\d+\)$", "", title) or title.endswith(f"({asked})")


def _before_the_most(below: Sequence[list[Cell]], width: int) -> list[int]:
    """Return the columns that may hold grades, each before one number in every row."""
    rows = [row for row in below if len(row) == width]
    same = [
        i
        for i in range(1, width)
        if rows
        and all(_equal(row[i].value, rows[0][i].value.replace(",", ".")) for row in rows)
    ]
    return [i - 1 for i in same if all(_may_be_grade(row[i - 1]) for row in rows)]


def _may_be_grade(cell: Cell) -> bool:
    """Return whether a cell holds a number, or nothing yet."""
    return bool(re.fullmatch(r"-?|\d+(?:[.,]\d+)?", cell.value.strip()))


def _rows(rows: Iterable[list[Cell]], head: _Head) -> list[list[Cell]]:
    """Return the rows that are people's."""
    people = []
    for line, row in enumerate(rows, 2):
        if len(row) == 1 and not row[0].raw:
            continue
        if len(row) != len(head.titles):
            raise ValueError(
                f"row {line}: it has {len(row)} cells, the head {len(head.titles)}"
            )
        if head.system.name != "Canvas" or row[head.titles.index("id")].value.strip().isdigit():
            people.append(row)
    return people


def _whose(
    rows: list[list[Cell]], finals: Sequence[Final], head: _Head
) -> dict[str, list[Cell]]:
    """Return each student's row."""
    keys = [{row[k].value.strip().lower() for k in head.keys} for row in rows]
    numbers = ["" if head.number is None else row[head.number].value for row in rows]
    found = matched([final.student for final in finals], keys, numbers)
    return {student: rows[i] for student, i in found.items()}


def _another(row: Sequence[Cell], student: str, head: _Head) -> str:
    """Return why a row of Moodle's is not a student's, though the number is; else nothing."""
    if head.system.keys or head.grade < 2:
        return ""
    theirs = moodle_name([cell.value for cell in row], student) is not None
    return "" if theirs else f"the row of that number is {row[1].value}'s"


def _same_most(
    below: Sequence[list[Cell]], rows: Sequence[list[Cell]], head: _Head, most: str
) -> None:
    """Refuse a table whose highest grade is not the assignment's."""
    said: set[str] = set()
    if head.system.name == "Canvas":
        # Above the people; what the row is called is in the teacher's language.
        people = set(map(id, rows))
        above = [r for r in below if len(r) == len(head.titles) and id(r) not in people]
        values = [r[head.grade].value for r in above]
        said = {one for one in values if re.fullmatch(r"\d+(?:[.,]\d+)?", one.strip())}
    elif head.most is not None:
        said = {row[head.most].value for row in rows}
    if worth := re.search(r"\((\d+(?:[.,]\d+)?) pts\)$", head.titles[head.grade]):
        said.add(worth[1])  # a question's column of Gradescope
    other = sorted(one for one in said if one.strip() and not _equal(one, most))
    if other:
        name = head.system.name
        raise ValueError(
            f"the table's highest grade is {one_line(other[0])}, the assignment's {most}: set "
            f"it to {most} in {name} and download the table again"
        )


def _forbidden(row: Sequence[Cell], head: _Head) -> str:
    """Return why a grade may not be written in this row; nothing if it may."""
    name, stood = head.system.name, row[head.grade].value.strip()
    behind = [] if head.system.keys else row[head.grade + 2 : head.grade + 4]
    if any(cell.value.strip().lower() in _NO for cell in behind):
        return f"{name} says that their grade cannot be changed"
    if stood.upper() in _NO_GRADE:
        return f"{name} says {stood} there"
    return ""


def _equal(one: str, other: str) -> bool:
    """Return whether two cells hold the same number, whatever the decimal sign."""
    try:
        return abs(float(one.replace(",", ".")) - float(other)) < 0.005
    except ValueError:
        return False


def moodle_folder(cells: Sequence[str]) -> str:
    """Return the folder by which Moodle knows whose feedback a file is; empty without a number.

    >>> moodle_folder(["Participant 17", "Ada L", "ada@example.org"])
    'Ada L_17_assignsubmission_file'
    """
    found = re.search(r"(\d+)$", cells[0].strip())
    name = re.sub(r'[_/\\:*?"<>|\x00-\x1f]', " ", "".join(cells[1:2])).strip(" .")
    return f"{name or 'Participant'}_{found[1]}_assignsubmission_file" if found else ""
