"""Grader and course: which goes with which, who imports what, and what is installed."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from rules.source import imports

from attention_course.exercises import protocol
from course_grader import course
from course_grader.cli.command import main
from course_grader.sandbox.sandbox import Sandbox

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "course_grader"
# Each may import those before it.
LAYERS = ["course", "verdicts", "safe_text", "tables", "sandbox", "submissions", "marking"]
LAYERS += ["reports", "cli", "__main__"]


def test_this_grader_speaks_the_course_s_protocol():
    assert protocol.version() == course.SPEAKS


def test_grader_and_course_have_one_version():
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == protocol.__version__


@pytest.fixture(params=["another version", "no protocol at all"])
def other_course(request, monkeypatch):
    """A course that is installed and does not fit; the words for what it speaks."""
    if request.param == "another version":
        monkeypatch.setattr(protocol, "version", lambda: "0123456789ab")
        return "version 0123456789ab"
    monkeypatch.setitem(sys.modules, "attention_course.exercises.protocol", None)
    monkeypatch.delattr("attention_course.exercises.protocol")
    return "none"


def test_another_course_is_refused_in_one_line_that_says_how_to_mend_it(other_course, capsys):
    assert main(["exercises"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert f"speaks version {course.SPEAKS} of" in said.err
    assert f"is installed {other_course}" in said.err
    assert "make grader" in said.err


def test_with_another_course_no_answer_runs(other_course, monkeypatch):
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(a))
    with pytest.raises(ValueError, match=f"is installed {other_course}"), Sandbox():
        pass
    assert started == []


def upward(part, source):
    """Return the layers that a module imports and that stand above its own."""
    allowed = {"course_grader", *LAYERS[: LAYERS.index(part) + 1]}
    names = [name.split(".") for name, _ in imports(source)]
    used = {name[1] if name[1:] else name[0] for name in names if name[0] == "course_grader"}
    return used - allowed


def test_imports_inside_the_grader_go_one_way():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part in LAYERS and (above := upward(part, path.read_text(encoding="utf-8"))):
            found[str(path)] = above
    assert found == {}


@pytest.mark.gate("directions inside the grader", "submissions import marking")
def test_an_import_upward_is_seen():
    wrong = "from course_grader.marking.graded import Book"
    assert upward("submissions", wrong) == {"marking"}
    assert upward("reports", wrong) == set()


def test_the_wheel_holds_every_file_of_the_package(tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(HOME / "src", copy / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    shutil.copy(HOME / "pyproject.toml", copy)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path, copy]
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", *options], check=True)
    (wheel,) = tmp_path.glob("attention_course_grader-*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert inside == {path.relative_to(PACKAGE.parent).as_posix() for path in files}
    assert "course_grader/reports/templates/feedback.html" in inside
