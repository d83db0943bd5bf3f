"""The small shell programs behind make: they say what is missing and pass failures on."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from notebook_rules import ROOT

TOOLS = ROOT / "tools"


def run(*command, **variables):
    environment = {"PATH": os.environ["PATH"]} | variables
    return subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def bare(tmp_path):
    """A PATH with the ordinary commands, and without Python, Node and browser."""
    for name in ("bash", "env", "sed", "cat", "uname", "id", "find", "sort"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return {"PATH": str(tmp_path)}


@pytest.mark.parametrize("code", [0, 1, 7])
def test_a_phase_ends_as_its_command_does(code):
    done = run(TOOLS / "phase", "a name", "bash", "-c", f"exit {code}")
    assert done.returncode == code
    outcome = "RED" if code else "green"
    assert re.search(rf"== a name: {outcome}, \d+ s\n$", done.stdout)


def test_a_python_that_is_new_enough_is_found():
    assert run(TOOLS / "find_python", PYTHON=sys.executable).stdout.strip() == sys.executable


def test_a_missing_python_is_said(bare):
    done = run(TOOLS / "find_python", **bare)
    assert done.returncode == 1
    assert "apt-get install python3 python3-venv" in done.stderr


def test_what_is_missing_is_said_with_the_way_to_install_it(bare):
    done = run(TOOLS / "need", "chromium", "node", **bare)
    assert done.returncode == 1
    assert "Chromium is missing" in done.stderr
    assert "Node 18 or newer is missing" in done.stderr
    assert "sudo apt-get install nodejs npm" in done.stderr


def test_an_old_node_counts_as_missing(bare, tmp_path):
    (tmp_path / "node").write_text("#!/usr/bin/env bash\necho v16.20.0\n")
    (tmp_path / "node").chmod(0o755)
    assert run(TOOLS / "need", "node", **bare).returncode == 1
    (tmp_path / "node").write_text("#!/usr/bin/env bash\necho v20.1.0\n")
    assert run(TOOLS / "need", "node", **bare).returncode == 0


def test_a_missing_bubblewrap_is_said(bare):
    done = run(TOOLS / "need", "bubblewrap", **bare)
    assert done.returncode == 1
    assert "sudo apt-get install bubblewrap" in done.stderr


def test_a_bubblewrap_that_may_make_no_namespace_counts_as_missing(bare, tmp_path):
    (tmp_path / "bwrap").write_text("#!/usr/bin/env bash\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    done = run(TOOLS / "need", "bubblewrap", **bare)
    assert done.returncode == 1
    assert "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0" in done.stderr
    assert "apt-get" not in done.stderr


def test_without_apt_the_packages_are_named(bare):
    done = run(TOOLS / "system", **bare)
    assert done.returncode == 1
    assert "Please install by hand:" in done.stderr
    assert "chromium" in done.stderr
    assert "bubblewrap" in done.stderr


def test_torch_is_never_fetched_with_cuda(tmp_path):
    """A pip that finds nothing leads to a message, not to another build."""
    pip = tmp_path / "python"
    pip.write_text(f'#!/usr/bin/env bash\necho "$@" >> "{tmp_path}/calls"\nexit 1\n')
    pip.chmod(0o755)
    done = run(TOOLS / "torch_cpu", pip, "https://index.invalid/cpu")
    assert done.returncode == 1
    assert "A build with CUDA is not taken instead" in done.stderr
    installs = [
        line for line in (tmp_path / "calls").read_text().splitlines() if "-m pip" in line
    ]
    assert len(installs) == 2
    assert all("--no-deps" in line for line in installs)
    if sys.platform == "linux":  # elsewhere the plain build is the CPU's
        assert all("+cpu" in line for line in installs)
    assert "--index-url https://index.invalid/cpu" in installs[1]
