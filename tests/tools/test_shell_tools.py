"""The small shell programs behind make: they say what is missing and pass failures on."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rules.notebooks import ROOT

TOOLS = ROOT / "tools"


def run(*command, **variables):
    how = {"cwd": ROOT, "env": {"PATH": os.environ["PATH"]} | variables}
    return subprocess.run([*map(str, command)], **how, capture_output=True, text=True)


def stub(folder, name, text="#!/usr/bin/env bash\n"):
    """Put a program into a folder, in the place of whatever stands there."""
    (folder / name).unlink(missing_ok=True)
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("code", [0, 1, 7])
def test_a_phase_ends_as_its_command_does(code):
    done = run(TOOLS / "phase", "a name", "bash", "-c", f"exit {code}")
    assert done.returncode == code
    outcome = "RED" if code else "green"
    assert re.search(rf"== a name: {outcome}, \d+ s\n$", done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there may be no timeout")
def test_a_phase_that_hangs_is_ended(tmp_path):
    hangs = "sleep 61 & echo $! > pid; wait"
    make = f"hang:\n\t@cd '{tmp_path}'; {hangs.replace('$', '$$')}\n"
    (tmp_path / "Makefile").write_text(make)
    done = run(TOOLS / "phase", "a name", "make", "-C", tmp_path, "hang", PHASE_SECONDS="2")
    assert done.returncode == 124
    assert "== a name: not done after 2 s" in done.stdout
    assert "PHASE_SECONDS=4" in done.stdout
    assert re.search(r"== a name: RED, \d+ s\n$", done.stdout)
    command = Path("/proc", (tmp_path / "pid").read_text().strip(), "cmdline")
    assert not command.exists() or command.read_bytes() == b""  # a zombie has none


def a_python(version, brings="ensurepip, venv"):
    """Return a program that answers as a Python of this version does."""
    return f"""#!/usr/bin/env bash
case "$*" in
    --version) echo "Python {version}.1" ;;
    *"import ensurepip"*) [ -n "{brings}" ] ;;
    *version_info\\ \\<*) (({version.split(".")[1]} >= 11)) ;;
    *-venv*) echo "python{version}-venv" ;;
    *) echo "{version}" ;;
esac
"""


def test_an_old_python_that_is_asked_for_is_refused(bare):
    folder = Path(bare["PATH"])
    stub(folder, "python3.9", a_python("3.9"))
    stub(folder, "python3.12", a_python("3.12"))
    done = run(TOOLS / "find_python", **bare, PYTHON="python3.9")
    assert (done.returncode, done.stdout) == (1, "")
    assert "PYTHON=python3.9 is Python 3.9.1; the course needs Python 3.11" in done.stderr
    assert "is nothing that runs" in run(TOOLS / "find_python", **bare, PYTHON="none").stderr
    assert run(TOOLS / "find_python", **bare).stdout == "python3.12\n"


def tried():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    found = [line.split(" :: ")[-1] for line in project["classifiers"]]
    assert project["requires-python"] == f">={found[0]}"
    return found


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/manual.md", "book/teach/reference.md", "book/before-you-start.md"],
)
def test_every_page_says_the_versions_that_are_tried(page, bare):
    versions = tried()
    named = ", ".join(versions[:-1]) + " or " + versions[-1]
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert f"Python {named}" in text
    assert set(re.findall(r"\b3\.1\d\b", text)) == set(versions)
    assert f"the course needs {named}." in run(TOOLS / "find_python", **bare).stderr


PACKAGES = "g++ bubblewrap chromium-headless-shell nodejs npm firefox-esr"
ALL = ("python", "compiler", "bubblewrap", "chromium", "node", "firefox")


def test_everything_that_is_missing_is_said_at_once_with_the_way_to_ask(bare):
    done = run(TOOLS / "system", *ALL, **bare)
    assert done.returncode == 1
    missing = "Python is missing", "A C++ compiler is", "Bubblewrap is", "Chromium is"
    for said in (*missing, "Node 18 or newer", "Firefox is"):
        assert said in done.stderr
    assert "Nothing was installed." in done.stderr
    packages = f"python3 python3-venv {PACKAGES}"
    assert f"sudo apt-get install {packages}\n" in done.stderr


@pytest.fixture
def debian(bare, tmp_path):
    """A bare machine with root's rights; its apt-get notes what it did, and does it."""
    folder = Path(bare["PATH"])
    stub(folder, "id", "#!/usr/bin/env bash\necho ${USER_ID:-0}\n")
    stub(folder, "apt-cache", '#!/usr/bin/env bash\n[[ "$2" != *"${APT_LACKS:-nothing}"* ]]\n')
    stub(folder, "python", a_python("3.12"))
    stub(
        folder,
        "apt-get",
        "#!/usr/bin/env bash\n"
        f'echo "$DEBIAN_FRONTEND $*" >> "{tmp_path}/asked"\n'
        '[ "$1" != "${APT_FAILS:-nothing}" ] || exit 1\n'
        f'for package in "$@"; do [ ! -e "{tmp_path}/$package" ] || '
        f'ln -sf "{tmp_path}/$package"/* "{folder}/"; done\n',
    )
    (folder / "ln").symlink_to(shutil.which("ln"))
    for package in (*PACKAGES.split(), "chromium-browser"):
        (tmp_path / package).mkdir()
        stub(tmp_path / package, {"bubblewrap": "bwrap"}.get(package, package))
    stub(tmp_path / "nodejs", "node", "#!/usr/bin/env bash\necho v18.20.4\n")
    return bare, tmp_path / "asked"


INSTALL = "install --yes -qq --no-install-recommends"


def test_root_gets_what_is_missing_and_sees_the_command_first(debian):
    bare, log = debian
    done = run(TOOLS / "system", *ALL, **bare)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split("\n")
    assert printed[0] == "So this runs (AUTO=0 refuses it):"
    assert printed[1].strip() == "apt-get update"
    assert printed[2].strip() == f"apt-get install --yes --no-install-recommends {PACKAGES}"
    assert log.read_text().splitlines() == [
        "noninteractive update -qq",
        f"noninteractive {INSTALL} {PACKAGES}",
    ]
    log.unlink()
    assert run(TOOLS / "system", *ALL, **bare).returncode == 0
    assert not log.exists()  # a second call finds everything


@pytest.mark.parametrize("more", [{"AUTO": "0"}, {"USER_ID": "1000"}])
def test_without_rights_or_leave_nothing_is_installed(debian, more):
    bare, log = debian
    done = run(TOOLS / "system", *ALL, **bare, **more)
    assert done.returncode == 1
    assert f"sudo apt-get install {PACKAGES}\n" in done.stderr
    assert not log.exists()


def test_torch_is_never_fetched_with_cuda(tmp_path):
    """A pip that finds nothing leads to a message, not to another build."""
    pip = tmp_path / "python"
    pip.write_text(f'#!/usr/bin/env bash\necho "$@" >> "{tmp_path}/calls"\nexit 1\n')
    pip.chmod(0o755)
    done = run(TOOLS / "torch_cpu", pip, "https://index.invalid/cpu")
    assert done.returncode == 3
    assert "A build with CUDA is not taken instead" in done.stderr
    calls = (tmp_path / "calls").read_text().splitlines()
    installs = [line for line in calls if "tools/install.py" in line]
    assert len(installs) == 2
    assert all("--no-deps" in line for line in installs)
    if sys.platform == "linux":  # elsewhere the plain build is the CPU's
        assert all("+cpu" in line for line in installs)
    assert "--index-url https://index.invalid/cpu" in installs[1]
