"""A term: several graded folders become one total for each student, as ``term.toml`` says.

Nothing is guessed. What is not graded, not marked or not handed in leaves a total open, between
what stands and what it could become. Late days of the budget and drops are chosen together, so
that the total is the highest that the rules allow.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import inf, isfinite
from pathlib import Path
from typing import Any

from course_grader.marking.graded import Book, StudentGrade, read_grade
from course_grader.marking.totals import Marks, number, total
from course_grader.safe_text import listed, one_line
from course_grader.tables import rows_of

EXAMPLE = Path(__file__).parents[1] / "example_term.toml"
# What the file may say: each table's keys, what they hold, and a ! behind what must be there.
SHAPES = {
    "": "title:text! roster:text! late_days:count late_days_each:count missing:count "
    "groups:table! assignments:list! students:list",
    "group": "weight:number! best:count drop:count",
    "assignment": "folder:text! group:text! due:time title:text",
    "student": "student:text! assignment:text! more_days:count excused:truth handed_in_as:text",
}
KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "text": (str, "a text"),
    "count": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "truth": (bool, "true or false"),
    "time": (datetime, "a time with its zone"),
    "table": (dict, "a table"),
    "list": (list, "a list of tables"),
}
NOT_YET, NOTHING = "not graded yet", "not handed in"


@dataclass(frozen=True)
class Person:
    """A row of the roster; ``keys`` are its cells, by which a hand-in may be known."""

    student: str
    name: str
    email: str
    number: str
    keys: frozenset[str]


@dataclass(frozen=True)
class Group:
    """Assignments that count alike: how much together, and how many of them."""

    name: str
    weight: float
    best: int
    drop: int

    def counting(self, there: int) -> int:
        """Return how many count, of so many that are not excused."""
        return min(self.best or there, max(1, there - self.drop)) if there else 0


@dataclass
class Planned:
    """An assignment of the term, with what was found in its folder.

    ``whole`` says that all is graded that was handed in.
    """

    name: str
    folder: Path
    group: str
    due: datetime | None
    title: str
    grades: dict[str, StudentGrade] = field(default_factory=dict)
    marks: Mapping[str, Marks] = field(default_factory=dict)
    longer: dict[str, datetime] = field(default_factory=dict)
    unsure: dict[str, str] = field(default_factory=dict)
    whole: bool = False


@dataclass
class Term:
    """What ``term.toml`` says; ``said`` is what a teacher should know of it."""

    title: str
    people: list[Person]
    groups: list[Group]
    assignments: list[Planned]
    late_days: int
    late_days_each: int
    missing_is_zero: bool
    rules: dict[tuple[str, str], dict[str, Any]]
    said: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Part:
    """What an assignment brings one student.

    ``low`` is the share reached if so many late days are spent on it, from none on; ``high``
    what it can still become. They differ while it is open.
    """

    assignment: str
    title: str
    group: str
    low: tuple[float, ...] = (0.0,)
    high: tuple[float, ...] = (1.0,)
    points: str = ""
    late: int = 0
    open: str = ""
    excused: bool = False
    missing: bool = False


@dataclass(frozen=True)
class Sum:
    """A student's total, from 0 to 100, and how it came about.

    ``counts`` has the hundredths of the total that each counting assignment brings, ``spent``
    the late days that were spent on each.
    """

    person: Person
    parts: tuple[Part, ...]
    low: float
    high: float
    counts: Mapping[str, float]
    spent: Mapping[str, int]

    @property
    def open(self) -> list[str]:
        """What the total waits for, in words."""
        return [f"{part.title}: {part.open}" for part in self.parts if part.open]

    @property
    def total(self) -> str:
        """The total as a table has it; empty while it is open."""
        return "" if self.open or not self.counts else number(self.low)

    @property
    def nothing(self) -> bool:
        """Whether nothing was handed in of what is graded and asked."""
        due = [one for one in self.parts if not one.excused and one.open != NOT_YET]
        return bool(due) and all(one.missing for one in due)


def load_term(path: Path) -> Term:
    """Read a term, its roster and what was graded.

    Raises:
        ValueError: if the file or the roster says what it must not; names both values.
    """
    try:
        term = _term(path.parent, tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for planned in term.assignments:
        _read(planned, term)
    return term


def _checked(which: str, table: Any, where: str) -> dict[str, Any]:
    """Return a table of the file if it has what it must, and nothing else."""
    known = dict(one.split(":") for one in SHAPES[which].split())
    if not isinstance(table, dict):
        raise ValueError(f"{where}must be a table, got {one_line(table, 60)!r}")  # noqa: TRY004
    for name, value in table.items():
        if name not in known:
            raise ValueError(f"{where}{name} must be one of {listed(known)}")
        kind, words = KINDS[known[name].rstrip("!")]
        right = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
        if not right or (isinstance(value, int | float) and not 0 <= value < inf):
            words += " from 0 on" * (kind not in (str, bool, dict, list, datetime))
            raise ValueError(f"{where}{name} must be {words}, got {one_line(value, 60)!r}")
    if lacking := [name for name in known if known[name][-1] == "!" and name not in table]:
        raise ValueError(f"{where}{listed(lacking)} must be given, and is not there")
    return table


def _term(home: Path, said: dict[str, Any]) -> Term:
    _checked("", said, "")
    if said.get("missing", 0):
        raise ValueError(f"missing must be 0 or left out, got {said['missing']}")
    groups = [
        Group(n, g["weight"], g.get("best", 0), g.get("drop", 0))
        for n, one in said["groups"].items()
        if (g := _checked("group", one, f"groups.{n}: "))
    ]
    planned = []
    for place, entry in enumerate(said["assignments"], 1):
        a = _checked("assignment", entry, f"assignment {place}: ")
        name, due = Path(a["folder"]).name, a.get("due")
        if due and due.utcoffset() is None:
            raise ValueError(f"assignment {place}: due must say its time zone, got {due}")
        if a["group"] not in said["groups"]:
            known = listed(said["groups"])
            raise ValueError(
                f"assignment {place}: group must be one of {known}, got {a['group']!r}"
            )
        planned.append(Planned(name, home / a["folder"], a["group"], due, a.get("title", "")))
    names = [one.name for one in planned]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"each folder must have a name of its own, two are {listed(twice)}")
    weights = sum(group.weight for group in groups)
    if not isfinite(weights) or abs(weights - 100) > 1e-6:
        summed = " + ".join(f"{number(g.weight)} ({g.name})" for g in groups)
        raise ValueError(f"the weights must add up to 100, got {summed} = {number(weights)}")
    for group in groups:
        there = sum(one.group == group.name for one in planned)
        if group.best > there or group.drop >= there or (group.best and group.drop):
            raise ValueError(
                f"groups.{group.name}: give either best, at most its {there} assignments, or "
                f"drop, fewer; got best {group.best or 'not given'}, drop {group.drop}"
            )
    people = read_people(home / said["roster"])
    rules: dict[tuple[str, str], dict[str, Any]] = {}
    for place, entry in enumerate(said.get("students", []), 1):
        rule = _checked("student", entry, f"students, entry {place}: ")
        key = rule["student"], rule["assignment"]
        if key in rules or key[0] not in {p.student for p in people} or key[1] not in names:
            raise ValueError(
                f"students, entry {place}: it must name one of the roster and one of "
                f"{listed(names)}, each pair once, got {key[0]!r} and {key[1]!r}"
            )
        rules[key] = rule
    days, zero = said.get("late_days", 0), "missing" in said
    each = said.get("late_days_each", days)
    return Term(said["title"], people, groups, planned, days, each, zero, rules)


def read_people(path: Path) -> list[Person]:
    """Read the roster: a column student, and name, email, number if they are there.

    Raises:
        ValueError: if a student is in it twice or has no name; names both lines.
    """
    people: list[Person] = []
    lines: dict[str, str] = {}
    for where, row in rows_of(path, ("student",)):
        student = row["student"]
        if not student:
            raise ValueError(f"{where}: student must not be empty")
        if before := lines.get(student.casefold()):
            raise ValueError(
                f"{where}: each student must stand once, under a name of their own; "
                f"{one_line(student)!r} stands in {before.rpartition(', ')[2]} too"
            )
        lines[student.casefold()] = where
        keys = frozenset(filter(None, (text.casefold() for text in row.values())))
        name, email, digits = (row.get(one, "") for one in ("name", "email", "number"))
        people.append(Person(student, name, email, digits, keys))
    if not people:
        raise ValueError(f"{path}: the roster must name at least one student, got none")
    return people


def _read(planned: Planned, term: Term) -> None:
    """Find whose each grade of an assignment is; what is not sure is said and stays open."""
    book = Book(planned.folder)
    planned.marks, called = book.marks(), book.names()
    found: dict[str, list[StudentGrade]] = {}
    rules = {
        rule["handed_in_as"]: student
        for (student, name), rule in term.rules.items()
        if name == planned.name and "handed_in_as" in rule
    }

    def owners(student: str) -> list[str]:
        known = rules.get(student)
        return [known] if known else owners_of(student, called.get(student, ""), term.people)

    planned.longer = {o: due for s, due in book.extensions().items() for o in owners(s)}
    graded = dict(_grades(planned, book, term))
    for student, grade in graded.items():
        planned.title = planned.title or grade.title
        if len(whose := owners(student)) == 1:
            found.setdefault(whose[0], []).append(grade)
            continue
        many = f"may be of {listed(whose)}" if whose else "is of nobody in the roster"
        term.said.append(f"{planned.name}: {one_line(student)} {many}; name it handed_in_as")
        planned.unsure |= dict.fromkeys(whose, f"{one_line(student)} may be theirs")
    if lost := rules.keys() - graded.keys():
        term.said.append(f"{planned.name}: nothing was handed in as {listed(sorted(lost))}")
    for owner, grades in found.items():
        planned.grades[owner] = grades[0]
        if len(grades) > 1:
            both = listed(grade.student for grade in grades)
            planned.unsure[owner] = f"several may be theirs: {both}"
            term.said.append(f"{planned.name}: {both} may all be of {one_line(owner)}")
    planned.title = planned.title or planned.name
    if any(planned.title == one.title for one in term.assignments if one is not planned):
        planned.title += f" ({planned.name})"
    there = {path.stem for path in (book.folder / "grades").glob("*.json")}
    copies = {path.name for path in (book.folder / "submissions").glob("*")}
    planned.whole = bool(there) and copies <= there
    if there and not planned.whole:
        some = listed(sorted(copies - there)[:10])
        way = "grade again, or move what is not wanted out of its folder submissions"
        term.said.append(f"{planned.name}: handed in and not graded: {some}; {way}")


def _grades(planned: Planned, book: Book, term: Term) -> Iterator[tuple[str, StudentGrade]]:
    """Yield the grades of a folder; a file that cannot be read opens whom it may be of."""
    for path in sorted((book.folder / "grades").glob("*.json")):
        try:
            grade = read_grade(path)
        except ValueError as error:
            term.said.append(f"{planned.name}: {one_line(error, 400)}")
            whose = [p.student for p in term.people if book.grade_file(p.student) == path]
            for student in whose or [p.student for p in term.people]:
                planned.unsure[student] = f"{path.name} cannot be read"
            continue
        yield grade.student, grade


def owners_of(student: str, called: str, people: Sequence[Person]) -> list[str]:
    """Return who of the roster may be the student whom a platform or a file calls so.

    It is known by its name in the roster, else by another cell of that row, else by what it is
    called. Of several of one name, and where the roster has no name, the number decides that
    Canvas and Brightspace give a person; Moodle's is another one in each assignment.
    """
    own = student.casefold()
    exact = [p for p in people if p.student.casefold() == own]
    if exact := exact or [p for p in people if own in p.keys]:
        return [person.student for person in exact]
    parts = re.fullmatch(r"(.*)_(\d+)", student, re.DOTALL)
    names = {_name(parts[1] if parts else student), _name(called)} - {""}
    found = [p for p in people if _name(p.name) in names]
    if parts and len(found) != 1:
        those = found or [p for p in people if not p.name]
        found = [p for p in those if p.number == parts[2]] or found
    return [person.student for person in found]


def _name(text: str) -> str:
    """Return the letters of a name in whatever order it has them, without accents."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sorted(letter for letter in bare if letter.isalpha()))


def sums(term: Term, now: datetime) -> list[Sum]:
    """Return everybody's total, in the order of the roster."""
    made = []
    for person in term.people:
        parts = tuple(_part(term, planned, person.student, now) for planned in term.assignments)
        low, counts, spent = best(term, parts, "low")
        high, *_ = best(term, parts, "high")
        made.append(Sum(person, parts, low, high, counts, spent))
    return made


def _part(term: Term, planned: Planned, student: str, now: datetime) -> Part:
    name, rule = planned.name, term.rules.get((student, planned.name), {})
    part = Part(name, planned.title, planned.group)
    more = rule.get("more_days", 0)
    if rule.get("excused"):
        return replace(part, excused=True)
    if why := planned.unsure.get(student):
        return replace(part, open=why)
    grade = planned.grades.get(student)
    if not grade and not planned.whole:
        return replace(part, open=NOT_YET)
    if not grade:
        longer = [planned.longer.get(student), planned.due and planned.due + timedelta(more)]
        due = max(filter(None, longer), default=None)
        if term.missing_is_zero and not (due and now <= due):
            return replace(part, high=(0.0,), missing=True)
        return replace(part, open=NOTHING, missing=True)
    marks = planned.marks.get(grade.student, {})
    late = max(0, (grade.late_days or 0) - more)
    most = min(late, term.late_days_each, term.late_days)
    ways = [replace(grade, late_days=late - spent) for spent in range(most + 1)]
    sums = [total(way, marks) for way in ways]
    waits = [
        (one.unmarked + one.ungraded) * (1 - way.late_percent / 100)
        for way, one in zip(ways, sums, strict=True)
    ]
    whole = sums[0].max_points or 1
    return replace(
        part,
        low=tuple(one.points / whole for one in sums),
        high=tuple((one.points + w) / whole for one, w in zip(sums, waits, strict=True)),
        points=f"{number(sums[0].points + sums[0].late)}/{number(whole)}",
        late=late,
        open="" if sums[0].final else str(sums[0]).partition(", and ")[2],
    )


# The best sum of shares so far, which choices made it, and how many days those spent.
Chosen = tuple[float, tuple[tuple[str, float, int], ...]]


def best(
    term: Term, parts: Sequence[Part], which: str
) -> tuple[float, dict[str, float], dict[str, int]]:
    """Return the highest total that late days and drops allow, what counts, and the days.

    Every way to spend the budget is compared, by what is best with so many counting and so
    many days spent. Of two equal ways the one that spends fewer days is taken, then the one
    that keeps the earlier assignments. A group without any assignment leaves its weight to
    the others.
    """
    asked = [one for one in parts if not one.excused]
    groups = [(g, [one for one in asked if one.group == g.name]) for g in term.groups]
    groups = [(group, there) for group, there in groups if there]
    whole = sum(group.weight for group, _ in groups)
    if not whole:
        return 0.0, {}, {}
    ways: dict[int, Chosen] = {0: (0.0, ())}
    for group, there in groups:
        counting = group.counting(len(there))
        scale = 100 * group.weight / whole / counting
        kept: dict[tuple[int, int], Chosen] = {(0, d): way for d, way in ways.items()}
        for part in there:
            new = dict(kept)
            for (count, days), (value, path) in kept.items():
                for spent, share in enumerate(getattr(part, which)):
                    key, brings = (count + 1, days + spent), scale * share
                    way = value + brings, (*path, (part.assignment, brings, spent))
                    if key[0] <= counting and key[1] <= term.late_days:
                        new[key] = _better(new.get(key), way)
            kept = new
        ways = {days: way for (count, days), way in kept.items() if count == counting}
    days = min(ways, key=lambda one: (-round(ways[one][0], 9), one))
    value, path = ways[days]
    counts = {name: share for name, share, _ in path}
    return round(value, 2), counts, {name: spent for name, _, spent in path if spent}


def _better(old: Chosen | None, new: Chosen) -> Chosen:
    """Return the better of two choices; of equal ones the earlier."""
    return new if old is None or round(new[0], 9) > round(old[0], 9) else old
