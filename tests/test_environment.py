"""The setup cell and what it calls: it prints, warns and refuses, and upgrades nothing."""

import ast
import importlib.metadata
import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rules.taught_code import parse

from attention_course import __version__, _setup_cell, environment
from attention_course._setup_cell import COURSE, setup_cell, version_of, wheel_of
from attention_course.environment import check_environment, missing_packages, numbers_of

GOOD = {
    "numpy": "2.1.3",
    "plotly": "5.24.1",
    "ipywidgets": "7.7.1",
    "anywidget": "0.9.21",
    "tqdm": "4.67.1",
    "torch": "2.11.0+cu128",
}
OURS = "attention-course @ git+https://github.com/someone/attention-measured@v0.2.0"
WHEEL = (
    "attention-course @ https://github.com/someone/attention-measured/releases/download/v0.2.0/"
    "attention_course-0.2.0-py3-none-any.whl"
)


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


@pytest.mark.parametrize(
    ("missing", "names", "line"),
    [
        (["torch"], "torch: not installed", "%pip install -q torch"),
        (["plotly", "anywidget"], "plotly, anywidget: not", "%pip install -q plotly anywidget"),
    ],
)
def test_what_is_missing_is_named_with_the_line_that_brings_it(installed, missing, names, line):
    for package in missing:
        del installed[package]
    with pytest.raises(ImportError) as caught:
        check_environment()
    assert names in str(caught.value)
    assert str(caught.value).splitlines()[-1].strip() == line


@pytest.fixture
def older(monkeypatch):
    """An older course is loaded, and it has a public address."""
    monkeypatch.setattr("attention_course.__version__", "0.1.9")
    monkeypatch.setattr(environment, "COURSE", OURS)


@pytest.mark.usefixtures("installed", "older")
def test_an_older_course_is_refused_with_the_line_that_replaces_it():
    with pytest.raises(ImportError) as caught:
        check_environment("0.2.0")
    first, last = str(caught.value).splitlines()
    assert "written for version 0.2.0 of the course, and 0.1.9 is loaded" in first
    assert "restart the kernel" in first
    assert last.strip() == f'%pip install -q --no-deps "{WHEEL}"'
    assert caught.value._render_traceback_() == [first, last]


@pytest.mark.usefixtures("installed", "older")
def test_without_an_address_the_line_names_the_folder(monkeypatch):
    monkeypatch.setattr(environment, "COURSE", OURS.replace("someone", "-set-owner-"))
    with pytest.raises(ImportError, match="No public address is set") as caught:
        check_environment("0.2.0")
    assert str(caught.value).splitlines()[-1].strip() == "%pip install -q --no-deps -e FOLDER"


@pytest.mark.usefixtures("installed", "older")
@pytest.mark.parametrize("version", ["", "0.1.9"])
def test_a_notebook_of_the_same_version_or_of_none_is_run(version, capsys):
    check_environment(version)
    assert capsys.readouterr().out.startswith("Ready")


@pytest.mark.usefixtures("installed")
def test_a_newer_course_keeps_its_names_and_runs_an_older_notebook(monkeypatch, capsys):
    monkeypatch.setattr("attention_course.__version__", "0.10.0")
    check_environment("0.2.0")
    assert capsys.readouterr().out.startswith("Ready")


@pytest.mark.parametrize("version", ["new", "v0.2.0", "1", "0..1"])
def test_what_is_no_version_is_refused(version):
    with pytest.raises(ValueError, match="check_environment: version must be like"):
        check_environment(version)


@pytest.mark.usefixtures("installed")
def test_an_assignment_needs_numpy_alone(installed, capsys):
    for package in ("plotly", "ipywidgets", "anywidget", "tqdm", "torch"):
        del installed[package]
    check_environment(__version__, torch=False, drawing=False)
    assert re.fullmatch(r"Ready: Python 3\.\d+, numpy 2\.1\.3\.\n", capsys.readouterr().out)
    cell = setup_cell(OURS, torch=False, drawing=False)
    assert cell.endswith('check_environment("0.2.0", torch=False, drawing=False)')
    assert "missing" not in cell
    del installed["numpy"]
    with pytest.raises(ImportError, match="needs numpy: not installed"):
        check_environment(torch=False, drawing=False)


def test_where_nothing_is_missing_pip_has_nothing_to_do():
    assert missing_packages() == ""


def test_pip_brings_what_is_missing_and_is_held_to_the_rest(installed, monkeypatch):
    del installed["plotly"], installed["anywidget"]
    host = [SimpleNamespace(metadata={"Name": n}, version=v) for n, v in installed.items()]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: host)
    option, held, *names = shlex.split(missing_packages())
    assert (option, names) == ("--constraint", ["plotly", "anywidget"])
    lines = Path(held).read_text().splitlines()
    assert {"ipywidgets==7.7.1", "numpy==2.1.3", "torch==2.11.0+cu128"} <= {*lines}
    assert not [line for line in lines if line.startswith(("plotly", "anywidget"))]


# What a host may have in its folders: the name of one, and its metadata, or none.
ODD = {
    "~umpy-1.26.4": "Name: ~umpy\nVersion: 1.26.4\n",  # an update could not delete it
    "-umpy-1.26.4": "Name: -umpy\nVersion: 1.26.4\n",
    "empty-1.0": None,
    "nameless-1.0": "Version: 1.0\n",
    "versionless-1.0": "Name: versionless\n",
    "dated-1.0": "Name: dated\nVersion: 2024-10-05-custom\n",
    "spaced-1.0": "Name: two words\nVersion: 1.0\n",
    "latin-1.0": b"Name: latin\nVersion: 1.0\xff\n",
}


def test_pip_takes_the_list_whatever_the_host_has_in_its_folders(
    installed, monkeypatch, tmp_path
):
    del installed["anywidget"]
    both = [tmp_path / "first", tmp_path / "second"]
    good = {
        "some_thing-2.0": "Name: some_thing\nVersion: 2.0+cu128\n",
        "Good-1!2.0rc1.post2.dev3": "Name: Good\nVersion: 1!2.0rc1.post2.dev3\n",
    }
    older = {"Some.Thing-1.0": "Name: Some.Thing\nVersion: 1.0\n"}
    for folder, packages in zip(both, (ODD | good, older), strict=True):
        for name, text in packages.items():
            (folder / f"{name}.dist-info").mkdir(parents=True)
            if text is not None:
                data = (
                    text
                    if isinstance(text, bytes)
                    else f"Metadata-Version: 2.1\n{text}".encode()
                )
                (folder / f"{name}.dist-info" / "METADATA").write_bytes(data)
    monkeypatch.setattr(sys, "path", list(map(str, both)))
    held = shlex.split(missing_packages())[1]
    assert Path(held).read_text().split() == [
        "Good==1!2.0rc1.post2.dev3",
        "some_thing==2.0+cu128",
    ]


@pytest.mark.parametrize("torch", [True, False])
@pytest.mark.parametrize("course", [COURSE, OURS])
def test_the_setup_cell_is_short_and_defines_nothing(course, torch):
    cell = setup_cell(course, torch)
    assert len(cell.splitlines()) <= 10
    assert max(map(len, cell.replace(f'"{wheel_of(course)}"', "").splitlines())) <= 96
    tree = parse(cell)
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    assert f'check_environment("{version_of(course)}"' in cell


def test_the_setup_cell_installs_from_the_public_address_or_from_nowhere():
    assert f'%pip install -q --no-deps "{WHEEL}"' in setup_cell(OURS)
    unset = setup_cell(OURS.replace("someone", _setup_cell.UNSET))
    assert "%pip install -q --no-deps" not in unset
    assert "run `make lab` in the course's folder" in unset


def test_the_setup_cell_asks_for_the_version_that_this_is():
    assert version_of(COURSE) == __version__


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


@pytest.mark.parametrize(
    ("version", "numbers"),
    [("2.11.0+cu128", (2, 11, 0)), ("0.10", (0, 10)), ("7", (7,)), ("2.0.0rc1", (2, 0, 0))],
)
def test_versions_are_compared_as_numbers(version, numbers):
    assert numbers_of(version) == numbers


def test_the_floors_are_those_of_the_package():
    from attention_course.environment import FLOORS

    wanted = {}
    for requirement in importlib.metadata.requires("attention-course"):
        if match := re.fullmatch(r"([a-z]+)>=([0-9.]+)", requirement):
            wanted[match[1]] = match[2]
    assert wanted.items() >= FLOORS.items()


def test_it_runs_in_a_fresh_python_and_imports_no_torch():
    code = (
        "import sys; from attention_course.environment import check_environment;"
        "check_environment(torch=False); assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("Ready: Python")
