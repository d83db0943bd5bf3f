"""Takes a class of 200 from Moodle's zip to marks in its worksheet, and counts the cost.

Made-up students hand in the self-attention sample: right answers, odd but right ones, one part
wrong, the last exercise not written; each has answered the written questions. Each name is that
of two students, and one more has handed nothing in.

Every command is run as a teacher would type it, start-up included, with one process, and its
CPU seconds and the memory of all its processes together are measured; the seconds by the clock
are those of a machine with the load that is noted. The marks of the written answers are filled
in by this script: how long a person reads, it cannot say. Whoever is right must get all points,
and each mark must stand in the row of the one who earned it, or nothing is recorded.

    python grader/benchmarks/class_of_200.py           # three minutes on one core
    python grader/benchmarks/class_of_200.py --quick   # eight students, nothing recorded
"""

import argparse
import csv
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from attention_course.exercises import Exercise, examine_source
from attention_course.measure import record
from course_grader.marking.graded import Book
from course_grader.marking.totals import number as points
from course_grader.marking.totals import total
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import student_notebook

ROOT = Path(__file__).parents[2]
SOURCES = os.pathsep.join([str(ROOT / "src"), str(ROOT / "grader" / "src")])
SAMPLE = ROOT / "assignments" / "self-attention"
KINDS = ("right", "right", "odd", "wrong", "partial")
STUDENTS, QUICK = 200, 8
RESULTS = Path(__file__).parent / "results"
# How often a command is looked at; looking costs CPU time too, which is not counted.
LOOK_S = 0.3
FIRST = ["Ada", "Björk", "Иван", "Ελένη", "伟", "สมชาย", "Seán", "José", "Zoë", "नीला"]
LAST = ["Groß", "O’Malley", "Šimůnek", "Петрова", "Παππά", "王", "Nuñez", "İnan", "Li", "Çelik"]
HEAD = "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed"
HEAD += ",Last modified (submission),Last modified (grade),Feedback comments"


def kind_of(number: int) -> str:
    """Return what kind of submission a student hands in."""
    return KINDS[number % len(KINDS)]


def name_of(number: int) -> str:
    """Return what a student is called; a hundred names for two hundred students."""
    return f"{FIRST[number % 10]} {LAST[number // 10 % 10]}"


def student_of(number: int) -> str:
    """Return what the grader calls a student: by the name and Moodle's number."""
    return f"{name_of(number)}_{4_180_000 + 7 * number}"


def one_part_wrong(exercise: Exercise) -> str:
    """Return the first wrong answer that loses one part alone."""
    for source in map(exercise.source_of, exercise.wrong):
        if [*examine_source(exercise, source).parts.values()].count(False) == 1:
            return source
    raise RuntimeError(f"{exercise.slug} has no wrong answer that loses one part alone")


def notebook_of(assignment: Assignment, number: int) -> str:
    """Return a student's notebook; an exercise that is left out is not written."""
    exercises, kind = assignment.exercises(), kind_of(number)
    answers = {slug: exercise.solution for slug, exercise in exercises.items()}
    first, *_, last = exercises
    if kind == "odd":
        for slug, exercise in exercises.items():
            odd = exercise.right[number // len(KINDS) % len(exercise.right)]
            answers[slug] = exercise.source_of(odd)
    if kind == "wrong":
        answers[first] = one_part_wrong(exercises[first])
    if kind == "partial":
        del answers[last]
    texts = {slug: f"# EXERCISE {slug}\n{answer}" for slug, answer in answers.items()}
    said = f"Because of {number % 7}."
    texts |= {item.id: f"<!-- WRITTEN {item.id} -->\n\n{said}" for item in assignment.written}
    notebook = json.loads(student_notebook(assignment))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = texts.get(name, cell["source"])
    return json.dumps(notebook)


def worksheet(most: float, students: int) -> str:
    """Return Moodle's grading worksheet; the last row is of whoever handed nothing in."""
    ends = "", f"{most:.2f}", "Yes", "-", "-", "two\nlines"
    rows: list[Iterable[str]] = [HEAD.split(",")]
    for i in range(students):
        place = student_of(i).rpartition("_")[2]
        rows.append((f"Participant {place}", name_of(i), f"s{i}@uni.example", "Sent", *ends))
    rows.append(("Participant 9", "Ada Groß", "ada@uni.example", "No submission", *ends))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return "\ufeff" + text.getvalue()


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


def require_right(book: Book, students: int, table: str) -> int:
    """Make sure that whoever is right has all points, and everybody the own mark in the table.

    Returns:
        How many marks the table has.

    Raises:
        RuntimeError: if somebody lost points, however busy the machine is, or has another mark.
    """
    rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    given, grades = book.marks(), {grade.student: grade for grade in book.grades()}
    for i, row in zip(range(students), rows, strict=False):
        grade = grades[student_of(i)]
        lost = [item.slug for item in grade.code if item.verdict != "OK"]
        if lost and kind_of(i) in ("right", "odd"):
            raise RuntimeError(f"{grade.student} handed in what is right, and lost {lost}")
        own = points(total(grade, given[grade.student]).points)
        if row["Grade"] != own:
            raise RuntimeError(f"{grade.student} has {own} points, the table {row['Grade']!r}")
    return sum(bool(row["Grade"]) for row in rows)


def term(students: int) -> dict:
    """Take a class through all commands; return their cost and results."""
    assignment = load_assignment(SAMPLE)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        archive, sheet = home / "submissions.zip", home / "grades.csv"
        sheet.write_text(worksheet(assignment.max_points, students), "utf-8", newline="")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for i in range(students):
                name = f"{student_of(i)}_assignsubmission_file/{assignment.name}.ipynb"
                packed.writestr(name, notebook_of(assignment, i))
        out, saved = home / "graded", home / "saved-marks.json"
        asked = ["--assignment", SAMPLE, "--out", out]
        steps = [
            measured(["grade", archive, *asked, "--names", sheet]),
            measured(["rubric", out]),
        ]
        mark_all(Book(out), saved)
        steps += [
            measured(["rubric", out, "--merge", saved]),
            measured(["feedback", out]),
            measured(["alike", out]),
            measured(["marks", out, "--moodle", sheet]),
            measured(["regrade", *asked]),
        ]
        filled = (out / "upload" / sheet.name).read_text("utf-8")
        marks = require_right(Book(out), students, filled)
        pages = zipfile.ZipFile(out / "upload" / "moodle-feedback.zip").namelist()
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return {
        "steps": steps,
        "marks": marks,
        "pages": len(pages),
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
        **term(students),
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
