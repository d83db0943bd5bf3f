"""Takes the answers out of what a student handed in; nothing else of it is looked at.

Of a notebook only the source of the answer cells is taken. Metadata serves to find a cell whose
first line was lost; outputs, tags and the kernel's name are dropped, and test cells are never
run. What cannot be read gets a verdict and a reason, never an exception.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from attention_course.grading.imports import completed, given, without_calls
from attention_course.grading.notebook import ANSWER
from attention_course.grading.parsing import UnparsableError, are_python
from attention_course.grading.plain import one_line
from attention_course.grading.verdicts import Verdict

MOST_BYTES = 8 << 20
DEEPEST, MOST_CELLS = 64, 5000
# Python's own parser takes seconds and gigabytes for longer pieces of some kinds.
MOST_CODE, MOST_CODE_TOGETHER = 50_000, 500_000
_CODE = re.compile(r"[ \t]*#[ \t]*EXERCISE[ \t]+([a-z0-9-]+)\s*")
_WRITTEN = re.compile(r"\s*<!--\s*WRITTEN\s+(\S+)\s*-->\s*")
# A line that begins or ends with a sign of the notebook, or assigns what such a line gives.
_COMMAND = re.compile(
    r"^[ \t]*+(?:[%!?].*|[\w.]++[ \t]*+\?\??[ \t]*+|[\w., \t]++=[ \t]*+[%!].*)$", re.M
)
_PART = re.compile(r'^assert_part\(\w{1,80}, "([a-z0-9-]{1,80})(?::([\w-]{0,80}))?"', re.M)
_STUB = re.compile(r"^[ \t]*raise NotImplementedError\b", re.M)


@dataclass
class Submission:
    """What a student handed in.

    Args:
        answers: for each exercise found, the source of its answer.
        written: for each written item found, its text without the marker.
        notes: what was noticed, one sentence each.
        verdict: OK; TAMPERED if locked cells were changed, which changes no points; MALFORMED
            if nothing could be read.
        reason: why it is MALFORMED.
        variants: for each exercise, the variant that the notebook's check cells name.
    """

    answers: dict[str, str] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    verdict: Verdict = Verdict.OK
    reason: str = ""
    variants: dict[str, str] = field(default_factory=dict)


class IntakeError(ValueError):
    """The file cannot be read as a submission."""


def read_file(path: Path, cap: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file; links, pipes, devices and folders are refused.

    Raises:
        IntakeError: if it is not a regular file, cannot be opened, or is larger than ``cap``.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        opened = os.open(path, flags)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise IntakeError(f"the file cannot be opened: {reason}") from error
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise IntakeError("what was handed in is not a regular file")
        with open(opened, "rb", closefd=False) as file:
            data = file.read(cap + 1)
    finally:
        os.close(opened)
    if len(data) > cap:
        raise IntakeError(f"the file may have {cap} bytes, has more")
    return data


def read_submission(
    data: bytes,
    slugs: Sequence[str],
    written: Sequence[str] = (),
    locked: Mapping[str, str] | None = None,
    targets: Mapping[str, str] | None = None,
) -> Submission:
    """Return the answers in a notebook, or in a Python file with the same markers.

    Args:
        data: the file's bytes.
        slugs: the exercises that are asked for.
        written: the names of the written items that are asked for.
        locked: for each locked cell of the release its name and the SHA-256 of its source; a
            cell that is missing or changed is noted.
        targets: for each exercise the name of the function or class that it asks for; of
            several cells one that defines it counts more.

    Returns:
        The submission; one that cannot be read is MALFORMED and says why.
    """
    try:
        text = _text(data)
        notebook = text.lstrip()[:1] in ("{", "[")
        cells = _cells(_parsed(text)) if notebook else _marked(text)
        _refuse_length(cells)
        plain_cells = _without_commands(cells)
    except (IntakeError, UnparsableError) as error:
        return Submission(verdict=Verdict.MALFORMED, reason=one_line(str(error)))
    submission = Submission()
    _take_code(submission, cells, slugs, targets or {})
    _complete(submission, plain_cells)
    submission.variants = _variants(cells, slugs)
    _take_written(submission, cells, written)
    _compare(submission, cells, locked or {})
    return submission


def _text(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise IntakeError(f"the file may have {MOST_BYTES} bytes, has {len(data)}")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise IntakeError("the file is not text in UTF-8") from error


# ---- notebooks ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    kind: str
    source: str
    name: str = ""


def _parsed(text: str) -> Any:
    _refuse_depth(text)
    try:
        return json.loads(text, parse_int=_number, parse_constant=_number)
    except (ValueError, RecursionError) as error:
        raise IntakeError(f"the file is no JSON: {error}") from error


def _number(text: str) -> int | float:
    """Return a number; those of thousands of digits, which Python refuses, become 0."""
    return int(text) if text.lstrip("-").isdigit() and len(text) < 19 else 0


def _refuse_depth(text: str) -> None:
    """Refuse brackets nested deeper than any notebook's, before a parser meets them."""
    depth, inside = 0, False
    for piece in re.finditer(r'\\.|"|[\[{]|[\]}]', text, re.S):
        if piece[0] == '"':
            inside = not inside
        elif not inside:
            depth += (piece[0] in "[{") - (piece[0] in "]}")
        if depth > DEEPEST:
            raise IntakeError(f"the file's brackets are nested deeper than {DEEPEST}")


def _cells(notebook: Any) -> list[_Cell]:
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise IntakeError("the file has no cells: it is not a notebook of format 4")
    if notebook.get("nbformat") != 4:
        raise IntakeError("the notebook must be of format 4")
    if len(notebook["cells"]) > MOST_CELLS:
        raise IntakeError(f"a notebook may have {MOST_CELLS} cells")
    found = []
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict):
            raise IntakeError(f"cell {number} is not a cell")
        source = _source(cell.get("source"), number)
        found.append(_Cell(str(cell.get("cell_type")), source, _name(cell.get("metadata"))))
    return found


def _refuse_length(cells: list[_Cell]) -> None:
    """Refuse code that no student writes by hand."""
    code = [cell.source for cell in cells if _is_code(cell)]
    lengths = [len(source.encode("utf-8", "surrogatepass")) for source in code]
    if max(lengths, default=0) > MOST_CODE:
        raise IntakeError(f"a cell may have {MOST_CODE} bytes of code")
    if sum(lengths) > MOST_CODE_TOGETHER:
        raise IntakeError(f"the cells may have {MOST_CODE_TOGETHER} bytes of code in all")


def _source(source: Any, number: int) -> str:
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise IntakeError(f"cell {number} has no source")
    return source


def _name(metadata: Any) -> str:
    """Return the name that nbgrader knows a cell by, or an empty text."""
    inner = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = inner.get("grade_id") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else ""


def _marked(text: str) -> list[_Cell]:
    cells = list(islice(_python_cells(text), MOST_CELLS + 1))
    if len(cells) > MOST_CELLS:
        raise IntakeError(f"a file may have {MOST_CELLS} cells")
    if not any(_CODE.fullmatch(line) for c in cells for line in c.source.splitlines()):
        raise IntakeError("the file is neither a notebook nor Python with marked answers")
    return cells


def _python_cells(text: str) -> Iterator[_Cell]:
    """Yield the pieces of a Python file; each marker begins one."""
    piece: list[str] = []
    for line in text.splitlines(keepends=True):
        if (_CODE.fullmatch(line) or line.startswith("# %%")) and piece:
            yield _Cell("code", "".join(piece))
            piece = []
        if not line.startswith("# %%"):
            piece.append(line)
    yield _Cell("code", "".join(piece))


# ---- what is taken --------------------------------------------------------------------------


def _first_line(source: str) -> str:
    """Return the first line that is neither empty nor a command of the notebook."""
    for line in source.removeprefix("\ufeff").splitlines():
        if line.strip() and not line.startswith("%%"):
            return line
    return ""


def _is_code(cell: _Cell) -> bool:
    """Say whether a cell is code, or text that begins as an answer in code does."""
    return cell.kind == "code" or bool(_CODE.fullmatch(_first_line(cell.source)))


def _take_code(
    submission: Submission,
    cells: list[_Cell],
    slugs: Sequence[str],
    targets: Mapping[str, str],
) -> None:
    marked: dict[str, list[str]] = {slug: [] for slug in slugs}
    named: dict[str, list[str]] = {slug: [] for slug in slugs}
    for cell in cells:
        found = _CODE.fullmatch(_first_line(cell.source))
        if found and cell.kind != "code" and found[1] in marked:
            submission.notes.append(f"{found[1]}: its cell is not a code cell; taken as code")
        if found and found[1] in marked:
            marked[found[1]].append(cell.source)
        elif not found and cell.kind == "code" and cell.name in named:
            named[cell.name].append(cell.source)
    for slug in slugs:
        answering = _defining(marked[slug], named[slug], targets.get(slug, ""))
        if not marked[slug] and answering:
            submission.notes.append(f"{slug}: its first line is gone; found by its name")
        elif answering and answering[0] not in marked[slug]:
            target = targets[slug]
            submission.notes.append(
                f"{slug}: {target} is not in the marked cell; taken from the one of its name"
            )
        if answering:
            several = len(marked[slug] or named[slug])
            submission.answers[slug] = _chosen(submission, slug, answering, several)
        else:
            submission.notes.append(f"{slug}: no answer cell was found")


def _defining(marked: list[str], named: list[str], target: str) -> list[str]:
    """Return the cells that define what is asked for: of the marked, else of the named."""
    name = re.escape(target)
    defines = re.compile(
        rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|^{name}[ \t]*(?::[^=\n]*)?=", re.M
    )
    for sources in (marked, named):
        found = [source for source in sources if target and defines.search(source)]
        if found:
            return found
    return marked or named


def _chosen(submission: Submission, slug: str, sources: list[str], several: int) -> str:
    """Return the last of several answers that is more than the stub; and note that."""
    worked = [source for source in sources if not _STUB.search(source)] or sources
    if several > 1:
        submission.notes.append(
            f"{slug}: {several} cells answer it; the last one that is written counts"
        )
    return worked[-1]


def _without_commands(cells: list[_Cell]) -> dict[str, str]:
    """Return each cell's code with a comment for each line that only a notebook knows.

    Only what Python cannot parse is changed. All is parsed in a child process first.
    """
    code = [cell.source for cell in cells if _is_code(cell)]
    changed = {source: _COMMAND.sub("# left out", source) for source in code}
    both = list(dict.fromkeys((*changed, *changed.values())))
    python = dict(zip(both, are_python(both), strict=True))
    return {source: source if python[source] else changed[source] for source in changed}


def _complete(submission: Submission, plain_cells: Mapping[str, str]) -> None:
    """Leave what only a notebook knows out of the answers, and take imports along."""
    imports = given(plain_cells.values()) if submission.answers else {}
    for slug, source in submission.answers.items():
        plain_source = plain_cells[source]
        if plain_source != source:
            submission.notes.append(f"{slug}: commands of the notebook (%, !, ?) were left out")
        plain_source, left = without_calls(plain_source)
        if left:
            names = one_line(", ".join(left))
            submission.notes.append(f"{slug}: {names} was left out; only a notebook knows it")
        completed_source, lines = completed(plain_source, imports)
        if lines:
            names = one_line(", ".join(lines))
            submission.notes.append(f"{slug}: {names} stood in another cell; taken from there")
        submission.answers[slug] = completed_source


def _variants(cells: list[_Cell], slugs: Sequence[str]) -> dict[str, str]:
    """Return the variants that the notebook's own check cells name, where they agree."""
    named: dict[str, set[str]] = {}
    for cell in cells:
        for slug, variant in _PART.findall(cell.source):
            named.setdefault(slug, set()).add(variant)
    return {s: next(iter(named[s])) for s in slugs if len(named.get(s, ())) == 1}


def _take_written(submission: Submission, cells: list[_Cell], names: Sequence[str]) -> None:
    answering: dict[str, int] = {}
    for cell in cells:
        found = _WRITTEN.fullmatch(_first_line(cell.source))
        name = found[1] if found else cell.name
        if name not in names:
            continue
        text = cell.source.removeprefix("\ufeff").lstrip()
        text = text.partition("\n")[2] if found else text
        text = text.replace(ANSWER, "").strip()
        answering[name] = answering.get(name, 0) + bool(text)
        if text or name not in submission.written:
            submission.written[name] = text
    for name in names:
        if answering.get(name, 0) > 1:
            several = f"{answering[name]} cells answer it"
            submission.notes.append(f"{name}: {several}; the last one that is written counts")
        if name not in submission.written:
            submission.notes.append(f"{name}: no written answer was found")


def _compare(submission: Submission, cells: list[_Cell], locked: Mapping[str, str]) -> None:
    """Note every locked cell that is missing, changed or doubled; the grade needs none."""
    found: dict[str, list[str]] = {}
    for cell in cells:
        found.setdefault(cell.name, []).append(digest(cell.source))
    for name, right in locked.items():
        if name not in found:
            changed = "was removed"
        elif set(found[name]) != {right}:
            changed = "was changed"
        elif len(found[name]) > 1:
            changed = "stands twice"
        else:
            continue
        submission.notes.append(f"the locked cell {name} {changed}; it was not used")
        submission.verdict = Verdict.TAMPERED


def digest(source: str) -> str:
    """Return the SHA-256 of a cell's source, by which a change is noticed."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
