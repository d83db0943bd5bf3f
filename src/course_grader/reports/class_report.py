"""Tells a teacher about a class: points, properties that fail, mistakes by name."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import mean, median
from typing import Any

from attention_course.exercises.diagnosis import AND
from course_grader.marking.graded import StudentGrade
from course_grader.marking.totals import OUTGROWN, number, outdated, outgrown, total, unfit
from course_grader.reports.pages import rendered
from course_grader.safe_text import aligned, one_line
from course_grader.submissions.students import SAME_TIME
from course_grader.verdicts import Verdict

# How long the bar of the whole class is: in characters, and in em.
WIDEST, WIDEST_EM = 30, 5.0
MOST_FAILED = 10
# What the sandbox stopped, or the answer itself.
_STOPPED = ("TIMEOUT", "MEMORY", "OUTPUT", "DIED", "PROTOCOL")
# Errors of an answer that needs what stands in another cell, or that is no Python.
_APART = re.compile(r"\b(NameError|SyntaxError|IndentationError|TabError)\b")


@dataclass(frozen=True)
class Section:
    """A part of the report: a sentence, and a table whose numbers may be drawn as bars.

    Args:
        title: its heading.
        said: a sentence in front of the table, or nothing.
        names: the columns; none if there is no table.
        rows: the cells, as plain text.
        bars: for each row a number to draw; empty if nothing is drawn.
        files: for each row the file that its first cell leads to, beside the report; or none.
    """

    title: str
    said: str = ""
    names: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    bars: tuple[int, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """The report of a class of ``students``; a bar as long as the class stands for all."""

    title: str
    students: int
    sections: tuple[Section, ...]


def class_report(grades: Sequence[StudentGrade], marks: dict[str, Any]) -> Report:
    """Return the report of a class."""
    title = grades[0].title if grades else "No submissions"
    sections = [_class(grades, marks), _to_look_at(grades, marks)]
    slugs = dict.fromkeys(item.slug for grade in grades for item in grade.code)
    sections += [_points(grades, slug) for slug in slugs]
    sections += [_failed(grades), _mistakes(grades)]
    return Report(title, len(grades), tuple(sections))


def as_html(report: Report) -> str:
    """Return the report as a page of its own."""
    return rendered("class_report.html", report=report, widest=WIDEST_EM)


def as_text(report: Report) -> str:
    """Return the report for a terminal."""
    lines = [one_line(report.title), "=" * len(one_line(report.title))]
    for section in report.sections:
        lines += ["", section.title, "-" * len(section.title)]
        lines += [one_line(section.said, 2000)] if section.said else []
        lines += _text_table(section, report.students)
    return "\n".join(lines) + "\n"


def _class(grades: Sequence[StudentGrade], marks: dict[str, Any]) -> Section:
    sums = [total(grade, marks.get(grade.student, {})) for grade in grades]
    if not sums:
        return Section("The class", "Nobody has handed in.")
    final = [one.points for one in sums if one.final]
    late = sum(bool(grade.late_days) for grade in grades)
    most = number(max(one.max_points for one in sums))
    said = f"{len(grades)} student{'s' * (len(grades) > 1)}, {late} late, {most} points. "
    waiting = len(sums) - len(final)
    if waiting:
        said += (
            f"{waiting} total{'s are' if waiting > 1 else ' is'} not final: an answer is not "
            "marked or not read yet. "
        )
    if final:
        said += (
            f"Of {'the others' if waiting else 'the totals'} the median is "
            f"{number(median(final))}, the mean {number(mean(final))}, the range "
            f"{number(min(final))} to {number(max(final))}. "
        )
    said += "A bar below is a share of the class."
    return Section("The class", said)


def _to_look_at(grades: Sequence[StudentGrade], marks: dict[str, Any]) -> Section:
    """Return whose file or answer was odd or could not be graded, whose marks are old.

    Those of whom something is not read come first: their sums wait for it.
    """
    rows: list[tuple[str, str, str]] = []
    files: list[str] = []
    grown: dict[str, list[StudentGrade]] = {}
    for grade in sorted(grades, key=lambda one: not any(item.unread for item in one.code)):
        student = one_line(grade.student, 60)
        if grade.verdict not in ("OK", "WRONG", "MISSING"):
            reason = grade.reason or next(iter(grade.reading), "")
            rows.append((student, grade.verdict, one_line(reason)))
        rows += [(student, "FILES", one_line(n)) for n in grade.notes if SAME_TIME in n]
        if grade.verdict != "MALFORMED":
            rows += [(student, *found) for found in _odd_answers(grade)]
        for name in outdated(grade, marks.get(grade.student, {})):
            rows.append((student, "MARKS", f"{name} changed since it was marked"))
        for item, name in unfit(grade, marks.get(grade.student, {})):
            why = f"{item}, {one_line(name)}: the mark fits no criterion any more"
            rows.append((student, "MARKS", why))
        for item, name in outgrown(grade, marks.get(grade.student, {})):
            grown.setdefault(f"{item}, {one_line(name)}: {OUTGROWN}", []).append(grade)
        files += [grade.submission] * (len(rows) - len(files))
    for why, whose in grown.items():  # a criterion's maximum was raised for all of them
        one = one_line(whose[0].student, 60)
        rows.append((one if len(whose) == 1 else f"{len(whose)} students", "MARKS", why))
        files.append(whose[0].submission if len(whose) == 1 else "")
    said = "" if rows else "Every file could be read and graded."
    names = "Student", "Verdict", "Reason"
    return Section("Who needs a look", said, names, tuple(rows), files=tuple(files))


def _odd_answers(grade: StudentGrade) -> list[tuple[str, str]]:
    """Return what is odd about a student's answers, item by item."""
    items = grade.code or grade.written
    looks = any([*(item.look for item in grade.code), *(item.look for item in grade.written)])
    if not looks and not any(item.answer.strip() for item in items):
        code = "no answer in code was found" if grade.code else "no answer was found"
        return [("NO ANSWER", code)] if grade.verdict != "GRADER_ERROR" else []
    found = []
    for item in grade.code:
        if item.look:
            found.append((item.verdict, f"{item.slug}: {one_line(item.look)}"))
        if item.verdict in _STOPPED:
            found.append((item.verdict, f"{item.slug}: {Verdict(item.verdict).meaning}"))
        error = _APART.search(item.message) if item.verdict == "ERROR" else None
        if error and item.answer.strip():
            needs = error[0] == "NameError"
            why = "its cell lacks what it needs" if needs else "it is no Python"
            found.append(("ERROR", f"{item.slug}: {error[0]}, {why}"))
    found += [
        ("WORDS", f"{item.id}: {one_line(item.look)}") for item in grade.written if item.look
    ]
    return found


def _points(grades: Sequence[StudentGrade], slug: str) -> Section:
    """Return how many students reached how many points of an item."""
    items = [item for grade in grades for item in grade.code if item.slug == slug]
    decided = [item for item in items if not item.unread]
    counts = Counter(item.points for item in decided)
    most = max(item.max_points for item in items)
    counts.setdefault(most, 0)
    counts.setdefault(0, 0)
    ordered = sorted(counts.items())
    average = number(mean(item.points for item in decided)) if decided else "not known"
    empty = sum(item.verdict == "MISSING" and not item.unread for item in items)
    said = f"{slug}: {number(most)} points, mean {average}. {empty} without an answer."
    rows = tuple((number(points), str(count)) for points, count in ordered)
    bars = tuple(count for _, count in ordered)
    return Section(items[0].title, said, ("Points", "Students"), rows, bars)


def _failed(grades: Sequence[StudentGrade]) -> Section:
    """Return which properties failed how often, the most frequent first."""
    counts = Counter(
        (item.slug, name)
        for grade in grades
        for item in grade.code
        for name in set(item.failed)
    )
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    ordered, rest = ordered[:MOST_FAILED], ordered[MOST_FAILED:]
    rows = tuple((slug, one_line(name), str(count)) for (slug, name), count in ordered)
    said = "" if rows else "No property failed."
    if rest:
        times = sum(count for _, count in rest)
        often = ("once" if times == 1 else f"{times} times") + " together" * (len(rest) > 1)
        others = f"{len(rest)} others" if len(rest) > 1 else "1 other"
        said = f"The {MOST_FAILED} most frequent. {others} failed, {often}."
    bars = tuple(count for _, count in ordered)
    return Section(
        "Properties that failed", said, ("Exercise", "Property", "Students"), rows, bars
    )


def _mistakes(grades: Sequence[StudentGrade]) -> Section:
    """Return the mistakes that were recognised, the most frequent first."""
    counts = Counter(
        (item.slug, name)
        for grade in grades
        for item in grade.code
        for name in item.misconception.split(AND)
        if name
    )
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    rows = tuple((slug, one_line(name), str(count)) for (slug, name), count in ordered)
    said = "" if rows else "No known mistake was recognised."
    bars = tuple(count for _, count in ordered)
    return Section("Known mistakes", said, ("Exercise", "Mistake", "Students"), rows, bars)


def _text_table(section: Section, most: int) -> list[str]:
    if not section.rows:
        return []
    rows = [section.names, *section.rows]
    if section.bars:
        bars = ["", *("#" * ceil(WIDEST * bar / most) for bar in section.bars)]
        rows = [(*row, bar) for row, bar in zip(rows, bars, strict=True)]
    return aligned(rows)
