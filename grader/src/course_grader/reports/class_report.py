"""Tells a teacher about a class: points, properties that fail, mistakes by name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import mean, median
from typing import Any

from attention_course.exercises.protocol import AND
from course_grader.marking.graded import StudentGrade
from course_grader.marking.totals import (
    OUTGROWN,
    Marks,
    given_for,
    number,
    outdated,
    outgrown,
    overruled,
    total,
    unfit,
)
from course_grader.reports.pages import rendered
from course_grader.safe_text import aligned, one_line
from course_grader.submissions.assignment import DEFENCE
from course_grader.submissions.students import SAME_TIME
from course_grader.verdicts import Verdict

# How long the bar of the whole class is: in characters, and in em.
WIDEST, WIDEST_EM = 30, 5.0
MOST_FAILED = 10
# What the sandbox stopped, or the answer itself.
_STOPPED = ("TIMEOUT", "MEMORY", "OUTPUT", "DIED", "PROTOCOL")
# Errors of an answer that lacks something, or that is no Python.
_APART = re.compile(r"raised (NameError|SyntaxError|IndentationError|TabError)\b")


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
        look: the table's class in the page; found if it is empty.
    """

    title: str
    said: str = ""
    names: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    bars: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    look: str = ""


@dataclass(frozen=True)
class Report:
    """The report of a class of ``students``; a bar as long as the class stands for all."""

    title: str
    students: int
    sections: tuple[Section, ...]


def class_report(
    grades: Sequence[StudentGrade],
    marks: dict[str, Any],
    called: Mapping[str, str] | None = None,
) -> Report:
    """Return the report of a class; ``called`` says what students are called."""
    title = grades[0].title if grades else "No submissions"
    sections = [_class(grades, marks), _to_look_at(grades, marks, called or {})]
    slugs = dict.fromkeys(item.slug for grade in grades for item in grade.code)
    sections += [_points(grades, slug) for slug in slugs]
    sections += [_failed(grades), _mistakes(grades), *_defences(grades, called or {})]
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


def _to_look_at(
    grades: Sequence[StudentGrade], marks: dict[str, Any], called: Mapping[str, str]
) -> Section:
    """Return whose file or answer was odd or could not be graded, whose marks are old.

    Those of whom something is not read come first: their sums wait for it. What a person has
    marked since comes last, with the mark.
    """
    rows: list[tuple[bool, tuple[str, str, str], str]] = []
    grown: dict[str, list[StudentGrade]] = {}

    def name_of(grade: StudentGrade) -> str:
        return one_line(called.get(grade.student) or grade.student, 60)

    for grade in sorted(grades, key=lambda one: not any(item.unread for item in one.code)):
        given = marks.get(grade.student, {})
        found: list[tuple[str, str, str]] = []
        if grade.verdict not in ("OK", "WRONG", "MISSING"):
            reason = grade.reason or next(iter(grade.reading), "")
            found.append((grade.verdict, one_line(reason), _mark_of_file(grade, given)))
        found += [("FILES", one_line(n), "") for n in grade.notes if SAME_TIME in n]
        if grade.verdict != "MALFORMED":
            found += [
                (verdict, why, _mark(grade, given, item) if item else "")
                for item, verdict, why in _odd_answers(grade)
            ]
        for name in outdated(grade, given):
            found.append(("MARKS", f"{name} changed since it was marked", ""))
        for item, name in unfit(grade, given):
            why = f"{item}, {one_line(name)}: the mark fits no criterion any more"
            found.append(("MARKS", why, ""))
        for item, name in outgrown(grade, given):
            grown.setdefault(f"{item}, {one_line(name)}: {OUTGROWN}", []).append(grade)
        for verdict, why, mark in found:
            row = name_of(grade), verdict, f"{why}; {mark}" if mark else why
            rows.append((bool(mark), row, grade.submission))
    for why, whose in grown.items():  # a criterion's maximum was raised for all of them
        alone = len(whose) == 1
        who = name_of(whose[0]) if alone else f"{len(whose)} students"
        rows.append((False, (who, "MARKS", why), whose[0].submission if alone else ""))
    rows.sort(key=lambda entry: entry[0])
    said = "" if rows else "Every file could be read and graded."
    names = "Student", "Verdict", "Reason"
    table, files = tuple(row for _, row, _ in rows), tuple(file for *_, file in rows)
    return Section("Who needs a look", said, names, table, files=files)


def _mark(grade: StudentGrade, given: Marks, item: str) -> str:
    """Return in words the mark that a person gave an answer; nothing if it is not whole."""
    for code in grade.code:
        if code.slug == item and (mark := overruled(code, given.get(item, {}))):
            return f"marked {number(mark['mark'])} of {number(code.max_points)}"
    for one in grade.by_hand:
        fresh = item not in outdated(grade, given)
        marks = given_for(one, given.get(one.id, {}))
        if one.id == item and len(marks) == len(one.criteria) and fresh:
            return f"marked {number(sum(marks))} of {number(one.max_points)}"
    return ""


def _mark_of_file(grade: StudentGrade, given: Marks) -> str:
    """Return in words the marks that a person gave a whole file; nothing while one waits."""
    one = total(grade, given)
    marked = one.final and any(item.id in given for item in grade.by_hand)
    return f"marked {number(one.points)} of {number(one.max_points)}" if marked else ""


def _odd_answers(grade: StudentGrade) -> list[tuple[str, str, str]]:
    """Return what is odd about a student's answers: the item, a verdict, and why."""
    items = grade.code or grade.written
    looks = any([*(item.look for item in grade.code), *(item.look for item in grade.written)])
    if not looks and not any(item.answer.strip() for item in items):
        code = "no answer in code was found" if grade.code else "no answer was found"
        return [("", "NO ANSWER", code)] if grade.verdict != "GRADER_ERROR" else []
    found = []
    for item in grade.code:
        if item.look:
            found.append((item.slug, item.verdict, f"{item.slug}: {one_line(item.look)}"))
        if item.verdict in _STOPPED:
            meaning = Verdict(item.verdict).meaning
            found.append((item.slug, item.verdict, f"{item.slug}: {meaning}"))
        if _APART.match(item.error):
            found.append((item.slug, "ERROR", f"{item.slug}: {item.error}"))
    found += [
        (item.id, "WORDS", f"{item.id}: {one_line(item.look)}")
        for item in grade.written
        if item.look
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


def mistakes(grades: Iterable[StudentGrade]) -> Counter[tuple[str, str]]:
    """Return how often each mistake was recognised, by exercise and name."""
    return Counter(
        (item.slug, name)
        for grade in grades
        for item in grade.code
        for name in item.misconception.split(AND)
        if name
    )


def _mistakes(grades: Sequence[StudentGrade]) -> Section:
    """Return the mistakes that were recognised, the most frequent first."""
    ordered = sorted(mistakes(grades).items(), key=lambda entry: (-entry[1], entry[0]))
    rows = tuple((slug, one_line(name), str(count)) for (slug, name), count in ordered)
    said = "" if rows else "No known mistake was recognised."
    bars = tuple(count for _, count in ordered)
    return Section("Known mistakes", said, ("Exercise", "Mistake", "Students"), rows, bars)


def _defences(grades: Sequence[StudentGrade], called: Mapping[str, str]) -> Iterator[Section]:
    """Yield whom a person asks about which answer, and who was asked what."""
    found = [
        (one_line(called.get(grade.student) or grade.student, 60), item.slug, part)
        for grade in grades
        for item in grade.code
        if (part := item.parts.get(DEFENCE, {})).get("asked")
    ]
    names = "Student", "Exercise", "Points", "Asked"
    for title, oral in (("Ask in person", True), ("Defences", False)):
        rows = tuple(
            (who, slug, f"{number(part['points'])} of {number(part['max'])}", part["asked"])
            for who, slug, part in found
            if part.get("oral", False) == oral
        )
        if rows:
            yield Section(title, "", names, rows)


def _text_table(section: Section, most: int) -> list[str]:
    if not section.rows:
        return []
    rows = [section.names, *section.rows]
    if section.bars:
        bars = ["", *("#" * ceil(WIDEST * bar / most) for bar in section.bars)]
        rows = [(*row, bar) for row, bar in zip(rows, bars, strict=True)]
    return aligned(rows)
