"""``attention-course check``: a notebook's answers meet the inputs that everybody can see.

It is what the notebook's own check cells do, for a student's terminal or repository: the
answers run with the rights of whoever types it, nothing is graded, and no secret is needed.
"""

import argparse
import re
from pathlib import Path

from attention_course.exercises.protocol import (
    Exercise,
    examine_source,
    exercise_named,
    own_exercise,
    said_report,
)
from course_grader.safe_text import one_line
from course_grader.submissions.cells import read_file
from course_grader.submissions.intake import read_submission

_MOST_BYTES = 64 * 2**20
_CHECK = re.compile(r'^check\(\w{1,80}, "([^"\s]{1,200})"\)', re.M)
# A teacher's own exercise brings its examples.
_OWN = re.compile(r'^check\(\w{1,80}, own_exercise\(r"""\n([^\0]*?)\n"""\)\)', re.M)


def run(options: argparse.Namespace) -> int:
    """Print what each answer does; status 1 unless all are right."""
    asked = _asked(options.notebook)
    submission = read_submission(
        options.notebook.read_bytes(), {slug: each.target for slug, each in asked.items()}
    )
    right = 0
    for slug, exercise in asked.items():
        if slug not in submission.answers:
            print(submission.looks.get(slug) or f"{slug}: there is no answer.")
            continue
        report = examine_source(exercise, submission.answers[slug])
        right += report.right
        print(said_report(report) + "\n")
    print(f"{right} of {len(asked)} are right, as far as inputs that everybody can see tell.")
    return 0 if right == len(asked) else 1


def _asked(path: Path) -> dict[str, Exercise]:
    """Return the exercises that a notebook's check cells name, in their variants."""
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"{path} is larger than {_MOST_BYTES >> 20} MiB")
    try:
        sources = "\n".join(cell.source for cell in read_file(path.read_bytes()).cells)
        names = [*_CHECK.findall(sources), *map(own_exercise, _OWN.findall(sources))]
    except ValueError as error:
        raise ValueError(f"{path}: {one_line(error)}") from error
    found = [_named(path, name) for name in dict.fromkeys(names)]
    if not found:
        raise ValueError(f'{path}: it has no cell such as check(softmax, "stable-softmax")')
    return {exercise.slug: exercise for exercise in found}


def _named(path: Path, name: str) -> Exercise:
    try:
        return exercise_named(name)
    except ValueError as error:
        raise ValueError(f"{path}: the course has no exercise {one_line(name)}") from error
