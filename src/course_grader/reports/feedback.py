"""Writes one page a student: what was reached, what failed and where to look.

A page is static and stands alone: no script, nothing fetched, everything that came from the
student made plain and escaped. It says nothing of hidden inputs.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_course.exercises import exercise_named
from course_grader.marking.graded import (
    BY_HAND,
    Book,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    safe_name,
    write,
)
from course_grader.marking.totals import Total, number, total
from course_grader.reports.pages import framed, heading, table
from course_grader.safe_text import escaped

# The line that offers a hint, which only a notebook can give.
_HINT = re.compile(r'hint\("[^"]*"\) opens a hint\.')
ONLY = "Only the marked cell is examined; what it needs must stand in it."
# What a verdict means to the student whose answer got it.
MEANING = {
    "OK": "All properties hold.",
    "WRONG": "Some properties do not hold.",
    "ERROR": "The answer stopped with an error.",
    "TIMEOUT": "The answer took longer than its time limit.",
    "MEMORY": "The answer asked for more memory than it may have.",
    "OUTPUT": "The answer printed or returned more than it may.",
    "DIED": "The answer ended the Python it ran in.",
    "PROTOCOL": "The answer disturbed the conversation with the grader.",
    "MALFORMED": "The file could not be read as a notebook.",
    "TAMPERED": "The assignment's own cells were changed; only the answers were graded.",
    "MISSING": "There is no answer.",
    "GRADER_ERROR": "Something went wrong on the grader's side. This is not your fault and "
    "counts as not graded yet.",
}


def register(subparsers: Any) -> None:
    """Add the subcommand ``feedback``."""
    parser = subparsers.add_parser("feedback", help="write one page a student")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.set_defaults(run=run)


def run(args: Any) -> int:
    """Write the pages of a class and say where they are."""
    pages = write_feedback(Book(args.out))
    print(f"{len(pages)} pages in {args.out / 'feedback'}")
    return 0


def write_feedback(book: Book) -> list[Path]:
    """Write the pages of all graded students and return their paths.

    Raises:
        ValueError: if nothing is graded in this folder.
    """
    grades, marks = book.grades(), book.marks()
    if not grades:
        raise ValueError(f"feedback: OUT must hold grades, found none in {book.folder}")
    paths = []
    for grade in grades:
        path = book.folder / "feedback" / f"{safe_name(grade.student)}.html"
        write(path, page(grade, marks.get(grade.student, {})))
        paths.append(path)
    return paths


def page(grade: StudentGrade, marks: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return a student's page.

    Args:
        grade: what stands about the student.
        marks: the teacher's marks of the written answers, by item and criterion.
    """
    marks = marks or {}
    parts = [_head(grade, total(grade, marks))]
    parts += [_code(item, marks.get(item.slug, {}).get(BY_HAND)) for item in grade.code]
    parts += [_written(item, marks.get(item.id, {})) for item in grade.written]
    return framed(f"{grade.title}: {grade.student}", "\n".join(parts))


def _head(grade: StudentGrade, sums: Total) -> str:
    lines = [
        f'<p class="kicker">{escaped(grade.title, 400)}</p>',
        f"<h1>{escaped(grade.student, 400)}</h1>",
        f'<p class="total"><strong>{number(sums.points)}</strong>'
        f"{str(sums).removeprefix(number(sums.points))}</p>",
    ]
    lines += [f"<p>{sentence}</p>" for sentence in _sentences(grade, sums)]
    if grade.notes or grade.reading:
        said = [escaped(note, 1000) for note in (*grade.notes, *grade.reading)]
        notes = "".join(f"<li>{note}</li>" for note in said)
        lines.append(f'<h2>Notes</h2><ul class="notes">{notes}</ul>')
    return f"<header>{''.join(lines)}</header>"


def _sentences(grade: StudentGrade, sums: Total) -> list[str]:
    """Return what is to be known about the sum, each sentence escaped."""
    said = []
    if grade.verdict not in ("OK", "WRONG", "MISSING"):
        said.append(escaped(MEANING.get(grade.verdict, grade.verdict)))
        if grade.reason:
            said.append(escaped(grade.reason, 1000))
    if sums.unmarked:
        said.append(
            f"{number(sums.unmarked)} points of the written answers are not marked yet. "
            "This is not the final sum."
        )
    if sums.ungraded:
        said.append(
            f"{number(sums.ungraded)} points of the code are not graded yet: a person looks at "
            "them first. This is not the final sum."
        )
    if grade.late_days:
        days = "1 day" if grade.late_days == 1 else f"{grade.late_days} days"
        said.append(
            f"Handed in {days} late: {number(grade.late_percent)} % of the points reached are "
            f"taken off, {number(sums.late)} points."
        )
    return said


def _code(item: CodeGrade, by_hand: Mapping[str, Any] | None) -> str:
    reached = number(item.points)
    if item.unread:
        reached = number(by_hand["mark"]) if by_hand else "–"
    lines = [
        heading(item.title, f"{reached} of {number(item.max_points)}"),
        f"<p>{escaped(MEANING.get(item.verdict, item.verdict))}</p>",
    ]
    if item.look:
        lines.append(f'<p class="aside">{escaped(_sentence(item.look), 2000)}</p>')
    if item.unread and by_hand:
        comment = escaped(by_hand.get("comment", ""), 4000)
        lines.append(f'<p class="aside"><strong>Marked by hand.</strong> {comment}</p>')
    elif item.parts and not item.unread:
        lines.append(_parts(item))
    if item.message and item.verdict != "OK":
        lines.append(f'<pre class="said">{escaped(_told(item))}</pre>')
        if "raised NameError" in " ".join(item.message.split()):
            lines.append(f"<p>{ONLY}</p>")
    if item.misconception:
        hint = f" {escaped(item.hint, 2000)}" if item.hint else ""
        lines.append(
            '<p class="aside"><strong>What this looks like.</strong> This is what comes if '
            f"{escaped(item.misconception, 1000)}.{hint}</p>"
        )
    if item.answer.strip():
        called = "What may be your answer" if item.unread else "Your answer"
        lines.append(
            f"<details><summary>{called}</summary>"
            f"<pre><code>{escaped(item.answer)}</code></pre></details>"
        )
    return f"<section>{''.join(lines)}</section>"


def _sentence(text: str) -> str:
    """Return a note as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def _told(item: CodeGrade) -> str:
    """Return the message without what has its own place here or a notebook only.

    The mistake is told beside it, and on a page nobody can call for a hint.
    """
    kept, inside = [], False
    for line in item.message.splitlines():
        if _HINT.fullmatch(line):
            inside = False
            continue
        begins = bool(item.misconception) and line.startswith(
            ("This is what", "Part of this is what")
        )
        inside = inside or begins
        kept += [] if inside else [line]
    return "\n".join(kept)


def _order(slug: str) -> dict[str, int]:
    """Return the places of an exercise's parts; a grade file has them by their names."""
    try:
        points = exercise_named(slug).points
    except ValueError:  # not of this bank
        return {}
    return {name: place for place, name in enumerate(points)}


def _parts(item: CodeGrade) -> str:
    rows = []
    order = _order(item.slug)
    for name, part in sorted(item.parts.items(), key=lambda one: order.get(one[0], len(order))):
        holds = bool(part["holds"])
        state = (
            '<span class="yes">✓ holds</span>' if holds else '<span class="no">× lost</span>'
        )
        rows.append(
            f"<tr><th scope='row'>{escaped(name, 400)}</th><td>{state}</td>"
            f"<td>{number(part['points'])} of {number(part['max'])}</td></tr>"
        )
    failed = ""
    if item.failed and not item.message:
        names = "".join(f"<li>{escaped(name, 400)}</li>" for name in item.failed)
        failed = f"<p>What does not hold:</p><ul>{names}</ul>"
    return table(("Part", "State", "Points"), rows) + failed


def _written(item: WrittenAnswer, marks: Mapping[str, Any]) -> str:
    given = [marks[name]["mark"] for name, _ in item.criteria if name in marks]
    reached = number(sum(given)) if given else "–"
    lines = [heading(item.title, f"{reached} of {number(item.max_points)}")]
    rows, comments = [], []
    for name, points in item.criteria:
        mark = marks.get(name)
        said = f"{number(mark['mark'])} of {number(points)}" if mark else "not marked yet"
        rows.append(f"<tr><th scope='row'>{escaped(name, 400)}</th><td>{said}</td></tr>")
        if mark and mark.get("comment"):
            comments.append(
                f'<p class="aside"><strong>{escaped(name, 400)}.</strong> '
                f"{escaped(mark['comment'], 4000)}</p>"
            )
    lines += [table(("Criterion", "Points"), rows), *comments]
    if item.look:
        lines.append(f'<p class="aside">{escaped(_sentence(item.look), 2000)}</p>')
    if item.answer.strip():
        lines.append(f'<h3>Your answer</h3><pre class="prose">{escaped(item.answer)}</pre>')
    else:
        missing = "No answer could be read yet." if item.unread else MEANING["MISSING"]
        lines.append(f"<p>{missing}</p>")
    return f"<section>{''.join(lines)}</section>"
