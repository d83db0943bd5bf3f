"""``attention-course alike``: which answers are the same but for names, comments and order.

The report is the teacher's alone. It accuses nobody: equal code has many causes, and what the
course itself publishes is named as the first of them.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from attention_course.exercises.protocol import Exercise, exercise_named
from course_grader.marking.code_form import LONGEST, form_of
from course_grader.marking.graded import Book, CodeGrade
from course_grader.safe_text import CUT, listed, one_line
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.parsing import UnparsableError, are_python
from course_grader.tables import texts_beside, write

_SAYS = texts_beside(__file__)

REPORT = "alike.txt"
OURS = "the public solution"
FEW = 4  # statements: so short an answer has few ways to be written


@dataclass(frozen=True)
class Group:
    """Students of one exercise whose answers have one form.

    ``explained`` says which public text has that form too, and is empty if none has.
    """

    item: str
    students: tuple[str, ...]
    of: int
    statements: int
    explained: str = ""


def run(options: argparse.Namespace) -> int:
    """Write the report and say how many groups nothing public explains."""
    book = Book(options.out)
    assignment = load_assignment(options.assignment) if options.assignment else None
    found, not_compared = groups(book, assignment)
    path = book.folder / REPORT
    write(path, groups_report(found, not_compared))
    open_ones = sum(not group.explained for group in found)
    what = "1 group" if open_ones == 1 else f"{open_ones} groups"
    print(f"{what} of like answers that nothing public explains: {path}")
    return 0


def groups(
    book: Book, assignment: Assignment | None = None
) -> tuple[list[Group], list[tuple[str, str]]]:
    """Return the groups of a class, and what could not be compared, as item and student.

    Raises:
        ValueError: if nothing is graded in the folder.
    """
    own = {item.slug: item.exercise for item in assignment.code} if assignment else {}
    answers: dict[tuple[str, str], list[tuple[str, CodeGrade]]] = {}
    grades = book.readable()
    if not grades:
        raise ValueError(f"alike: {book.folder} must hold grades, found none")
    for grade in grades:
        for item in grade.code:
            if item.answer.strip() and not item.unread:
                answers.setdefault((item.slug, item.variant), []).append((grade.student, item))
    found: list[Group] = []
    not_compared: list[tuple[str, str]] = []
    for (slug, variant), those in sorted(answers.items()):
        name = f"{slug}:{variant}" if variant else slug
        try:
            exercise = own[slug].varied(variant) if slug in own else exercise_named(name)
        except ValueError:  # a teacher's own, or another version of the bank has graded it
            not_compared += [(name, student) for student, _ in those]
            continue
        texts = {student: item.answer for student, item in those}
        made, lost = grouped(exercise, texts)
        found += made
        not_compared += [(name, student) for student in lost]
    return found, not_compared


def grouped(exercise: Exercise, answers: dict[str, str]) -> tuple[list[Group], list[str]]:
    """Return the groups of one exercise's answers, and whose answer could not be compared."""
    forms = dict(_forms(exercise, answers))
    lost = [student for student, form in forms.items() if form is None]
    public = _public(exercise)
    by_form: dict[tuple[str, int], list[str]] = {}
    for student, form in forms.items():
        if form and public.get(form[0]) != "the stub":
            by_form.setdefault(form, []).append(student)
    groups = (
        Group(
            exercise.name,
            tuple(sorted(students)),
            len(answers),
            form[1],
            public.get(form[0], ""),
        )
        for form, students in by_form.items()
    )
    # Our solution to a variant is the plain one and a turn around it: nobody writes it so.
    alone = OURS if exercise.variant else None
    return [g for g in groups if len(g.students) > 1 or g.explained == alone], lost


def groups_report(found: list[Group], not_compared: list[tuple[str, str]]) -> str:
    """Return the report as a text."""
    lines = [_SAYS["head"]]
    open_ones = [group for group in found if not group.explained]
    lines += ["Not explained by anything public", "-" * 32, ""]
    lines += [_said(group) for group in open_ones] or ["None."]
    lines += ["", "The same as something public", "-" * 28, ""]
    lines += [f"{_said(g)} The same as {g.explained}." for g in found if g.explained] or [
        "None."
    ]
    if not_compared:
        lines += ["", "Not compared", "-" * 12, ""]
        lines += [
            "No Python that defines what was asked for, cut short, or too large to compare:"
        ]
        lines += [f"{one_line(item)}: {one_line(student)}" for item, student in not_compared]
    return "\n".join(lines) + "\n"


def _said(group: Group) -> str:
    few = ": so short that equal answers are to be expected" * (group.statements <= FEW)
    share = f"{len(group.students)} of {group.of} answers ({group.statements} statements{few})"
    return f"{group.item}: {listed(group.students)}: {share}."


def _forms(
    exercise: Exercise, answers: dict[str, str]
) -> Iterator[tuple[str, tuple[str, int] | None]]:
    fit = {
        student: text
        for student, text in answers.items()
        if len(text) <= LONGEST and not text.endswith(CUT)
    }
    parsed = dict(zip(fit, _are_python(list(fit.values())), strict=True))
    for student, text in answers.items():
        form = form_of(text, exercise.target) if parsed.get(student) else None
        yield student, form


def _are_python(texts: list[str]) -> list[bool]:
    """Say which texts are Python; one that is too much to parse costs the others nothing."""
    try:
        return are_python(texts)
    except (UnparsableError, OSError, ValueError):
        if len(texts) == 1:
            return [False]
        half = len(texts) // 2
        return _are_python(texts[:half]) + _are_python(texts[half:])


def _public(exercise: Exercise) -> dict[str, str]:
    """Return for the form of each known text what the text is; the stub comes last.

    Of a teacher's own exercise only the stub is public. A released one brings its imports.
    """
    released = "\n".join([*exercise.imports, exercise.stub])
    stubs = [form_of(text, exercise.target) for text in (exercise.stub, released)]
    known = {form[0]: "the stub" for form in stubs if form}
    if exercise.own:
        return known
    texts = {
        f"the known mistake that {one.name}": exercise.source_of(one) for one in exercise.wrong
    }
    texts |= {
        f"a known right answer ({one.name})": exercise.source_of(one) for one in exercise.right
    }
    base = exercise_named(exercise.slug)
    texts["the public solution in the course's own convention"] = base.solution
    texts[OURS] = exercise.solution
    found = {}
    for name, text in texts.items():
        if form := form_of(text, exercise.target):
            found[form[0]] = name
    return found | known
