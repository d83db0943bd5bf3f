"""Tells a teacher and each student about a term: a page, a table, and one for each platform."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from course_grader.marking.graded import safe_name
from course_grader.marking.items import items_of
from course_grader.marking.term import Sum, Term
from course_grader.marking.totals import number
from course_grader.reports.class_report import Report, Section, as_html, mistakes
from course_grader.reports.gradebook import as_csv
from course_grader.safe_text import cell, listed, one_line


@dataclass(frozen=True)
class Form:
    """A platform's table of many grades.

    Args:
        people: the columns that say who it is, each with what of a person is in it.
        title: what a column of grades is called.
        open: what stands where there is no grade yet.
        excused: what stands where there will be none.
        above: what is above the people: a row's name, and the most a column gives.
        end: a last column and what is in it.
    """

    people: dict[str, str]
    title: str = "{}"
    open: str = ""
    excused: str = ""
    above: tuple[str, str] | None = None
    end: tuple[str, str] | None = None


# Sources: Moodle's grade/import/csv/classes/load_data.php, in which a hyphen is no grade, and
# Canvas's lib/gradebook_importer.rb; Brightspace takes names behind a number sign.
FORMS = {
    "moodle": Form(
        {"Username": "{student}", "Email address": "{email}", "Full name": "{name}"},
        open="-",
        excused="-",
    ),
    "canvas": Form(
        {
            "Student": "{name}",
            "ID": "{number}",
            "SIS User ID": "",
            "SIS Login ID": "{student}",
            "Section": "",
        },
        excused="EX",
        above=("    Points Possible", "100"),
    ),
    "brightspace": Form(
        {"Username": "#{student}"},
        title="{} Points Grade",
        end=("End-of-Line Indicator", "#"),
    ),
}
TOTAL = "Term total"


def files_of(term: Term, sums: Sequence[Sum]) -> dict[str, str]:
    """Return the files of a term, by their names."""
    sections = _class(term, sums), _missing(term, sums), _totals(term, sums), *_items(term)
    page = Report(term.title, len(sums), sections)
    files = {"term.html": as_html(page), "term.csv": as_csv(rows(term, sums))}
    for name, form in FORMS.items():
        files[f"upload/{name}.csv"] = as_csv(platform_rows(term, sums, form))
    for one in sums:
        page = Report(f"{term.title}: {_called(one)}", 1, (_of_one(term, one),))
        files[f"students/{safe_name(one.person.student)}.html"] = as_html(page)
    return files


def _called(one: Sum) -> str:
    named = one.person.name and one.person.name != one.person.student
    return f"{one.person.name} ({one.person.student})" if named else one.person.student


def _class(term: Term, sums: Sequence[Sum]) -> Section:
    final = [one.low for one in sums if one.total]
    said = f"{len(sums)} students, {len(final)} totals of 100 stand. "
    if final:
        said += f"Their median is {number(median(final))}, the range {number(min(final))} to "
        said += f"{number(max(final))}. "
    groups = "; ".join(
        f"{group.name} {number(group.weight)}"
        + (f", the best {group.best}" if group.best else "")
        + (f", all but the worst {group.drop}" if group.drop else "")
        for group in term.groups
    )
    said += f"Weights: {groups}. "
    if term.late_days:
        said += f"Late days: {term.late_days}, spent to each student's best. "
    said += "What is missing counts 0 once due." if term.missing_is_zero else ""
    table = tuple((one_line(line, 400),) for line in term.said)
    return Section("The term", said, ("To look at",) if table else (), table, look="words")


def _missing(term: Term, sums: Sequence[Sum]) -> Section:
    lacking = [
        (one_line(planned.title), one)
        for place, planned in enumerate(term.assignments)
        for one in sums
        if one.parts[place].missing
    ]
    titles = dict.fromkeys(title for title, _ in lacking)
    rows = [(t, listed(_called(one) for title, one in lacking if title == t)) for t in titles]
    if nothing := listed(_called(one) for one in sums if one.nothing):
        rows.insert(0, ("all", nothing))
    said = "" if rows else "Everybody has handed in what is graded."
    return Section("Who is missing", said, ("Assignment", "Students"), tuple(rows), look="wide")


def _share(one: Sum, place: int) -> float | None:
    """Return the hundredths of an assignment that are reached; None while it is open."""
    part = one.parts[place]
    if part.open or part.excused:
        return None
    return 100 * part.low[one.spent.get(part.assignment, 0)]


def _state(one: Sum, place: int) -> str:
    part, share = one.parts[place], _share(one, place)
    if share is None:
        return "excused" if part.excused else part.open
    dropped = ", dropped" * (part.assignment not in one.counts)
    return f"{number(round(share, 1))}{', missing' * part.missing}{dropped}"


def _range(one: Sum) -> str:
    if one.total or not one.counts:
        return one.total or "none"
    return f"{number(one.low)} to {number(one.high)}"


def _waits(one: Sum) -> str:
    return "; ".join(one.open) if one.counts else "nothing counts: all is excused"


def _totals(term: Term, sums: Sequence[Sum]) -> Section:
    titles = (one_line(planned.title, 40) for planned in term.assignments)
    names = "Student", "Total", *titles, "Late days spent"
    table = tuple(
        (
            _called(one),
            _range(one),
            *(_state(one, place) for place in range(len(term.assignments))),
            str(sum(one.spent.values())),
        )
        for one in sums
    )
    files = tuple(f"students/{safe_name(one.person.student)}.html" for one in sums)
    said = "Out of 100; a name leads to how that total comes about."
    return Section("Totals", said, names, table, files=files, look="wide")


def _items(term: Term) -> Iterator[Section]:
    table: list[tuple[str, ...]] = []
    for planned in term.assignments:
        grades = [*planned.grades.values()]
        named = mistakes(grades).most_common()
        for item in items_of(grades, planned.marks):
            known = item.discrimination
            table.append(
                (
                    f"{one_line(planned.title, 40)}: {one_line(item.title, 60)}",
                    str(item.students),
                    f"{100 * item.mean:.0f}%" if item.students else "",
                    "" if known is None else f"{known:.2f}",
                    "; ".join(f"{one_line(n)} ({c})" for (s, n), c in named if s == item.id),
                )
            )
    said = (
        "The mean share of the points says how hard an item was. Discrimination is the "
        "correlation of its points with those of the rest of its assignment. Below 0.2, who "
        "did well on the rest did hardly better on this item: read it again. It is left out "
        "for fewer than ten students."
    )
    names = "Item", "Students", "Mean", "Discrimination", "Known mistakes"
    if table:
        yield Section("Items", said, names, tuple(table), look="wide")


def _of_one(term: Term, one: Sum) -> Section:
    table = []
    for place, (planned, part) in enumerate(zip(term.assignments, one.parts, strict=True)):
        spent, counts = one.spent.get(part.assignment, 0), one.counts.get(part.assignment)
        days = f"{part.late}, of them {spent} spent" if part.late else ""
        brings = "" if part.open or counts is None else number(round(counts, 2))
        state = _state(one, place)
        table.append((one_line(planned.title, 60), part.points, days, state, brings))
    said = f"Total: {_range(one)} of 100. "
    said += f"It waits for {_waits(one)}. " if one.open else ""
    left = term.late_days - sum(one.spent.values())
    said += f"Late days left: {left} of {term.late_days}. " if term.late_days else ""
    names = "Assignment", "Points", "Days late", "Out of 100", "Brings"
    return Section("How the total comes about", said, names, tuple(table), look="wide")


def rows(term: Term, sums: Sequence[Sum]) -> list[list[str]]:
    """Return the rows of ``term.csv``, with its head."""
    who = "student", "name", "email"
    ends = "late_days_spent", "total", "at_least", "at_most", "waits_for"
    table = [[*who, *(cell(one.title) for one in term.assignments), *ends]]
    for one in sums:
        states = (_state(one, place) for place in range(len(term.assignments)))
        days = str(sum(one.spent.values()))
        ends = days, one.total, number(one.low), number(one.high), _waits(one)
        known = (getattr(one.person, name) for name in who)
        table.append([cell(text) for text in (*known, *states, *ends)])
    return table


def platform_rows(term: Term, sums: Sequence[Sum], form: Form) -> list[list[str]]:
    """Return the rows of a platform's table, in which each column gives at most 100."""
    titles = [*(one_line(one.title, 80) for one in term.assignments), TOTAL]
    end = [*form.end] if form.end else []
    table = [[*form.people, *(cell(form.title.format(t)) for t in titles), *end[:1]]]
    if form.above:
        name, most = form.above
        table.append([name, *[""] * (len(form.people) - 1), *[most] * len(titles)])
    for one in sums:
        who = [said.format(**vars(one.person)) for said in form.people.values()]
        grades = []
        for place, part in enumerate(one.parts):
            share = _share(one, place)
            none = form.excused if part.excused else form.open
            grades.append(none if share is None else number(share))
        table.append([*map(cell, who), *grades, one.total or form.open, *end[1:]])
    return table
