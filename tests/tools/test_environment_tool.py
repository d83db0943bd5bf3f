"""tools/environment: it makes .venv, sees when it cannot be used, and recovers."""

import os
import shutil
import subprocess
import sys

import pytest
from rules.notebooks import ROOT

OURS = (
    "pyproject.toml",
    "requirements.txt",
    "requirements/book.txt",
    *("tools/environment", "tools/find_python", "tools/system"),
)


def call(folder, *stages, **variables):
    return subprocess.run(
        ["tools/environment", *stages],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "AUTO": "0"} | variables,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def clone(tmp_path):
    """A folder, its path with a space and a quote, that has the tools and no environment."""
    folder = tmp_path / "it's a clone"
    for name in OURS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A Python like this one, except that it copies the environment it was asked to make."""
    folder = tmp_path_factory.mktemp("quick")
    make = [sys.executable, "-m", "venv", "--without-pip", folder / "made"]
    subprocess.run(make, check=True)
    (next((folder / "made").glob("lib/python*/site-packages")) / "pip").mkdir()
    (folder / "python").write_text(
        "#!/usr/bin/env bash\n"
        f'[ "$1 $2" = "-m venv" ] || exec "{sys.executable}" "$@"\n'
        f'cp -a "{folder}/made" "$3"\n'
        f'sed -i "s|{folder}/made|$PWD/$3|" "$3/pyvenv.cfg"\n'
    )
    (folder / "python").chmod(0o755)
    return str(folder / "python")


@pytest.fixture
def made(clone, quick):
    """The same with an environment that the tool made, without packages."""
    done = call(clone, PYTHON=quick)
    assert done.returncode == 0, done.stderr
    assert (clone / ".venv/bin/python").exists()
    return clone


OLD = "import sys; sys.version_info = (3, 9, 18, 'final', 0)"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (f'echo "{OLD}" | (cd lib/python*/site-packages; cat > old.pth)', "is Python 3.9"),
        ("ln -sf /nowhere/python3 bin/python", "has a Python that does not run"),
        ("rm -r lib/python*/site-packages/pip*", "has no pip, so making it was interrupted"),
        (
            "sed -i 's|[^ ]*/it.s a clone|/was|' pyvenv.cfg",
            "was made for the folder /was/.venv",
        ),
        ("touch .installing", "has an interrupted installation"),
    ],
)
def test_an_environment_that_cannot_be_used_is_made_anew(made, quick, spoil, said):
    subprocess.run(["bash", "-c", spoil], cwd=made / ".venv", check=True)
    (made / ".venv/spoilt").touch()
    done = call(made, PYTHON=quick)
    assert done.returncode == 0, done.stderr
    assert f".venv {said}: it is made anew." in done.stdout
    assert not (made / ".venv/spoilt").exists()
    assert call(made).stdout == ""  # and the next call finds nothing to do


def test_a_folder_that_is_no_environment_is_not_touched(clone):
    (clone / ".venv").mkdir()
    (clone / ".venv/diary").write_text("mine")
    done = call(clone)
    assert done.returncode == 1
    assert "is no environment of Python, and it holds files: move it away" in done.stderr
    assert (clone / ".venv/diary").read_text() == "mine"


def test_what_the_machine_lacks_is_said_before_the_environment_is_made(clone, bare):
    done = call(clone, "test", "--", "bubblewrap", "node", PATH=bare["PATH"])
    assert done.returncode == 1
    for said in ("Python is missing", "Bubblewrap is missing", "Node 18 or newer"):
        assert said in done.stderr
    assert not (clone / ".venv").exists()


def test_a_stage_is_installed_once_and_an_interrupted_one_again(made):
    """The environment's Python is a stub here: it notes what pip is asked for."""
    python = made / ".venv/bin/python"
    python.unlink()
    python.write_text(
        "#!/usr/bin/env bash\n"
        'case "$*" in *"-m pip"* | *install.py*) echo "$@" >> asked; [ ! -e fails ] ;;\n'
        f'*) exec "{sys.executable}" "$@" ;; esac\n'
    )
    python.chmod(0o755)
    (made / "fails").touch()
    assert call(made, "book").returncode == 1
    assert not (made / ".venv/.book").exists()
    (made / "fails").unlink()
    assert call(made, "book").returncode == 0
    asked = (made / "asked").read_text().splitlines()
    assert len(asked) == 5  # uv twice, the pins twice, the course
    assert asked[4].endswith("--no-deps --no-build-isolation -e .")
    assert call(made, "book").stdout == ""
    (made / "requirements/book.txt").write_text("numpy\n")
    assert "Installing what the book needs" in call(made, "book").stdout
