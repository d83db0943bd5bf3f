"""``attention-course rubric``: the written answers go out to be marked, and marks come back.

``rubric OUT`` writes a page to mark on and ``rubric.csv``, a row for each student and
criterion. ``rubric OUT --merge FILE`` takes the marks of such a table over, all of them or, if
a line is wrong, none. A mark that was typed in is never lost: a table that is replaced goes to
the history, and what was typed in it and not yet merged stands in the new one too. A mark
belongs to the answer whose fingerprint stands in its row, and to no later one. ``--undo`` takes
a person's last change back, and ``--export FILE`` writes who marked what, and when.

The column ``more`` says in JSON what a row is beside a mark: a rubric item, which is changed
for all answers that have it, a second mark, a decision between two, a reply to an objection.
"""

import argparse
import json
import math
import re
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_grader.marking.agreement import said, sample, twice_marked
from course_grader.marking.graded import Book, StudentGrade
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
from course_grader.safe_text import cell, listed, one_line, printable, uncelled
from course_grader.submissions.assignment import load_assignment
from course_grader.tables import read_table, rows_in, rows_of, write, write_table

COLUMNS = ("student", "item", "criterion", "max", "mark", "comment", "answer", "more")
KINDS = ("", "item", "second", "decided", "reply")
NEEDED = ("student", "item", "criterion", "mark")
MOST_COMMENT, MOST_PARTS, MOST_LINES, MOST_POINTS = 4000, 50, 100, 1000


@dataclass
class Merged:
    """What came of a table of marks: what is wrong in it by line, or what was taken over.

    ``earlier`` names marks that are for an earlier answer than the one that is there;
    ``passed`` those of them that stay out, because the answer that is there has its mark.
    """

    problems: list[str] = field(default_factory=list)
    places: dict[Place, dict[str, Any]] = field(default_factory=dict)
    earlier: list[Place] = field(default_factory=list)
    passed: list[Place] = field(default_factory=list)
    changed: int = 0


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand ``rubric``."""
    parser = subparsers.add_parser("rubric", help="mark the written answers")
    parser.add_argument("out", type=Path, help="the folder that grade wrote into")
    parser.add_argument(
        "--parts", type=int, default=1, metavar="N", help="a page each for N people who mark"
    )
    parser.add_argument("--items", default="", metavar="A,B", help="show only these questions")
    parser.add_argument(
        "--assignment", type=Path, metavar="FOLDER", help="show what was asked as well"
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--merge", type=Path, metavar="FILE", help="take these marks over")
    instead.add_argument("--undo", action="store_true", help="take your last change back")
    instead.add_argument(
        "--export", type=Path, metavar="FILE", help="who marked what and when: a .csv or .json"
    )
    instead.add_argument(
        "--second",
        type=int,
        metavar="N",
        help="a page for a second marker, of N marked answers",
    )
    instead.add_argument(
        "--agreement", action="store_true", help="how the two agree; a page where they do not"
    )
    parser.add_argument("--seed", type=int, default=1, help="which answers --second takes")
    parser.add_argument("--by", default=login(), metavar="NAME", help="who has marked")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write page and table, or take marks over."""
    book, who = Book(options.out), one_line(options.by, 80)
    if options.export:
        return _export(book, options.export)
    if options.undo:
        return _undo(book, who)
    if not options.merge:
        if not 1 <= options.parts <= MOST_PARTS:
            raise ValueError(f"--parts must be from 1 to {MOST_PARTS}, got {options.parts}")
        items = [name for one in options.items.split(",") if (name := one.strip())]
        asked = load_assignment(options.assignment) if options.assignment else None
        grades, kind, notes = book.graded(), "", None
        if options.agreement:
            found = twice_marked(book.store.kept())
            print("\n".join(map(one_line, said(found))) or "no answer is marked twice")
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
        table = "" if kind else f", or in {write_rubric(book)}"
        print(f"mark on {', '.join(map(str, pages))}{table}")
        print("then give the table of marks to --merge")
        return 0
    _typed(book.folder / "rubric.csv")  # cannot be read: refused before marks are taken over
    merged = merge(book, read_table(options.merge), who)
    if merged.problems:
        lines = [f"{options.merge}, {problem}" for problem in merged.problems]
        print("\n".join([*lines, "nothing was taken over"]), file=sys.stderr)
        return 2
    write_rubric(book, {*merged.places, *merged.passed})
    write_gradebook(book)
    print(
        f"{merged.changed} {'mark is' if merged.changed == 1 else 'marks are'} new or changed"
    )
    _say("for an earlier answer, and need a look", merged.earlier)
    _say("for an earlier answer, and left out: the newer one is marked", merged.passed)
    return 0


def _undo(book: Book, who: str) -> int:
    book.graded()
    _typed(book.folder / "rubric.csv")
    back, since = book.store.undo(who)
    write_rubric(book, back)
    write_gradebook(book)
    print(f"{len(back)} {'mark is' if len(back) == 1 else 'marks are'} as before")
    _say("left, because it was marked again since", since)
    return 0


def _export(book: Book, path: Path) -> int:
    """Write all marks that were ever given."""
    book.graded()
    if (ending := path.suffix.lower()) not in (".csv", ".json"):
        raise ValueError(f"--export must end in .csv or .json, got {path}")
    found = book.store.record()
    if ending == ".json":
        write(path, json.dumps(found, indent=1) + "\n")
    else:
        rows = [["" if one is None else cell(one) for one in row.values()] for row in found]
        write_table(path, as_csv([list(RECORD), *rows]))
    print(f"{len(found)} {'mark' if len(found) == 1 else 'marks'}: {path}")
    return 0


def _say(what: str, places: Sequence[Place]) -> None:
    if places:
        named = listed(dict.fromkeys("{1} ({2})".format(*("", *p)[-4:]) for p in places))
        print(f"{what}: {named}")


def write_rubric(book: Book, settled: Container[Place] = ()) -> Path:
    """Write ``rubric.csv``; return its path.

    What the table says of ``settled`` places is old: their marks were just taken over.

    Raises:
        ValueError: if nothing is graded in this folder.
    """
    with book.tables():
        return _write(book, settled)


def _write(book: Book, settled: Container[Place]) -> Path:
    grades, path = book.graded(), book.folder / "rubric.csv"
    typed, digests = _typed(path), _digests(grades)
    rows = [list(COLUMNS)]
    for place, most, mark in _places(grades, book.marks()):
        texts = ["", "", digests[place[:2]], ""]
        if mark:
            more = {name: mark[name] for name in ("items", "lines") if mark.get(name)}
            texts = [number(mark["mark"]), mark.get("comment", ""), mark.get("answer", "")]
            texts.append(json.dumps(more) if more else "")
        if place not in settled and (old := typed.get(_as_read(place))):
            texts = [new if one is None else one for one, new in zip(old, texts, strict=True)]
        rows.append([*map(cell, place), number(most), *map(cell, texts)])
    text = as_csv(rows)
    if path.is_file() and read_table(path) != text:
        book.to_history(path, "rubric")
    write_table(path, text)
    return path


def merge(book: Book, text: str, who: str = "unknown") -> Merged:
    """Take marks over, all or none.

    Args:
        book: the folder of the class.
        text: a table as :func:`write_rubric` writes it; rows without a mark are passed over. A
            row without a fingerprint is about the answer that is there now.
        who: who gave them.
    """
    with book.store.changing(who, "merge") as kept:
        return _merged(book, text, kept, who)


def _merged(book: Book, text: str, kept: Flat, who: str) -> Merged:
    grades, merged = book.grades(), Merged()
    asked = {_as_read(place): (place, most) for place, most, _ in _places(grades, {}, True)}
    digests = _digests(grades)
    try:
        rows = list(rows_in(text, NEEDED))
    except ValueError as error:
        return Merged([str(error)])
    for line, row in rows:
        try:
            kind, place, mark = _read(row, asked, kept | merged.places)
        except ValueError as error:
            merged.problems.append(f"line {line}: {error}")
            continue
        if place in merged.places or place in merged.passed:
            merged.problems.append(f"line {line}: this student and criterion stand twice")
        elif mark and kind in ("item", "reply"):
            merged.places[place] = mark | ({"by": who} if kind == "item" else {})
        elif mark:
            now = digests[place[-3], place[-2]]
            of = row.get("answer") or now
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
    row: dict[str, str], asked: dict[Place, tuple[Place, float]], kept: Flat
) -> tuple[str, Place, dict[str, Any] | None]:
    """Return what a row is, its place, and what is to stand there.

    Raises:
        ValueError: if it cannot be.
    """
    try:
        more = json.loads(uncelled(row.get("more", "")) or "{}")
        kind = more.get("as", "")
        items = {name: float(points) for name, points in more.get("items", {}).items()}
        lines = {
            f"{int(at)}": one_line(said, 999) for at, said in more.get("lines", {}).items()
        }
        right = kind in KINDS and len(lines) <= MOST_LINES
    except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
        right = False
    if not right:
        raise ValueError(
            f"more must be empty or as it was written, got {one_line(row['more'])!r}"
        )
    if kind == "item":
        return kind, *_item(row, more, asked, kept)
    if kind == "reply":
        return kind, *_reply(row, kept)
    place, mark = _mark(row, asked)
    if not mark:
        return kind, place, mark
    if gone := [name for name in items if (ITEM, name, *place[1:]) not in kept]:
        raise ValueError(f"no rubric item {listed(gone)} is there")
    if items and abs(mark["mark"] - total_of(items.values(), mark["of"])) < 0.01:
        mark["items"] = items
    mark |= {"lines": lines} if lines else {}
    there, first = kept.get((SECOND, *place)), kept.get(place, {})
    if kind == "decided" and not there:
        raise ValueError("no second mark is there to decide about")
    if kind != "second":
        return kind, place, mark
    if first.get("answer") != row.get("answer"):
        raise ValueError("a second mark needs a first one of the same answer")
    return kind, (SECOND, *place), {"first": first["mark"]} | (there or {}) | mark


def _item(
    row: dict[str, str], more: dict[str, Any], asked: dict[Place, Any], kept: Flat
) -> tuple[Place, dict[str, Any]]:
    """Return a rubric item, unless somebody has changed it otherwise since the page's time."""
    key, name = _place(row)[1:], str(more.get("id"))
    questions = {known[1:]: place[1:] for known, (place, _) in asked.items()}
    words = one_line(uncelled(row.get("comment", "")), 400)
    points = _number(row["mark"])
    right = key in questions and re.fullmatch("[0-9a-z]{1,16}", name) and words
    if not right or not abs(points) <= MOST_POINTS:
        raise ValueError(f"a rubric item must have a question, points and words, got {words!r}")
    place = ITEM, name, *questions[key]
    there = kept.get(place)
    now = [there["mark"], there["comment"]] if there else None
    if there and now == [points, words]:
        return place, there
    if now != more.get("was"):
        by = (
            f"{number(there['mark'])}, {there['comment']}, by {there['by']}"
            if there
            else "gone"
        )
        raise ValueError(
            f"the rubric item {number(points)}, {words}, was changed by somebody else: "
            f"it is {by}; agree, have the page written anew, load this table there and save it"
        )
    return place, {"mark": points, "comment": words}


def _reply(row: dict[str, str], kept: Flat) -> tuple[Place, dict[str, Any]]:
    """Return an objection with the reply that decides it, once."""
    student, item, _ = _place(row)
    words = printable(uncelled(row.get("comment", "")), MOST_COMMENT).strip()
    found = {_as_read(place[1:]): place for place in kept if kind_of(place) == OBJECTION}
    place = found.get((student, item, ""))
    if not place or kept[place]["answer"] != row.get("answer"):
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


def _digests(grades: Sequence[StudentGrade]) -> dict[Place, str]:
    """Return the fingerprint of each answer, by student and item."""
    return {(grade.student, one.id): one.digest for grade in grades for one in grade.markable}


def _places(
    grades: Sequence[StudentGrade], marks: dict[str, Any], every: bool = False
) -> Iterator[tuple[Place, float, dict[str, Any] | None]]:
    """Yield each student's criteria, their points, and the mark that stands.

    Code that is graded has a place in ``every`` alone.
    """
    for grade in grades:
        for item in grade.markable if every else grade.by_hand:
            for criterion, most in item.criteria:
                mark = marks.get(grade.student, {}).get(item.id, {}).get(criterion)
                yield (grade.student, item.id, criterion), most, mark


def _mark(
    row: dict[str, str], asked: dict[Place, tuple[Place, float]]
) -> tuple[Place, dict[str, Any] | None]:
    """Return whose mark a row holds, and the mark; None if it holds none.

    Raises:
        ValueError: if the student, the criterion or the mark is not possible.
    """
    key = _place(row)
    if key not in asked:
        if key[0] not in {known[0] for known in asked}:
            raise ValueError(f"student must be one who is graded, got {key[0]!r}")
        raise ValueError(f"{key[0]} is not asked for {key[1]!r}, {key[2]!r}")
    place, most = asked[key]
    comment = printable(uncelled(row.get("comment", "")), MOST_COMMENT)
    if not re.fullmatch("[0-9a-f]{64}|", row.get("answer", "")):
        raise ValueError(
            "answer must be empty or as it was written, got " + repr(row["answer"])
        )
    if not row["mark"]:
        if comment:
            raise ValueError("a comment needs a mark beside it")
        return place, None
    mark = _number(row["mark"])
    if not 0 <= mark <= most:
        raise ValueError(f"mark must be a number from 0 to {number(most)}, got {row['mark']!r}")
    return place, {"mark": mark, "comment": comment, "of": most}


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan


def _as_read(place: Place) -> Place:
    """Return a place as it comes back from a table."""
    student, item, criterion = (cell(part).strip() for part in place)
    return student, item, criterion


def _place(row: dict[str, str]) -> Place:
    return row["student"], row["item"], row["criterion"]


def _typed(path: Path) -> dict[Place, list[str | None]]:
    """Return what stands in a table behind its first three columns and ``max``, by those."""
    if not path.is_file():
        return {}
    return {
        _place(row): [
            *(row["mark"], uncelled(row.get("comment", "")), row.get("answer")),
            uncelled(row["more"]) if "more" in row else None,
        ]
        for _, row in rows_of(path, NEEDED)
        if row["mark"] or row.get("comment")
    }
