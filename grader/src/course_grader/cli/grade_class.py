"""``attention-course grade``: a class's submissions become a folder of grades.

Each grade is written as soon as it stands, so that a run that was stopped goes on where it was;
a second run grades what is new or changed and leaves the rest. Times, machines and durations
go to ``log.jsonl`` and into no grade. Every file is copied into OUT before it is graded.
"""

import argparse
import hashlib
import json
import os
import secrets
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from course_grader.cli.private import require_private
from course_grader.marking.changes import Change, as_rows, changes, changes_report
from course_grader.marking.graded import Book, StudentGrade, safe_name
from course_grader.marking.in_turn import Done, grade_in_turn
from course_grader.marking.lateness import keep_times, late_days, say_times
from course_grader.marking.one_student import Job, Setup, course_digest, key_of
from course_grader.reports.gradebook import as_csv, unfit_said, write_gradebook
from course_grader.safe_text import listed, one_line
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import SECRET, Assignment, load_assignment
from course_grader.submissions.cells import slim
from course_grader.submissions.layouts import CALLED_LATE, rank
from course_grader.submissions.platforms import read_platform_table
from course_grader.submissions.students import (
    Handed,
    collect,
    extensions_in,
    nameless,
    renamed,
    times_of,
)
from course_grader.submissions.unpack import Member, opened
from course_grader.tables import alone, rows_of, write, write_table

# What is kept of somebody who handed in no notebook: so many files, of so many bytes at most,
# under these endings or as text.
MOST_COPIES, MOST_COPIED = 5, 2**25
LOOKED_AT = (".pdf", ".docx", ".odt", ".png", ".jpg", ".jpeg", ".heic")


@dataclass
class Graded:
    """What a run did."""

    done: list[Done] = field(default_factory=list)
    kept: int = 0
    changed: list[Change] = field(default_factory=list)


def run(options: argparse.Namespace) -> int:
    """Grade a class and print a summary."""
    with ExitStack() as held:
        return _run(options, held)


def _run(options: argparse.Namespace, held: ExitStack) -> int:
    assignment, book = load_assignment(options.assignment), Book(options.out)
    _refuse(options, assignment, book)
    with opened(options.submissions) as members:
        found = collect(members, assignment.name)
        pairs = list(name_pairs(options.students)) if options.students else []
        absent = {one for one, _ in pairs} - {one.student for one in found.handed}
        renamed(found, pairs)
        students = "1 student" if len(found.handed) == 1 else f"{len(found.handed)} students"
        print(f"{options.submissions}: {found.layout}, {students}")
        for name, reason in found.strays:
            print(f"  not taken: {one_line(name)} ({one_line(reason)})")
        if not found.handed:
            raise ValueError(f"no submissions found in {options.submissions}")
        held.enter_context(grading(book))
        setup = prepared(assignment, book)
        if unnamed := nameless(found, assignment.name):
            named = "the name of the file is the assignment's, not a student's"
            print(f"{listed(unnamed)}: {named}")
        known = {one.student for one in found.handed}
        require_known(options.again, known)
        jobs = [job_of(one, book) for one in found.handed]
        times: dict[str, datetime] = {}
        longer: dict[str, datetime] = {}
        if options.times:
            zone = assignment.due.tzinfo if assignment.due else None
            times, longer = times_of(found, options.times, zone)
        given = extensions_in(options.extensions, assignment.due) if options.extensions else {}
        names = found.names
        if options.names:
            people = read_platform_table(options.names, sorted(known), times=False)
            names = names | {student: one.name for student, one in people.items()}
    if names := {student: name for student, name in names.items() if student in known and name}:
        book.keep_names(names)
    if longer | given:
        book.keep_extensions(longer | given)
    if extended := sorted(known & book.extensions().keys()):
        print(f"due later than for the others: {listed(extended)}")
    anew = keep_times(book, jobs, times)
    jobs = [replace(job, late_days=late_days(book, assignment, job.student)) for job in jobs]
    say_times(assignment, book, sorted(known), anew)
    called = [job.student for job in jobs if CALLED_LATE in job.notes and not job.late_days]
    if called:
        print(f"Canvas calls these late, and does not say since when: {listed(called)}")
    ours = known | {grade.student for grade in book.readable()}
    lost = {handed for handed, student in pairs if handed in absent and student not in ours}
    for table, strange in (
        (options.students, lost),
        (options.times, times.keys() - ours),
        (options.extensions, given.keys() - ours),
    ):
        if strange:
            print(f"{one_line(table)} names unknown students: {listed(sorted(strange))}")
    status = finish(book, grade_all(book, jobs, setup, options))
    _say_old(assignment, book, known)
    return status


def grading(book: Book) -> AbstractContextManager[None]:
    """Hold a folder while it is graded into; refuse if another command does."""
    what = f"{book.folder} is being graded into"
    return alone(book.folder / ".grading", what, wait=False)


def prepared(assignment: Assignment, book: Book) -> Setup:
    """Return what a class is graded with.

    Raises:
        ValueError: if the secret cannot be read.
    """
    own = assignment.folder / SECRET
    path = own if own.is_file() else book.folder / SECRET
    secret = read_secret(path, new=path == book.folder / SECRET)
    return Setup(assignment, secret, Limits(), course_digest())


def read_secret(path: Path, new: bool) -> bytes:
    """Return the secret in a file; if it is missing and ``new`` is true, make one.

    Raises:
        ValueError: if the file holds no 32 bytes in hexadecimal digits.
    """
    if new and not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, secrets.token_hex(32) + "\n")
        print(f"a new secret is in {path}: keep it, the same grades need it")
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except ValueError:
        secret = b""
    if len(secret) < 16:
        raise ValueError(f"{path}: the secret must be 32 bytes in hexadecimal digits")
    if path.stat().st_mode & 0o077:
        print(f"careful: others on this machine can read {path}", file=sys.stderr)
    return secret


def grade_all(
    book: Book, jobs: Sequence[Job], setup: Setup, options: argparse.Namespace
) -> Graded:
    """Grade what is new or changed and write each grade as soon as it stands.

    Of the options, ``again`` says who is graded in any case.
    """
    from tqdm import tqdm

    marks, names = book.marks(), book.names()
    called = [replace(job, called=names.get(job.student, "")) for job in jobs]
    keyed = [replace(job, key=key_of(job, setup)) for job in called]
    wanted = [job for job in keyed if job.student in options.again or _stale(book, job)]
    graded = Graded(kept=len(keyed) - len(wanted))
    results = grade_in_turn(wanted, setup)
    bar = tqdm(
        results,
        "grading",
        len(keyed),
        initial=graded.kept,
        unit="",
        disable=None,
        file=sys.stderr,
    )
    for done in bar:
        graded.changed += _keep(book, done, marks.get(done.job.student, {}))
        graded.done.append(done)
    graded.changed.sort(key=lambda change: change.student)
    return graded


def _keep(book: Book, done: Done, marks: dict[str, Any]) -> list[Change]:
    """Write a grade; one that it replaces goes to the history. Return what changed."""
    path = book.grade_file(done.job.student)
    try:
        before = book.grade(done.job.student)
    except ValueError:  # not readable, and kept all the same
        before = None
    if path.is_file() and (not before or replace(before, key=done.grade.key) != done.grade):
        book.to_history(path, safe_name(done.job.student))
    write(path, done.grade.to_json())
    _log(book, done)
    return changes(before, done.grade, marks) if before else []


def finish(book: Book, graded: Graded) -> int:
    """Write the tables of the class and say what was done; return the exit status."""
    paths = write_gradebook(book)
    failed = [done for done in graded.done if done.grade.verdict == "GRADER_ERROR"]
    print(f"{len(graded.done)} graded, {graded.kept} unchanged")
    if graded.changed:
        print(changes_report(graded.changed))
        paths.append(book.folder / "changes.csv")
        write_table(paths[-1], as_csv(as_rows(graded.changed)))
    if lost := unfit_said(book):
        print(lost, file=sys.stderr)
    for done in failed:
        reason = one_line(done.grade.reason or "see log.jsonl")
        print(f"not graded: {one_line(done.job.student)}: {reason}", file=sys.stderr)
    if unread := sum(done.grade.verdict == "MALFORMED" for done in graded.done):
        files = "1 file" if unread == 1 else f"{unread} files"
        print(f"{files} could not be read: see Who needs a look in class.html")
    print("\n".join(map(str, paths)))
    return 1 if failed else 0


def _refuse(options: argparse.Namespace, assignment: Assignment, book: Book) -> None:
    """Refuse a folder that is published, the submissions' own, or another assignment's."""
    require_private(options.out)
    out, given = options.out.resolve(), options.submissions.resolve()
    if out == given or given in out.parents or out in given.parents:
        raise ValueError(f"--out must lie apart from the submissions, got {options.out}")
    refuse_other(assignment, book)


def refuse_other(assignment: Assignment, book: Book) -> None:
    """Refuse a folder that holds another assignment's grades."""
    others = {grade.assignment for grade in book.readable()} - {assignment.name}
    if others:
        raise ValueError(f"--out holds grades of {', '.join(sorted(others))}; choose another")


def require_known(again: Sequence[str], known: set[str]) -> None:
    """Refuse names of students to grade again who handed nothing in."""
    unknown = sorted(set(again) - known)
    if unknown:
        raise ValueError(
            f"--again must name students who handed in, got {listed(unknown)}; whoever is not "
            "in these files is graded again by attention-course regrade --again"
        )


def name_pairs(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what students are called in a table: as they handed in, and in the roster.

    Raises:
        ValueError: if a cell is empty, and in which line.
    """
    for where, row in rows_of(path, ("handed_in_as", "student")):
        if not row["handed_in_as"] or not row["student"]:
            raise ValueError(f"{where}: both columns must be filled")
        yield row["handed_in_as"], row["student"]


def job_of(one: Handed, book: Book | None = None) -> Job:
    """Read a student's file, and keep a copy in a book; how late it is, is not known here."""
    data, refused = b"", one.refused
    if one.member:
        try:
            data = one.member.read()
        except ValueError as error:
            refused = f"{one_line(one.member.name)} {error}"
    stored = ""
    if book and not refused:
        python = one.member is not None and rank(one.member.name) == 2
        stored = keep_copy(book, one.student, data, ".py" if python else ".ipynb")
    elif book:
        there = sorted(one.instead, key=lambda member: _ending(member) == ".txt")
        copies = [_copied(book, one.student, member) for member in there[:MOST_COPIES]]
        stored = next(filter(None, copies), "")
    return Job(one.student, slim(data), stored, tuple(one.notes), refused)


def _copied(book: Book, student: str, member: Member) -> str:
    """Copy a file that is no notebook; return its place inside OUT, or nothing."""
    try:
        data = member.read()
    except ValueError:  # its name is said all the same
        return ""
    if len(data) > MOST_COPIED:
        return ""
    return keep_copy(book, student, data, _ending(member))


def _ending(member: Member) -> str:
    """Return how a copy's name ends: what a browser or a system would run becomes text."""
    ending = PurePosixPath(member.name).suffix.lower()
    return ending if ending in LOOKED_AT else ".txt"


def keep_copy(book: Book, student: str, data: bytes, ending: str) -> str:
    """Copy a file into OUT unless it is there; return its place inside OUT."""
    name = f"{hashlib.sha256(data).hexdigest()[:16]}{ending}"
    path = book.folder / "submissions" / safe_name(student) / name
    if not path.is_file() or path.read_bytes() != data:
        write(path, data)
    return path.relative_to(book.folder).as_posix()


def _say_old(assignment: Assignment, book: Book, known: Container[str]) -> None:
    """Say whose grades were given for other things asked, another due time or another time."""
    old = [
        grade.student
        for grade in book.readable()
        if grade.student not in known
        and (
            _asked(grade) != _asks(grade, assignment)
            or grade.late_days != late_days(book, assignment, grade.student)
        )
    ]
    if old:
        students = "1 student was" if len(old) == 1 else f"{len(old)} students were"
        print(
            f"the assignment or a time changed since {students} graded: "
            "run attention-course regrade",
            file=sys.stderr,
        )


def _asked(grade: StudentGrade) -> tuple[object, ...]:
    """Return what a student was asked for: items, points, variants, the cost of a day."""
    code = {item.slug: (item.max_points, item.variant) for item in grade.code}
    written = {item.id: item.criteria for item in grade.written}
    return code, written, grade.late_percent_per_day


def _asks(grade: StudentGrade, assignment: Assignment) -> tuple[object, ...]:
    """Return what an assignment asks a student for now, as :func:`_asked` does."""
    variants = assignment.variants(grade.student)
    code = {item.slug: (item.points, variants[item.slug]) for item in assignment.code}
    written = {item.id: list(item.rubric) for item in assignment.written}
    return code, written, assignment.late_percent_per_day


def _stale(book: Book, job: Job) -> bool:
    """Return whether there is no grade that stands for this submission."""
    try:
        grade = book.grade(job.student)
    except ValueError:
        return True
    return not grade or grade.key != job.key or grade.verdict == "GRADER_ERROR"


def _log(book: Book, done: Done) -> None:
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "student": done.job.student,
        "verdict": done.grade.verdict,
        "reason": done.grade.reason,
        "seconds": round(done.seconds, 3),
        "where": done.where,
        "submission": done.job.stored,
        "key": done.job.key,
    }
    line = json.dumps(entry, sort_keys=True) + "\n"
    number = os.open(book.folder / "log.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(number, "w") as file:
        file.write(line)
