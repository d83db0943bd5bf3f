"""``attention-course classroom``: a template for the students' repositories on GitHub.

It holds the notebook, a note, and a workflow that runs ``attention-course check`` on each push.
Nothing in it is secret; what it shows is what the notebook's check cells show.
"""

import argparse
from pathlib import Path

from attention_course.exercises.protocol import COURSE, UNSET
from course_grader.cli.release import readme
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import student_notebook
from course_grader.tables import texts_beside

_SAYS = texts_beside(__file__)

PLACE = Path(".github") / "workflows" / "check.yml"


def run(options: argparse.Namespace) -> int:
    """Write the template and say which files it has."""
    assignment = load_assignment(options.folder)
    if assignment.varies:
        raise ValueError(
            f"{assignment.name} gives students different variants, and a template is for all: "
            "fix one variant of each exercise"
        )
    for name, text in template(assignment).items():
        path = options.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(path)
    return 0


def template(assignment: Assignment, course: str = COURSE) -> dict[str, str]:
    """Return the template's files by name; ``course`` is what pip is to install.

    Raises:
        ValueError: if the course has no public address.
    """
    if UNSET in course:
        raise ValueError(
            "this copy of the course has no public address, from which a repository could "
            "install it: tools/stamp.py ADDRESS TAG gives it one"
        )
    grader = course.replace("course @", "course-grader @", 1) + "#subdirectory=grader"
    uses = {exercise.uses for exercise in assignment.exercises().values()}
    needs = " ".join(sorted({"numpy", *uses}))
    return {
        f"{assignment.name}.ipynb": student_notebook(assignment),
        "README.md": readme(assignment),
        PLACE.as_posix(): _SAYS["workflow"].format(
            name=assignment.name, course=course, grader=grader, needs=needs
        ),
    }
