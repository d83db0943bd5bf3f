"""``attention-course new``: a teacher's own assignment, in a folder that nobody publishes.

The exercises come from the bank. What makes them the teacher's own: a secret that is made here
and stays in the folder draws the conventions of each, and the inputs of the grader.
"""

import argparse
import json
import os
import secrets
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attention_course.exercises.protocol import Exercise, exercise_named
from course_grader.cli.private import require_private
from course_grader.marking.rehearsal import require_sound
from course_grader.submissions.assignment import (
    MANIFEST,
    PLAIN,
    SECRET,
    Assignment,
    CodeItem,
    drawn,
    load_assignment,
)
from course_grader.submissions.teacher_exercise import NAME, read_teacher_exercise
from course_grader.tables import texts_beside

_SAYS = texts_beside(__file__)


def run(options: argparse.Namespace) -> int:
    """Make the assignment and say what is public of it and what comes next."""
    names = [name.strip() for name in options.exercises.split(",") if name.strip()]
    made = new(options.home, options.name, names, options.variant, exam=options.exam)
    print(f"{made.folder}: {made.max_points} points, about {made.minutes} minutes")
    public = [item.slug for item in made.code if "" in item.variants and not item.own]
    if public:
        print(f"As the course asks it, so that its solution is public: {', '.join(public)}")
    weak = [
        f"{item.slug}:{variant}"
        for item in made.code
        for variant in item.variants
        if variant in item.exercise.weak and not item.own
    ]
    if weak:
        print(f"A public solution earns above a third in: {', '.join(weak)}")
    own = [item.own.file for item in made.code if item.own]
    if options.exam and own:
        print(f"Nothing of it is public, so nothing is refused: {', '.join(own)}")
    single = [item.slug for item in made.code if len(item.variants) == 1]
    if options.variant == "student" and single:
        print(f"The same for every student: {', '.join(single)}")
    words = ["release", str(made.folder), "--out", str(made.folder.parent / "released")]
    words += ["--roster", "class.csv"] if made.varies else []
    print(f"Now look at {made.folder / MANIFEST}, then: attention-course {shlex.join(words)}")
    return 0


def new(
    home: Path,
    name: str,
    exercises: Sequence[str],
    variant: str = "drawn",
    secret: str = "",
    *,
    exam: bool = False,
) -> Assignment:
    """Make an assignment of one's own.

    Args:
        home: the private folder in which the assignment's folder is made.
        name: the assignment's name, which is its folder's.
        exercises: slugs, or files of the teacher's own, which are copied into the folder; after
            a colon, the variant that everybody gets.
        variant: ``drawn`` (one for the class), ``plain`` or ``student`` (one for each). The
            plain exercise, whose solution everybody can read, is never drawn, nor is a form
            in which another public solution earns above a third.
        secret: what hides the inputs and decides the draws; a random one if it is empty.
        exam: refuse such a form even where it is named.

    Raises:
        ValueError: if the place could be published, or something is there already, or an
            exercise is unknown or named twice, or does not fit an exam.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"new: name must be like attention-2026, got {name!r}")
    folder = home / name
    require_private(folder)
    if folder.exists():
        raise ValueError(f"new: {folder} is there already, and nothing is overwritten")
    secret = secret or secrets.token_hex(32)
    items = [_item(entry, variant, secret, exam) for entry in exercises]
    named = [name for item in items for name in {item.slug, item.own and item.own.file} if name]
    if not named or len(set(named)) < len(named):
        raise ValueError("new: exercises must name at least one, and none twice")
    own = [item.own for item in items if item.own]
    for one in own:
        require_sound(one)
    text = _manifest(name, items)
    folder.mkdir(mode=0o700, parents=True)
    _write(folder / ".gitignore", "*\n")
    _write(folder / SECRET, secret + "\n")
    listed = "".join(f"- `{one.file}` is an exercise of your own.\n" for one in own)
    _write(folder / "README.md", _SAYS["readme"].format(name=name, own=listed))
    for one in own:
        _write(folder / one.file, one.text)
    _write(folder / MANIFEST, text)
    try:
        return load_assignment(folder)
    except ValueError:
        shutil.rmtree(folder)
        raise


def _item(entry: str, variant: str, secret: str, exam: bool) -> CodeItem:
    """Return an exercise with the variants of which a student gets one."""
    slug, colon, fixed = entry.partition(":")
    name = "" if fixed == PLAIN else fixed
    own = read_teacher_exercise(Path(slug)) if slug.endswith(".py") else None
    exercise = own.exercise if own else exercise_named(slug)
    item = CodeItem(exercise.slug, exercise.dealt, own=own)
    if colon or variant == PLAIN or not exercise.dealt:
        exercise.varied(name)
        if exam and not own:  # nothing of an own one is public
            _require_fit(exercise, name)
        return replace(item, variants=(name,))
    if variant == "drawn":
        return replace(item, variants=(drawn(secret, "", item),))
    return item


def _require_fit(exercise: Exercise, variant: str) -> None:
    """Refuse a variant in which another public solution earns above a third."""
    if variant in exercise.dealt:
        return
    instead = " or ".join(exercise.dealt) or "another exercise: no variant of it would do"
    raise ValueError(
        f"new: {exercise.slug}:{variant or PLAIN} pays above a third of its points to a public "
        f"solution; take {instead}"
    )


def _manifest(name: str, items: Sequence[CodeItem]) -> str:
    title = name.replace("-", " ").capitalize()
    text = _SAYS["head"].format(title=_quoted(title))
    for item in items:
        names = ", ".join(_quoted(variant or PLAIN) for variant in item.variants)
        kind, what = ("own", item.own.file) if item.own else ("exercise", item.slug)
        text += _SAYS["item"].format(kind=kind, name=_quoted(what), variants=f"[{names}]")
    return text + _SAYS["written"]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
