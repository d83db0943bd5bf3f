"""What stands about a student after grading, and the folder it is kept in.

A grade file holds what was decided and nothing of when or where, so that the same submission
gives the same bytes on every machine. Marks of the written answers lie apart from it: a second
grading cannot touch them.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Container, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

from course_grader.marking.store import Marks, Store
from course_grader.tables import alone, next_free, write

SCHEMA = 1
# The one criterion of an answer in code that a person marks.
BY_HAND = "points, by hand"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,79}")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass
class CodeGrade:
    """What an answer in code reached.

    ``points`` and ``max_points`` are already multiplied by the item's scale; ``parts`` holds
    for each part its ``points``, ``max`` and whether it ``holds``; ``failed`` the names of the
    properties that do not hold, none if nothing was written; ``message``, ``misconception``
    and ``hint`` are what the student reads; ``error`` the first error in one line. ``look``
    says what a person should look at; ``unread`` that nothing is decided before. ``answer`` is
    then what may be the answer.
    """

    slug: str
    title: str
    verdict: str
    points: float
    max_points: float
    variant: str = ""
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    message: str = ""
    misconception: str = ""
    hint: str = ""
    answer: str = ""
    error: str = ""
    look: str = ""
    unread: bool = False

    def __post_init__(self) -> None:
        self.unread = self.unread or self.verdict in ("GRADER_ERROR", "MALFORMED")


@dataclass
class WrittenAnswer:
    """A written answer, as it was handed in, and the criteria it is marked by.

    ``look`` says what a person should look at; ``unread`` that no answer can be read.
    """

    id: str
    title: str
    criteria: list[tuple[str, float]]
    answer: str = ""
    look: str = ""
    unread: bool = False

    @property
    def max_points(self) -> float:
        """The points of all criteria together."""
        return sum(points for _, points in self.criteria)

    @property
    def digest(self) -> str:
        """The answer's fingerprint, by which a mark knows what it was given for."""
        return digest_of(self.answer)


@dataclass
class StudentGrade:
    """All that was decided about one student's submission.

    ``key`` names what the decision rests on: submission, assignment, course, settings.
    ``late_days`` counts started days after the due time; None if no times are known. ``notes``
    are about the handing in, ``reading`` about what was found in the file.
    """

    student: str
    assignment: str
    title: str
    key: str
    verdict: str
    reason: str = ""
    submission: str = ""
    code: list[CodeGrade] = field(default_factory=list)
    written: list[WrittenAnswer] = field(default_factory=list)
    late_days: int | None = None
    late_percent_per_day: float = 0.0
    notes: list[str] = field(default_factory=list)
    reading: list[str] = field(default_factory=list)

    @property
    def late_percent(self) -> float:
        """How much of the points reached is taken away for lateness, in percent."""
        return min(100.0, (self.late_days or 0) * self.late_percent_per_day)

    @property
    def by_hand(self) -> list[WrittenAnswer]:
        """What a person marks: the written answers, and what could not be read or graded.

        Of what is not read the answer says why, and which file it is, so that a mark belongs
        to that file.
        """
        found = [
            replace(item, answer=self._not_read(item)) if item.unread else item
            for item in self.written
        ]
        return found + [
            WrittenAnswer(
                item.slug,
                item.title,
                [(BY_HAND, item.max_points)],
                self._not_read(item),
                unread=True,
            )
            for item in self.code
            if item.unread
        ]

    @property
    def markable(self) -> list[WrittenAnswer]:
        """What a person may mark: all of :attr:`by_hand`, and the code that is graded."""
        return self.by_hand + [
            WrittenAnswer(
                one.slug,
                one.title,
                [(BY_HAND, one.max_points)],
                one.answer,
                f"the grader gave {one.points:g} of {one.max_points:g}",
            )
            for one in self.code
            if not one.unread
        ]

    @property
    def unread(self) -> bool:
        """Whether nothing at all could be read or graded."""
        items: list[CodeGrade | WrittenAnswer] = [*self.code, *self.written]
        return all(one.unread and not one.answer for one in items)

    @property
    def file(self) -> str:
        """Which file it is, in words."""
        return f"The file: {self.submission or 'none'}"

    def _not_read(self, item: "CodeGrade | WrittenAnswer") -> str:
        why = item.look or self.reason or "it could not be read"
        return "\n\n".join(filter(None, (f"Not graded: {why}", self.file, item.answer)))

    @property
    def max_points(self) -> float:
        """The points of everything together."""
        items: list[CodeGrade | WrittenAnswer] = [*self.code, *self.written]
        return sum(item.max_points for item in items)

    def to_json(self) -> str:
        """Return the grade file's text: ASCII, the same on every run, parts in their order."""
        content = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "StudentGrade":
        """Return the grade that a file holds.

        Raises:
            ValueError: if the text is no grade file of this version.
        """
        content = json.loads(text)
        version = content.pop("schema", None) if isinstance(content, dict) else None
        if version != SCHEMA:
            raise ValueError(
                f"from_json: text must be a grade file of version {SCHEMA}, got {version}"
            )
        content["code"] = [CodeGrade(**item) for item in content["code"]]
        content["written"] = [
            WrittenAnswer(**item | {"criteria": [(n, p) for n, p in item["criteria"]]})
            for item in content["written"]
        ]
        grade = cls(**content)
        every: list[StudentGrade | CodeGrade | WrittenAnswer]
        every = [grade, *grade.code, *grade.written]
        for each in every:
            for name, kind in ((one.name, one.type) for one in fields(each)):
                if not _is(getattr(each, name), kind):
                    raise ValueError(f"from_json: {name} must be of type {kind}")
        for part in (part for item in grade.code for part in item.parts.values()):
            if not (_is(part["points"], float) and _is(part["max"], float)):
                raise ValueError(f"from_json: a part must have its points, got {part}")
            part["holds"] = bool(part["holds"])
        return grade


@dataclass(frozen=True)
class Book:
    """The folder that a class is graded into."""

    folder: Path

    def grade_file(self, student: str) -> Path:
        """Return where a student's grade stands."""
        return self.folder / "grades" / f"{safe_name(student)}.json"

    def grades(self) -> list[StudentGrade]:
        """Return all grades, by student.

        Raises:
            ValueError: if a grade file cannot be read, and which.
        """
        found = [read_grade(path) for path in sorted((self.folder / "grades").glob("*.json"))]
        return sorted(found, key=lambda grade: grade.student)

    def graded(self) -> list[StudentGrade]:
        """Return all grades, as :meth:`grades` does, of a folder that must hold some.

        Raises:
            ValueError: if it holds none, or a grade file cannot be read.
        """
        if not (found := self.grades()):
            raise ValueError(f"OUT must hold grades, found none in {self.folder}")
        return found

    def readable(self) -> list[StudentGrade]:
        """Return the grades that can be read, and leave out the rest."""
        found = []
        for path in sorted((self.folder / "grades").glob("*.json")):
            with suppress(ValueError):
                found.append(read_grade(path))
        return found

    def grade(self, student: str) -> StudentGrade | None:
        """Return a student's grade, or None if not yet graded."""
        path = self.grade_file(student)
        return read_grade(path) if path.is_file() else None

    def tables(self) -> AbstractContextManager[None]:
        """Hold the tables of the class: who writes them next has read all marks before."""
        return alone(self.folder / ".tables", "tables are written")

    @property
    def store(self) -> Store:
        """Where the teachers' marks are kept."""
        return Store(self.folder)

    def marks(self) -> Marks:
        """Return the teachers' marks, as :meth:`.Store.marks` does."""
        return self.store.marks()

    def times(self) -> dict[str, datetime]:
        """Return when students handed in, as far as a teacher has said; empty if not.

        Raises:
            ValueError: if the file is broken; names it and says what to do.
        """
        return self._moments("times", "times again for the whole class")

    def keep_times(self, times: dict[str, datetime]) -> None:
        """Keep when students handed in; a later time replaces the one that was known."""
        self._keep_moments("times", self.times() | times)

    def extensions(self) -> dict[str, datetime]:
        """Return the extended due dates by student; empty without any.

        Raises:
            ValueError: if the file is broken; names it and says what to do.
        """
        return self._moments("extensions", "extensions again")

    def keep_extensions(self, extensions: dict[str, datetime]) -> None:
        """Keep when it is due for some; a later one replaces the one that was known."""
        self._keep_moments("extensions", self.extensions() | extensions)

    def names(self) -> dict[str, str]:
        """Return what students are called, as a platform writes it; empty if unknown.

        Raises:
            ValueError: if the file is broken; names it and says what to do.
        """
        path = self.folder / "names.json"
        return _stored(path, lambda it: _is(it, dict[str, str]), "move it away")

    def keep_names(self, names: Mapping[str, str]) -> None:
        """Keep what students are called."""
        known = json.dumps(self.names() | dict(names), indent=1, sort_keys=True)
        write(self.folder / "names.json", known + "\n")

    def forget_times(self, students: Container[str]) -> None:
        """Take out the times of students whose file is another one now; keep the old table."""
        self.to_history(self.folder / "times.json", "times")
        known = {s: time for s, time in self.times().items() if s not in students}
        self._keep_moments("times", known)

    def _moments(self, name: str, option: str) -> dict[str, datetime]:
        way = f"move it away and give --{option}"
        known = _stored(self.folder / f"{name}.json", _are_times, way)
        return {student: datetime.fromisoformat(time) for student, time in known.items()}

    def _keep_moments(self, name: str, moments: Mapping[str, datetime]) -> None:
        known = {student: moment.isoformat() for student, moment in moments.items()}
        text = json.dumps(known, indent=1, sort_keys=True) + "\n"
        write(self.folder / f"{name}.json", text)

    def to_history(self, path: Path, name: str) -> Path | None:
        """Copy a file, if it is there, to the next free number in the history."""
        if not path.is_file():
            return None
        kept = next_free(self.folder / "history", name, path.suffix)
        write(kept, path.read_bytes())
        return kept


def digest_of(answer: str) -> str:
    """Return the fingerprint of an answer, by which a mark knows what it was given for."""
    return hashlib.sha256(answer.encode(errors="surrogatepass")).hexdigest()


def safe_name(student: str) -> str:
    """Return a file name for a student that stays inside its folder, different for each.

    >>> safe_name("ada.l"), safe_name("../ada")
    ('ada.l', 'ada~60088279')
    """
    ends = student.endswith(".") or _RESERVED.fullmatch(student)
    if _SAFE.fullmatch(student) and not ends:
        return student
    digest = hashlib.sha256(student.encode(errors="surrogatepass")).hexdigest()[:8]
    letters = unicodedata.normalize("NFKD", student).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^A-Za-z0-9@-]+", "-", letters).strip("-")[:60]
    return f"{readable or 'student'}~{digest}"


def read_grade(path: Path) -> StudentGrade:
    """Return the grade in a file.

    Raises:
        ValueError: if it cannot be read; says why and what to do.
    """
    try:
        return StudentGrade.from_json(path.read_text(encoding="utf-8"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{path} is no grade file: {error}; move it away and grade this student again"
        ) from error


def _stored(path: Path, right: Callable[[Any], bool], way: str) -> dict[str, Any]:
    """Return the contents of a file of ours; empty if it is missing.

    Raises:
        ValueError: if it is broken, or not ``right``; says in which way to mend it.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        why = "" if right(content) else "it holds something else"
    except (ValueError, RecursionError) as error:
        why = str(error)
    if why:
        copies = f"earlier copies are in {path.parent / 'history'}"
        raise ValueError(f"{path} is broken ({why}): {way}; {copies}")
    return content


def _are_times(content: Any) -> bool:
    return _is(content, dict[str, str]) and all(
        datetime.fromisoformat(time).utcoffset() is not None for time in content.values()
    )


def _is(value: Any, kind: Any) -> bool:
    """Say whether a value that came from JSON is of a type as our annotations write it."""
    outer, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if outer is UnionType:
        return any(_is(value, one) for one in inner)
    if outer is list:
        return type(value) is list and all(_is(one, inner[0]) for one in value)
    if outer is dict:
        return type(value) is dict and all(_is(one, inner[1]) for one in value.values())
    if outer is tuple:
        return len(value) == len(inner) and all(map(_is, value, inner))
    if kind is float:
        return type(value) in (int, float) and isfinite(value)
    return value is None if kind is type(None) else type(value) is kind
