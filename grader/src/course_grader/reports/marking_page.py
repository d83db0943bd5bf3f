"""Writes the page on which answers are marked by hand: question by question, names hidden.

Answers that are equal, white space aside, are one group and get one mark. The page stands
alone: every answer is escaped text in it, its one script is named by its fingerprint in the
page's policy, and nothing is fetched or sent. What is marked there is saved as the file that
``attention-course rubric --merge`` reads. A second marker gets such a page of some answers
without their marks, and where the two differ it is decided on such a page too.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

from course_grader.marking.graded import Book, StudentGrade, WrittenAnswer
from course_grader.marking.objections import objections_of
from course_grader.marking.store import ITEM, Flat, kind_of
from course_grader.marking.totals import number
from course_grader.reports.pages import packed, rendered, script
from course_grader.safe_text import one_line
from course_grader.submissions.assignment import Assignment
from course_grader.tables import write

# The teacher's marks, by student, item and criterion.
Marks = Mapping[str, Mapping[str, Mapping[str, Any]]]
# What is beside an answer that is shown alone, by student and item.
Notes = Mapping[tuple[str, str], str]
_OURS = re.compile(r"marking(-\d+-of-\d+)?\.html")


@dataclass(frozen=True)
class Member:
    """A student whose answer is in a group, the answer's fingerprint, and the file's name."""

    student: str
    digest: str
    file: str


@dataclass
class Group:
    """Students whose answers are equal; ``text`` is what the first of them wrote.

    A file of which nothing could be read is a group of its own, with all that it was to answer
    in ``items``, and is named in ``unread``. ``note`` is an objection, or what two have given.
    """

    text: str
    place: int
    unread: str = ""
    items: list[WrittenAnswer] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    note: str = ""

    def standing(
        self, item: str, criterion: str, most: float, marks: Marks
    ) -> tuple[str, str, str, str]:
        """Return mark, comment and more that all have, or what was given before, in words."""
        every = [marks.get(one.student, {}).get(item, {}) for one in self.members]
        given = {
            (
                number(m["mark"]),
                m.get("comment", ""),
                m.get("of", most),
                m.get("answer") != one.digest,
                packed({name: m.get(name, {}) for name in ("items", "lines")}),
            )
            for one, items in zip(self.members, every, strict=True)
            if (m := items.get(criterion))
        }
        all_have = all(criterion in items for items in every)
        if all_have and len(given) == 1:
            mark, comment, of, earlier, more = next(iter(given))
            if of == most and not earlier:
                return mark, comment, "", more
        words = {
            f"{mark} of {number(of)}" + ", for an earlier answer" * earlier
            for mark, _, of, earlier, _ in given
        }
        some = ["not to all of them"] if given and not all_have else []
        return "", "", "; ".join(sorted(words) + some), packed({})


def write_pages(
    book: Book,
    grades: Sequence[StudentGrade],
    parts: int = 1,
    items: Collection[str] = (),
    asked: Assignment | None = None,
    kind: str = "",
    notes: Notes | None = None,
) -> list[Path]:
    """Write the page, or one for each part, in place of those that were there.

    The answers are dealt among ``parts`` people; equal ones go to one of them. All questions
    are shown if no ``items`` are named, and code that is graded only if it is. ``asked`` says
    what was asked, and its model answers. A page of a ``kind``, for second marks or for what is
    decided between two, shows what has ``notes``, and no marks.

    Raises:
        ValueError: if a question or the assignment is not the class's.
    """
    known = list(dict.fromkeys(item.id for grade in grades for item in grade.markable))
    for name in items:
        if name not in known:
            raise ValueError(f"rubric: items must be of {', '.join(known)}, got {name!r}")
    if asked and asked.name != grades[0].assignment:
        name = one_line(grades[0].assignment)
        raise ValueError(f"rubric: assignment must be {name}, got {asked.name}")
    for old in book.folder.glob("marking*.html"):
        if not kind and _OURS.fullmatch(old.name):
            old.unlink()
    kept, paths = book.store.kept(), []
    marks = {} if kind else book.marks()
    notes = (
        {
            (grade.student, item): one["comment"]
            for grade in grades
            for item, one in objections_of(kept, grade).items()
            if "reply" not in one
        }
        if notes is None
        else notes
    )
    found = list(groups(grades, marks, items, notes, bool(kind)))
    for part in range(parts):
        which = f"-{part + 1}-of-{parts}" if parts > 1 else f"-{kind}" * bool(kind)
        paths.append(book.folder / f"marking{which}.html")
        mine = [group for group in found if group.place % parts == part]
        shown = [
            [g for g in mine if not g.unread and g.items[0].id == name]
            for name in items or known
        ]
        shown.append([group for group in mine if group.unread])
        shown = list(filter(None, shown))
        write(paths[-1], page(grades[0], shown, marks, which, asked, kind, kept))
    return paths


def groups(
    grades: Sequence[StudentGrade],
    marks: Marks,
    items: Collection[str] = (),
    notes: Notes = MappingProxyType({}),
    noted: bool = False,
) -> Iterator[Group]:
    """Yield what is to be marked, the largest groups first and then in no student's order.

    What could not be read stands alone, and so does what a person should look at in one file;
    of a file that could not be read at all, everything is one group. An answer that was not
    given has no mark to wait for, and is left out if it has none. Where ``items`` are named,
    only those are shown; so is what has ``notes`` where it must be ``noted``.
    """
    found: dict[str, Group] = {}
    for grade in grades:
        unread = f"{PurePath(grade.submission).name or 'no file'}" * grade.unread
        for place, item in enumerate(grade.markable):
            there = item.answer.strip() or item.id in marks.get(grade.student, {})
            note = notes.get((grade.student, item.id))
            if not there or item.id not in (items or [item.id]) or (noted and note is None):
                continue
            if place >= len(grade.by_hand) and note is None and not items:
                continue
            alone = (grade.student, item.digest) if item.unread or note else ()
            words = " ".join(item.answer.split())
            asked = [] if unread else [item.id, item.criteria, item.look, words]
            name = hashlib.sha256(json.dumps([asked, alone]).encode()).hexdigest()
            file = f"\n\n{grade.file}" if item.unread else ""
            text = item.answer.replace(file, "", 1)
            new = Group(text, int(name[:12], 16), unread, note=note or "")
            group = found.setdefault(name, new)
            if unread or not group.items:
                group.items.append(item)
            member = Member(grade.student, item.digest, file.strip())
            if member not in group.members:
                group.members.append(member)
    yield from sorted(found.values(), key=lambda g: (not g.note, -len(g.members), g.place))


def page(
    grade: StudentGrade,
    shown: Sequence[Sequence[Group]],
    marks: Marks,
    which: str = "",
    asked: Assignment | None = None,
    kind: str = "",
    kept: Flat | None = None,
) -> str:
    """Return the page.

    Args:
        grade: any student's, for the names of the assignment.
        shown: for each question its groups.
        marks: the teacher's marks, by student, item and criterion.
        which: what its name and the saved file's have in addition.
        asked: the assignment, for what was asked and its model answers.
        kind: what its marks are: nothing, or ``second`` or ``decided``.
        kept: what the store holds, for the rubric items.
    """
    return rendered(
        "marking.html",
        grade=grade,
        shown=shown,
        marks=marks,
        which=which,
        asked={item.id: item for item in asked.written} if asked else {},
        kind=kind,
        packed=packed,
        rubric=[
            [*place[2:], place[1], one["mark"], one["comment"]]
            for place, one in sorted((kept or {}).items())
            if kind_of(place) == ITEM
        ],
        **script("marking.js"),
    )
