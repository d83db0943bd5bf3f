"""The zip for Gradescope, in the layout that Gradescope documents, below a root of our own."""

import contextlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import yaml
from assignment_files import CODE, HEAD, WRITTEN, fill, write_assignment

import course_grader
from attention_course.exercises import exercise_named
from course_grader.cli import inside_gradescope as inside
from course_grader.cli.command import main
from course_grader.marking.graded import Book
from course_grader.marking.one_student import course_digest
from course_grader.submissions.assignment import load_assignment
from course_grader.submissions.notebook import solution_notebook, student_notebook

SECRET = "5ec2e7" * 10 + "0123"
ROOT = Path(__file__).parents[3]
SOFTMAX = '\n[[items]]\nexercise = "stable-softmax"\n'
TOP = "due = 2026-10-05T23:59:00+02:00\nlate_percent_per_day = 10\n"
STEPS, STABLE = exercise_named("four-steps"), exercise_named("stable-softmax")
WRONG = STEPS.source_of(STEPS.wrong[0])
# Looks for what it must not have, and writes where it must not.
HOSTILE = """\
import glob, os
found = [os.environ.get("AUTOGRADER_ROOT", "no root")]
for place in ("{root}", "/autograder", "/proc/1"):
    for path in glob.glob(place + "/**", recursive=True):
        try:
            found.append(open(path, errors="replace").read()[:2000])
        except OSError:
            pass
for place in ("{root}/results/results.json", "/autograder/results/results.json"):
    try:
        open(place, "w").write('{{"score": 1000}}')
    except OSError:
        pass


def four_steps(q, k, v):
    print(found)
    raise ValueError(str(found))
"""
METADATA = {
    "id": 1,
    "created_at": "2026-10-05T12:00:00.365935-07:00",
    "assignment": {"due_date": "2026-10-05T23:59:00.000000+02:00", "late_due_date": None},
    "users": [{"email": "ada@uni.example", "id": 7, "name": "Ada"}],
}


class Autograder:
    """The zip, unpacked and set up as Gradescope does it, below a root of our own."""

    def __init__(self, root, archive, assignment, python=None):
        self.root, self.assignment = root, assignment
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(root / "source")
        # Only these two are the machine's: Gradescope runs them, and copies the second.
        for name in ("setup.sh", "run_autograder"):
            (root / "source" / name).chmod(0o755)
        shutil.copy(root / "source" / "run_autograder", root)
        tools = root / "bin"
        tools.mkdir()
        base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
        for name in ("python3.13", "python3.12", "python3.11", "python3"):
            (tools / name).symlink_to(base)
        # What setup.sh asks pip for is there already, so that nothing is fetched.
        self.environment = {
            "PATH": f"{tools}:/usr/bin:/bin:/usr/sbin:/sbin",
            "AUTOGRADER_ROOT": str(root),
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HOME": str(root),
        }
        if python:  # one that setup.sh has made already
            (root / "python").symlink_to(python)
        else:
            self.call(root / "source" / "setup.sh")

    def call(self, program, **more):
        done = subprocess.run(
            [program],
            cwd=self.root,
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def grade(self, files, metadata=METADATA, as_there=False, **more):
        """Return the results of a submission, and what was printed.

        ``as_there`` it runs in the Python that setup.sh made, with these variables; else in
        this process, by the same code: a test below compares the two.
        """
        for name in ("submission", "results"):
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name).mkdir()
        for name, content in files.items():
            path = self.root / "submission" / name
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            os.utime(path, (len(name), len(name)))  # the longer name is the newer file
        said = metadata if isinstance(metadata, str) else json.dumps(metadata)
        (self.root / "submission_metadata.json").write_text(said)
        if as_there:
            said = self.call(self.root / "run_autograder", **more)
        else:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                assert inside.main(self.root) == 0
            said = printed.getvalue()
        text = (self.root / "results" / "results.json").read_text()
        assert SECRET[:12] not in text + said
        return json.loads(text), said

    def notebook(self, code, written=None):
        path = self.root / "released.ipynb"
        path.write_text(student_notebook(self.assignment))
        return fill(path, code, written)


def made(folder, manifest, *options):
    home = write_assignment(folder, manifest)
    (home / "secret").write_text(SECRET)
    (home / "secret").chmod(0o600)
    (home / "solutions.ipynb").write_text("{}")
    out = folder / "autograder.zip"
    assert main(["gradescope", str(home), "-o", str(out), *options]) == 0
    return out, load_assignment(home)


@pytest.fixture(scope="module")
def autograder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gradescope")
    archive, assignment = made(folder, TOP + HEAD + CODE + SOFTMAX + WRITTEN)
    return Autograder(folder / "autograder", archive, assignment)


def of_the_command(folder, assignment, data, times=()):
    """Return the grade that the same file gets from attention-course grade."""
    export = folder / "export"
    (export / "submission_1").mkdir(parents=True)
    (export / "submission_1" / "work.ipynb").write_text(data)
    users = [{":name": "Ada", ":email": "ada@uni.example"}]
    record = {"submission_1": {":submitters": users, ":created_at": METADATA["created_at"]}}
    (export / "submission_metadata.yml").write_text(yaml.safe_dump(record))
    where = ["--assignment", str(assignment.folder), "--out", str(folder / "graded")]
    assert main(["grade", str(export), *where, *times]) == 0
    return Book(folder / "graded").grade("ada@uni.example")


def test_the_zip_holds_what_gradescope_asks_for_and_nothing_of_the_solutions(tmp_path, capsys):
    out, _ = made(tmp_path, TOP + HEAD + CODE + WRITTEN)
    said = capsys.readouterr().out
    assert "it holds the secret" in said
    assert "set the autograder's points to 5\n" in said
    assert "for 4 points: Why divide?" in said
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with zipfile.ZipFile(out) as archive:
        names = set(archive.namelist())
        assert {"setup.sh", "run_autograder", "assignment/two/secret", "key"} <= names
        assert not any("solutions" in name for name in names if name.startswith("assignment"))
        wanted = archive.read("requirements.txt").decode().split()
        modes = {i.filename: i.external_attr >> 16 for i in archive.infolist()}
    assert [line.partition("==")[0] for line in wanted] == ["numpy"]
    assert {name for name, mode in modes.items() if mode == 0o755} == {
        "setup.sh",
        "run_autograder",
    }
    before = out.read_bytes()
    (tmp_path / "again").mkdir()
    assert made(tmp_path / "again", TOP + HEAD + CODE + WRITTEN)[0].read_bytes() == before


@pytest.mark.parametrize(
    ("steps", "softmax", "verdict"),
    [
        (STEPS.solution, STABLE.solution, "OK"),
        (WRONG, STABLE.solution, "WRONG"),
        (STEPS.solution, STABLE.stub, "MISSING"),
        ("def four_steps(q, k, v:\n", STABLE.solution, "WRONG"),
    ],
)
def test_the_points_are_those_of_the_command(autograder, tmp_path, steps, softmax, verdict):
    answers = {"four-steps": steps, "stable-softmax": softmax}
    data = autograder.notebook(answers, {"why-scale": "Because."})
    results, _ = autograder.grade({"work.ipynb": data}, as_there=verdict == "WRONG")
    grade = of_the_command(tmp_path, autograder.assignment, data)
    assert grade.verdict == verdict
    points = [part["points"] for item in grade.code for part in item.parts.values()]
    scored = [test for test in results["tests"] if "score" in test]
    assert sorted(test["score"] for test in scored) == sorted(points)
    assert results["score"] == sum(points) == sum(item.points for item in grade.code)
    assert sum(test["max_score"] for test in scored) == 12
    assert {test["visibility"] for test in scored} == {"after_due_date"}
    (words,) = [test for test in results["tests"] if test["name"].startswith("Why divide?")]
    assert words["output"].startswith("A person marks this")
    assert "score" not in words
    told = [test["output"] for test in scored if test["output"]]
    assert [item.misconception in "".join(told) for item in grade.code] == [True, True]
    seen = [test for test in results["tests"] if test["visibility"] == "visible"]
    assert not any(
        item.misconception and item.misconception in str(seen) for item in grade.code
    )


def test_the_course_in_the_zip_is_the_one_that_grades_here(autograder):
    code = "from course_grader.marking.one_student import course_digest; print(course_digest())"
    words = [str(autograder.root / "python" / "bin" / "python"), "-c", code]
    path = f"{autograder.root / 'source' / 'course'}:{autograder.environment['PYTHONPATH']}"
    done = subprocess.run(
        words, env={"PYTHONPATH": path}, capture_output=True, text=True, cwd=autograder.root
    )
    assert done.stdout.strip() == course_digest(), done.stderr


def test_a_late_hand_in_costs_what_it_costs_in_the_command(autograder, tmp_path):
    data = autograder.notebook({"four-steps": STEPS.solution})
    late = METADATA | {"created_at": "2026-10-07T12:00:00.365935+02:00"}
    results, _ = autograder.grade({"work.ipynb": data}, late)
    assert results["score"] == 4  # two days of 10 % of five points
    (said,) = [test for test in results["tests"] if test["name"] == "Late"]
    assert (said["output"], said["visibility"]) == (
        "2 days late: 1 points less.",
        "after_due_date",
    )


def test_where_one_may_hand_in_after_the_due_date_nothing_is_shown_by_then(autograder):
    data = autograder.notebook({"four-steps": STEPS.solution})
    for dates in ({"late_due_date": "2026-10-09T00:00:00Z", "due_date": "2026-10-05"}, {}):
        results, _ = autograder.grade({"w.ipynb": data}, METADATA | {"assignment": dates})
        shown = {test["visibility"] for test in results["tests"] if "score" in test}
        assert shown == {"after_published"}


def test_a_hostile_answer_finds_nothing_and_changes_nothing(autograder):
    hostile = HOSTILE.format(root=autograder.root)
    answers = {"four-steps": hostile, "stable-softmax": STABLE.solution}
    results, said = autograder.grade(
        {"work.ipynb": autograder.notebook(answers), "results.json": '{"score": 1000}'},
        as_there=True,
    )
    assert results["score"] == sum(STABLE.points.values())
    text = json.dumps(results) + said
    assert "model_answer" not in text
    assert "roster" not in text
    assert str(autograder.root) not in json.dumps(results)
    private = [
        autograder.root / "source" / name for name in ("assignment", "key", "students.json")
    ]
    assert all(not path.stat().st_mode & 0o077 for path in private)


def test_the_hostile_answer_would_find_and_change_it_all_without_the_sandbox(autograder):
    """The control: the same source, run as it stands."""
    target = autograder.root / "results" / "results.json"
    target.parent.mkdir(exist_ok=True)
    source = HOSTILE.format(root=autograder.root)
    words = [sys.executable, "-c", source + "\nprint(found)\n"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=autograder.root)
    assert SECRET[:12] in done.stdout
    assert json.loads(target.read_text()) == {"score": 1000}


EMPTY = {
    "no file": {},
    "an empty file": {"work.ipynb": ""},
    "no notebook": {"work.pdf": b"%PDF"},
    "a broken notebook": {"work.ipynb": '{"cells": ['},
}


@pytest.mark.parametrize("name", EMPTY)
def test_what_cannot_be_read_is_said_at_once_and_is_no_zero(autograder, name):
    results, _ = autograder.grade(EMPTY[name])
    assert "score" not in results
    assert not any("score" in test for test in results["tests"])
    assert "You may hand in again" in results["output"]
    assert results["tests"][0]["name"] == "What was found in your file"
    assert results["tests"][0]["output"]


def test_without_a_sandbox_nothing_runs_and_nobody_gets_a_zero(autograder):
    """As in a container that may not make namespaces: bubblewrap is there and gives up."""
    tools = autograder.root / "denied"
    tools.mkdir()
    (tools / "bwrap").write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    (tools / "bwrap").chmod(0o755)
    trace = autograder.root / "ran"
    runs = f"open({str(trace)!r}, 'w').write('ran')\n" + STEPS.solution
    data = autograder.notebook({"four-steps": runs, "stable-softmax": STABLE.solution})
    path = f"{tools}:{autograder.environment['PATH']}"
    results, said = autograder.grade({"work.ipynb": data}, as_there=True, PATH=path)
    assert not trace.exists()
    assert not any("score" in part for part in [results, *results["tests"]])
    assert "No points here does not mean no points" in results["output"]
    assert "an answer was found" in results["tests"][0]["output"]
    assert "NOT GRADED. There is no sandbox" in said
    assert "No permissions to create new namespace" in said
    assert "namespace" not in json.dumps(results)


@pytest.mark.parametrize("metadata", ["", "[1]", '{"users": 3, "created_at": 5}', "[" * 9999])
def test_broken_metadata_change_no_points(autograder, metadata):
    results, _ = autograder.grade(
        {"w.ipynb": autograder.notebook({"four-steps": STEPS.solution})}, metadata
    )
    assert results["score"] == 5


VARIED = '\n[[items]]\nexercise = "stable-softmax"\nvariants = ["plain", "blocked"]\n'


def test_a_student_with_a_variant_is_found_in_the_roster(tmp_path, monkeypatch):
    (tmp_path / "roster.csv").write_text("student\nada\nbob@uni.example\n")
    (tmp_path / "names.csv").write_text("handed_in_as,student\nada@uni.example,ada\n")
    with pytest.raises(AssertionError):
        made(tmp_path, HEAD + VARIED)
    options = ["--roster", str(tmp_path / "roster.csv"), "--students"]
    archive, _ = made(tmp_path, HEAD + VARIED, *options, str(tmp_path / "names.csv"))
    with zipfile.ZipFile(archive) as opened:
        students = json.loads(opened.read("students.json"))
    known = students["roster"], students["names"]
    assert inside.student_of(METADATA, *known) == "ada"
    other = {"users": [{"email": "Bob@uni.example", "name": "Bob"}]}
    assert inside.student_of(other, *known) == "bob@uni.example"
    with pytest.raises(ValueError, match="the roster has none of eve"):
        inside.student_of({"users": [{"email": "eve"}]}, *known)


def test_own_exercises_are_graded_there_too(autograder, tmp_path):
    own = Path(course_grader.__file__).with_name("example_exercise.py").read_text()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "mine.py").write_text(own)
    archive, assignment = made(tmp_path, f'{HEAD}\n[[items]]\nown = "mine.py"\n')
    there = Autograder(tmp_path / "there", archive, assignment, autograder.root / "python")
    results, _ = there.grade({"work.ipynb": solution_notebook(assignment)}, as_there=True)
    assert results["score"] == assignment.max_points


def test_the_zip_holds_the_secret_that_is_named_and_is_called_like_the_assignment(tmp_path):
    other = tmp_path / "other"
    other.write_text("7" * 64)
    other.chmod(0o600)
    made(tmp_path, TOP + HEAD + CODE, "--secret", str(other), "--out", str(tmp_path / "out"))
    archive = tmp_path / "out" / "two-autograder.zip"
    with zipfile.ZipFile(archive) as opened:
        assert opened.read("key") == other.read_bytes()


def test_who_has_longer_is_not_late_there(autograder, tmp_path):
    table = tmp_path / "longer.csv"
    table.write_text("student,due\nada@uni.example,2026-10-06\n")
    options = ["--extensions", str(table)]
    archive, assignment = made(tmp_path, TOP + HEAD + CODE, *options)
    there = Autograder(tmp_path / "there", archive, assignment, autograder.root / "python")
    data = there.notebook({"four-steps": STEPS.solution})
    for created, score in (("2026-10-06T23:00", 5), ("2026-10-07T01:00", 4.5)):
        late = METADATA | {"created_at": f"{created}:00.365935+02:00"}
        assert there.grade({"work.ipynb": data}, late)[0]["score"] == score


NO_SECRET = "there is no secret; --secret names the one that grade uses"


@pytest.mark.parametrize(
    ("own", "options", "said"),
    [
        ("", [], NO_SECRET),
        ("short", [], "32 bytes in hexadecimal"),
        (SECRET, ["--secret", "nowhere"], f"nowhere: {NO_SECRET}"),
        (SECRET, ["--secret", "."], NO_SECRET),
        (SECRET, ["--secret", "wrong"], "wrong: the secret must be 32 bytes in hexadecimal"),
        (SECRET, ["--out", str(ROOT / "book" / "a.zip")], "which is published"),
    ],
)
def test_no_zip_is_made_without_the_secret_that_was_meant_or_where_it_would_be_published(
    tmp_path, capsys, monkeypatch, own, options, said
):
    monkeypatch.chdir(tmp_path)
    home = write_assignment(tmp_path)
    if own:
        (home / "secret").write_text(own)
    (tmp_path / "wrong").write_text("zz" * 32)
    assert main(["gradescope", str(home), "-o", "a.zip", *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "a.zip").exists()
    assert not (ROOT / "book" / "a.zip").exists()
