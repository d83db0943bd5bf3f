"""Reads tables that learning platforms write: whose row it is, what somebody is called, when.

The words and dates of Moodle's grading worksheet are in the language of the teacher. Its
columns are known by their place; a date in words is read in the language in which its day of
the week, its month and the calendar agree. What is not sure stops everything, with its line.

Source: Moodle's ``mod/assign/gradingtable.php`` (``col_status`` ends in the extension) and
``lang/*/langconfig.php``; Canvas's
``lib/gradebook_exporter.rb``; the grades that Gradescope exports.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from course_grader.safe_text import one_line
from course_grader.tables import read_table

MOST_CHARACTERS = 20_000_000
_CELL = r'(?P<raw>"(?:[^"]|"")*+"|[^{part}\r\n]*)(?P<end>{part}|\r\n|\n|\r|\Z)'
# The heading of the time of a hand-in: ours, Gradescope's, and Moodle's where we have seen it.
_HANDED_IN = (
    *("time", "submission time", "last modified (submission)", "zuletzt geändert (abgabe)"),
    *("dernière modification (travail remis)", "última modificación (entrega)"),
    *("ultima modifica (consegna)", "última atualização (submissão)"),
    *("última modificação (envio)", "laatst gewijzigd (inzending)"),
    *("senast modifierat (inlämning)", "poslední změna (odevzdání)"),
    *("последнее изменение (ответ)", "son düzenleme (gönderim)"),
)
_WORD = r"[^\W\d_]+(?:[-'’][^\W\d_]+)*"
_CLOCK = (
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?:[ \u00a0\u202f]?(?P<half>[AaPp])\.?[ \u00a0]?[Mm]\.?)?(?: Uhr)?"
)
_BETWEEN = r",?\s+(?:(?:at|um|kl\.?|klo|o|à|às|a las)\s+)?"
_WORDED = re.compile(
    rf"(?:(?P<weekday>{_WORD}(?: {_WORD}){{0,2}}),?\s+)?"
    rf"(?:(?P<day>\d{{1,2}})\.?\s+(?:de\s+)?(?P<month>{_WORD})|(?P<mois>{_WORD})\s+(?P<dia>\d{{1,2}}))"
    rf",?\s+(?:de\s+)?(?P<year>\d{{4}}){_BETWEEN}{_CLOCK}"
)
_NUMBERS = re.compile(
    rf"(?P<day>\d{{1,2}})\.\s?(?P<month>\d{{1,2}})\.\s?(?P<year>\d{{4}}){_BETWEEN}{_CLOCK}"
)
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?"
)
# Of the languages that Moodle speaks, those whose calendar is ours.
_LANGUAGES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "nn", "fi", "et", "is"),
    *("pl", "cs", "sk", "sl", "hr", "sr", "bs", "mk", "bg", "ro", "hu", "lv", "lt", "uk", "ru"),
    *("el", "tr", "az", "ca", "eu", "gl", "cy", "sq", "id", "ms", "he", "ka", "hy"),
)


# The columns by which a platform knows somebody, its own number apart.
KNOWN_BY = {
    "Canvas": ("student", "sis user id", "sis login id", "integration id"),
    "Gradescope": ("sid", "email", "name"),
}


@dataclass
class Cell:
    """A cell with its quotation marks, and what parts it from the next."""

    raw: str
    end: str

    @property
    def value(self) -> str:
        """What it holds."""
        quoted = len(self.raw) > 1 and self.raw.startswith('"') and self.raw.endswith('"')
        return self.raw[1:-1].replace('""', '"') if quoted else self.raw

    def put(self, value: str) -> None:
        """Let it hold something else, quoted if it was."""
        self.raw = f'"{value}"' if self.raw.startswith('"') else value


def records(text: str) -> Iterator[list[Cell]]:
    """Cut a table into rows of cells; joined again they are the text."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"the table must have at most {MOST_CHARACTERS} characters")
    first = text.split("\n", 1)[0]
    part = max(",;\t", key=first.count)
    pattern, position = re.compile(_CELL.format(part=part)), 0
    row: list[Cell] = []
    while position < len(text) or row:
        found = pattern.match(text, position)
        assert found  # a cell may be empty, and anything ends one
        row.append(Cell(found["raw"], found["end"]))
        position = found.end()
        if found["end"] != part:
            yield row
            row = []


def letters(name: str) -> str:
    """Return what of a name is left of it in the name of a folder."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(one for one in plain if one.isalnum())


def matched(
    students: Sequence[str], keys: Sequence[set[str]], numbers: Sequence[str]
) -> dict[str, int]:
    """Return each student's row: known by a key as it stands, or by the platform's number.

    Args:
        students: as the grader calls them.
        keys: what somebody may be known by, in small letters, row by row.
        numbers: a text that ends in the platform's number, row by row.

    Raises:
        ValueError: if two rows may be one student's, or two students have one row.
    """
    by_key: dict[str, list[int]] = {}
    for i, (known, text) in enumerate(zip(keys, numbers, strict=True)):
        found = re.search(r"(\d+)$", text.strip())
        for key in known - {""} | ({f"#{int(found[1])}"} if found else set()):
            by_key.setdefault(key, []).append(i)
    whose: dict[str, int] = {}
    for student in students:
        number = re.search(r"_(\d+)$", student)
        hits = by_key.get(student.lower()) or by_key.get(
            f"#{int(number[1])}" if number else "", []
        )
        if len(hits) > 1:
            raise ValueError(f"{one_line(student)}: {len(hits)} rows may be theirs")
        if hits and hits[0] in whose.values():
            other = next(s for s, i in whose.items() if i == hits[0])
            both = f"{one_line(other)} and {one_line(student)}"
            raise ValueError(f"{both} have one row of the table between them")
        if hits:
            whose[student] = hits[0]
    return whose


@dataclass(frozen=True)
class Person:
    """What a table says of a student: the name as it is there, the time of handing in.

    ``extended`` is until when there was time, where Moodle's says that it is longer.
    """

    name: str
    time: datetime | None = None
    extended: datetime | None = None


def read_platform_table(path: Path, students: Sequence[str], times: bool) -> dict[str, Person]:
    """Read what a platform's table, or one with a column student and others, says of students.

    With ``times`` it must say when they handed in; without, what they are called is enough.

    Raises:
        ValueError: if it is no such table, or a row cannot be read; names file and line.
    """
    text = read_table(path)
    try:
        return dict(_people(list(_numbered(text)), students, times))
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from error


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, each with the line in which it begins."""
    line = 1
    for row in records(text):
        cells = [cell.value for cell in row]
        if any(cells):
            yield line, cells
        line += len(re.findall(r"\r\n|\n|\r", "".join(cell.raw + cell.end for cell in row)))


def kind_of(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return whose table it is, by its head and, for Moodle's, by the participants' numbers."""
    if "student" in titles and {"time", "name"} & set(titles):
        return "own"
    if "sid" in titles and "email" in titles:
        return "Gradescope"
    if "id" in titles and {"student", "lastname"} & set(titles):
        return "Canvas"
    numbered = [re.fullmatch(r"\D+\d+", cells[0].strip()) for cells in rows]
    if len(titles) > 2 and numbered and all(numbered):
        return "Moodle"
    raise ValueError(
        "line 1: it is neither Moodle's grading worksheet, Canvas's gradebook nor Gradescope's "
        f"grades, and has no column student; it has {'; '.join(map(one_line, titles))}"
    )


def _people(
    rows: list[tuple[int, list[str]]], students: Sequence[str], times: bool
) -> Iterator[tuple[str, Person]]:
    if not rows:
        raise ValueError("line 1: the table is empty")
    head = rows.pop(0)[1]
    titles = [cell.strip().lower() for cell in head]
    kind = kind_of(titles, [cells for _, cells in rows])
    time = next((i for i, title in enumerate(titles) if title in _HANDED_IN), None)
    if times and time is None:
        raise ValueError(
            "line 1: no column says when it was handed in; if one does, call it time. The "
            f"columns are: {'; '.join(map(one_line, head))}"
        )
    for line, cells in rows:
        if len(cells) != len(titles):
            raise ValueError(f"line {line}: it has {len(cells)} cells, the head {len(titles)}")
    if kind == "Canvas":  # above the people it says what an assignment is worth
        rows = [row for row in rows if _cell(row[1], titles, "id").isdigit()]
    place = titles.index("id") if kind == "Canvas" else 0
    keys = [_keys(kind, titles, cells) for _, cells in rows]
    numbers = [cells[place] if kind in ("Moodle", "Canvas") else "" for _, cells in rows]
    if kind == "own":
        found = _once([(line, _cell(cells, titles, "student")) for line, cells in rows])
    else:
        found = matched(students, keys, numbers)
    for student, i in found.items():
        line, cells = rows[i]
        name = _name(kind, titles, cells, student)
        if name is None:
            continue
        said = cells[time].strip() if times and time is not None else ""
        try:
            blank = said == "-" or (not said and kind != "own")
            at = read_time(said) if times and not blank else None
            extended = _extended(cells[2:time]) if times and kind == "Moodle" else None
            yield student, Person(name, at, extended)
        except ValueError as error:
            raise ValueError(f"line {line}: {error}") from error


def _extended(cells: Sequence[str]) -> datetime | None:
    """Parse the extended due date from Moodle's status column; None without one.

    The words before the time differ from language to language.
    """
    for part in re.split(r" - |\n", " - ".join(cells)):
        if not re.search(r"\d{4}\D+\d{1,2}[:.h]\d\d", part):
            continue
        words = part.split()
        for first in range(len(words)):
            with suppress(ValueError):
                return read_time(" ".join(words[first:]))
        raise ValueError(f"the time in {one_line(part, 80)!r} cannot be read")
    return None


def _once(named: Sequence[tuple[int, str]]) -> dict[str, int]:
    """Return each student's row in a table of our own, which names everybody once."""
    found: dict[str, int] = {}
    for i, (line, student) in enumerate(named):
        if not student or student in found:
            raise ValueError(
                f"line {line}: student must stand once in the table, got {student!r}"
            )
        found[student] = i
    return found


def _keys(kind: str, titles: Sequence[str], cells: Sequence[str]) -> set[str]:
    """Return by what a row's person may be known."""
    known = KNOWN_BY.get(kind)
    texts = [_cell(cells, titles, title) for title in known] if known else cells[1:5]
    return {text.strip().lower() for text in texts}


def _name(kind: str, titles: Sequence[str], cells: Sequence[str], student: str) -> str | None:
    """Return the name in a row; None if the row is another's, though the number is the same."""
    if kind != "Moodle":
        parts = "first name", "firstname", "last name", "lastname"
        whole = " ".join(filter(None, (_cell(cells, titles, part) for part in parts)))
        own = "student" if kind == "Canvas" else "name"
        return _cell(cells, titles, own) or whole
    return moodle_name(cells, student)


def moodle_name(cells: Sequence[str], student: str) -> str | None:
    """Return the name in a row of Moodle's; None if only the number is the student's.

    Where groups hand in, a folder carries the group's number, which may be somebody's too.
    Where names are hidden, it carries the word that is before the number in the row.
    """
    numbered = re.fullmatch(r"(.*)_\d+", student, re.DOTALL)
    if not numbered or letters(numbered[1]) == letters(cells[1]):
        return cells[1].strip()
    hidden = cells[0].strip(), re.sub(r"\d+$", "", cells[0].strip())
    return hidden[0] if letters(numbered[1]) in map(letters, hidden) else None


def _cell(cells: Sequence[str], titles: Sequence[str], title: str) -> str:
    return cells[titles.index(title)].strip() if title in titles else ""


def read_time(text: str) -> datetime:
    """Return the time that a text says, in words or numbers; without a zone if it says none.

    Raises:
        ValueError: if it is not sure which time that is.

    >>> read_time("Mittwoch, 10. Juni 2026, 14:14")
    datetime.datetime(2026, 6, 10, 14, 14)
    >>> read_time("Wednesday, June 10, 2026, 2:14 PM").hour
    14
    """
    with suppress(ValueError):
        return datetime.fromisoformat(text.strip())
    if found := _ISO.fullmatch(text.strip()):
        zone = (found[2] or "").replace("UTC", "+00:00").replace("Z", "+00:00")
        return datetime.fromisoformat(found[1] + zone)
    clean = " ".join(text.split())
    with suppress(ValueError):  # no such day or hour
        if found := _NUMBERS.fullmatch(clean):
            return _at(found, int(found["month"]), int(found["day"]))
        if (found := _WORDED.fullmatch(clean)) and (month := _month(found)):
            return _at(found, month, int(found["day"] or found["dia"]))
    raise ValueError(f"time must be like 2026-10-05T23:59:00+02:00, got {one_line(text, 80)!r}")


def _at(found: re.Match[str], month: int, day: int) -> datetime:
    hour = int(found["hour"])
    if half := found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour")
        hour = hour % 12 + 12 * (half in "Pp")
    return datetime(
        int(found["year"]), month, day, hour, int(found["minute"]), int(found["second"] or 0)
    )


def _month(found: re.Match[str]) -> int | None:
    """Return the month that a language gives, in which the day of the week is right too.

    Of a date without a day of the week, all languages that know the month must agree.
    """
    word = _folded(found["month"] or found["mois"])
    weekday = _folded(found["weekday"] or "")
    sure = set()
    for language in _LANGUAGES:
        months, days = _calendar(language)
        if month := months.get(word):
            day = int(found["day"] or found["dia"])
            at = datetime(int(found["year"]), month, day)
            if not weekday or days.get(weekday) == at.weekday():
                sure.add(month)
    return sure.pop() if len(sure) == 1 else None


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().rstrip(".")


@cache
def _calendar(language: str) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return a language's months from 1 and its days of the week from Monday, 0, by name."""
    try:
        from babel import Locale
    except ImportError as error:
        raise ImportError("dates in words need Babel: pip install babel") from error
    locale = Locale(language)
    tables = []
    for names in (locale.months, locale.days):
        forms = (names[context]["wide"] for context in ("format", "stand-alone"))
        tables.append({_folded(name): i for form in forms for i, name in form.items()})
    return tables[0], tables[1]
