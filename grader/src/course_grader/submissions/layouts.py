"""Reads whose file it is from where it lies: one function for each kind of collection.

Source: Moodle's folders are ``Name_12345_assignsubmission_file_``, Canvas's files
``lastnamefirst_LATE_123_4567_name.ipynb`` with a number before the ending for a later version,
``lastnamefirst_123_text.html`` for what was typed in, ``anon_aB3dE_4567_name.ipynb`` unnamed,
Gradescope's folders ``submission_123`` beside a ``submission_metadata.yml``, nbgrader's
``submitted/STUDENT/ASSIGNMENT/``, Blackboard's files
``ASSIGNMENT_LOGIN_attempt_2026-10-04-11-59-00_name.ipynb`` beside a text without a name,
Brightspace's folders or files ``12345-678 - Name - Oct 4, 2026 1159 AM``, the clones of GitHub
Classroom's command line ``ASSIGNMENT-submissions/ASSIGNMENT-LOGIN/``.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from os.path import commonprefix
from pathlib import PurePosixPath
from typing import Any

from course_grader.submissions.unpack import NOTEBOOK, Member

_MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_.*")
_MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_[^_]*_?")
_CANVAS = re.compile(
    r"((?P<name>.+?)_(?=(LATE_)?\d))?((?P<late>LATE)_)?(?P<id>anon_\w+?|(?<=_)\d+)"
    r"_(\d+_.+|(text|link)\.html)"
)
_BLACKBOARD = re.compile(
    r"(?P<who>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_.+|(?P<text>\.txt))"
)
_BRIGHTSPACE = re.compile(
    r"(?P<id>\d+)-\d+ - (?P<name>.+?) - (?P<day>\w+\.? \d{1,2}, \d{4}) (?P<hour>\d{1,2}):?"
    r"(?P<minute>\d\d) (?P<half>[AP]M)(?: - .+)?"
)
# What a browser or a system makes of the name of a file that is there already.
_COPY = re.compile(r"(?i)(?:copy of )?(?P<name>.+?)(?: ?\(\d+\)|(?: -)? copy(?: \d+)?)*")
_SUBMISSION = re.compile(r"submission_\d+")
PLAIN = "a folder of notebooks"
CALLED_LATE = "Canvas calls this submission late."
ENDINGS = (".ipynb", ".ipynb.txt", ".py")
# What lies beside the notebook in the zip that is handed out.
_OURS = "readme.txt"
_METADATA = "submission_metadata.yml"
# What Gradescope knows somebody by; the first that is filled is the student.
SUBMITTER = ("sid", "email", "name")


@dataclass(frozen=True)
class Whose:
    """What a path says.

    Args:
        student: the student.
        note: what else it says, for the student's notes.
        time: when it was handed in, if the collection says so.
        name: what the student is called, if the collection says that too.
    """

    student: str
    note: str = ""
    time: datetime | None = None
    name: str = ""


# From the pieces of a path below the class's own folder to whose the file is.
Reader = Callable[[tuple[str, ...]], Sequence[Whose] | None]


@dataclass(frozen=True)
class Layout:
    """How a collection is laid out: its name in words, and what reads its paths.

    Only the pieces of a path that the collection itself wrote are looked at; what a student
    called a file or a folder inside never decides whose it is.
    """

    name: str
    above: int
    reader: Reader

    def whose(self, member: Member) -> Sequence[Whose]:
        """Return the students whose file it is: none if that cannot be seen."""
        below = member.parts[self.above :]
        return (self.reader(below) or []) if below and _orderly(member.name) else []


def layout_of(members: Sequence[Member], assignment: str) -> Layout:
    """Return how a collection is laid out, for an assignment of that name.

    Raises:
        ValueError: if Gradescope's file of metadata cannot be read.
    """
    members = [member for member in members if _orderly(member.name)]
    above = _above(members, assignment)
    paths = [member.parts[above:] for member in members]
    metadata = [member for member in members if member.parts[above:] == (_METADATA,)]
    notebooks = [path for path in paths if rank(path[-1]) is not None]
    reader: Reader
    if metadata:
        reader = partial(_gradescope, _records(metadata[0]))
        return Layout("an export of Gradescope", above, reader)
    blackboard = partial(_blackboard, _logins(members))
    for name, files, reader in (
        ("a download of Moodle", paths, _moodle),
        ("a download of Canvas", notebooks, _canvas),
        ("a download of Blackboard", notebooks, blackboard),
        ("a download of Brightspace", paths, _brightspace),
        ("folders of nbgrader", paths, partial(_nbgrader, assignment)),
        ("clones of GitHub Classroom", paths, partial(_cloned, assignment)),
    ):
        if 2 * sum(map(bool, map(reader, files))) > len(files):
            return Layout(name, above, reader)
    there = {_named(path[0]) for path in notebooks if len(path) == 1} - {assignment}
    return Layout(PLAIN, above, partial(_plain, there))


def _above(members: Sequence[Member], assignment: str) -> int:
    """Return 1 if all lies in one folder that is the class's and no student's, else 0."""
    paths = [member.parts for member in members]
    if len({path[0] for path in paths}) != 1 or any(len(path) < 2 for path in paths):
        return 0
    top = paths[0][0]
    if _moodle((top,)) or _SUBMISSION.fullmatch(top) or top.lower().endswith(".zip"):
        return 0
    if all(len(path) > 2 and path[1] == assignment for path in paths):
        return 0
    deeper = any(len(path) > 2 for path in paths)
    several = sum(rank(path[-1]) is not None for path in paths) > 1
    return int(deeper or several or top in ("submitted", assignment))


def rank(name: str) -> int | None:
    """Return how much a file is what was asked for, by its name; None if it cannot be it.

    A notebook before one that a browser saved as text, and that before an export to Python.

    >>> rank("a.ipynb"), rank("a.ipynb.txt"), rank("a.py"), rank("a.pdf")
    (0, 1, 2, None)
    """
    ending = NOTEBOOK.search(name)
    return ENDINGS.index(ending[0].lower().replace("json", "txt")) if ending else None


def _folder(path: tuple[str, ...]) -> str:
    """Return the name of the folder that a path begins with, or of the zip."""
    return _named(path[0]) if path[0].lower().endswith(".zip") else path[0]


def _named(file: str) -> str:
    """Return a file's name without what says that it is a notebook, or a zip with one."""
    return NOTEBOOK.sub("", re.sub(r"(?i)\.zip$", "", file))


def _orderly(name: str) -> bool:
    try:
        pieces = PurePosixPath(name.encode().decode()).parts
    except UnicodeEncodeError:  # bytes that are no text
        return False
    return bool(pieces) and ".." not in pieces and not re.search(r"^/|\\", name)


def _moodle(path: tuple[str, ...]) -> list[Whose] | None:
    # A folder ends as Moodle writes it; of a file, the student chose the end.
    found = (_MOODLE_FOLDER if len(path) > 1 else _MOODLE).fullmatch(path[0])
    return [Whose(f"{found['name']}_{found['id']}")] if found else None


def _canvas(path: tuple[str, ...]) -> list[Whose] | None:
    found = _CANVAS.fullmatch(path[0])
    if not found:
        return None
    note = CALLED_LATE if found["late"] else ""
    named = filter(None, (found["name"], found["id"]))
    return [Whose("_".join(named), note=note)]


def canvas_stem(name: str) -> str:
    """Return what Canvas called a file, without the ending; empty if it did not name it.

    >>> canvas_stem("download/li_bo_17_4711_hw.zip/hw.ipynb"), canvas_stem("hw.ipynb")
    ('li_bo_17_4711_hw', '')
    """
    own = [piece for piece in PurePosixPath(name).parts if _CANVAS.fullmatch(piece)]
    return own[0].rpartition(".")[0] or own[0] if own else ""


def _nbgrader(assignment: str, path: tuple[str, ...]) -> list[Whose] | None:
    return [Whose(_folder(path))] if len(path) > 2 and path[1] == assignment else None


def _cloned(assignment: str, path: tuple[str, ...]) -> list[Whose] | None:
    login = path[0].removeprefix(f"{assignment}-")
    return [Whose(login)] if len(path) > 1 and login not in ("", path[0]) else None


def _plain(there: set[str], path: tuple[str, ...]) -> list[Whose] | None:
    """Return the folder's name or the file's; a copy's is that of the file it was made of."""
    if len(path) > 1:
        return [Whose(_folder(path))]
    if rank(path[0]) is None:
        return None
    name = _named(path[0])
    copied = _COPY.fullmatch(name)
    return [Whose(copied["name"] if copied and copied["name"] in there else name)]


def beside(name: str) -> bool:
    """Say whether a file is what a platform itself lays beside every hand-in."""
    found = _BLACKBOARD.fullmatch(PurePosixPath(name).name)
    return bool(found and found["text"]) or PurePosixPath(name).name.lower() == _OURS


def _blackboard(
    logins: dict[str, tuple[str, str]], path: tuple[str, ...]
) -> list[Whose] | None:
    found = _BLACKBOARD.fullmatch(path[0])
    if not found:
        return None
    login, name = logins[found["who"]]
    time = _time(found["time"], "%Y-%m-%d-%H-%M-%S")
    return [Whose(login, time=time, name=name)]


def _logins(members: Sequence[Member]) -> dict[str, tuple[str, str]]:
    """Return login and name by what is before the attempt: assignment, line, login.

    Either may hold a line itself. The text beside a hand-in says the login; where there is
    none it is what the beginning that all have in common leaves.
    """
    said: dict[str, tuple[str, str]] = {}
    whole: list[str] = []
    for member in members:
        found = next(filter(None, map(_BLACKBOARD.fullmatch, member.parts)), None)
        if not found:
            continue
        whole.append(found["who"])
        if found["text"] and not member.refused and member.content:
            text = member.read()[:2000].decode("utf-8-sig", "replace")
            first = re.match(r"[^:\n]*: *(.*\S) +\((\S+)\)\s*$", text, re.M)
            if first and found["who"].endswith(f"_{first[2]}"):
                said[found["who"]] = (first[2], first[1])
    common = ""
    if len(set(whole)) > 1:
        common = commonprefix(whole).rpartition("_")[0]  # noqa: RUF071 (of names)
    for who in whole:
        rest = who.removeprefix(f"{common}_") if common else who.rpartition("_")[2]
        said.setdefault(who, (rest or who, ""))
    return said


def _brightspace(path: tuple[str, ...]) -> list[Whose] | None:
    found = _BRIGHTSPACE.fullmatch(path[0])
    if not found:
        return None
    clock = f"{found['day'].replace('.', '')} {found['hour']}:{found['minute']} {found['half']}"
    time = _time(clock, "%b %d, %Y %I:%M %p")
    return [Whose(f"{found['name']}_{found['id']}", time=time, name=found["name"])]


def _time(text: str, form: str) -> datetime | None:
    with suppress(ValueError):  # no such day, or another language's month
        return datetime.strptime(text, form)
    return None


def _gradescope(records: dict[str, Any], path: tuple[str, ...]) -> list[Whose] | None:
    return _submitters(path[0], records[path[0]]) if path[0] in records else None


def _submitters(folder: str, record: Any) -> list[Whose]:
    """Return the students of a submission; a group's work counts for each of them."""
    record = record if isinstance(record, dict) else {}
    people = record.get(":submitters")
    time = record.get(":created_at")
    time = time if isinstance(time, datetime) else None
    whose = []
    for person in people if isinstance(people, list) else []:
        person = person if isinstance(person, dict) else {}
        given = [person.get(f":{key}") for key in SUBMITTER]
        said = [str(value).strip() for value in given if value and str(value).strip()]
        name = str(person.get(":name") or "").strip()
        whose += [Whose(said[0], time=time, name=name)] if said else []
    return whose or [Whose(folder, time=time)]


def _records(member: Member) -> dict[str, Any]:
    try:
        import yaml
    except ImportError as error:
        raise ImportError("an export of Gradescope needs PyYAML: pip install pyyaml") from error
    try:
        records = yaml.safe_load(member.read().decode("utf-8-sig"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        line = str(error).splitlines()[0]
        raise ValueError(f"{member.name} cannot be read: {line}") from error
    if not isinstance(records, dict):
        raise ValueError(f"{member.name} must name submissions, and does not")  # noqa: TRY004
    return {str(key): value for key, value in records.items()}
