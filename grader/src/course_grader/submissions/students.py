"""Finds which file is which student's; a table says when it was handed in.

Of several files of one student the newest counts, and a note says so. No lateness rests on the
times of files: they are those of whoever copied them last.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from math import ceil
from pathlib import Path

from course_grader.safe_text import cell, one_line
from course_grader.submissions.layouts import PLAIN, Whose, beside, layout_of, rank
from course_grader.submissions.platforms import read_platform_table, read_time
from course_grader.submissions.unpack import NOTEBOOK, Member
from course_grader.tables import rows_of

TWIN = "in a table its student's name looks like that of another"
# Noted where files were handed in whose times do not say which is the newest.
SAME_TIME = "their times are equal, so the names decided"
# What belongs to a collection and to no student's work.
_FURNITURE = ("timestamp.txt", "submission_metadata.yml", "thumbs.db", "desktop.ini")


@dataclass
class Handed:
    """What one student handed in.

    Args:
        student: the student.
        member: the file that counts; None if none can.
        files: the names of all files, the one that counts first.
        refused: why no file counts.
        instead: if no file counts, those that a person can look at.
        time: when it came, if that is known and asked for.
        notes: what the student and the teacher should know.
    """

    student: str
    member: Member | None = None
    refused: str = ""
    time: datetime | None = None
    notes: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    instead: list[Member] = field(default_factory=list)


@dataclass
class Collected:
    """A class's submissions, in the order of names, and the files without an owner.

    ``names`` says what students are called where the collection knows more than it calls them.
    """

    layout: str
    handed: list[Handed]
    strays: list[tuple[str, str]]
    names: dict[str, str] = field(default_factory=dict)


def collect(members: Sequence[Member], assignment: str) -> Collected:
    """Find each student's file, for an assignment of that name."""
    layout = layout_of(members, assignment)
    files: dict[str, list[tuple[Member, Whose]]] = {}
    strays: list[tuple[str, str]] = []
    names: dict[str, str] = {}
    for member in members:
        if member.parts and member.parts[-1].lower() in _FURNITURE:
            continue
        owners = layout.whose(member)
        for whose in owners:
            files.setdefault(whose.student, []).append((member, whose))
            names |= {whose.student: whose.name} if whose.name else {}
        if not owners:
            reason = member.refused or "whose it is cannot be seen from its name"
            strays.append((member.name, reason))
    handed: list[Handed] = []
    alike: dict[str, str] = {}
    # Of look-alike names prefer the one without odd characters.
    for student in sorted(files, key=lambda name: (_look(name) != name, name)):
        twin = alike.setdefault(_look(student), student)
        if twin == student:
            handed.append(chosen(student, files[student], assignment))
        else:
            strays += [(m.name, TWIN) for m, _ in files[student]]
    handed.sort(key=lambda one: one.student)
    return Collected(layout.name, handed, sorted(strays), names)


def _look(student: str) -> str:
    """Return how a name looks in a table: letters composed, and nothing that cannot be seen."""
    letters = unicodedata.normalize("NFKC", cell(student))
    return "".join(one for one in letters if unicodedata.category(one) != "Cf").strip()


def chosen(student: str, files: list[tuple[Member, Whose]], assignment: str) -> Handed:
    """Choose the file of a student that counts, and say what happened to the others."""
    fit = [(m, whose) for m, whose in files if rank(m.name) is not None and not m.refused]
    unread = sorted(
        f"{one_line(m.name)} ({m.refused or 'no notebook'})"
        for m, _ in files
        if m.refused or (rank(m.name) is None and not beside(m.name))
    )
    if not fit:
        there = ", ".join(unread[:5]) or "there is no file"
        names = [m.name for m, _ in files]
        there = f"no notebook can be read: {there}"
        instead = [
            m for m, _ in files if not m.refused and not (beside(m.name) and len(files) > 1)
        ]
        return Handed(student, refused=there, files=names, instead=instead)
    member, whose = max(fit, key=lambda pair: _age(pair[0], pair[1], assignment))
    notes = [whose.note] if whose.note else []
    earlier = sorted(one_line(other.name) for other, _ in fit if other is not member)
    python = any(rank(other.name) == 2 for other, _ in fit) and rank(member.name) != 2
    if earlier:
        age = _age(member, whose, assignment)[:3]
        same = any(_age(*pair, assignment)[:3] == age for pair in fit if pair[0] is not member)
        notes.append(
            f"{len(fit)} {'files' if python else 'notebooks'} were handed in; the newest "
            f"{'notebook ' * python}counts, {one_line(member.name)}"
            f"{f' ({SAME_TIME})' * same}. Not graded: {', '.join(earlier[:5])}."
        )
    if unread:
        notes.append(f"Not read: {', '.join(unread[:5])}.")
    names = [member.name, *(m.name for m, _ in files if m is not member)]
    return Handed(student, member, time=whose.time or member.time, notes=notes, files=names)


def _age(
    member: Member, whose: Whose, assignment: str
) -> tuple[int, datetime, datetime, bool, list[tuple[int, int, str]]]:
    """Return what the file that counts has most of: kind, times, assignment's name, number.

    The time that the platform says comes before the file's own. The number is what a
    program puts behind a name that is there already.
    """
    said, own = (
        (time or datetime.min).replace(tzinfo=(time and time.tzinfo) or UTC)
        for time in (whose.time, member.time)
    )
    pieces = re.split(r"(\d+)", _named(member.name.lower()))
    number = re.compile(r"[0-9]{1,18}")
    natural = [(1, int(p), "") if number.fullmatch(p) else (0, 0, p) for p in pieces]
    kind = -(rank(member.name) or 0)
    return kind, said, own, assignment in member.name, natural


def _named(name: str) -> str:
    """Return a path without how its file ends, as a notebook or as a zip."""
    return re.sub(r"\.zip(?=/|$)", "", NOTEBOOK.sub("", name))


def times_of(
    collected: Collected, asked: Path, zone: tzinfo | None
) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """Return when each student handed in, and until when those had time who had longer.

    Args:
        collected: the submissions.
        asked: the path of a table: Moodle's grading worksheet, or one with the columns student
            and time.
        zone: the zone of times that say none: the due time's.

    Raises:
        ValueError: if the table cannot be read, and in which line.
    """
    people = read_platform_table(asked, [one.student for one in collected.handed], times=True)
    times = {student: _in(zone, one.time) for student, one in people.items() if one.time}
    longer = {s: _in(zone, one.extended) for s, one in people.items() if one.extended}
    return times, longer


def extensions_in(path: Path, due: datetime | None) -> dict[str, datetime]:
    """Return until when a table with the columns student and due gives students time.

    A date alone has the hour at which it is ``due`` for the others.

    Raises:
        ValueError: if nothing is due, or a row cannot be read, is another's or not later.
    """
    if not due:
        raise ValueError(f"{path}: nothing is due, so nobody can have longer: set due first")
    found: dict[str, datetime] = {}
    for where, row in rows_of(path, ("student", "due")):
        student, said = row["student"], row["due"]
        try:
            time = _in(due.tzinfo, read_time(said))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
            time = datetime.combine(time, due.timetz())
        if not student or student in found:
            raise ValueError(f"{where}: student must stand once in it, got {student!r}")
        if time < due:
            raise ValueError(f"{where}: due must not be before {due.isoformat()}, got {said}")
        found[student] = time
    return found


def _in(zone: tzinfo | None, time: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=zone or UTC)


def days_late(time: datetime, due: datetime, grace: timedelta = timedelta(0)) -> int:
    """Return how many days after the due time have begun; 0 if it is in time, or in grace.

    Whoever is later than that is late from ``due`` on.
    """
    return 0 if time <= due + grace else ceil((time - due) / timedelta(days=1))


def nameless(collected: Collected, assignment: str) -> list[str]:
    """Return the students of a plain folder who are called what the assignment is called.

    A number or the word copy may be beside its name.
    """
    name = rf"(copy[ _]of[ _])?{re.escape(assignment)}([ _-]*(\(\d+\)|\d++|copy))*"
    same = re.compile(name, re.IGNORECASE)
    students = [one.student for one in collected.handed]
    return [s for s in students if same.fullmatch(s)] if collected.layout == PLAIN else []


def renamed(collected: Collected, pairs: Iterable[tuple[str, str]]) -> None:
    """Give students the names by which the course knows them, in place.

    Raises:
        ValueError: if two students would then have one name.
    """
    names = dict(pairs)
    for one in collected.handed:
        one.student = names.get(one.student, one.student)
    collected.names = {names.get(key, key): name for key, name in collected.names.items()}
    known = [one.student for one in collected.handed]
    twice = sorted({name for name in known if known.count(name) > 1})
    if twice:
        raise ValueError(f"renamed: each student must have a name of its own, two are {twice}")
    collected.handed.sort(key=lambda one: one.student)
