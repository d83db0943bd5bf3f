"""The marks of a class, in one file into which many may write: who gave which mark, and when.

A change is written whole or not at all, by one process at a time, and what was written before
is never altered: a mark that stands is the last one of its place whose change is not undone.
"""

import getpass
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

from course_grader.safe_text import one_line
from course_grader.tables import next_free, write

# A teacher's marks: by student, item and criterion.
Marks = dict[str, dict[str, dict[str, dict[str, Any]]]]
# Where something stands: student, item, criterion. What is no mark has its kind in front; then
# a rubric item has its name in the student's place, and an objection no criterion.
Place = tuple[str, ...]
Flat = dict[Place, dict[str, Any]]
ITEM, SECOND, OBJECTION = "rubric item", "second mark", "objection"
VERSION = 2
PATIENCE = 60.0  # seconds for whoever writes at the same time
TABLES = {
    "changes": "number INTEGER PRIMARY KEY, time TEXT, who TEXT, what TEXT, undoes INTEGER",
    "marks": "number INTEGER PRIMARY KEY, change INTEGER, place TEXT, mark TEXT",
}
UNDONE = "(SELECT undoes FROM changes WHERE undoes IS NOT NULL)"
STANDING = f"SELECT place, mark FROM marks WHERE change NOT IN {UNDONE} ORDER BY number"
LAST = f"""SELECT max(number) FROM changes
WHERE who = ? AND undoes IS NULL AND number NOT IN {UNDONE}"""
ALL = """SELECT c.number, c.time, c.who, c.what, m.place, m.mark, u.who, u.time FROM marks m
JOIN changes c ON c.number = m.change LEFT JOIN changes u ON u.undoes = c.number
ORDER BY m.number"""
RECORD = (
    *("change", "time", "who", "what", "kind", "student", "item", "criterion"),
    *("mark", "of", "comment", "answer", "more", "undone_by", "undone"),
)


def kind_of(place: Place) -> str:
    """Return what kind of thing is at a place; nothing for a mark."""
    return place[0] if len(place) == 4 else ""


@dataclass(frozen=True)
class Store:
    """The marks in a class's folder.

    For a store that breaks, a copy of the marks that stand is in the history; laid beside the
    grades as ``marks.json`` it is taken over, and goes back there.
    """

    folder: Path

    @property
    def path(self) -> Path:
        """Where the store is."""
        return self.folder / "marks.sqlite"

    @property
    def _json(self) -> Path:
        return self.folder / "marks.json"

    @property
    def _copy(self) -> Path:
        return self.folder / "history" / "marks.json"

    def marks(self) -> Marks:
        """Return the marks that stand; empty if none are in.

        Raises:
            ValueError: if they cannot be read; names the file and says what to do.
        """
        return _nested(self.kept())

    def kept(self) -> Flat:
        """Return all that stands, by place: marks, rubric items, second marks, objections."""
        if not any(path.exists() for path in (self.path, self._json, self._copy)):
            return {}
        with self._opened() as base:
            return _standing(base)

    @contextmanager
    def changing(self, who: str, what: str) -> Iterator[Flat]:
        """Yield all entries under a lock, to be changed; all changes are kept, or none.

        Raises:
            ValueError: if they cannot be read or written; says what to do.
        """
        with self._opened() as base, _alone(base):
            before = _standing(base)
            kept = deepcopy(before)
            yield kept
            if _record(base, who, what, before, _flat(kept)):
                self._keep_copy(kept)

    def undo(self, who: str) -> tuple[list[Place], list[Place]]:
        """Take the last change of a person's back that stands.

        Returns:
            The places whose marks are as before, and those that somebody has marked since.

        Raises:
            ValueError: if there is none.
        """
        with self._opened() as base, _alone(base):
            before = _standing(base)
            [last] = base.execute(LAST, [who]).fetchone()
            if last is None:
                raise ValueError(f"no change of {who} is left to undo; --by names another")
            _change(base, who, "undo", last)
            after = _standing(base)
            rows = base.execute("SELECT place FROM marks WHERE change = ?", [last])
            places: list[Place] = [tuple(json.loads(place)) for (place,) in rows]
            self._keep_copy(after)
        back = [one for one in places if before.get(one) != after.get(one)]
        return back, [one for one in places if one not in back]

    def record(self) -> list[dict[str, Any]]:
        """Return all that was ever marked, with who and when, and who undid it."""
        found = []
        with self._opened() as base:
            for *change, place, mark, undone_by, undone in base.execute(ALL).fetchall():
                given = json.loads(mark) if mark else {}
                values = [given.pop(one, None) for one in ("mark", "of", "comment", "answer")]
                more = json.dumps(given) if given else None
                where = ["mark", *json.loads(place)][-4:]
                row = *change, *where, *values, more, undone_by, undone
                found.append(dict(zip(RECORD, row, strict=True)))
        return found

    def _keep_copy(self, kept: Flat) -> None:
        write(self._copy, json.dumps(sorted(kept.items()), indent=1, sort_keys=True) + "\n")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            with closing(base):
                self._make_ready(base)
                yield base
        except sqlite3.OperationalError as error:
            raise ValueError(
                f"{self.path} cannot be used now ({error}): no mark was changed; see that "
                "the disk has room, can be written and can lock files (not every network disk "
                "can), and try again"
            ) from error
        except (sqlite3.Error, _BrokenError) as error:
            ways = f"move it away with what begins {self.path.name}-, then copy {self._copy}, "
            ways += f"which has the marks that stood, to {self._json}"
            raise ValueError(f"{self.path} is broken ({error}): {ways}") from error

    def _make_ready(self, base: sqlite3.Connection) -> None:
        """See that it is ours and whole, or make it; take ``marks.json`` over."""
        base.execute("BEGIN")  # both of one moment: another process may make them now
        version, tables = _version(base), _tables(base)
        base.execute("COMMIT")
        if version not in (0, VERSION) or (not version and tables):
            other = f"a store of another version ({version}, not {VERSION})"
            raise ValueError(
                f"{self.path} is {other}: nothing was changed; use the grader that wrote it, "
                "or have that one export the marks"
            )
        base.execute("PRAGMA synchronous=FULL")
        if version and not TABLES.keys() <= tables:
            raise _BrokenError("its tables are gone")
        if version and base.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _BrokenError("its pages do not fit together")
        if version and not self._json.exists():
            return
        with _alone(base):
            if not _version(base):
                if self._copy.exists() and not self._json.exists():
                    raise _BrokenError("it is empty or gone")
                for name, columns in TABLES.items():
                    base.execute(f"CREATE TABLE {name} ({columns})")
            base.execute(f"PRAGMA user_version={VERSION}")
            if self._json.exists():
                self._take_over(base)
        with suppress(FileNotFoundError):  # there was none, or another process has moved it
            self._json.rename(next_free(self.folder / "history", "marks", ".json"))

    def _take_over(self, base: sqlite3.Connection) -> None:
        try:
            data = self._json.read_bytes()
            new = _flat(json.loads(data))
        except FileNotFoundError:
            return
        except (ValueError, RecursionError) as error:
            why = f"{self._json} is broken ({one_line(error)})"
            history = self.folder / "history"
            raise ValueError(f"{why}: move it away; copies are in {history}") from error
        what = f"marks.json {hashlib.sha256(data).hexdigest()}"
        if not base.execute("SELECT 1 FROM changes WHERE what = ?", [what]).fetchone():
            before = _standing(base)
            _record(base, "marks.json", what, before, before | new)


class _BrokenError(Exception):
    """What a store holds is not what was written into it."""


def login() -> str:
    """Return the name of whoever is at work here."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


@contextmanager
def _alone(base: sqlite3.Connection) -> Iterator[None]:
    """Lock the store until the block has ended, and commit its changes together."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            base.execute("ROLLBACK")
        raise


def _version(base: sqlite3.Connection) -> int:
    [version] = base.execute("PRAGMA user_version").fetchone()
    return int(version)


def _tables(base: sqlite3.Connection) -> set[str]:
    return {name for (name,) in base.execute("SELECT name FROM sqlite_master")}


def _change(base: sqlite3.Connection, *row: str | int | None) -> int:
    """Write down who did what, and which change that undoes; return its number."""
    values = datetime.now(UTC).isoformat(timespec="seconds"), *row
    words = "INSERT INTO changes (time, who, what, undoes) VALUES (?, ?, ?, ?)"
    number = base.execute(words, values).lastrowid
    assert number is not None
    return number


def _record(base: sqlite3.Connection, who: str, what: str, old: Flat, new: Flat) -> bool:
    """Write down what differs; say whether anything does."""
    places = [one for one in {**old, **new} if old.get(one) != new.get(one)]
    if places:
        number = _change(base, who, what, None)
        marks = [json.dumps(new[one]) if one in new else None for one in places]
        rows = [(number, json.dumps(p), m) for p, m in zip(places, marks, strict=True)]
        base.executemany("INSERT INTO marks (change, place, mark) VALUES (?, ?, ?)", rows)
    return bool(places)


def _standing(base: sqlite3.Connection) -> Flat:
    try:
        rows = base.execute(STANDING)
        last = {tuple(json.loads(p)): json.loads(m) if m else None for p, m in rows}
        return _flat({place: mark for place, mark in last.items() if mark is not None})
    except (ValueError, TypeError, RecursionError) as error:
        raise _BrokenError(str(error)) from error


def _nested(flat: Flat) -> Marks:
    marks: Marks = {}
    for student, item, criterion in sorted(place for place in flat if len(place) == 3):
        given = marks.setdefault(student, {}).setdefault(item, {})
        given[criterion] = flat[student, item, criterion]
    return marks


def _flat(kept: Any) -> Flat:
    """Return what is kept by place; it may be a list, as a copy has it.

    Raises:
        ValueError: if it is something else.
    """
    try:
        if isinstance(kept, list):
            kept = {tuple(place): mark for place, mark in kept}
        right = all(len(place) in (3, 4) for place in kept)
        right &= all(isinstance(part, str) for place in kept for part in place)
        right &= all(isfinite(mark["mark"]) for mark in kept.values())
        right &= all(isinstance(mark.get("comment", ""), str) for mark in kept.values())
    except (AttributeError, TypeError, KeyError, ValueError):
        right = False
    if not right:
        raise ValueError("it holds something else")
    return dict(kept)
