"""One command; what a person got wrong is said in one line, and the status is 2."""

import io
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from assignment_files import CODE, HEAD, write_assignment

from attention_course.exercises import all_exercises
from course_grader.cli import command, release

ROOT = Path(__file__).parents[3]


LATE, OVER = "late_percent_per_day = 10\n", "due = {}T23:59:00+02:00\n"


@pytest.mark.parametrize(
    ("course", "top", "said"),
    [
        ("git+https://host/-set-owner-/x@v1", "", "Colab cannot install it"),
        ("git+y@v1", LATE, "nobody can be late"),
        ("git+y@v1", LATE.replace("10", "0"), ""),
        ("git+y@v1", LATE + OVER.format("2999-10-05"), ""),
        ("git+y@v1", OVER.format("2001-10-05"), "due is over already: 2001-10-05 23:59"),
    ],
)
def test_what_may_be_amiss_is_noted(tmp_path, capsys, monkeypatch, course, top, said):
    monkeypatch.setattr(release, "COURSE", course)
    folder = write_assignment(tmp_path, top + HEAD + CODE)
    assert command.main(["release", str(folder), "--out", str(tmp_path / "out")]) == 0
    noted = capsys.readouterr().err
    assert said in noted
    assert noted.count("note: ") == bool(said)


def test_a_new_assignment_can_be_released_at_once(tmp_path, capsys):
    slugs, home = ",".join(all_exercises()), str(tmp_path / "my class")
    assert command.main(["new", "own", "--in", home, "--exercises", slugs]) == 0
    said = capsys.readouterr().out
    assert "own: " in said
    _, *told = shlex.split(said.split("then: ")[1])
    assert command.main(told) == 0
    assert (tmp_path / "my class" / "released" / "own.release.json").is_file()
    for name in ("release", "solutions"):
        out = str(tmp_path / name)
        assert command.main([name, f"{home}/own", "--out", out]) == 0


def test_the_bank_is_listed_with_chapter_minutes_and_points(capsys):
    assert command.main(["exercises"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["EXERCISE", "CHAPTER", "MIN", "POINTS", "VARIANTS"]
    assert sorted(line.split()[0] for line in lines) == sorted(all_exercises())
    four = next(line for line in lines if line.startswith("four-steps "))
    assert four.split()[:4] == ["four-steps", "why/attention-by-hand", "15", "5"]


def test_a_chapter_that_is_not_there_is_named_beside_those_that_are(capsys):
    assert command.main(["exercises", "--chapter", "transformers"]) == 2
    said = capsys.readouterr().err
    assert "why/attention-by-hand" in said
    assert said.endswith("got 'transformers'\n")
    assert command.main(["exercises", "--chapter", "transformer"]) == 0
    assert "rotary-positions" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["release", "nowhere", "--out", "out"],
        ["solutions", "nowhere", "--out", "out"],
        ["new", "own", "--in", "here", "--exercises", "nothing"],
        ["exercises", "--chapter", "transformers"],
    ],
)
def test_an_error_is_one_line_and_the_status_two(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert command.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith(f"attention-course {arguments[0]}: ")
    assert list(tmp_path.iterdir()) == []


def test_the_module_is_the_command_and_loads_no_torch(tmp_path):
    program = (
        "import sys; from course_grader.cli.command import main; "
        "status = main(['exercises']); "
        "sys.exit(status or 'torch' in sys.modules or 'nbformat' in sys.modules)"
    )
    for arguments in (["-c", program], ["-m", "course_grader", "--version"]):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr


def test_the_package_installs_the_command():
    scripts = tomllib.loads((ROOT / "grader/pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"attention-course": "course_grader.cli.command:main"}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "utf-8"])
def test_what_the_outputs_encoding_lacks_is_escaped(tmp_path, monkeypatch, encoding):
    """The folder is not there, so that its name is in the line on the error output."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    assert (
        command.main(["solutions", str(tmp_path / "Łódź-\u9ec4"), "--out", str(tmp_path)]) == 2
    )
    said = streams[1].buffer.getvalue().decode(encoding)
    assert said.startswith("attention-course solutions: ")
    assert ("Łódź" if encoding == "utf-8" else "\\u0141") in said


COMMAND = [sys.executable, "-m", "course_grader", "exercises"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_on_a_full_disk_is_said_and_stops_nothing():
    with open("/dev/full", "w") as full:
        done = subprocess.run(COMMAND, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("attention-course exercises: the output could not be written")
    assert done.stderr.count("\n") == 1


def test_a_reader_who_has_seen_enough_stops_nothing():
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_a_lost_output_does_not_end_the_work(monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

    went = []

    def run(options):
        print("first")
        went.append(options.command)
        return 0

    monkeypatch.setattr(sys, "stdout", Full())
    monkeypatch.setattr("course_grader.cli.exercises.run", run)
    assert command.main(["exercises"]) == 2
    assert went == ["exercises"]
