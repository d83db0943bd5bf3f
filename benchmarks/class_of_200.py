"""Takes a class of 200 from Moodle's zip to marks in Moodle's worksheet, and counts the cost.

Made-up students hand in the self-attention sample: right answers, odd but right ones, one part
wrong, the last exercise not written; each has answered the written questions. Every command is
run as a teacher would type it, start-up included, with one process, and its CPU seconds and
the memory of all its processes together are measured; the seconds by the clock are those of a
machine with the load that is noted. The marks of the written answers are filled in by this
script: how long a person reads, it cannot say. Whoever is right must get all points, and in the
worksheet that comes back nothing but the grades may be new, or nothing is recorded.

    python benchmarks/class_of_200.py           # two minutes on one core
    python benchmarks/class_of_200.py --quick   # eight students, nothing recorded
"""

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
from collections.abc import Iterator, Sequence
from pathlib import Path

from grading import SAMPLE, answers_of, kind_of
from shared import ROOT, command_line, store

from course_grader.marking.graded import Book
from course_grader.submissions.assignment import Assignment, load_assignment
from course_grader.submissions.notebook import ANSWER, student_notebook

STUDENTS, QUICK = 200, 8
# How often a command is looked at; looking costs CPU time too, which is not counted.
LOOK_S = 0.3
FIRST = ["Ada", "Björk", "Иван", "Ελένη", "伟", "สมชาย", "Seán", "José", "Zoë", "नीला"]
LAST = ["Groß", "O’Malley", "Šimůnek", "Петрова", "Παππά", "王", "Nuñez", "İnan", "Li", "Çelik"]
HEAD = (
    "Identifier",
    "Full name",
    "Email address",
    "Status",
    "Grade",
    "Maximum grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
)


def name_of(number: int) -> str:
    """Return what a student is called; a hundred names for two hundred students."""
    return f"{FIRST[number % 10]} {LAST[number // 10 % 10]}"


def place_of(number: int) -> int:
    """Return the number that Moodle gives a student."""
    return 4_180_000 + 7 * number


def handed_in(assignment: Assignment, number: int) -> str:
    """Return a student's notebook."""
    notebook, answers = (
        json.loads(student_notebook(assignment)),
        answers_of(assignment, number),
    )
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in answers:
            cell["source"] = f"# EXERCISE {name}\n{answers[name]}"
        source = "".join(cell["source"])
        if ANSWER in source:
            cell["source"] = source.replace(ANSWER, f"Because of {number % 7}.")
    return json.dumps(notebook)


def downloads(assignment: Assignment, home: Path, students: int) -> tuple[Path, Path]:
    """Write Moodle's zip of all submissions and its worksheet; return both."""
    archive, sheet = home / "submissions.zip", home / "worksheet.csv"
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(HEAD)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(students):
            place, name = place_of(number), name_of(number)
            folder = f"{name}_{place}_assignsubmission_file"
            packed.writestr(f"{folder}/{assignment.name}.ipynb", handed_in(assignment, number))
            most = f"{assignment.max_points:.2f}"
            who = [f"Participant {place}", name, f"s{number}@uni.example", "Submitted"]
            rows.writerow([*who, "", most, "Yes", "-", "-", "two\nlines"])
    sheet.write_bytes(("\ufeff" + text.getvalue()).encode())
    return archive, sheet


def mark_all(table: Path) -> None:
    """Fill in the table of marks: full marks, half, or none."""
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    for place, row in enumerate(rows):
        row["mark"] = str(float(row["max"]) * (place % 3) / 2)
    with table.open("w", encoding="utf-8-sig", newline="") as file:
        written = csv.DictWriter(file, rows[0].keys())
        written.writeheader()
        written.writerows(rows)


def measured(words: Sequence[str | Path]) -> dict[str, float | str]:
    """Run a command of the grader; return its CPU seconds and its memory at most.

    Both are of all its processes together, the sandboxes among them.

    Raises:
        RuntimeError: if it fails.
    """
    began, cpu, memory = time.perf_counter(), 0.0, 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as said:
        command = subprocess.Popen(
            [sys.executable, "-m", "course_grader", *map(str, words)],
            env=environment,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        while command.poll() is None:
            seconds, kilobytes = used(command.pid)
            cpu, memory = max(cpu, seconds), max(memory, kilobytes)
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
        "memory_mb": round(memory / 1024),
    }


def used(root: int) -> tuple[float, int]:
    """Return the CPU seconds so far and the memory now, in kB, of a process and all below."""
    parents: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        process = int(path.parent.name)
        parents.setdefault(int(fields[1]), []).append(process)
        ticks[process] = sum(map(int, fields[11:15]))  # its own, and of children that ended
    family = [root]
    for one in family:
        family += parents.get(one, [])
    seconds = sum(ticks.get(one, 0) for one in family) / os.sysconf("SC_CLK_TCK")
    return seconds, sum(map(memory_of, family))


def memory_of(process: int) -> int:
    """Return a process's share of memory in kB; 0 if it has ended or is another user's."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    lines = (line.split() for line in text.splitlines())
    return next((int(words[1]) for words in lines if words[0] == "Pss:"), 0)


def changed(before: str, after: str) -> Iterator[str]:
    """Yield the marks of a filled worksheet.

    Raises:
        RuntimeError: if anything else than the grades is new.
    """
    one, other = (list(csv.reader(io.StringIO(text))) for text in (before, after))
    at, grown = HEAD.index("Grade"), 0
    for old, new in zip(one, other, strict=True):
        if old[:at] + old[at + 1 :] != new[:at] + new[at + 1 :]:
            raise RuntimeError(f"the worksheet of {old[1]} was changed: {old} -> {new}")
        if old[at] != new[at]:
            grown += len(new[at]) - len(old[at])
            yield new[at]
    if len(after) - len(before) != grown:
        raise RuntimeError("the worksheet's quotation marks or line ends were changed")


def require_right(out: Path, students: int) -> None:
    """Make sure that nobody with right answers lost a point, however busy the machine is.

    Raises:
        RuntimeError: if somebody did.
    """
    grades = {grade.student: grade for grade in Book(out).grades()}
    for number in range(students):
        grade = grades[f"{name_of(number)}_{place_of(number)}"]
        lost = [item.slug for item in grade.code if item.verdict != "OK"]
        if lost and kind_of(number) in ("right", "odd"):
            raise RuntimeError(f"{grade.student} handed in what is right, and lost {lost}")


def term(students: int) -> dict:
    """Take a class through all commands; return what each cost and what came of it."""
    assignment = load_assignment(SAMPLE)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        archive, sheet = downloads(assignment, home, students)
        out, table = home / "graded", home / "graded" / "rubric.csv"
        asked = ["--assignment", SAMPLE, "--out", out]
        steps = [measured(["grade", archive, *asked]), measured(["rubric", out])]
        require_right(out, students)
        mark_all(table)
        steps += [
            measured(["rubric", out, "--merge", table]),
            measured(["feedback", out]),
            measured(["alike", out]),
            measured(["marks", out, "--moodle", sheet]),
            measured(["regrade", *asked]),
        ]
        filled = (out / "upload" / sheet.name).read_text(encoding="utf-8")
        marks = list(changed(sheet.read_text(encoding="utf-8"), filled))
        with zipfile.ZipFile(out / "upload" / "moodle-feedback.zip") as pages:
            given = len(pages.namelist())
        size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return {
        "students": students,
        "exercises": len(assignment.code),
        "written": len(assignment.written),
        "steps": steps,
        "marks": len(marks),
        "pages": given,
        "folder_mb": round(size / 2**20, 1),
    }


def main() -> None:
    """Read the command line, run all, record."""
    options = command_line(__doc__, quick=f"{QUICK} students").parse_args()
    result = term(QUICK if options.quick else STUDENTS)
    print(json.dumps(result, indent=1))
    if result["marks"] != result["students"] or result["pages"] != result["students"]:
        raise RuntimeError("somebody has no mark or no page")
    if not options.quick:
        store(
            __file__,
            result,
            assignment="assignments/self-attention",
            workers=1,
            load_before=round(os.getloadavg()[0], 1),
        )


if __name__ == "__main__":
    main()
