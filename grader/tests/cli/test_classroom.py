"""The template for GitHub Classroom: its workflow's steps are run, in a clone of it."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from assignment_files import CODE, HEAD, WRITTEN, fill, write_assignment

from attention_course import __version__
from attention_course.exercises import exercise_named
from course_grader.cli import classroom
from course_grader.cli.command import main
from course_grader.submissions.assignment import load_assignment

URL = "https://github.com/someone/attention-measured"
COURSE = f"attention-course @ git+{URL}@v{__version__}"
STEPS = exercise_named("four-steps")
BLOCKED = '\n[[items]]\nexercise = "stable-softmax"\nvariants = ["blocked"]\n'
SECRET = "5ec2e7" * 10 + "0123"


@pytest.fixture
def template(tmp_path, monkeypatch, capsys):
    home, out = write_assignment(tmp_path, HEAD + CODE + BLOCKED + WRITTEN), tmp_path / "out"
    (home / "secret").write_text(SECRET)
    assignment = load_assignment(home)
    monkeypatch.setattr(classroom.template, "__defaults__", (COURSE,))
    assert main(["classroom", str(home), "--out", str(out)]) == 0
    said = [Path(line).relative_to(out) for line in capsys.readouterr().out.splitlines()]
    assert sorted(map(str, said)) == [".github/workflows/check.yml", "README.md", "two.ipynb"]
    return assignment, out


def test_nothing_in_the_template_is_secret(template):
    _, out = template
    text = "".join(path.read_text() for path in out.rglob("*") if path.is_file())
    for private in (SECRET, "Aardvarks multiply", STEPS.solution.strip(), "secrets."):
        assert private not in text


def test_the_workflow_is_read_as_what_it_means(template):
    _, out = template
    flow = yaml.safe_load((out / classroom.PLACE).read_text())
    assert flow[True] == ["push", "workflow_dispatch"]  # YAML 1.1 reads the key "on" so
    assert flow["permissions"] == {"contents": "read"}
    (job,) = flow["jobs"].values()
    assert job["timeout-minutes"] <= 10
    assert [step["uses"] for step in job["steps"] if "uses" in step] == [
        "actions/checkout@v4",
        "actions/setup-python@v5",
    ]


def test_the_steps_of_the_workflow_install_the_course_and_check_the_notebook(template):
    _, out = template
    (job,) = yaml.safe_load((out / classroom.PLACE).read_text())["jobs"].values()
    install, check = [step["run"] for step in job["steps"] if "run" in step]
    grader = COURSE.replace("course", "course-grader", 1) + "#subdirectory=grader"
    assert {COURSE, grader} <= set(shlex.split(install.replace("\\\n", " ")))

    def run():
        words = ["bash", "-e", "-o", "pipefail", "-c", check]  # as GitHub does it
        tools = os.path.dirname(sys.executable)
        path = {"PATH": f"{tools}:{os.environ['PATH']}"}
        return subprocess.run(
            words, cwd=out, env=os.environ | path, capture_output=True, text=True
        )

    done = run()
    assert done.returncode == 1
    assert "four-steps: not written yet" in done.stdout
    assert "0 of 2 are right" in done.stdout
    right = exercise_named("stable-softmax:blocked").solution
    answers = {"four-steps": STEPS.source_of(STEPS.wrong[0]), "stable-softmax": right}
    (out / "two.ipynb").write_text(fill(out / "two.ipynb", answers))
    done = run()
    assert done.returncode == 1
    assert STEPS.wrong[0].hint.split()[0] in done.stdout
    assert "1 of 2 are right" in done.stdout
    answers["four-steps"] = STEPS.solution
    (out / "two.ipynb").write_text(fill(out / "two.ipynb", answers))
    done = run()
    assert (done.returncode, done.stderr) == (0, "")


def test_a_course_without_an_address_and_different_variants_are_refused(tmp_path, capsys):
    home = write_assignment(tmp_path)
    with pytest.raises(ValueError, match="no public address"):
        classroom.template(
            load_assignment(home), "attention-course @ git+https://x/-set-owner-/y@v1"
        )
    varied = BLOCKED.replace('["blocked"]', '["plain", "blocked"]')
    home = write_assignment(tmp_path, HEAD + varied, "varied")
    assert main(["classroom", str(home), "--out", str(tmp_path / "out")]) == 2
    assert "a template is for all" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
