"""The marks of a class, in one file into which many may write: who gave which mark, and when.

A change is written whole or not at all, by one process at a time, and what was written before
is never altered: a mark that stands is the last one of its place whose change is not undone.
"""

import getpass
import hashlib
import json
import re
import sqlite3
import sys
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
Place = tuple[str, str, str]
VERSION = 1
PATIENCE = 60.0  # seconds for whoever writes at the same time
TABLES = (
    "CREATE TABLE changes (number INTEGER PRIMARY KEY, time TEXT NOT NULL, who TEXT NOT NULL, "
    "what TEXT NOT NULL, undoes INTEGER UNIQUE REFERENCES changes)",
    "CREATE TABLE marks (number INTEGER PRIMARY KEY, "
    "change INTEGER NOT NULL REFERENCES changes, place TEXT NOT NULL, mark TEXT)",
)
STANDING = (
    "SELECT place, mark FROM marks WHERE change NOT IN "
    "(SELECT undoes FROM changes WHERE undoes IS NOT NULL) ORDER BY number"
)
RECORD = (
    *("change", "time", "who", "what", "student", "item", "criterion"),
    *("mark", "of", "comment", "answer", "undone_by", "undone"),
)
# Of the shared memory that WAL needs, two machines on one disk see two copies.
NETWORK = re.compile(
    "nfs4?|cifs|smb.*|9p|afs|ceph|lustre|gpfs|fuse[.].*|vboxsf|virtiofs|prl_fs"
)


@dataclass(frozen=True)
class Store:
    """The marks in a class's folder.

    ``marks.json``, which held them before, is taken over where it stands and goes to the
    history. A copy of the marks that stand is there too, for a store that breaks.
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
        if not any(path.exists() for path in (self.path, self._json, self._copy)):
            return {}
        with self._opened() as base:
            return _standing(base)

    @contextmanager
    def changing(self, who: str, what: str) -> Iterator[Marks]:
        """Yield the marks, to be changed while nobody else can; then the change is kept.

        Nothing is if the block raises.

        Raises:
            ValueError: if they cannot be read or written; says what to do.
        """
        with self._opened() as base, _alone(base):
            marks = _standing(base)
            before = deepcopy(marks)
            yield marks
            if _record(base, who, what, before, marks):
                self._keep_copy(marks)

    def undo(self, who: str) -> tuple[list[Place], list[Place]]:
        """Take the last change of a person's back that stands.

        Returns:
            The places whose marks are as before, and those that somebody has marked since.

        Raises:
            ValueError: if there is none.
        """
        with self._opened() as base, _alone(base):
            before = _flat(_standing(base))
            undone = "SELECT undoes FROM changes WHERE undoes IS NOT NULL"
            [last] = base.execute(
                "SELECT max(number) FROM changes WHERE who = ? AND undoes IS NULL "
                f"AND number NOT IN ({undone})",
                [who],
            ).fetchone()
            if last is None:
                raise ValueError(f"no change of {who} is left to undo; --by names another")
            _change(base, who, "undo", last)
            marks = _standing(base)
            after = _flat(marks)
            rows = base.execute("SELECT place FROM marks WHERE change = ?", [last]).fetchall()
            places: list[Place] = [tuple(json.loads(place)) for (place,) in rows]
            self._keep_copy(marks)
        back = [one for one in places if before.get(one) != after.get(one)]
        return back, [one for one in places if one not in back]

    def record(self) -> list[dict[str, Any]]:
        """Return all that was ever marked, with who and when, and who undid it."""
        with self._opened() as base:
            rows = base.execute(
                "SELECT c.number, c.time, c.who, c.what, m.place, m.mark, u.who, u.time "
                "FROM marks m JOIN changes c ON c.number = m.change "
                "LEFT JOIN changes u ON u.undoes = c.number ORDER BY m.number"
            ).fetchall()
        found = []
        for number, time, who, what, place, mark, undone_by, undone in rows:
            given = json.loads(mark) if mark else {}
            values = [given.get(name) for name in ("mark", "of", "comment", "answer")]
            row = number, time, who, what, *json.loads(place), *values, undone_by, undone
            found.append(dict(zip(RECORD, row, strict=True)))
        return found

    def _keep_copy(self, marks: Marks) -> None:
        write(self._copy, json.dumps(marks, indent=1, sort_keys=True) + "\n")

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
        mode = "delete" if _on_network(self.path) else "wal"
        [got] = base.execute(f"PRAGMA journal_mode={mode}").fetchone()
        base.execute("PRAGMA synchronous=FULL")
        if version and not {"changes", "marks"} <= tables:
            raise _BrokenError("its tables are gone")
        if version and base.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise _BrokenError("its pages do not fit together")
        if not version and got != "wal":
            said = "a network disk" if mode == "delete" else "this disk"
            print(
                f"{self.path}: {said} has no write-ahead log; goes on without", file=sys.stderr
            )
        if version and not self._json.exists():
            return
        with _alone(base):
            if not _version(base):
                if self._copy.exists() and not self._json.exists():
                    raise _BrokenError("it is empty or gone")
                for table in TABLES:
                    base.execute(table)
                base.execute(f"PRAGMA user_version={VERSION}")
            self._take_over(base)
        with suppress(FileNotFoundError):  # another process has moved it
            self._json.rename(next_free(self.folder / "history", "marks", ".json"))

    def _take_over(self, base: sqlite3.Connection) -> None:
        try:
            data = self._json.read_bytes()
        except FileNotFoundError:
            return
        what = f"marks.json {hashlib.sha256(data).hexdigest()}"
        if base.execute("SELECT 1 FROM changes WHERE what = ?", [what]).fetchone():
            return
        before = _standing(base)
        try:
            after = json.loads(data)
            flat = _flat(after)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{self._json} is broken ({one_line(error)}): move it away; earlier copies are "
                f"in {self.folder / 'history'}"
            ) from error
        _record(base, "marks.json", what, before, _nested(_flat(before) | flat))


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
    """Let nobody else write until the block has ended; what it did then stands whole."""
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


def _change(base: sqlite3.Connection, who: str, what: str, undoes: int | None = None) -> int:
    time = datetime.now(UTC).isoformat(timespec="seconds")
    number = base.execute(
        "INSERT INTO changes (time, who, what, undoes) VALUES (?, ?, ?, ?)",
        [time, who, what, undoes],
    ).lastrowid
    assert number is not None
    return number


def _record(base: sqlite3.Connection, who: str, what: str, before: Marks, after: Marks) -> bool:
    """Write down what differs; say whether anything does."""
    old, new = _flat(before), _flat(after)
    places = [one for one in {**old, **new} if old.get(one) != new.get(one)]
    if places:
        number = _change(base, who, what)
        base.executemany(
            "INSERT INTO marks (change, place, mark) VALUES (?, ?, ?)",
            [
                (number, json.dumps(one), json.dumps(new[one]) if one in new else None)
                for one in places
            ],
        )
    return bool(places)


def _standing(base: sqlite3.Connection) -> Marks:
    found: dict[Place, dict[str, Any]] = {}
    try:
        for place, mark in base.execute(STANDING):
            student, item, criterion = json.loads(place)
            found.pop((student, item, criterion), None)
            if mark is not None:
                found[student, item, criterion] = json.loads(mark)
        marks = _nested(found)
        _flat(marks)
    except (ValueError, TypeError, RecursionError) as error:
        raise _BrokenError(str(error)) from error
    return marks


def _nested(flat: dict[Place, dict[str, Any]]) -> Marks:
    marks: Marks = {}
    for (student, item, criterion), mark in flat.items():
        marks.setdefault(student, {}).setdefault(item, {})[criterion] = mark
    return marks


def _flat(marks: Marks) -> dict[Place, dict[str, Any]]:
    """Return marks by place.

    Raises:
        ValueError: if they are something else.
    """
    try:
        flat = {
            (student, item, criterion): mark
            for student, items in marks.items()
            for item, given in items.items()
            for criterion, mark in given.items()
        }
        right = all(
            type(mark["mark"]) in (int, float)
            and isfinite(mark["mark"])
            and isinstance(mark.get("comment", ""), str)
            for mark in flat.values()
        )
    except (AttributeError, TypeError, KeyError):
        right = False
    if not right:
        raise ValueError("it holds something else")
    return flat


def _on_network(path: Path) -> bool:
    """Say whether a file lies on a disk that other machines may write to."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    place, kind = path.resolve(), ""
    for _, mount, name, *_ in sorted(
        map(str.split, mounts.splitlines()), key=lambda m: len(m[1])
    ):
        if place.is_relative_to(mount.replace("\\040", " ")):
            kind = name
    return bool(NETWORK.fullmatch(kind))
