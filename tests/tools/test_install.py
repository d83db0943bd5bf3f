"""What pip is told is handed on to uv, and without uv pip does it."""

import subprocess
import sys

import install
import pytest

LISTED = """:env:.cert='/mine.pem'
:env:.find-links='/wheels /more'
global.cert='/theirs.pem'
global.extra-index-url='file:///a file:///b'
global.index-url='https://mirror.example/simple'
install.constraint='/pins.txt'
download.no-index='1'
"""


def test_pips_settings_are_handed_on_to_uv():
    flags, variables = install.handed_on(install.settings(LISTED))
    mirror = "--default-index https://mirror.example/simple --index file:///a"
    more = "--index file:///b --find-links /wheels --find-links /more --constraint /pins.txt"
    assert flags[:12] == [*mirror.split(), *more.split()]
    assert "--no-index" not in flags
    assert variables == {"SSL_CERT_FILE": "/mine.pem"}
    assert "--no-index" in install.handed_on({"no-index": "true"})[0]


@pytest.fixture
def other(tmp_path):
    """The Python of an environment that is there."""
    return str(tmp_path / "bin/python")


@pytest.fixture
def runs(monkeypatch):
    """Programs that end as they are told, say a text, and are written down."""

    def told(text, uv=0, pip=0):
        def ran(command, **_):
            calls.append(command)
            code = uv if "uv" in command else pip if "install" in command else 0
            return subprocess.CompletedProcess(command, code, text, text)

        calls: list[list[str]] = []
        monkeypatch.setattr(install.subprocess, "run", ran)
        return calls

    return told


@pytest.mark.parametrize("said", ["No module named uv", "no network"])
def test_without_uv_or_where_it_fails_pip_installs(runs, other, said):
    calls = runs(said, uv=1)
    assert install.main(["--python", other, "-r", "pins.txt"]) == 0
    assert calls[-1] == [
        *(sys.executable, "-m", "pip", "--python", other, "install", *install.QUIET),
        *("-r", "pins.txt"),
    ]


@pytest.mark.parametrize(
    ("uv", "pip", "half"), [(0, 0, False), (1, 1, False), (-9, 0, False), (1, -15, True)]
)
def test_only_what_was_ended_half_way_is_marked(runs, other, tmp_path, uv, pip, half):
    runs("", uv, pip)
    assert (install.main(["--python", other, "numpy"]) == 0) == (0 in (uv, pip))
    assert (tmp_path / ".installing").exists() == half
