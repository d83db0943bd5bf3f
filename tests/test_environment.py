"""The setup cell's check: it prints, warns and refuses, and installs nothing."""

import importlib.metadata
import importlib.util
import re
import subprocess
import sys

import pytest

from attention_course.environment import _numbers, check_environment

GOOD = {
    "numpy": "2.1.3",
    "plotly": "5.24.1",
    "ipywidgets": "7.7.1",
    "anywidget": "0.9.21",
    "torch": "2.11.0+cu128",
}


@pytest.fixture
def installed(monkeypatch):
    """Versions that pretend to be installed; a test changes them."""
    versions = dict(GOOD)

    def version(package):
        if package not in versions:
            raise importlib.metadata.PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: versions.get(name))
    return versions


@pytest.mark.usefixtures("installed")
def test_it_prints_one_line_with_the_versions(capsys):
    check_environment()
    out, err = capsys.readouterr()
    python = "{}.{}".format(*sys.version_info)
    assert out == f"Ready: Python {python}, numpy 2.1.3, plotly 5.24.1, torch 2.11.0.\n"
    assert err == ""


@pytest.mark.usefixtures("installed")
def test_a_chapter_without_torch_does_not_mention_it(capsys):
    check_environment(torch=False)
    assert "torch" not in capsys.readouterr().out


def test_a_chapter_without_torch_runs_without_it(installed, capsys):
    del installed["torch"]
    check_environment(torch=False)
    assert capsys.readouterr().out.startswith("Ready")


def test_a_missing_torch_says_how_to_get_it(installed):
    del installed["torch"]
    with pytest.raises(ModuleNotFoundError, match=r"needs torch.*`make environment` installs"):
        check_environment()


@pytest.mark.parametrize(
    ("package", "version", "floor"),
    [
        ("numpy", "1.26.4", "2.0"),
        ("plotly", "5.9.0", "5.24"),
        ("ipywidgets", "7.7.0", "7.7.1"),
        ("anywidget", "0.9.9", "0.9.18"),
        ("numpy", "1.9rc1", "2.0"),
    ],
)
def test_an_old_version_is_a_warning(installed, capsys, package, version, floor):
    installed[package] = version
    check_environment()
    assert capsys.readouterr().err == f"warning: {package} {version} is older than {floor}\n"


@pytest.mark.parametrize("version", ["2.0", "2.0.0", "2.1rc1", "3", "10.0.dev0", "2.4.6+local"])
def test_a_new_version_is_none(installed, capsys, version):
    installed["numpy"] = version
    check_environment()
    assert capsys.readouterr().err == ""


def test_a_package_that_is_not_there_is_a_warning(installed, capsys):
    del installed["anywidget"]
    check_environment()
    assert capsys.readouterr().err == "warning: anywidget 0.9.18 or newer is not installed\n"


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("2.11.0+cu128", (2, 11, 0)), ("0.10", (0, 10)), ("7", (7,)), ("2.0.0rc1", (2, 0, 0))],
)
def test_versions_are_compared_as_numbers(version, numbers):
    assert _numbers(version) == numbers


def test_the_floors_are_those_of_the_package():
    from attention_course.environment import _FLOORS

    wanted = {}
    for requirement in importlib.metadata.requires("attention-course"):
        if match := re.fullmatch(r"([a-z]+)>=([0-9.]+)", requirement):
            wanted[match[1]] = match[2]
    assert wanted.items() >= _FLOORS.items()


def test_it_runs_in_a_fresh_python_and_imports_no_torch():
    code = (
        "import sys; from attention_course.environment import check_environment;"
        "check_environment(torch=False); assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Ready: Python")
