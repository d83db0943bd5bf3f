"""Lists what lies in a folder or a zip, and reads nothing that could do harm.

Nothing is ever written where a member's name says. Links, devices, names that lead out of the
archive, files too large and archives too full are refused one by one, each with a reason.
"""

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

# Most of a large notebook is its outputs, which are unused.
MOST_BYTES = 64 * 2**20
MOST_TOGETHER = 4 * 2**30
MOST_MEMBERS = 20_000
# Of a zip that a student handed in: its files, the notebooks among them, and how many zips may
# lie in each other.
MOST_INSIDE, MOST_NOTEBOOKS, MOST_ZIPS = 1_000, 10, 2
# How a notebook's name ends, one's that a browser saved as text, or an export's to Python.
NOTEBOOK = re.compile(r"(?i)\.ipynb(\.(txt|json))?$|\.py$")
_IGNORED = ("__MACOSX", ".ipynb_checkpoints", "__pycache__")


@dataclass(frozen=True)
class Member:
    """A file that lies in a folder or zip.

    Args:
        name: its path inside, with forward slashes.
        time: when it was written; a zip knows no zone, so the time has none.
        content: returns its bytes; raises ValueError with a reason if it cannot.
        refused: why it is not read at all.
    """

    name: str
    time: datetime | None = None
    content: Callable[[], bytes] | None = None
    refused: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The pieces of its path."""
        return PurePosixPath(self.name).parts

    def read(self) -> bytes:
        """Return its bytes.

        Raises:
            ValueError: with the reason if it is refused or cannot be read.
        """
        if self.refused or not self.content:
            raise ValueError(self.refused or "cannot be read")
        return self.content()


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """List a folder or a zip; its members can be read inside the block.

    Raises:
        ValueError: if the path is neither.
    """
    if path.is_dir():
        yield list(_looked_into(_folder(path)))
    elif path.is_file() and zipfile.is_zipfile(path):
        try:
            archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise ValueError(f"{path}: the zip cannot be read: {error}") from error
        with archive:
            yield list(_looked_into(_zip(archive)))
    else:
        found = "another kind of file" if path.exists() else "nothing"
        raise ValueError(f"{path}: submissions must be a folder or a zip, found {found} there")


def _folder(root: Path) -> Iterator[Member]:
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        for name in sorted([*files, *links]):
            if not _hidden(name):
                yield _file(here / name, (here / name).relative_to(root).as_posix())


def _file(path: Path, inside: str) -> Member:
    try:
        status = path.lstat()
    except OSError as error:
        return Member(inside, refused=str(error.strerror))
    reason = _kind(status.st_mode) or _size(status.st_size)
    time = datetime.fromtimestamp(status.st_mtime, UTC)
    return Member(inside, time, partial(_read_file, path), reason)


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    return "" if stat.S_ISREG(mode) else "not an ordinary file"


def _size(size: int) -> str:
    return f"larger than {MOST_BYTES // 2**20} MiB" if size > MOST_BYTES else ""


def _read_file(path: Path) -> bytes:
    """Read a file that may have been exchanged for a link since it was listed."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(number, "rb") as file:
            reason = _kind(os.fstat(number).st_mode)
            data = b"" if reason else file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    return _whole(data, reason)


def _whole(data: bytes, reason: str = "") -> bytes:
    if reason or _size(len(data)):
        raise ValueError(reason or _size(len(data)))
    return data


def _zip(archive: zipfile.ZipFile) -> Iterator[Member]:
    together = 0
    for place, info in enumerate(archive.infolist()):
        if info.is_dir() or any(map(_hidden, re.split(r"[/\\]", info.filename))):
            continue
        reason = _refusal(info)
        together += 0 if reason else info.file_size
        if not reason and together > MOST_TOGETHER:
            reason = f"the zip holds more than {MOST_TOGETHER // 2**30} GiB"
        if not reason and place >= MOST_MEMBERS:
            reason = f"the zip has more than {MOST_MEMBERS} members"
        yield Member(info.filename, _time(info), partial(_unpacked, archive, info), reason)


def _looked_into(members: Iterable[Member]) -> Iterator[Member]:
    """Yield members, and for a zip that a student handed in the notebooks in it."""
    for member in members:
        if member.refused or not member.name.lower().endswith(".zip"):
            yield member
            continue
        try:
            yield from _inside(member)
        except ValueError as error:
            yield Member(member.name, member.time, refused=str(error))


def _inside(member: Member, depth: int = 1) -> list[Member]:
    """Return the notebooks in a zip, each with the time of the zip.

    Where there are none, those of a zip in it: some hand in the zip they were given in another.

    Raises:
        ValueError: if it cannot be read, holds none, or as many as a class hands in.
    """
    with _archive(member) as archive:
        files = list(_zip(archive))
        found = [one for one in files if NOTEBOOK.search(one.name)]
        zips = [one for one in files if one.name.lower().endswith(".zip") and not one.refused]
        if not found and len(zips) == 1 and depth < MOST_ZIPS:
            content = zips[0].read()
            name = f"{member.name}/{zips[0].name}"
            return _inside(Member(name, member.time, lambda: content), depth + 1)
    if not found:
        raise ValueError("a zip without a notebook")
    if len(found) > MOST_NOTEBOOKS:
        raise ValueError(
            f"a zip with {len(found)} notebooks; if it is a whole class's, give it by itself"
        )
    return [
        Member(
            f"{member.name}/{one.name}",
            member.time,
            partial(_read_inside, member, one.name),
            one.refused,
        )
        for one in found
    ]


def _read_inside(member: Member, name: str) -> bytes:
    with _archive(member) as archive:
        return next(one for one in _zip(archive) if one.name == name).read()


@contextmanager
def _archive(member: Member) -> Iterator[zipfile.ZipFile]:
    data = member.read()
    if data.count(b"PK\1\2") > MOST_INSIDE:
        raise ValueError(f"a zip with more than {MOST_INSIDE} files")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise ValueError(f"a zip that cannot be read: {error}") from error
    with archive:
        yield archive


def _refusal(info: zipfile.ZipInfo) -> str:
    """Return why a member of a zip is not read, or an empty text."""
    name, mode = info.filename, info.external_attr >> 16
    pieces = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in pieces or ":" in pieces[0] or "\\" in name:
        return "its name leads out of the zip"
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "not an ordinary file"
    if info.flag_bits & 1:
        return "encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "packed in an unusual way"
    return _size(info.file_size)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as file:
            data = file.read(MOST_BYTES + 1)
    except Exception as error:  # a damaged member raises errors of many kinds
        raise ValueError(f"cannot be unpacked: {error}") from error
    return _whole(data)


def _time(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time)
    except ValueError:
        return None


def _hidden(part: str) -> bool:
    return part in _IGNORED or (part.startswith(".") and part not in (".", ".."))
