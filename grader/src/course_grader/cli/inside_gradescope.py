"""What ``run_autograder`` runs on Gradescope: one submission becomes ``results.json``.

An answer runs in the same sandbox as everywhere, or not at all: without a sandbox, the file
is read, what was found in it is said, and no points are given, because the answer could read
the secret. What the hidden inputs decide is shown after the due date.
"""

import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from course_grader.cli.grade_class import job_of, read_secret
from course_grader.cli.gradescope import KEY, STUDENTS
from course_grader.marking.graded import CodeGrade, StudentGrade
from course_grader.marking.lateness import days_of
from course_grader.marking.one_student import Sandboxes, Setup, course_digest, grade_job
from course_grader.marking.totals import number, total
from course_grader.reports.feedback import mistake_text
from course_grader.safe_text import one_line, printable
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import require_sandbox
from course_grader.sandbox.walls import SandboxMissingError
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.layouts import SUBMITTER, Whose
from course_grader.submissions.students import chosen
from course_grader.submissions.unpack import opened
from course_grader.tables import write

BY_HAND = "A person marks this; its points are not in the sum here."
NOT_HERE = (
    "Your file has arrived. It is not graded here; your teacher grades it elsewhere. No points "
    "here does not mean no points."
)
ARRIVED = "Your file has arrived. What it earns is shown later."
NOT_READ = "Nothing here can be graded as it stands. You may hand in again."
Test = dict[str, Any]


def main(root: Path) -> int:
    """Grade what lies below a root as Gradescope lays it out; return the exit status."""
    try:
        results = graded(root)
    except Exception as error:
        traceback.print_exc()  # for the teacher: students do not see what is printed
        why = one_line(error) if isinstance(error, ValueError) else type(error).__name__
        results = {"output": f"{NOT_HERE}\n\nWhy: {why}", "tests": []}
    write(root / "results" / "results.json", json.dumps(results, indent=1) + "\n")
    return 0


def graded(root: Path) -> dict[str, Any]:
    """Return the results of the submission below a root."""
    (folder,) = (root / "source" / "assignment").iterdir()
    assignment = load_assignment(folder)
    students = json.loads((root / "source" / STUDENTS).read_text(encoding="utf-8"))
    metadata = read_metadata(root / "submission_metadata.json")
    student = student_of(metadata, students["roster"], students["names"])
    print(f"student: {one_line(student)}")
    with opened(root / "submission") as members:
        files = [(member, Whose(student)) for member in members]
        job = job_of(chosen(student, files, assignment.name))
    extended = students["extensions"].get(student)
    due = datetime.fromisoformat(extended) if extended else None
    job = replace(job, late_days=days_of(assignment, time_of(metadata), due))
    setup = Setup(
        assignment, read_secret(root / "source" / KEY, new=False), Limits(), course_digest()
    )
    shown = "after_due_date" if _closes(metadata) else "after_published"
    try:
        require_sandbox()
    except SandboxMissingError as error:
        print(f"NOT GRADED. There is no sandbox in this container: {error}")
        print("Export the submissions and grade them with attention-course grade.")
        return results_of(grade_job(job, setup, None), shown, here=False)
    with Sandboxes(setup.limits) as sandboxes:
        return results_of(grade_job(job, setup, sandboxes), shown)


def read_metadata(path: Path) -> Mapping[str, Any]:
    """Return what Gradescope says about a submission; nothing if it cannot be read."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        print(f"{path} cannot be read ({one_line(error)}): no name and no time are known")
        return {}
    return content if isinstance(content, dict) else {}


def student_of(
    metadata: Mapping[str, Any], roster: Sequence[str], names: Mapping[str, str]
) -> str:
    """Return the name that the course knows a student by; of a group, the first one's.

    Args:
        metadata: what Gradescope says.
        roster: the names that have variants of their own; empty if there are none.
        names: what somebody is called in the roster, by what Gradescope says.

    Raises:
        ValueError: if the roster is empty.
    """
    users = metadata.get("users")
    people = [one for one in users if isinstance(one, dict)] if isinstance(users, list) else []
    said = [str(one[key]).strip() for one in people for key in SUBMITTER if one.get(key)]
    called = [names.get(name, name) for name in said if name]
    if not roster:
        return called[0] if called else "student"
    known = {name.lower(): name for name in roster}
    for name in called:
        if name.lower() in known:
            return known[name.lower()]
    raise ValueError(f"the roster has none of {', '.join(map(one_line, called)) or 'no name'}")


def time_of(metadata: Mapping[str, Any]) -> datetime | None:
    """Return when something was handed in by Gradescope's clock, if that can be read."""
    try:
        time = datetime.fromisoformat(str(metadata["created_at"]))
    except (KeyError, ValueError):
        return None
    return time if time.utcoffset() is not None else None


def _closes(metadata: Mapping[str, Any]) -> bool:
    """Return whether nothing can be handed in any more once the due date is over."""
    assigned = metadata.get("assignment")
    known = assigned if isinstance(assigned, dict) else {}
    return bool(known.get("due_date")) and not known.get("late_due_date")


def results_of(grade: StudentGrade, shown: str, here: bool = True) -> dict[str, Any]:
    """Return Gradescope's results: never a zero for what has not been marked.

    Args:
        grade: what was decided.
        shown: when students see what the hidden inputs decided, in Gradescope's words.
        here: whether there was a sandbox.
    """
    sums, read = total(grade, {}), [item for item in grade.code if not item.unread]
    tests = [_found(grade)]
    for item in grade.code:
        tests += [_waits(item, here, shown)] if item.unread else _parts(item, shown)
    for written in grade.written:
        tests += [_said(f"{written.title} ({number(written.max_points)} points)", BY_HAND)]
    if not read:
        ours = not here or grade.verdict == "GRADER_ERROR"
        return {"output": NOT_HERE if ours else NOT_READ, "tests": tests}
    if sums.late:
        late = f"{grade.late_days} days late: {number(sums.late)} points less."
        tests.append(_said("Late", late, shown))
    open_said = f" {number(sums.ungraded)} points are not graded yet." if sums.ungraded else ""
    return {"score": sums.points, "output": ARRIVED + open_said, "tests": tests}


def _said(name: str, output: str, visibility: str = "visible") -> Test:
    return {"name": one_line(name), "output": printable(output), "visibility": visibility}


def _found(grade: StudentGrade) -> Test:
    """Return what was found in the file, which the student may know at once."""
    code = [f"{item.title}: {_state(item)}" for item in grade.code]
    lines = [grade.reason, *grade.notes, *grade.reading, *code]
    return _said("What was found in your file", "\n".join(filter(None, lines)))


def _state(item: CodeGrade) -> str:
    if item.verdict == "MISSING":
        return item.look or item.message or "no answer"
    return "cannot be read" if item.verdict == "MALFORMED" else "an answer was found"


def _waits(item: CodeGrade, here: bool, shown: str) -> Test:
    """Return why an item waits for a person; if it ran, the reason may include the result."""
    why = item.look or ("not graded yet: a person looks at it" if here else "not graded here")
    ran = item.verdict not in ("MISSING", "MALFORMED", "GRADER_ERROR")
    name = f"{item.title} ({number(item.max_points)} points)"
    return _said(name, why, shown if ran else "visible")


def _parts(item: CodeGrade, shown: str) -> list[Test]:
    """Return a test for each part of an exercise; the first has what is to be said."""
    said = "\n\n".join(filter(None, (mistake_text(item), item.misconception, item.hint)))
    tests = []
    for place, (name, part) in enumerate(item.parts.items()):
        test = _said(f"{item.title}: {name}", "" if place else said, shown)
        tests.append(test | {"score": part["points"], "max_score": part["max"]})
    return tests


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
