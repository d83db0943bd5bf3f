"""Fills the grade table of Moodle, Canvas or Gradescope, and changes nothing else in it.

A table is cut into its cells with every quotation mark and line end where it was, so that all
that is not a grade comes back byte for byte. A grade is written only where it is sure whose it
is and that it is final; everything else is left as it stood and said.

Source: Moodle's ``mod/assign/gradingtable.php`` and ``feedback/offline/importgradeslib.php``
(columns *Identifier*, *Grade*, *Maximum grade*, *Grade can be changed*), Canvas's
``lib/gradebook_exporter.rb`` (columns *ID*, *Title (id)*, the row *Points Possible*), and the
grades that Gradescope exports (columns *SID*, *Email*, *Total Score*, *Max Points*).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from course_grader.safe_text import one_line

_CELL = r'(?P<raw>"(?:[^"]|"")*+"|[^{part}\r\n]*)(?P<end>{part}|\r\n|\n|\r|\Z)'
MOST_CHARACTERS = 20_000_000


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
    """What came of a table.

    Args:
        text: the table, filled.
        rows: which row of the table, its cells by column, is whose.
        written: who got a mark that did not stand there.
        replaced: whose other mark stood there, and which.
        left: who got none, and why.
    """

    text: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class System:
    """A learning platform's table of grades.

    Args:
        name: what it is called.
        grade: the columns that may hold the grade, by name.
        keys: the columns by which a student may be known.
        number: the column with the platform's own number of a person.
        most: the column with the highest grade, if each row has one.
        locked: the column that says "No" where a grade may not be changed.
    """

    name: str
    grade: Callable[[str], bool]
    keys: tuple[str, ...]
    number: str
    most: str = ""
    locked: str = ""


SYSTEMS = {
    "moodle": System(
        "Moodle",
        lambda title: title == "grade",
        ("identifier", "full name", "email address", "id number", "username"),
        "identifier",
        "maximum grade",
        "grade can be changed",
    ),
    "canvas": System(
        "Canvas",
        lambda title: bool(re.search(r"\(\d+\)$", title)),
        ("id", "student", "sis user id", "sis login id", "integration id"),
        "id",
    ),
    "gradescope": System(
        "Gradescope",
        lambda title: title == "total score",
        ("sid", "email", "name"),
        "sid",
        "max points",
    ),
}
# What Canvas writes where a grade must not be: excused, and not assigned.
_NO_GRADE = ("EX", "N/A")


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
    table = list(_records(text.removeprefix(mark)))
    titles, at = _head(table, system, column)
    rows = _rows(table[1:], titles, system)
    whose = _whose(rows, finals, titles, system)
    _same_most(table[1:], rows, titles, at, system, most)
    filled = Filled("")
    for final in finals:
        row = whose.get(final.student)
        if row is None:
            filled.left.append((final.student, "no row of the table is theirs"))
            continue
        cells = dict(zip(titles, (cell.value for cell in row), strict=True))
        filled.rows[final.student] = cells
        stood = row[at].value.strip()
        if why := _forbidden(cells, stood, system) or final.waits:
            filled.left.append((final.student, why))
        elif not _equal(stood, final.mark):
            if stood and stood != "-":
                filled.replaced.append(f"{final.student} ({stood} -> {final.mark})")
            else:
                filled.written.append(final.student)
            row[at].put(final.mark)
    filled.text = mark + "".join(cell.raw + cell.end for row in table for cell in row)
    return filled


@dataclass
class _Cell:
    raw: str
    end: str

    @property
    def value(self) -> str:
        quoted = len(self.raw) > 1 and self.raw.startswith('"') and self.raw.endswith('"')
        return self.raw[1:-1].replace('""', '"') if quoted else self.raw

    def put(self, value: str) -> None:
        self.raw = f'"{value}"' if self.raw.startswith('"') else value


def _records(text: str) -> Iterator[list[_Cell]]:
    """Cut a table into rows of cells; joined again they are the text."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the table must have at most {MOST_CHARACTERS} characters")
    first = text.split("\n", 1)[0]
    part = max(",;\t", key=first.count)
    pattern, position = re.compile(_CELL.format(part=part)), 0
    row: list[_Cell] = []
    while position < len(text) or row:
        found = pattern.match(text, position)
        assert found  # a cell may be empty, and anything ends one
        row.append(_Cell(found["raw"], found["end"]))
        position = found.end()
        if found["end"] != part:
            yield row
            row = []


def _head(table: list[list[_Cell]], system: System, column: str) -> tuple[list[str], int]:
    """Return the titles in small letters, and which column holds the grade."""
    if not table:
        raise ValueError("the table is empty")
    named = [cell.value.strip() for cell in table[0]]
    titles = [title.lower() for title in named]
    if column:
        fits = [i for i, title in enumerate(titles) if _is_called(title, column)]
    else:
        fits = [i for i, title in enumerate(titles) if system.grade(title)]
    if len(fits) != 1:
        found = "none" if not fits else f"{len(fits)}"
        raise ValueError(
            f"line 1: one column must hold the grade, found {found}; name it with --column, "
            f"one of: {'; '.join(map(one_line, named))}"
        )
    if not any(key in titles for key in system.keys):
        raise ValueError(
            f"line 1: a table of {system.name} has one of the columns "
            f"{', '.join(system.keys)}, got {'; '.join(map(one_line, named))}"
        )
    return titles, fits[0]


def _is_called(title: str, column: str) -> bool:
    """Return whether a column has this name, with or without Canvas's number behind it."""
    asked = column.strip().lower()
    return asked in (title, re.sub(r" \(\d+\)$", "", title)) or title.endswith(f"({asked})")


def _rows(rows: Iterable[list[_Cell]], titles: list[str], system: System) -> list[list[_Cell]]:
    """Return the rows that are people's."""
    people = []
    for line, row in enumerate(rows, 2):
        if len(row) == 1 and not row[0].raw:
            continue
        if len(row) != len(titles):
            raise ValueError(f"row {line}: it has {len(row)} cells, the head {len(titles)}")
        if system.name != "Canvas" or row[titles.index("id")].value.strip().isdigit():
            people.append(row)
    return people


def _whose(
    rows: list[list[_Cell]], finals: Sequence[Final], titles: list[str], system: System
) -> dict[str, list[_Cell]]:
    """Return each student's row: known by a key as it stands, or by the platform's number."""
    by_key: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        keys = {row[titles.index(k)].value.strip().lower() for k in system.keys if k in titles}
        if system.number in titles:
            found = re.search(r"(\d+)$", row[titles.index(system.number)].value.strip())
            keys |= {f"#{int(found[1])}"} if found else set()
        for key in keys - {""}:
            by_key.setdefault(key, []).append(i)
    whose: dict[str, int] = {}
    for final in finals:
        name, number = final.student.lower(), re.search(r"_(\d+)$", final.student)
        hits = by_key.get(name) or by_key.get(f"#{int(number[1])}" if number else "", [])
        if len(hits) > 1:
            raise ValueError(f"{one_line(final.student)}: {len(hits)} rows may be theirs")
        if hits:
            if hits[0] in whose.values():
                other = next(s for s, i in whose.items() if i == hits[0])
                both = f"{one_line(other)} and {one_line(final.student)}"
                raise ValueError(f"{both} have one row of the table between them")
            whose[final.student] = hits[0]
    return {student: rows[i] for student, i in whose.items()}


def _same_most(
    below: Sequence[list[_Cell]],
    rows: Sequence[list[_Cell]],
    titles: list[str],
    at: int,
    system: System,
    most: str,
) -> None:
    """Refuse a table whose highest grade is not the assignment's."""
    if system.name == "Canvas":
        said = {r[at].value for r in below if r and r[0].value.strip() == "Points Possible"}
    elif system.most in titles:
        said = {row[titles.index(system.most)].value for row in rows}
    else:
        said = set()
    other = sorted(one for one in said if one.strip() and not _equal(one, most))
    if other:
        raise ValueError(
            f"the table's highest grade is {one_line(other[0])}, the assignment's {most}: set "
            f"it to {most} in {system.name} and download the table again"
        )


def _forbidden(cells: Mapping[str, str], stood: str, system: System) -> str:
    """Return why a grade may not be written in this row; nothing if it may."""
    if cells.get(system.locked, "").strip().lower() == "no":
        return f"{system.name} says that their grade cannot be changed"
    if stood.upper() in _NO_GRADE:
        return f"{system.name} says {stood} there"
    return ""


def _equal(one: str, other: str) -> bool:
    """Return whether two cells hold the same number, whatever the decimal sign."""
    try:
        return abs(float(one.replace(",", ".")) - float(other)) < 0.005
    except ValueError:
        return False


def moodle_folder(cells: Mapping[str, str]) -> str:
    """Return the folder by which Moodle knows whose feedback a file is; empty without a number.

    >>> moodle_folder({"identifier": "Participant 17", "full name": "Ada L"})
    'Ada L_17_assignsubmission_file'
    """
    found = re.search(r"(\d+)$", cells.get("identifier", "").strip())
    name = re.sub(r'[_/\\:*?"<>|\x00-\x1f]', " ", cells.get("full name", "")).strip(" .")
    return f"{name or 'Participant'}_{found[1]}_assignsubmission_file" if found else ""
