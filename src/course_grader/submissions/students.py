"""Finds which file is which student's, and when it was handed in.

Of several files of one student the newest counts, and a note says so. Times are used only if
the teacher asks for it: files carry the time of whoever copied them last.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from math import ceil
from pathlib import Path

from course_grader.marking.graded import rows_of
from course_grader.safe_text import cell, one_line
from course_grader.submissions.layouts import PLAIN, Whose, layout_of, rank
from course_grader.submissions.unpack import Member

FILES = "files"
TWIN = "in a table its student's name looks like that of another"
# What belongs to a collection and to no student's work.
_FURNITURE = ("timestamp.txt", "submission_metadata.yml", "thumbs.db", "desktop.ini")


@dataclass
class Handed:
    """What one student handed in.

    Args:
        student: the student.
        member: the file that counts; None if there is none that can.
        refused: why there is none.
        time: when it came, if that is known and asked for.
        notes: what the student and the teacher should know.
    """

    student: str
    member: Member | None = None
    refused: str = ""
    time: datetime | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class Collected:
    """A class's submissions, in the order of names, and what nobody could be found for."""

    layout: str
    handed: list[Handed]
    strays: list[tuple[str, str]]


def collect(members: Sequence[Member], assignment: str) -> Collected:
    """Find each student's file.

    Args:
        members: what lies in the folder or zip.
        assignment: the assignment's name.
    """
    layout = layout_of(members, assignment)
    files: dict[str, list[tuple[Member, Whose]]] = {}
    strays: list[tuple[str, str]] = []
    for member in members:
        if member.parts and member.parts[-1].lower() in _FURNITURE:
            continue
        owners = layout.whose(member)
        for whose in owners:
            files.setdefault(whose.student, []).append((member, whose))
        if not owners:
            reason = member.refused or "whose it is cannot be seen from its name"
            strays.append((member.name, reason))
    handed: list[Handed] = []
    alike: dict[str, str] = {}
    # Of two that look alike, the one that is as it looks is taken.
    for student in sorted(files, key=lambda name: (_look(name) != name, name)):
        twin = alike.setdefault(_look(student), student)
        if twin == student:
            handed.append(_of_one(student, files[student], assignment))
        else:
            strays += [(m.name, TWIN) for m, _ in files[student]]
    handed.sort(key=lambda one: one.student)
    return Collected(layout.name, handed, sorted(strays))


def _look(student: str) -> str:
    """Return how a name looks in a table: letters composed, and nothing that cannot be seen."""
    letters = unicodedata.normalize("NFKC", cell(student))
    return "".join(one for one in letters if unicodedata.category(one) != "Cf").strip()


def _of_one(student: str, files: list[tuple[Member, Whose]], assignment: str) -> Handed:
    """Choose the file that counts, and say what happened to the others."""
    fit = [(m, whose) for m, whose in files if rank(m.name) is not None and not m.refused]
    unread = sorted(
        f"{one_line(m.name)} ({m.refused or 'no notebook'})"
        for m, _ in files
        if m.refused or (rank(m.name) is None and m.parts[-1].lower() != "readme.txt")
    )
    if not fit:
        return Handed(student, refused=f"no notebook can be read: {', '.join(unread[:5])}")
    member, whose = max(fit, key=lambda pair: _age(pair[0], assignment))
    notes = [whose.note] if whose.note else []
    earlier = sorted(one_line(other.name) for other, _ in fit if other is not member)
    python = any(rank(other.name) == 2 for other, _ in fit) and rank(member.name) != 2
    if earlier:
        notes.append(
            f"{len(fit)} {'files' if python else 'notebooks'} were handed in; the newest "
            f"{'notebook ' * python}counts, {one_line(member.name)}. "
            f"Not graded: {', '.join(earlier[:5])}."
        )
    if unread:
        notes.append(f"Not read: {', '.join(unread[:5])}.")
    return Handed(student, member, time=whose.time or member.time, notes=notes)


def _age(
    member: Member, assignment: str
) -> tuple[int, datetime, bool, list[tuple[int, int, str]]]:
    """Return what the file that counts has most of: kind, time, assignment's name, number."""
    time = member.time or datetime.min
    pieces = re.split(r"(\d+)", member.name.lower())
    number = re.compile(r"[0-9]{1,18}")
    natural = [(1, int(p), "") if number.fullmatch(p) else (0, 0, p) for p in pieces]
    kind = -(rank(member.name) or 0)
    return kind, time.replace(tzinfo=time.tzinfo or UTC), assignment in member.name, natural


def times_of(
    collected: Collected, asked: str, zone: tzinfo | None
) -> tuple[dict[str, datetime], list[str]]:
    """Return when each student handed in, and whose time is not known.

    Args:
        collected: the submissions.
        asked: "files" for the files' own times, or the path of a table with the columns
            student and time (ISO 8601).
        zone: the zone of times that say none: the due time's.

    Raises:
        ValueError: if the table cannot be read, and in which line.
    """
    if asked == FILES:
        found = {one.student: one.time for one in collected.handed if one.time}
    else:
        found = _table(Path(asked))
    zone = zone or UTC
    times = {name: t if t.tzinfo else t.replace(tzinfo=zone) for name, t in found.items()}
    unknown = [one.student for one in collected.handed if one.student not in times]
    return times, unknown


def days_late(time: datetime, due: datetime, grace: timedelta = timedelta(0)) -> int:
    """Return how many days after the due time have begun; 0 if it is in time.

    Args:
        time: when it was handed in.
        due: when it was due.
        grace: so long after it is in time still. Whoever is later is late from ``due`` on.
    """
    return 0 if time <= due + grace else ceil((time - due) / timedelta(days=1))


def _table(path: Path) -> dict[str, datetime]:
    times: dict[str, datetime] = {}
    for where, row in rows_of(path, ("student", "time")):
        try:
            time = datetime.fromisoformat(row["time"])
        except ValueError:
            raise ValueError(
                f"{where}: time must be like 2026-10-05T23:59:00+02:00, got {row['time']!r}"
            ) from None
        student = row["student"]
        if not student or student in times:
            raise ValueError(f"{where}: student must stand once in the table, got {student!r}")
        times[student] = time
    return times


def nameless(collected: Collected, assignment: str) -> list[str]:
    """Return the students of a plain folder who are called what the assignment is called.

    Args:
        collected: the submissions.
        assignment: the assignment's name; a number or the word copy may stand beside it.
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
    known = [one.student for one in collected.handed]
    twice = sorted({name for name in known if known.count(name) > 1})
    if twice:
        raise ValueError(f"renamed: each student must have a name of its own, two are {twice}")
    collected.handed.sort(key=lambda one: one.student)
