"""``attention-course exercise``: tries a teacher's own exercise and says what it catches.

The status is 0 if the solution passes, stub and wrong answers fail and odd ones pass; 1 if not;
2 if the file cannot be used. A mistake made by the command that nothing catches does not
change it: some changes of a solution are no mistakes, and only a person can tell.
"""

import argparse
import sys
from pathlib import Path

from course_grader.cli.private import require_private
from course_grader.marking.rehearsal import Rehearsal, rehearsed
from course_grader.safe_text import aligned
from course_grader.submissions.teacher_exercise import read_teacher_exercise

EXAMPLE = Path(__file__).parents[1] / "example_exercise.py"
WIDE = 68


def run(options: argparse.Namespace) -> int:
    """Try the exercise and say what catches what."""
    if options.example:
        print(EXAMPLE.read_text(encoding="utf-8"), end="")
        return 0
    own = read_teacher_exercise(options.file)
    try:
        require_private(options.file)
    except ValueError as error:
        print(f"careful: {error}", file=sys.stderr)
    found = rehearsed(own, with_mistakes=True)
    print("\n".join(report_lines(found)))
    for problem in found.problems:
        print(problem, file=sys.stderr)
    return 1 if found.problems else 0


def report_lines(found: Rehearsal) -> list[str]:
    """Return the result of checking an exercise, line by line."""
    shown = f"{found.properties} properties, of which students see {len(found.public)}"
    lines = [f"{found.slug}: {found.points} points, {shown}", ""]
    rows = [("ANSWER", "POINTS", "FAILS FIRST")]
    rows += [(a.what, f"{a.points} of {found.points}", a.fails) for a in found.answers]
    lines += aligned(rows)
    if not found.made:
        return lines
    rows = [("LINE", "MISTAKE", "CAUGHT BY")]
    for one in found.made:
        what = one.after if len(one.after) <= WIDE else f"{one.after[: WIDE - 1]}…"
        hidden = " (hidden)" * (one.caught not in found.public)
        by = f"{one.caught}{hidden}" if one.caught else "NOT CAUGHT"
        rows.append((str(one.line), what.replace("\n", " "), by))
    lines += ["", "Mistakes made from your solution, one at a time:", "", *aligned(rows), ""]
    missed = [one for one in found.made if not one.caught]
    caught = f"{len(found.made) - len(missed)} of {len(found.made)} are caught."
    lines.append(caught + f" {found.untried} more were not tried." * bool(found.untried))
    if missed:
        lines += ["", "Not caught, or no mistake: look at"]
    for one in missed:
        lines += [f"  line {one.line}, {one.what}:", f"    {one.before}", f"    {one.after}"]
    return lines
