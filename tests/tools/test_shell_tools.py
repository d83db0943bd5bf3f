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


HANGS = r"""
setsid bash -c 'trap "" TERM; echo $$ > "$1"; for _ in {1..300}; do sleep 0.1; done' \
    of-its-own "$1" > /dev/null 2>&1 &
sleep 61
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
@pytest.mark.gate("phases", "one that hangs, with a child in a session of its own")
def test_a_phase_that_hangs_is_ended_with_its_children(tmp_path):
    written = tmp_path / "pid"
    command = ["bash", "-c", HANGS, "hangs", written]
    done = run(TOOLS / "phase", "a name", *command, PHASE_SECONDS="3")
    assert done.returncode == 124
    assert "== a name: not done after 3 s, so it is ended. It was at\n" in done.stdout
    assert "   sleep 61" in done.stdout
    assert "PHASE_SECONDS=6" in done.stdout
    assert re.search(r"== a name: RED, \d+ s\n$", done.stdout)
    commands = Path("/proc", written.read_text().strip(), "cmdline")
    assert not commands.exists() or commands.read_bytes() == b""  # a zombie has none


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_phase_that_is_ended_says_where_python_stood():
    code = "import time\ndef stands_here():\n    time.sleep(60)\nstands_here()"
    done = run(TOOLS / "phase", "a name", sys.executable, "-c", code, PHASE_SECONDS="3")
    assert done.returncode == 124
    assert "in stands_here" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_phase_that_is_ended_names_the_last_test():
    note = 'echo tests/x.py::test_y > "$PHASE_NOTES/test-gw1"; exec sleep 60'
    done = run(TOOLS / "phase", "a name", "bash", "-c", note, PHASE_SECONDS="1")
    assert "   the last test of gw1: tests/x.py::test_y\n" in done.stdout


def test_every_test_is_noted_for_its_phase(request, tmp_path, monkeypatch):
    monkeypatch.setenv("PHASE_NOTES", str(tmp_path))
    for plugin in request.config.pluginmanager.get_plugins():
        if getattr(plugin, "__file__", None) == str(ROOT / "conftest.py"):
            assert plugin.pytest_runtest_protocol(request.node) is None
    (note,) = tmp_path.iterdir()
    assert note.name.startswith("test-")
    assert note.read_text() == request.node.nodeid


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
