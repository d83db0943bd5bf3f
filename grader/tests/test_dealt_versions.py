"""Versions are handed out, a roster says who has which; a wrong one is listed, not zeroed."""

import csv
import io
import json
from collections import Counter

import pytest
from assignment_files import HEAD, WRITTEN, fill, sources, write_assignment

from attention_course.exercises import exercise_named
from course_grader.cli.command import main
from course_grader.cli.exercises import public_points
from course_grader.marking.graded import Book
from course_grader.marking.one_student import Job, Sandboxes, Setup, grade_job
from course_grader.marking.totals import total
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import solution_notebook, student_notebook

SOFTMAX = exercise_named("stable-softmax")
KINDS = ["plain", *(variant.name for variant in SOFTMAX.variants)][:2]
LUONG = exercise_named("additive-attention")
MORE = ["plain", *(variant.name for variant in LUONG.variants)]
ITEMS = (
    f'\n[[items]]\nexercise = "stable-softmax"\nvariants = {json.dumps(KINDS)}\n'
    f'\n[[items]]\nexercise = "four-steps"\n{WRITTEN}'
)
MANIFEST = f"versions = 2\n{HEAD}{ITEMS}"
WORTH = sum(SOFTMAX.points.values())


@pytest.fixture
def home(tmp_path):
    return write_assignment(tmp_path, MANIFEST)


def roster(home, text):
    (home / "roster.csv").write_text(f"student,version\n{text}")
    return load_assignment(home)


def released(out):
    return {path.parent.name: path for path in out.glob("*/two.ipynb")}


def test_each_version_is_released_once_and_they_differ(home, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["release", str(home), "--out", str(out)]) == 0
    files = released(out)
    assert sorted(files) == ["version-a", "version-b"]
    texts = {name: sources(path) for name, path in files.items()}
    assert "This is version A." in texts["version-a"][0]
    assert "This is version B." in texts["version-b"][0]
    checks = {
        next(line for line in text if line.startswith("check(stable"))
        for text in texts.values()
    }
    names = [f"stable-softmax:{kind}".removesuffix(":plain") for kind in KINDS]
    assert checks == {f'check(stable_softmax, "{name}")' for name in names}
    entries = json.loads((out / "two.release.json").read_text())["notebooks"]
    assert [(one["version"], one["student"]) for one in entries] == [("a", ""), ("b", "")]
    assert main(["solutions", str(home), "--out", str(tmp_path / "solved")]) == 0
    assert len(list((tmp_path / "solved").glob("version-?/two-solutions.ipynb"))) == 2


@pytest.mark.parametrize(("number", "exam"), [(2, False), (3, False), (4, False), (3, True)])
def test_a_new_assignment_is_made_in_versions_that_differ(tmp_path, number, exam):
    command = ["new", "mine", "--in", str(tmp_path), "--versions", str(number)]
    command += ["--exercises", "rotary-positions,four-steps", *["--exam"] * exam]
    assert main(command) == 0
    made = load_assignment(tmp_path / "mine")
    kinds = [tuple(one.variants().values()) for _, one in made.released()]
    assert len(set(kinds)) == number
    assert not any("" in kind for kind in kinds)  # the course's own form is public
    if exam:
        for item in made.code:
            whole = sum(exercise_named(item.slug).points.values())
            assert all(3 * public_points(item.slug, one) <= whole for one in item.variants)


def test_versions_are_dealt_evenly_and_who_has_one_keeps_it(home, tmp_path, capsys):
    table, out = tmp_path / "class.csv", str(tmp_path / "out")
    table.write_text("student\n" + "".join(f"s{n}\n" for n in range(7)))
    command = ["release", str(home), "--out", out, "--roster", str(table)]
    assert main(command) == 0
    assert "roster.csv: 4 have A, 3 have B" in capsys.readouterr().out
    first = load_assignment(home).roster
    assert Counter(first.values()) == {"a": 4, "b": 3}
    table.write_text("student;version\n" + "".join(f"n{n};\n" for n in range(5)) + "own;B\n")
    assert main(command) == 0
    then = load_assignment(home).roster
    assert {one: then[one] for one in first} == first
    assert Counter(then.values()) == {"a": 6, "b": 7} or Counter(then.values()) == {
        "a": 7,
        "b": 6,
    }
    assert then["own"] == "b"
    table.write_text("student,version\nown,A\n")
    assert main(command) == 2
    assert "own has version b in roster.csv, and now a" in capsys.readouterr().err
    assert load_assignment(home).roster == then
    assert not list((tmp_path / "out").glob("s0*"))


def graded(assignment, student, version, **change):
    """Grade a version's solutions, handed in by a student."""
    one = assignment.in_version(version)
    data = json.loads(solution_notebook(one))
    for cell in data["cells"]:
        text = "".join(cell["source"])
        cell["source"] = change.get("swap", lambda it: it)(text)
    job = Job(student, json.dumps(data).encode())
    with Sandboxes(Limits()) as rooms:
        return grade_job(job, Setup(assignment, b"secret" * 6, Limits(), "course"), rooms)


@pytest.mark.parametrize("version", ["a", "b"])
def test_everybodys_own_version_is_graded_as_it_is(home, version):
    grade = graded(roster(home, "ada,A\nbob,b\n"), {"a": "ada", "b": "bob"}[version], version)
    assert [(item.verdict, item.unread) for item in grade.code] == [("OK", False)] * 2


def test_a_wrong_version_is_listed_with_what_it_earns_and_is_no_zero(home):
    grade = graded(roster(home, "ada,A\n"), "ada", "b")
    assert [(item.verdict, item.unread) for item in grade.code] == [("OK", True)] * 2
    said = grade.code[0].look
    assert said.startswith("version B was handed in, and roster.csv gives this student A; ")
    assert said.endswith(f"as that version it earns {WORTH} of {WORTH}")
    assert total(grade, {}).ungraded == WORTH + 5
    assert not total(grade, {}).final


def test_who_is_not_in_the_roster_is_listed_and_without_one_all_count(home):
    stranger = graded(roster(home, "ada,A\n"), "eve", "b")
    assert "does not name this student" in stranger.code[0].look
    (home / "roster.csv").unlink()
    free = graded(load_assignment(home), "eve", "b")
    assert [(item.verdict, item.unread) for item in free.code] == [("OK", False)] * 2


def test_a_notebook_without_its_checks_is_taken_for_the_students_own(home):
    def bare(text):
        return "" if text.startswith(("assert_part", "check(")) else text

    assignment = roster(home, "ada,A\n")
    verdicts = [
        graded(assignment, "ada", version, swap=bare).code[0].verdict for version in "ab"
    ]
    assert verdicts == ["OK", "WRONG"]
    unsure = graded(assignment, "eve", "a", swap=bare)
    assert "which version was handed in cannot be told" in unsure.code[0].look
    assert not total(unsure, {}).final


def test_a_notebook_mixed_of_two_versions_is_not_graded(tmp_path):
    more = f'\n[[items]]\nexercise = "additive-attention"\nvariants = {json.dumps(MORE[:2])}\n'
    home = write_assignment(tmp_path, MANIFEST + more)
    assignment = roster(home, "ada,A\n")
    names = [one.variants()["stable-softmax"] for _, one in assignment.released()]
    asked = [f'"stable-softmax:{name}"'.replace(':"', '"') for name in names]
    grade = graded(assignment, "ada", "a", swap=lambda text: text.replace(*asked))
    assert grade.verdict == "GRADER_ERROR"
    assert "the notebook asks for stable-softmax as" in grade.reason
    assert not total(grade, {}).final


def test_the_class_report_lists_it_and_the_roster_decides(home, tmp_path, capsys):
    """The way out that the page names: the roster is put right, and the class graded again."""
    assignment = roster(home, "ada,a\nbob,b\n")
    for student in ("ada", "bob"):  # bob took ada's file
        path = tmp_path / "handed" / student / "two.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(student_notebook(assignment.in_version("a")))
        right = exercise_named(
            f"stable-softmax:{assignment.in_version('a').variants()['stable-softmax']}"
        )
        path.write_text(fill(path, {"stable-softmax": right.solution}))
    out = tmp_path / "graded"
    command = ["grade", str(tmp_path / "handed"), "--assignment", str(home), "--out", str(out)]
    assert main(command) == 0
    report = (out / "class.txt").read_text()
    assert (
        "version A was handed in, and roster.csv gives this student B" in report.split("bob")[1]
    )
    rows = {
        row["student"]: row
        for row in csv.DictReader(io.StringIO((out / "grades.csv").read_text("utf-8-sig")))
    }
    assert (rows["ada"]["stable-softmax"], rows["bob"]["stable-softmax"]) == (str(WORTH), "")
    assert (rows["bob"]["total"], rows["bob"]["not_yet"]) == ("", str(WORTH))
    said = capsys.readouterr()
    assert "changed since" not in said.err
    wrong = "another version than roster.csv says, so that it counts nothing yet: bob; put"
    assert wrong in said.out
    roster(home, "ada,a\nbob,a\n")
    assert main(command) == 0
    said = capsys.readouterr()
    assert "1 graded, 1 unchanged" in said.out
    assert "another version" not in said.out
    assert [item.unread for item in Book(out).grade("bob").code] == [False, False]
    assert Book(out).grade("bob").code[0].points == WORTH


BROKEN = {
    "versions = 1": "versions must be from 2 to 4, got 1",
    "versions = 5": "versions must be from 2 to 4, got 5",
    'versions = "a"': "versions must be of type int",
    "versions = 3": "versions must differ, and 2 of 3 do: give more items",
}


@pytest.mark.parametrize("line", BROKEN)
def test_a_wrong_number_of_versions_is_refused(tmp_path, line):
    home = write_assignment(tmp_path, MANIFEST.replace("versions = 2", line))
    with pytest.raises(ValueError, match=BROKEN[line]):
        load_assignment(home)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ada,c\n", "line 2: version must be one of a, b, got 'c'"),
        ("ada,\n", "line 2: version must be"),
        ("ada,a\nada,b\n", "line 3: student must stand once"),
        (",a\n", "line 2: student must stand once"),
    ],
)
def test_a_wrong_roster_is_refused_with_its_line(home, text, said):
    with pytest.raises(ValueError, match=f"roster.csv, {said}"):
        roster(home, text)


def test_github_gets_the_versions_too(home, tmp_path, monkeypatch):
    from course_grader.cli import classroom

    course = "attention-course @ git+https://host.example/x@v1"
    monkeypatch.setattr(classroom.template, "__defaults__", (course,))
    assert main(["classroom", str(home), "--out", str(tmp_path / "out")]) == 0
    flows = (tmp_path / "out").glob("version-?/.github/workflows/check.yml")
    assert len(list(flows)) == 2
