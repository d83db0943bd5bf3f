"""``attention-course rubric``: the written answers go out to be marked, and marks come back.

``rubric OUT`` writes a page to mark on. ``rubric OUT --merge FILE`` takes the marks that it
saved over, all of them or, if one is wrong, none. A mark belongs to the answer whose
fingerprint is beside it, and to no later one. ``--undo`` takes a person's last change back,
and ``--export FILE`` writes who marked what, and when.

An entry is a mark, or says in ``as`` what else: a rubric item, which is changed for all answers
that have it, a second mark, a decision between two, a reply to an objection.
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_grader.marking.agreement import agreement_lines, sample, twice_marked
from course_grader.marking.graded import Book
from course_grader.marking.objections import take
from course_grader.marking.store import (
    ITEM,
    OBJECTION,
    RECORD,
    SECOND,
    Flat,
    Place,
    kind_of,
    login,
)
from course_grader.marking.totals import number
from course_grader.reports.gradebook import as_csv, write_gradebook
from course_grader.reports.marking_page import write_pages
from course_grader.safe_text import cell, listed, one_line, printable
from course_grader.submissions.assignment import load_assignment
from course_grader.tables import read_table, write_table

KINDS = ("", "item", "second", "decided", "reply")
TEXTS = ("as", "student", "item", "criterion", "comment", "answer")
MOST_COMMENT, MOST_PARTS, MOST_LINES, MOST_POINTS = 4000, 50, 100, 1000


@dataclass
class Merged:
    """Result of saving marks: what is invalid in them, or what was taken over.

    ``earlier`` names marks that are for an earlier answer than the one that is there;
    ``passed`` those of them that stay out, because the answer that is there has its mark.
    """

    problems: list[str] = field(default_factory=list)
    places: dict[Place, dict[str, Any]] = field(default_factory=dict)
    earlier: list[Place] = field(default_factory=list)
    passed: list[Place] = field(default_factory=list)
    changed: int = 0


def run(options: argparse.Namespace) -> int:
    """Write the page, or take marks over."""
    book, who = Book(options.out), one_line(options.by or login(), 80)
    if options.export:
        return _export(book, options.export)
    if options.undo:
        return _undo(book, who)
    if options.merge:
        return _merge(book, options.merge, who)
    if not 1 <= options.parts <= MOST_PARTS:
        raise ValueError(f"--parts must be from 1 to {MOST_PARTS}, got {options.parts}")
    items = [name for one in options.items.split(",") if (name := one.strip())]
    asked = load_assignment(options.assignment) if options.assignment else None
    grades, kind, notes = book.graded(), "", None
    if options.agreement:
        found = twice_marked(book.store.kept())
        print("\n".join(map(one_line, agreement_lines(found))) or "no answer is marked twice")
        kind, notes = "decided", {one[:2]: one.words for one in found if not one.decided}
        if not notes:
            return 0
    elif options.second is not None:
        notes = sample(grades, book.store.kept(), options.second, options.seed)
        kind = "second"
    elif (book.folder / "objections").is_dir():
        for refused in take(book, grades, who):
            print(refused, file=sys.stderr)
    pages = write_pages(book, grades, options.parts, items, asked, kind, notes)
    print(f"mark on {', '.join(map(str, pages))}")
    print("then give what it saves to --merge")
    return 0


def _merge(book: Book, path: Path, who: str) -> int:
    book.graded()
    merged = merge(book, read_table(path), who)
    if merged.problems:
        lines = [f"{path}, {problem}" for problem in merged.problems]
        print("\n".join([*lines, "nothing was taken over"]), file=sys.stderr)
        return 2
    write_gradebook(book)
    print(
        f"{merged.changed} {'mark is' if merged.changed == 1 else 'marks are'} new or changed"
    )
    _say("for an earlier answer, and need a look", merged.earlier)
    _say("for an earlier answer, and left out: the newer one is marked", merged.passed)
    return 0


def _undo(book: Book, who: str) -> int:
    book.graded()
    back, since = book.store.undo(who)
    write_gradebook(book)
    print(f"{len(back)} {'mark is' if len(back) == 1 else 'marks are'} as before")
    _say("left, because it was marked again since", since)
    return 0


def _export(book: Book, path: Path) -> int:
    """Write all marks that were ever given."""
    book.graded()
    found = book.store.record()
    rows = [["" if one is None else cell(one) for one in row.values()] for row in found]
    write_table(path, as_csv([list(RECORD), *rows]))
    print(f"{len(found)} {'mark' if len(found) == 1 else 'marks'}: {path}")
    return 0


def _say(what: str, places: Sequence[Place]) -> None:
    if places:
        named = listed(dict.fromkeys("{1} ({2})".format(*("", *p)[-4:]) for p in places))
        print(f"{what}: {named}")


def merge(book: Book, text: str, who: str = "unknown") -> Merged:
    """Take marks over, all or none.

    Args:
        book: the folder of the class.
        text: what the page saves: a list of entries in JSON. One without a fingerprint is
            about the answer that is there now.
        who: who gave them.
    """
    with book.store.changing(who, "merge") as kept:
        return _merged(book, text, kept, who)


def _merged(book: Book, text: str, kept: Flat, who: str) -> Merged:
    grades, merged = book.grades(), Merged()
    digests = {(one.student, item.id): item.digest for one in grades for item in one.markable}
    asked: dict[Place, float] = {
        (grade.student, item.id, criterion): most
        for grade in grades
        for item in grade.markable
        for criterion, most in item.criteria
    }
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, list):
        return Merged(["which must be a file that the page has saved"])
    for at, entry in enumerate(entries, 1):
        try:
            kind, place, mark = _read(entry, asked, kept | merged.places)
        except ValueError as error:
            merged.problems.append(f"entry {at}: {error}")
            continue
        if place in merged.places or place in merged.passed:
            merged.problems.append(f"entry {at}: this student and criterion stand twice")
        elif kind in ("item", "reply"):
            merged.places[place] = mark | ({"by": who} if kind == "item" else {})
        else:
            now = digests[place[-3], place[-2]]
            of = entry.get("answer") or now
            if of != now and kept.get(place, {}).get("answer") == now:
                merged.passed.append(place)
                continue
            merged.places[place] = mark | {"answer": of}
            merged.earlier += [place] if of != now else []
            if kind == "decided":
                twice = (SECOND, *place)
                merged.places[twice] = kept[twice] | {"decided": mark["mark"]}
    if not merged.problems:
        before = dict(kept)
        kept |= merged.places
        _count_items(kept)
        for place in (one for one in merged.places if kind_of(one) == OBJECTION):
            old, new = (_marks_of(place[1:3], marks) for marks in (before, kept))
            kept[place] = {"before": old, "after": new} | kept[place]
        merged.changed = sum(
            mark != before.get(place) for place, mark in kept.items() if kind_of(place) != ITEM
        )
    return merged


def _marks_of(where: Place, kept: Flat) -> dict[str, float]:
    return {p[2]: mark["mark"] for p, mark in kept.items() if len(p) == 3 and p[:2] == where}


def _read(
    entry: Any, asked: dict[Place, float], kept: Flat
) -> tuple[str, Place, dict[str, Any]]:
    """Return what an entry is, its place, and what is to be there.

    Raises:
        ValueError: if it cannot be.
    """
    try:
        kind, *names, comment, answer = (entry.get(name, "") for name in TEXTS)
        items = {name: float(points) for name, points in entry.get("items", {}).items()}
        lines = {f"{int(n)}": one_line(t, 999) for n, t in entry.get("lines", {}).items()}
        right = kind in KINDS and all(isinstance(one, str) for one in (*names, comment))
        right &= bool(re.fullmatch("[0-9a-f]{64}|", answer)) and len(lines) <= MOST_LINES
        points = float(entry["mark"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        right = False
    if not right:
        raise ValueError(f"it must be as the page saves it, got {one_line(entry, 100)}")
    place = names[0], names[1], names[2]
    if kind == "item":
        return kind, *_item(place[1:], points, comment, entry, asked, kept)
    if kind == "reply":
        return kind, *_reply(place, comment, answer, kept)
    if (most := asked.get(place)) is None:
        if place[0] not in {known[0] for known in asked}:
            raise ValueError(f"student must be one who is graded, got {place[0]!r}")
        raise ValueError(f"{place[0]} is not asked for {place[1]!r}, {place[2]!r}")
    if not 0 <= points <= most:
        raise ValueError(f"mark must be a number from 0 to {number(most)}, got {points:g}")
    mark = {"mark": points, "comment": printable(comment, MOST_COMMENT), "of": most}
    if gone := [name for name in items if (ITEM, name, *place[1:]) not in kept]:
        raise ValueError(f"no rubric item {listed(gone)} is there")
    if items and abs(points - total_of(items.values(), most)) < 0.01:
        mark["items"] = items
    mark |= {"lines": lines} if lines else {}
    there, first = kept.get((SECOND, *place)), kept.get(place, {})
    if kind == "decided" and not there:
        raise ValueError("no second mark is there to decide about")
    if kind != "second":
        return kind, place, mark
    if first.get("answer") != answer:
        raise ValueError("a second mark needs a first one of the same answer")
    return kind, (SECOND, *place), {"first": first["mark"]} | (there or {}) | mark


def _item(
    question: Place, points: float, words: str, entry: Any, asked: Iterable[Place], kept: Flat
) -> tuple[Place, dict[str, Any]]:
    """Return a rubric item, unless somebody has changed it otherwise since the page's time."""
    name, words = str(entry.get("id")), one_line(words, 400)
    right = question in {known[1:] for known in asked} and words and math.isfinite(points)
    if not right or not re.fullmatch("[0-9a-z]{1,16}", name) or abs(points) > MOST_POINTS:
        raise ValueError(f"a rubric item must have a question, points and words, got {words!r}")
    place = ITEM, name, *question
    there = kept.get(place)
    now = [there["mark"], there["comment"]] if there else None
    if there and now == [points, words]:
        return place, there
    if now != entry.get("was"):
        by = (
            f"{number(there['mark'])}, {there['comment']}, by {there['by']}"
            if there
            else "gone"
        )
        raise ValueError(
            f"the rubric item {number(points)}, {words}, was changed by somebody else: "
            f"it is {by}; agree, have the page written anew, open it in the same browser, "
            "which has kept your marks, and save them again"
        )
    return place, {"mark": points, "comment": words}


def _reply(where: Place, words: str, answer: str, kept: Flat) -> tuple[Place, dict[str, Any]]:
    """Return an objection with the reply that decides it, once."""
    student, item, _ = where
    words, place = printable(words, MOST_COMMENT).strip(), (OBJECTION, student, item, "")
    if place not in kept or kept[place]["answer"] != answer:
        raise ValueError(f"{student} has no objection to {item!r} as it stands")
    if kept[place].get("reply", words) != words:
        raise ValueError(f"the objection of {student} to {item!r} is decided, and that is once")
    return place, kept[place] | {"reply": words}


def total_of(points: Iterable[float], most: float) -> float:
    """Return what the items of an answer give together, from 0 to the most there is."""
    return min(max(round(sum(points), 2), 0), most)


def _count_items(kept: Flat) -> None:
    """Give each mark what its items give now."""
    for place, mark in kept.items():
        if len(place) == 3 and (items := mark.get("items")):
            now = {name: kept[ITEM, name, *place[1:]]["mark"] for name in items}
            kept[place] = mark | {"items": now, "mark": total_of(now.values(), mark["of"])}
