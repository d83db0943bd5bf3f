"""Reads an assignment: what is asked, for how many points, until when.

An assignment is a folder with a file ``assignment.toml``; the folder's name is its name. Its
keys are in ``book/teach/reference.md``, under *Set an assignment*, and their types below.
Of those that are not there ``introduction`` is Markdown or a file of the folder, ``own`` a
teacher's own exercise, and ``sample = true`` says that the solutions are public.

Items are asked in the order in which they stand. ``plain`` is an exercise without a variant,
and what is asked where ``variants`` is left out. Who gets which variant is decided by the file
``secret`` in the folder, which ``attention-course new`` makes; a ``seed`` in the manifest, as
earlier versions wrote it, decides in its place.

With ``defend`` a student whose answer is right is asked about one change in it: which
properties fail then? The question belongs to the answer and to the student's name, and marks
itself.

``parts`` names exercises above an item whose answers its own answer calls: it is a whole, see
``marking/whole.py``.
"""

import hashlib
import hmac
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from attention_course.exercises.protocol import TOO_ALIKE, Exercise, exercise_named, targets
from course_grader.safe_text import cell
from course_grader.submissions.teacher_exercise import (
    NAME,
    TeacherExercise,
    read_teacher_exercise,
)

DEFENCE = "defence"  # the part of an exercise's points that its defence earns
MANIFEST, SECRET = "assignment.toml", "secret"
PLAIN = "plain"
TOP = {
    "title": str,
    "introduction": str,
    "due": (date, str),
    "late_percent_per_day": (int, float),
    "grace_minutes": int,
    "seed": str,
    "sample": bool,
    "items": list,
}
CODE = {
    "exercise": str,
    "own": str,
    "variants": list,
    "points": int,
    "defend": int,
    "parts": list,
}
WRITTEN = {
    "written": str,
    "title": str,
    "prompt": str,
    "points": int,
    "minutes": int,
    "rubric": list,
    "model_answer": str,
}


@dataclass(frozen=True)
class CodeItem:
    """An exercise of the bank, or a teacher's own.

    Args:
        slug: the exercise.
        variants: the conventions of which a student gets one; the empty name is the plain one.
        scale: how many points of the assignment one point of the exercise is.
        own: the file of a teacher's own exercise.
        defend: how many points more its defence earns; 0 where none is asked for.
        needs: the exercises above it whose answers it calls. Where one of these is wrong, it is
            graded with the course's.
    """

    slug: str
    variants: tuple[str, ...] = ("",)
    scale: int = 1
    own: TeacherExercise | None = None
    defend: int = 0
    needs: tuple[str, ...] = ()

    @property
    def exercise(self) -> Exercise:
        """What is asked, in its own convention."""
        return self.own.exercise if self.own else exercise_named(self.slug)

    @property
    def points(self) -> int:
        """The points of all its parts, and of its defence."""
        return sum(self.all_parts.values())

    @property
    def parts(self) -> dict[str, int]:
        """For each part, its points in this assignment."""
        return {part: self.scale * points for part, points in self.exercise.points.items()}

    @property
    def all_parts(self) -> dict[str, int]:
        """The same, and its defence."""
        return self.parts | ({DEFENCE: self.defend} if self.defend else {})

    @property
    def minutes(self) -> int:
        """How long a student needs who has read the chapter."""
        return self.exercise.minutes


@dataclass(frozen=True)
class WrittenItem:
    """A question that is answered in words and marked by a person."""

    id: str
    title: str
    prompt: str
    points: int
    rubric: tuple[tuple[str, int], ...]
    model_answer: str
    minutes: int = 10


@dataclass(frozen=True)
class Assignment:
    """What is asked of a class."""

    name: str
    title: str
    folder: Path
    items: tuple[CodeItem | WrittenItem, ...]
    introduction: str = ""
    due: datetime | None = None
    late_percent_per_day: float = 0.0
    grace_minutes: int = 0
    seed: str = field(default="", repr=False)
    sample: bool = False

    @property
    def code(self) -> tuple[CodeItem, ...]:
        """The exercises, in order."""
        return tuple(item for item in self.items if isinstance(item, CodeItem))

    @property
    def written(self) -> tuple[WrittenItem, ...]:
        """The written questions, in order."""
        return tuple(item for item in self.items if isinstance(item, WrittenItem))

    @property
    def minutes(self) -> int:
        """How long all of it takes."""
        return sum(item.minutes for item in self.items)

    @property
    def max_points(self) -> int:
        """The points of all of it."""
        return sum(item.points for item in self.items)

    @property
    def varies(self) -> bool:
        """Whether students get different variants, so that a release needs a roster."""
        return any(len(item.variants) > 1 for item in self.code)

    def require_students(self, students: Sequence[str]) -> None:
        """Refuse to be made for nobody if each student gets a variant of their own."""
        if self.varies and not students:
            raise ValueError(
                f"{self.name} gives students different variants, so it needs --roster, a CSV "
                "with a column student"
            )

    def variants(self, student: str = "") -> dict[str, str]:
        """Return the variant that a student gets of each exercise; the plain one is empty."""
        return {item.slug: drawn(self.seed, student, item) for item in self.code}

    def exercises(self, student: str = "") -> dict[str, Exercise]:
        """Return a student's exercises by slug, each in that student's variant."""
        drawn = self.variants(student)
        return {item.slug: item.exercise.varied(drawn[item.slug]) for item in self.code}


def load_assignment(folder: str | Path) -> Assignment:
    """Read the assignment in a folder.

    Raises:
        ValueError: if there is no manifest, or it says what it must not; the message names the
            file and the item.
    """
    path = Path(folder).resolve() / MANIFEST
    if not path.is_file():
        raise ValueError(f"{folder}: folder must hold an {MANIFEST}, and there is none")
    try:
        return _assignment(path.parent, tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except ValueError as error:  # tomllib's and ours
        raise ValueError(f"{Path(folder) / MANIFEST}: {error}") from error


def _assignment(folder: Path, content: dict[str, Any]) -> Assignment:
    _allow(content, TOP, {"title", "items"})
    if not NAME.fullmatch(folder.name):
        raise ValueError(f"the folder's name must be like self-attention, got {folder.name!r}")
    items = tuple(_items(folder, content["items"]))
    late = content.get("late_percent_per_day", 0)
    if not 0 <= late <= 100:
        raise ValueError(f"late_percent_per_day must be from 0 to 100, got {late}")
    grace = content.get("grace_minutes", 0)
    if not 0 <= grace <= 1440:
        raise ValueError(f"grace_minutes must be from 0 to 1440, a day, got {grace}")
    seed = content.get("seed") or _secret(folder)
    if not seed and any(isinstance(item, CodeItem) and item.variants[1:] for item in items):
        raise ValueError(
            f"a file {SECRET} must lie beside it, for it draws who gets which variant; "
            "`attention-course new` makes one, of 64 hexadecimal digits"
        )
    return Assignment(
        name=folder.name,
        title=content["title"].strip(),
        folder=folder,
        items=items,
        introduction=_introduction(folder, content.get("introduction", "")),
        due=_due(content.get("due")),
        late_percent_per_day=float(late),
        grace_minutes=grace,
        seed=seed,
        sample=content.get("sample", False),
    )


def _items(folder: Path, entries: list[Any]) -> list[CodeItem | WrittenItem]:
    seen: set[str] = set()
    above: list[CodeItem | WrittenItem] = []
    if not entries:
        raise ValueError("items must hold at least one item")
    for number, entry in enumerate(entries, start=1):
        try:
            item = _item(folder, entry)
        except ValueError as error:
            raise ValueError(f"item {number}: {error}") from error
        code = [one.slug for one in above if isinstance(one, CodeItem) and not one.own]
        if isinstance(item, CodeItem) and not {*item.needs} <= {*code}:
            raise ValueError(
                f"item {number}: parts must name exercises of the bank that stand above it, "
                f"got {', '.join(map(str, item.needs))}"
            )
        names = {item.slug, item.exercise.target} if isinstance(item, CodeItem) else {item.id}
        for name in sorted(names & seen):
            raise ValueError(f"item {number}: {name} must stand once, stands twice")
        seen |= names
        above.append(item)
    return above


def _item(folder: Path, entry: Any) -> CodeItem | WrittenItem:
    kinds = {"exercise", "own", "written"}
    if not isinstance(entry, dict) or len(kinds & entry.keys()) != 1:
        raise ValueError("it must have one of the keys exercise, own and written")
    return _written(entry) if "written" in entry else _code(folder, entry)


def _code(folder: Path, entry: dict[str, Any]) -> CodeItem:
    _allow(entry, CODE, set())
    own = _own(folder, entry["own"]) if "own" in entry else None
    exercise = own.exercise if own else exercise_named(entry["exercise"])
    if exercise.uses == "triton":
        raise ValueError(
            f"exercise must be one that can be graded, got {exercise.slug}, a Triton kernel"
        )
    if exercise.slug != entry.get("exercise", exercise.slug):
        raise ValueError(f"variants must stand in the list variants, got {entry['exercise']!r}")
    variants = tuple(_variant(exercise, name) for name in entry.get("variants", [PLAIN]))
    if not variants or len(set(variants)) < len(variants):
        raise ValueError("variants must name at least one variant, and none twice")
    whole = sum(exercise.points.values())
    points = entry.get("points", whole)
    if points < 1 or points % whole:
        raise ValueError(
            f"points of {exercise.slug} must be a multiple of {whole}, got {points}"
        )
    defend = entry.get("defend", 0)
    if defend < 0 or (defend and own):
        raise ValueError(
            f"defend must be a number of points, and of an exercise of the bank, got {defend}"
        )
    if defend and exercise.slug in TOO_ALIKE:
        raise ValueError(
            f"defend is not offered for {exercise.slug}: its questions are too few or too much "
            "alike; leave it out, or ask in person"
        )
    needs = tuple(entry.get("parts", ()))
    return CodeItem(exercise.slug, variants, points // whole, own, defend, needs)


def _own(folder: Path, name: str) -> TeacherExercise:
    path = folder / name
    if path.resolve().parent != folder:
        raise ValueError(f"own must be a file of the folder, got {name!r}")
    return read_teacher_exercise(path)


def _variant(exercise: Exercise, name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"variants must be names, got {name!r}")  # noqa: TRY004
    name = "" if name == PLAIN else name
    exercise.varied(name)
    return name


def _written(entry: dict[str, Any]) -> WrittenItem:
    _allow(entry, WRITTEN, set(WRITTEN) - {"minutes"})
    name = entry["written"]
    if not NAME.fullmatch(name) or name in targets():
        raise ValueError(f"written must be like why-scale and no exercise's name, got {name!r}")
    rubric = tuple(map(_criterion, entry["rubric"]))
    names = [cell(criterion).strip() for criterion, _ in rubric]  # as a table of marks has them
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"rubric of {name} must name each criterion once, got {twice[0]!r} twice"
        )
    total = sum(points for _, points in rubric)
    if total != entry["points"] or total < 1:
        raise ValueError(
            f"points of {name} must be the sum of its rubric, {total}, got {entry['points']}"
        )
    minutes = entry.get("minutes", 10)
    if minutes < 1:
        raise ValueError(f"minutes must be positive, got {minutes}")
    texts = {key: entry[key].strip() for key in ("title", "prompt", "model_answer")}
    empty = [key for key, text in texts.items() if not text]
    if empty:
        raise ValueError(f"{empty[0]} of {name} must not be empty")
    return WrittenItem(id=name, points=total, rubric=rubric, minutes=minutes, **texts)


def _criterion(entry: Any) -> tuple[str, int]:
    right = isinstance(entry, list) and list(map(type, entry)) == [str, int]
    if not right or entry[1] < 1:
        raise ValueError(f'rubric must hold pairs like ["says why", 2], got {entry!r}')
    return entry[0], entry[1]


def _allow(entry: dict[str, Any], kinds: dict[str, Any], needed: set[str]) -> None:
    """Raise an error if a key is unknown, missing or of another type."""
    for key, value in entry.items():
        if key not in kinds:
            raise ValueError(f"key must be one of {', '.join(kinds)}, got {key!r}")
        kind = kinds[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            names = " or ".join(k.__name__ for k in (kind if type(kind) is tuple else (kind,)))
            raise ValueError(f"{key} must be of type {names}, got {value!r}")
    for key in kinds:
        if key in needed and key not in entry:
            raise ValueError(f"it must have the key {key}")


def _introduction(folder: Path, text: str) -> str:
    if not re.fullmatch(r"\S+\.md", text):
        return text.strip()
    path = folder / text
    if not path.is_file() or path.resolve().parent != folder:
        raise ValueError(f"introduction must be a file of the folder, got {text!r}")
    return path.read_text(encoding="utf-8-sig").strip()


def _secret(folder: Path) -> str:
    """Return the secret that the file holds; empty without one."""
    path = folder / SECRET
    return path.read_text(encoding="ascii", errors="replace").strip() if path.is_file() else ""


def _due(value: date | str | None) -> datetime | None:
    if value is None:
        return None
    try:
        due = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        due = None
    if due is None or due.utcoffset() is None:
        raise ValueError(f"due must say its zone, like 2026-10-05T23:59:00+02:00, got {value}")
    return due


def drawn(seed: str, student: str, item: CodeItem) -> str:
    """Draw a variant that belongs to the secret, the student and the exercise."""
    message = f"{student}\0{item.slug}".encode(errors="surrogatepass")
    digest = hmac.new(seed.encode(), message, hashlib.sha256).digest()
    return item.variants[int.from_bytes(digest[:8], "big") % len(item.variants)]
