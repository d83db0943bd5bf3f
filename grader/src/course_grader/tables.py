"""Reads tables that people fill in, and writes files whole."""

import csv
import fcntl
import io
import os
import socket
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

MOST_OF_A_TABLE = 50_000_000
BEGUN = ".writing-"  # how a file is called while it is written


def texts_beside(module: str) -> dict[str, Any]:
    """Return the table of texts in the TOML file beside a module that has its name."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def write(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, and replace the one that stood there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else content.encode()
    number, name = tempfile.mkstemp(prefix=BEGUN, dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)  # see _clear_away
            if not os.fstat(number).st_nlink:
                return write(path, content)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _clear_away(folder: Path) -> None:
    """Remove unfinished files of killed processes: no process holds them any more."""
    for path in folder.rglob(f"{BEGUN}*"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def next_free(folder: Path, name: str, ending: str) -> Path:
    """Return the path of the next free number in a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (path := folder / f"{name}.{number}{ending}").exists():
        number += 1
    return path


@contextmanager
def alone(path: Path, what: str, wait: bool = True) -> Iterator[None]:
    """Hold a lock, which a process that dies gives back; what it left half written goes.

    Args:
        path: the file that is locked; it says who has it.
        what: what its holder does, in words.
        wait: whether to wait for another holder, and not to refuse.

    Raises:
        ValueError: if another process holds it; says which.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB * (not wait))
        except BlockingIOError as error:
            file.seek(0)
            raise ValueError(f"{file.read().strip()}: wait until it has ended") from error
        except OSError as error:
            said = f"cannot lock files ({error.strerror}): let one command at a time work here"
            print(f"{path.parent} {said}", file=sys.stderr)
        file.truncate(0)
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        file.write(f"{what} since {now}: process {os.getpid()} on {socket.gethostname()}\n")
        file.flush()
        _clear_away(path.parent)
        try:
            yield
        finally:
            file.truncate(0)


def write_table(path: Path, text: str) -> None:
    """Write a table with the mark by which spreadsheets know UTF-8, and so accents."""
    write(path, text.encode("utf-8-sig"))


def read_table(path: Path, mark: bool = False) -> str:
    """Return the text of a table, without the mark of UTF-8 unless that is asked for.

    Raises:
        ValueError: if it is in another encoding, or larger than any class's; names the line.
    """
    if path.stat().st_size > MOST_OF_A_TABLE:
        raise ValueError(f"{path}: a table must have at most {MOST_OF_A_TABLE} bytes")
    data = path.read_bytes()
    try:
        return data.decode("utf-8" if mark else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}, line {line}: it is not in UTF-8: take the file as it was downloaded, or "
            "save the table as CSV UTF-8"
        ) from error


def parted_by(text: str) -> str:
    """Return what parts the cells of a table, by its first line: semicolons or commas.

    >>> parted_by("student;time"), parted_by("student,time")
    (';', ',')
    """
    head = text.split("\n", 1)[0]
    return ";" if head.count(";") > head.count(",") else ","


def rows_of(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table, each with the words that say where it stands.

    Commas or semicolons part its cells.

    Raises:
        ValueError: if it cannot be read, or lacks one of the columns; names file and line.
    """
    text = read_table(path)
    try:
        for line, cells in rows_in(text, columns):
            yield f"{path}, line {line}", cells
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from error


def rows_in(text: str, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a table's text with the numbers of their lines; see :func:`rows_of`."""
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=parted_by(text), strict=True)
    try:
        if missing := [name for name in columns if name not in (rows.fieldnames or ())]:
            raise ValueError(f"line 1: missing columns: {', '.join(missing)}")
        for row in rows:
            yield rows.line_num, {name: (v or "").strip() for name, v in row.items() if name}
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num}: {error}") from error
