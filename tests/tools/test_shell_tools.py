"""The small shell programs behind make: they say what is missing and pass failures on."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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
    assert "sudo apt-get install chromium-headless-shell" in done.stderr
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


@pytest.fixture
def debian(tmp_path, bare):
    """A bare machine with root's rights and an apt-get that notes what it was asked for."""
    for name in ("bwrap", "node", "npm", "python3"):
        (tmp_path / name).write_text("#!/usr/bin/env bash\n")
    (tmp_path / "id").unlink()
    (tmp_path / "id").write_text("#!/usr/bin/env bash\necho 0\n")
    (tmp_path / "apt-get").write_text(
        "#!/usr/bin/env bash\n"
        f'echo "$1 ${{@: -1}}" >> "{tmp_path}/asked"\n'
        '[[ "$1 $*" != *"${APT_LACKS:-nothing}"* ]]\n'
    )
    for file in tmp_path.iterdir():
        file.is_symlink() or file.chmod(0o755)
    return bare, tmp_path / "asked"


def has(bare, *names):
    for name in names:
        (Path(bare["PATH"]) / name).write_text("#!/usr/bin/env bash\n")
        (Path(bare["PATH"]) / name).chmod(0o755)


SHELL = "chromium-headless-shell"


@pytest.mark.parametrize(
    ("there", "lacks", "asked"),
    [
        ([], "nothing", ["update -qq", f"install {SHELL}"]),
        ([], SHELL, ["update -qq", f"install {SHELL}", "install chromium"]),
        (["chromium"], "nothing", ["update -qq", f"install {SHELL}"]),
        (["chromium"], SHELL, ["update -qq", f"install {SHELL}"]),
        (["chromium"], "update", ["update -qq", f"install {SHELL}"]),
        ([SHELL], "nothing", []),
    ],
)
def test_the_small_browser_is_preferred_and_any_other_will_do(debian, there, lacks, asked):
    bare, log = debian
    has(bare, *there)
    done = run(TOOLS / "system", **bare, APT_LACKS=lacks)
    assert done.returncode == 0, done.stderr
    assert (log.read_text().splitlines() if log.exists() else []) == asked


def test_without_any_browser_a_failing_apt_fails(debian):
    bare, _ = debian
    assert run(TOOLS / "system", **bare, APT_LACKS="chromium").returncode == 1


def test_a_browser_of_ones_own_is_enough(debian):
    bare, log = debian
    has(bare, "mine")
    assert run(TOOLS / "system", **bare, CHROMIUM="mine").returncode == 0
    assert not log.exists()


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
