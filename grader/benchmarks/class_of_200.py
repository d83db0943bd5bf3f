"""Takes a class of 200 from a platform's zip to marks in its table, and counts the cost.

Made-up students hand in the self-attention sample: right answers, odd but right ones, one part
wrong, the last exercise not written; each has answered the written questions. Each name is that
of two students, and one more has handed nothing in. Moodle's, Canvas's and Gradescope's zip and
table are laid out as these do it, and each is graded by itself.

Every command is run as a teacher would type it, start-up included, with one process, and its
CPU seconds and the memory of all its processes together are measured; the seconds by the clock
are those of a machine with the load that is noted. The marks of the written answers are filled
in by this script: how long a person reads, it cannot say. Whoever is right must get all points,
each mark must stand in the row of the one who earned it, and nothing else in the table may be
new, or nothing is recorded.

    python grader/benchmarks/class_of_200.py           # six minutes on one core
    python grader/benchmarks/class_of_200.py --quick   # eight students, nothing recorded
"""

import argparse
import csv
import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from made_up_class import SAMPLE, SOURCES, filled, kind_of

from attention_course.measure import record
from course_grader.marking.graded import Book
from course_grader.marking.totals import number as points
from course_grader.marking.totals import total
from course_grader.submissions.assignment import Assignment, load_assignment

STUDENTS, QUICK = 200, 8
RESULTS = Path(__file__).parent / "results"
# How often a command is looked at; looking costs CPU time too, which is not counted.
LOOK_S = 0.3
FIRST = ["Ada", "Björk", "Иван", "Ελένη", "伟", "สมชาย", "Seán", "José", "Zoë", "नीला"]
LAST = ["Groß", "O’Malley", "Šimůnek", "Петрова", "Παππά", "王", "Nuñez", "İnan", "Li", "Çelik"]


@dataclass(frozen=True)
class Downloads:
    """What a teacher downloads: who handed in which file, and the table to fill.

    ``students`` says what the grader calls them, ``rows`` in which row of the table they stand,
    ``pages`` what their page must be called to come back, if the platform takes pages.
    """

    files: list[str]
    table: str
    grade: str
    students: list[str]
    pages: list[str]
    rows: range
    more: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def moodle(name: str, most: float, students: int) -> Downloads:
    """Lay out Moodle's zip of all submissions and its grading worksheet."""
    head = "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed"
    head += ",Last modified (submission),Last modified (grade),Feedback comments"
    ends = "", f"{most:.2f}", "Yes", "-", "-", "two\nlines"
    rows = [
        (f"Participant {place_of(i)}", " ".join(name_of(i)), mail_of(i), "Submitted", *ends)
        for i in range(students)
    ]
    rows.append(("Participant 9", "Ada Groß", "ada@uni.example", "No submission", *ends))
    called = [f"{' '.join(name_of(i))}_{place_of(i)}" for i in range(students)]
    folders = [f"{one}_assignsubmission_file" for one in called]
    return Downloads(
        [f"{folder}/{name}.ipynb" for folder in folders],
        "\ufeff" + table_of([head.split(","), *rows]),
        "Grade",
        called,
        [f"{folder}/feedback.html" for folder in folders],
        range(1, students + 1),
    )


def canvas(name: str, most: float, students: int) -> Downloads:
    """Lay out Canvas's zip of submissions and its gradebook."""
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (901),Attention (902)"
    locked = ("(read only)",) * 2
    rows = [
        (*head.split(","), "Current Score", "Final Score"),
        ("",) * 6 + ("Manual Posting", "", ""),
        ("    Points Possible", *("",) * 4, "10.00", f"{most:.2f}", *locked),
    ]
    for i in range(students):
        first, last = name_of(i)
        who = f"{last}, {first}", place_of(i), f"s-{i}", f"u{i}", "Course"
        rows.append((*who, "9.50", "", "95.0", "95.0"))
    rows.append(("Groß, Ada", 9, "s-9999", "u9999", "Course", "", "", "0.0", "0.0"))
    rows.append(("Student, Test", 8, "", "0a1b", "Course", "", "", "", ""))
    called = [
        re.sub(r"\W", "", "".join(reversed(name_of(i))).lower()) + f"_{place_of(i)}"
        for i in range(students)
    ]
    # Every fourth handed in twice, which Canvas says behind the name.
    files = [f"{one}_{77000 + i}_{name}{'-1' * (i % 4 < 1)}" for i, one in enumerate(called)]
    return Downloads(
        [f"{file}.ipynb" for file in files],
        table_of(rows),
        "Attention (902)",
        called,
        [f"{file}.html" for file in files],
        range(3, students + 3),
        options=("--column", "Attention", "--submissions"),
    )


def gradescope(name: str, most: float, students: int) -> Downloads:
    """Lay out Gradescope's export of submissions and its grades; some have no number there."""
    head = "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,"
    head += "Submission ID,Submission Time,Lateness (H:M:S)"
    rows, said, called = [head.split(",")], [], []
    for i in range(students):
        number = f"s-{i}" if i % 10 else ""
        called.append(number or mail_of(i))
        time = "2026-10-05 21:12:00 +0200", "00:00:00"
        who = *name_of(i), number, mail_of(i), ""
        rows.append([*who, "", f"{most:.1f}", "Ungraded", str(place_of(i)), *time])
        said += [f"submission_{place_of(i)}:", "  :submitters:"]
        said += [f"  - :name: {' '.join(name_of(i))}", f"    :sid: '{number}'"]
        said += [f"    :email: {mail_of(i)}", "  :created_at: 2026-10-05 19:12:00.123 Z"]
    rows.append(["Ada", "Groß", "s-9999", "ada@uni.example", "", "", "", "Missing", "", "", ""])
    top = "assignment_902_export"
    return Downloads(
        [f"{top}/submission_{place_of(i)}/{name}.ipynb" for i in range(students)],
        table_of(rows),
        "Total Score",
        called,
        [],
        range(1, students + 1),
        {f"{top}/submission_metadata.yml": "\n".join(said)},
    )


PLATFORMS = {"moodle": moodle, "canvas": canvas, "gradescope": gradescope}


def name_of(number: int) -> tuple[str, str]:
    """Return what a student is called; a hundred names for two hundred students."""
    return FIRST[number % 10], LAST[number // 10 % 10]


def place_of(number: int) -> int:
    """Return the number that a platform gives a student."""
    return 4_180_000 + 7 * number


def mail_of(number: int) -> str:
    """Return a student's address."""
    return f"s{number}@uni.example"


def table_of(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a table, its cells quoted where they must be."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def handed_in(assignment: Assignment, number: int) -> str:
    """Return a student's notebook."""
    return filled(assignment, number, f"Because of {number % 7}.")


def mark_all(book: Book, path: Path) -> None:
    """Save marks as the page does: full marks, half, or none."""
    places = [
        (grade.student, item.id, criterion, most)
        for grade in book.grades()
        for item in grade.by_hand
        for criterion, most in item.criteria
    ]
    names = "student", "item", "criterion", "mark"
    marks = [(*place, most * (i % 3) / 2) for i, (*place, most) in enumerate(places)]
    path.write_text(json.dumps([dict(zip(names, one, strict=True)) for one in marks]))


def measured(words: Sequence[str | Path]) -> dict[str, float | str]:
    """Run a command of the grader; return its CPU seconds and its memory at most.

    Both are of all its processes together, the sandboxes among them.

    Raises:
        RuntimeError: if it fails.
    """
    began, cpu, memory = time.perf_counter(), 0.0, 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": SOURCES, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as said:
        command = subprocess.Popen(
            [sys.executable, "-m", "course_grader", *map(str, words)],
            env=environment,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        while command.poll() is None:
            seconds, taken = used(command.pid)
            cpu, memory = max(cpu, seconds), max(memory, taken)
            time.sleep(LOOK_S)
        said.seek(0)
        if command.returncode:
            raise RuntimeError(f"{words[0]} failed: {said.read()[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # What a sandbox used that was killed is not in here; what was used since the last look is.
    ended = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    options = [str(word) for word in words if str(word).startswith("--")]
    return {
        "command": " ".join([str(words[0]), *options[:1]]),
        "cpu_s": round(max(cpu, ended), 1),
        "wall_s": round(time.perf_counter() - began, 1),
        "memory_mb": round(memory / 2**20),
    }


def used(root: int) -> tuple[float, int]:
    """Return the CPU seconds so far and the bytes of memory now of a process and all below."""
    seconds, memory, family = 0.0, 0, [psutil.Process(root)]
    with suppress(psutil.Error):
        family += family[0].children(recursive=True)
    for one in family:
        with suppress(psutil.Error):  # it has ended, or its memory is another user's
            seconds += sum(one.cpu_times()[:4])  # its own, and of children that ended
            memory += one.memory_full_info().pss
    return seconds, memory


def changed(before: str, after: str, column: str) -> dict[int, str]:
    """Return the marks of a filled table, by the number of their row.

    Raises:
        RuntimeError: if anything else than the grades is new.
    """
    one, other = (list(csv.reader(io.StringIO(text))) for text in (before, after))
    at, grown, marks = one[0].index(column), 0, {}
    for row, (old, new) in enumerate(zip(one, other, strict=True)):
        if old[:at] + old[at + 1 :] != new[:at] + new[at + 1 :]:
            raise RuntimeError(f"the table's row {row} was changed: {old} -> {new}")
        if old[at] != new[at]:
            grown += len(new[at]) - len(old[at])
            marks[row] = new[at]
    if len(after) - len(before) != grown:
        raise RuntimeError("the table's quotation marks or line ends were changed")
    return marks


def require_right(out: Path, students: Sequence[str]) -> None:
    """Make sure that nobody with right answers lost a point, however busy the machine is.

    Raises:
        RuntimeError: if somebody did.
    """
    grades = {grade.student: grade for grade in Book(out).grades()}
    for number, student in enumerate(students):
        lost = [item.slug for item in grades[student].code if item.verdict != "OK"]
        if lost and kind_of(number) in ("right", "odd"):
            raise RuntimeError(f"{student} handed in what is right, and lost {lost}")


def require_own(out: Path, files: Downloads, marks: Mapping[int, str]) -> None:
    """Make sure that everybody has the own mark, and nobody else has one.

    Raises:
        RuntimeError: if somebody has another.
    """
    book = Book(out)
    given, grades = book.marks(), {grade.student: grade for grade in book.grades()}
    own = {
        row: points(total(grades[student], given[student]).points)
        for row, student in zip(files.rows, files.students, strict=True)
    }
    if marks != own:
        wrong = sorted(row for row in own.keys() | marks if own.get(row) != marks.get(row))
        raise RuntimeError(f"the mark is not the student's own in the rows {wrong}")


def term(platform: str, students: int) -> dict:
    """Take a platform's class through all commands; return their cost and results."""
    assignment = load_assignment(SAMPLE)
    files = PLATFORMS[platform](assignment.name, assignment.max_points, students)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        archive, sheet = home / "submissions.zip", home / "grades.csv"
        sheet.write_text(files.table, encoding="utf-8", newline="")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for number, name in enumerate(files.files):
                packed.writestr(name, handed_in(assignment, number))
            for name, text in files.more.items():
                packed.writestr(name, text)
        out, saved = home / "graded", home / "saved-marks.json"
        asked = ["--assignment", SAMPLE, "--out", out]
        steps = [
            measured(["grade", archive, *asked, "--names", sheet]),
            measured(["rubric", out]),
        ]
        require_right(out, files.students)
        mark_all(Book(out), saved)
        how = [*files.options, archive] if files.options else []
        steps += [
            measured(["rubric", out, "--merge", saved]),
            measured(["feedback", out]),
            measured(["alike", out]),
            measured(["marks", out, f"--{platform}", sheet, *how]),
            measured(["regrade", *asked]),
        ]
        with (out / "upload" / sheet.name).open(encoding="utf-8", newline="") as file:
            marks = changed(files.table, file.read(), files.grade)
        require_own(out, files, marks)
        pages = out / "upload" / f"{platform}-feedback.zip"
        given = zipfile.ZipFile(pages).namelist() if pages.exists() else []
        if sorted(given) != sorted(files.pages):
            raise RuntimeError(f"the pages must go to {files.pages[:3]}, got {given[:3]}")
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return {
        "steps": steps,
        "marks": len(marks),
        "pages": len(given),
        "folder_mb": round(size / 2**20, 1),
    }


def main() -> None:
    """Read the command line, run all, record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few students, nothing recorded")
    options = parser.parse_args()
    students, assignment = QUICK if options.quick else STUDENTS, load_assignment(SAMPLE)
    load = round(os.getloadavg()[0], 1)
    result = {
        "students": students,
        "exercises": len(assignment.code),
        "written": len(assignment.written),
        "platforms": {name: term(name, students) for name in PLATFORMS},
    }
    print(json.dumps(result, indent=1))
    if not options.quick:
        record(
            RESULTS / "class_of_200.json",
            result,
            script="grader/benchmarks/class_of_200.py",
            assignment="assignments/self-attention",
            workers=1,
            load_before=load,
        )


if __name__ == "__main__":
    main()
