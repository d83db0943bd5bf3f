"""Keeps when each student handed in, and says of whom it is not known.

A time belongs to one file. Who hands in another file without a new time is not counted late:
no points are lost for an unknown time.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from course_grader.marking.graded import Book
from course_grader.marking.one_student import Job
from course_grader.safe_text import listed
from course_grader.submissions.assignment import Assignment
from course_grader.submissions.students import days_late


def days_of(
    assignment: Assignment, time: datetime | None, extended: datetime | None = None
) -> int | None:
    """Return how many days late a time is; None if it is not known or nothing is due.

    ``extended`` is when it is due for somebody who has longer.
    """
    if not time or not assignment.due:
        return None
    grace = timedelta(minutes=assignment.grace_minutes)
    return days_late(time, extended or assignment.due, grace)


def late_days(book: Book, assignment: Assignment, student: str) -> int | None:
    """Return how many days late a student is; None if that is not known or not asked."""
    return days_of(assignment, book.times().get(student), book.extensions().get(student))


def keep_times(book: Book, jobs: Sequence[Job], times: dict[str, datetime]) -> list[str]:
    """Keep new times, and forget the time of a file that another one has replaced.

    Returns:
        The students who handed in again, without a new time.
    """
    known, before = book.times(), {grade.student: grade for grade in book.readable()}
    anew = [
        job.student
        for job in jobs
        if job.student in known
        and job.student in before
        and before[job.student].submission != job.stored
    ]
    again = [student for student in anew if student not in times]
    same = [student for student in anew if times.get(student) == known[student]]
    if same:
        print(f"handed in again, with the time of the earlier file: {listed(same)}")
    if again:
        book.forget_times(again)
    if times:
        book.keep_times(times)
    return again


def say_times(
    assignment: Assignment, book: Book, students: Sequence[str], again: Sequence[str]
) -> None:
    """Say whose time is not known, or still to come; ``again`` handed in again, without one."""
    if not assignment.due:
        return
    times, now = book.times(), datetime.now(UTC)
    if ahead := [one for one in students if one in times and times[one] > now]:
        print(f"handed in later than now, by the clock here: {listed(ahead)}: one is wrong")
    if again:
        print(f"handed in again, time not known: {listed(again)}: not counted late")
    elif not times:
        print(
            "nobody is counted late: no --times are given (Moodle's worksheet, the grades of "
            "Gradescope, or a table)"
        )
        return
    unknown = [one for one in students if one not in times and one not in again]
    if unknown:
        print(f"no time is known of {listed(unknown)}: not counted late")
