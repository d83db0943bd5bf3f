"""Writes one page a student: what was reached, what failed and where to look.

A page is static and stands alone: no script, nothing fetched, everything that came from the
student made plain and escaped. It says nothing of hidden inputs.
"""

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from attention_course.grading.graded import (
    Book,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    safe_name,
    write,
)
from attention_course.grading.plain import escaped
from attention_course.grading.totals import Total, number, total

POLICY = "default-src 'none'; style-src 'unsafe-inline'"

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
    parts += [_code(item) for item in grade.code]
    parts += [_written(item, marks.get(item.id, {})) for item in grade.written]
    return _PAGE.substitute(
        title=escaped(f"{grade.title}: {grade.student}", 400),
        policy=escaped(POLICY),
        style=_STYLE,
        body="\n".join(parts),
    )


def _head(grade: StudentGrade, sums: Total) -> str:
    far = " so far" if sums.unmarked or sums.ungraded else ""
    lines = [
        f'<p class="kicker">{escaped(grade.title, 400)}</p>',
        f"<h1>{escaped(grade.student, 400)}</h1>",
        f'<p class="total"><strong>{number(sums.points)}</strong> of {number(sums.max_points)} '
        f"points{far}</p>",
    ]
    lines += [f"<p>{sentence}</p>" for sentence in _sentences(grade, sums)]
    if grade.notes:
        notes = "".join(f"<li>{escaped(note, 1000)}</li>" for note in grade.notes)
        lines.append(f'<h2>Notes</h2><ul class="notes">{notes}</ul>')
    return f"<header>{''.join(lines)}</header>"


def _sentences(grade: StudentGrade, sums: Total) -> list[str]:
    """Return what is to be known about the sum, each sentence escaped."""
    said = []
    if grade.verdict not in ("OK", "WRONG"):
        said.append(escaped(MEANING.get(grade.verdict, grade.verdict)))
        if grade.reason:
            said.append(escaped(grade.reason, 1000))
    if sums.unmarked:
        said.append(
            f"{number(sums.unmarked)} points of the written answers are not marked yet."
        )
    if sums.ungraded:
        said.append(f"{number(sums.ungraded)} points of the code are not graded yet.")
    if grade.late_days:
        days = "1 day" if grade.late_days == 1 else f"{grade.late_days} days"
        said.append(
            f"Handed in {days} late: {number(grade.late_percent)} % of the points reached are "
            f"taken off, {number(sums.late)} points."
        )
    return said


def _code(item: CodeGrade) -> str:
    lines = [
        _heading(item.title, f"{number(item.points)} of {number(item.max_points)}"),
        f"<p>{escaped(MEANING.get(item.verdict, item.verdict))}</p>",
    ]
    if item.parts:
        lines.append(_parts(item))
    if item.message and item.verdict != "OK":
        lines.append(f'<pre class="said">{escaped(item.message)}</pre>')
    if item.misconception:
        hint = f" {escaped(item.hint, 2000)}" if item.hint else ""
        lines.append(
            '<p class="aside"><strong>What this looks like.</strong> This is what comes if '
            f"{escaped(item.misconception, 1000)}.{hint}</p>"
        )
    if item.answer.strip():
        lines.append(
            "<details><summary>Your answer</summary>"
            f"<pre><code>{escaped(item.answer)}</code></pre></details>"
        )
    return f"<section>{''.join(lines)}</section>"


def _parts(item: CodeGrade) -> str:
    rows = []
    for name, part in item.parts.items():
        holds = bool(part["holds"])
        state = (
            '<span class="yes">✓ holds</span>' if holds else '<span class="no">× lost</span>'
        )
        rows.append(
            f"<tr><th scope='row'>{escaped(name, 400)}</th><td>{state}</td>"
            f"<td>{number(part['points'])} of {number(part['max'])}</td></tr>"
        )
    failed = ""
    if item.failed:
        names = "".join(f"<li>{escaped(name, 400)}</li>" for name in item.failed)
        failed = f"<p>What does not hold:</p><ul>{names}</ul>"
    return _table(("Part", "State", "Points"), rows) + failed


def _written(item: WrittenAnswer, marks: Mapping[str, Any]) -> str:
    given = [marks[name]["mark"] for name, _ in item.criteria if name in marks]
    reached = number(sum(given)) if given else "–"
    lines = [_heading(item.title, f"{reached} of {number(item.max_points)}")]
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
    lines += [_table(("Criterion", "Points"), rows), *comments]
    if item.answer.strip():
        lines.append(f'<h3>Your answer</h3><pre class="prose">{escaped(item.answer)}</pre>')
    else:
        lines.append("<p>There is no answer.</p>")
    return f"<section>{''.join(lines)}</section>"


def _heading(title: str, points: str) -> str:
    return f'<h2>{escaped(title, 400)} <span class="points">{points}</span></h2>'


def _table(names: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")

# The colours are those of the course's palette.
_STYLE = """\
:root { --paper: #ffffff; --raised: #f5f4f1; --ink: #1d1d1b; --soft: #5c5a55; \
--line: #d9d6cf; --yes: #1e7261; --no: #b25c40; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181e; --raised: #1f252d; --ink: #e9e7e2; --soft: #a9a69e; \
--line: #353c46; --yes: #72e0a5; --no: #f58345; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.125rem/1.6 \
"Source Serif 4", "Source Serif Pro", Charter, "Iowan Old Style", "Palatino Linotype", \
Georgia, serif; text-rendering: optimizeLegibility; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; overflow-wrap: anywhere; }
h1, h2, h3 { font-weight: 600; line-height: 1.2; letter-spacing: -0.012em; text-wrap: balance; }
h1 { margin: 0 0 1.2rem; font-size: clamp(1.8rem, 1.4rem + 2vw, 2.6rem); }
h2 { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.1em 1.5em; \
margin: 3.2rem 0 0.8rem; font-size: 1.4rem; }
h3 { margin: 1.6rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0 0 0.9em; }
.kicker, .points, summary, thead th { color: var(--soft); font-family: system-ui, \
-apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.kicker { margin: 0 0 0.6rem; font-size: 0.95rem; }
.points { font-size: 1rem; font-weight: 400; white-space: nowrap; align-self: baseline; }
.total { margin: 0 0 1.2rem; font-size: 1.25rem; }
.total strong { font-size: 2rem; }
.total, .points, table { font-variant-numeric: lining-nums tabular-nums; }
table { width: 100%; margin: 1.1rem 0; border-collapse: collapse; font-size: 0.95em; \
line-height: 1.4; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
th, td { padding: 0.42em 0.9em 0.42em 0; text-align: left; vertical-align: baseline; \
font-weight: 400; }
thead { border-bottom: 1px solid var(--ink); }
thead th { font-size: 0.85rem; }
tbody tr + tr { border-top: 1px solid var(--line); }
:is(th, td):last-child { padding-right: 0; text-align: right; white-space: nowrap; }
td { white-space: nowrap; }
td:not(:last-child) { width: 7em; }
.yes { color: var(--yes); }
.no { color: var(--no); }
pre { margin: 1rem 0; padding: 0.85rem 1.1rem; background: var(--raised); border-radius: 3px; \
font: 0.84rem/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", \
"Liberation Mono", monospace; white-space: pre-wrap; tab-size: 4; overflow: hidden; }
code { font: inherit; }
pre.prose { font: inherit; font-size: 1rem; }
pre.said { background: none; padding: 0.1rem 0 0.1rem 1.1rem; border-left: \
2px solid var(--line); border-radius: 0; }
.aside { margin: 1.2rem 0; padding-left: 1.1rem; border-left: 2px solid var(--line); \
white-space: pre-line; }
summary { width: max-content; max-width: 100%; font-size: 0.9rem; cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
ul { margin: 0 0 1em; padding-left: 1.2em; }
@media (max-width: 30rem) { body { font-size: 1.05rem; } main { padding-top: 1.8rem; } \
td, :is(th, td):last-child { white-space: normal; } th, td { padding-right: 0.6em; } }
@media print { details::details-content { display: block; } main { padding: 0; } }
"""
