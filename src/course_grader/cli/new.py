"""``attention-course new``: a teacher's own assignment, in a folder that nobody publishes.

The exercises come from the bank. What makes them the teacher's own: the convention of each is
drawn by a seed, and the inputs of the grader belong to a secret that is made here and stays in
the folder.
"""

import argparse
import json
import os
import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path

from attention_course.exercises import Exercise, exercise_named
from course_grader.cli.exercises import fit_for_exam, public_points
from course_grader.cli.private import require_private
from course_grader.submissions.assignment import (
    MANIFEST,
    NAME,
    PLAIN,
    Assignment,
    CodeItem,
    drawn,
    load_assignment,
)

SECRET = "secret"
CHOICES = ("drawn", PLAIN, "student")
HEAD = """\
title = {title}
introduction = ""
# due = 2026-10-05T23:59:00+02:00
late_percent_per_day = 0
seed = {seed}
"""
ITEM = """
[[items]]
exercise = {slug}
variants = {variants}
"""
WRITTEN = """
# A question that you mark yourself:
#
# [[items]]
# written = "why-this-way"
# title = "Why this way?"
# prompt = "Say in three sentences why."
# points = 4
# minutes = 10
# rubric = [["gives the reason", 2], ["says what would happen otherwise", 2]]
# model_answer = "Because."
"""
README = """\
# {name}: yours alone

Nothing here is published: git ignores the folder, and the course's site leaves it out.

- `assignment.toml` says what is asked. Change title, introduction, due date and points; add
  written questions.
- `secret` decides on which inputs answers are examined. Never hand it out. Keep it as long as
  the grades: the same secret gives the same grades again.

What comes next, from the folder that holds this one:

    attention-course release {name} --out released
    attention-course solutions {name} --out {name}/solutions
    attention-course grade SUBMISSIONS --assignment {name} --out graded
"""


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("new", help="make an assignment of your own")
    parser.add_argument("name", help="its name, like attention-2026")
    parser.add_argument("--in", dest="home", type=Path, required=True, help="a private folder")
    parser.add_argument(
        "--exercises",
        required=True,
        help="names from `attention-course exercises`, with commas; slug:variant fixes one",
    )
    parser.add_argument(
        "--variant",
        choices=CHOICES,
        default=CHOICES[0],
        help="drawn: one convention for the class; plain: the bank's; student: one for each",
    )
    parser.add_argument(
        "--exam",
        action="store_true",
        help="only variants in which no other public solution earns above a third",
    )
    parser.add_argument(
        "--seed", default="", help="decides the draws; a random one if left out"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    names = [name.strip() for name in options.exercises.split(",") if name.strip()]
    made = new(
        options.home, options.name, names, options.variant, options.seed, exam=options.exam
    )
    print(f"{made.folder}: {made.max_points} points, about {made.minutes} minutes")
    public = [item.slug for item in made.code if "" in item.variants]
    if public:
        print(f"As the course asks it, so that its solution is public: {', '.join(public)}")
    words = ["release", str(made.folder), "--out", str(made.folder.parent / "released")]
    print(f"Now look at {made.folder / MANIFEST}, then: attention-course {shlex.join(words)}")
    return 0


def new(
    home: Path,
    name: str,
    exercises: Sequence[str],
    variant: str = "drawn",
    seed: str = "",
    *,
    exam: bool = False,
) -> Assignment:
    """Make an assignment of one's own.

    Args:
        home: the private folder in which the assignment's folder is made.
        name: the assignment's name, which is its folder's.
        exercises: slugs; after a colon, the variant that everybody gets.
        variant: ``drawn`` (one for the class), ``plain`` or ``student`` (one for each). The
            plain exercise, whose solution everybody can read, is never drawn.
        seed: decides the draws; a random one if it is empty.
        exam: take only variants in which no other public solution earns above a third.

    Raises:
        ValueError: if the place could be published, or something is there already, or an
            exercise is unknown or named twice, or does not fit an exam.
        ModuleNotFoundError: for an exam, if an exercise uses torch and it is not here.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"new: name must be like attention-2026, got {name!r}")
    folder = home / name
    require_private(folder)
    if folder.exists():
        raise ValueError(f"new: {folder} is there already, and nothing is overwritten")
    seed = seed or secrets.token_hex(8)
    items = [_item(entry, variant, seed, exam) for entry in exercises]
    slugs = [slug for slug, _ in items]
    if not slugs or len(set(slugs)) < len(slugs):
        raise ValueError("new: exercises must name at least one, and none twice")
    folder.mkdir(mode=0o700, parents=True)
    _write(folder / ".gitignore", "*\n")
    _write(folder / SECRET, secrets.token_hex(32) + "\n")
    _write(folder / "README.md", README.format(name=name))
    _write(folder / MANIFEST, _manifest(name, seed, items))
    return load_assignment(folder)


def _item(entry: str, variant: str, seed: str, exam: bool) -> tuple[str, tuple[str, ...]]:
    """Return an exercise's slug and the names of the variants of which a student gets one."""
    slug, colon, fixed = entry.partition(":")
    exercise = exercise_named(slug)
    if colon:
        name = "" if fixed == PLAIN else fixed
        exercise.varied(name)
        if exam:
            _require_fit(exercise, name)
        return slug, (name,)
    conventions = tuple(known.name for known in exercise.variants)
    if exam:
        conventions = fit_for_exam(slug)
        if variant == PLAIN or not conventions:
            _require_fit(exercise, "")
    if variant == PLAIN or not conventions:
        return slug, ("",)
    if variant == "drawn":
        return slug, (drawn(seed, "", CodeItem(slug, conventions)),)
    return slug, conventions


def _require_fit(exercise: Exercise, variant: str) -> None:
    """Refuse a variant in which another public solution earns above a third."""
    fit = fit_for_exam(exercise.slug)
    if variant in fit:
        return
    earned, whole = public_points(exercise.slug, variant), sum(exercise.points.values())
    instead = f"take {' or '.join(fit)}" if fit else "no variant of it would do"
    raise ValueError(
        f"new: {exercise.slug}:{variant or PLAIN} pays {earned} of {whole} points to a public "
        f"solution, above a third; {instead}"
    )


def _manifest(name: str, seed: str, items: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    title = name.replace("-", " ").capitalize()
    text = HEAD.format(title=_quoted(title), seed=_quoted(seed))
    for slug, variants in items:
        names = ", ".join(_quoted(variant or PLAIN) for variant in variants)
        text += ITEM.format(slug=_quoted(slug), variants=f"[{names}]")
    return text + WRITTEN


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    """Write a file that only its owner may read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
