"""What a reader gets who has no clone: the wheel, a notebook, and an empty folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from execute_notebooks import book_notebooks
from nbclient import NotebookClient
from stamp import ROOT, stamp

from attention_course import __version__
from attention_course._setup_cell import setup_cell, wheel_of

URL = "https://github.com/someone/attention-measured"
COURSE = f"attention-course @ git+{URL}@v{__version__}"
MOST = 12_000_000  # bytes of what Colab fetches
PARTS = ("pyproject.toml", "README.md", "LICENSE", "_config.yml", "src")
HERE = Path(sysconfig.get_path("purelib"))
PRIVATE = "quaggazebra"
PIP = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
# Runs a notebook with the Python that runs this, in the folder where it lies.
RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=True).execute()
nbformat.write(notebook, sys.argv[1])
"""


def copy_of_the_course(folder, version=__version__, url=URL):
    """Copy what the wheel is made from, as another version and with an address."""
    folder.mkdir()
    for name in PARTS:
        if (ROOT / name).is_dir():
            skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / name, folder / name, ignore=skip)
        else:
            shutil.copy(ROOT / name, folder)
    stamp(folder, URL, f"v{version}")
    cell = folder / "src/attention_course/_setup_cell.py"
    cell.write_text(cell.read_text("utf-8").replace(URL, url), "utf-8")
    return folder


def release(folder, version=__version__):
    """Lay a release into a folder, as its workflow does; return the folder's address."""
    url = f"file://{folder}"
    beside = folder / f"releases/download/v{version}"
    beside.mkdir(parents=True)
    shutil.move(built(copy_of_the_course(folder / version, version, url)), beside)
    return url


def built(folder):
    options = ["--no-deps", "--no-build-isolation", "--no-index", "-w", folder / "wheels"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", *options, folder], check=True)
    return next((folder / "wheels").glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = copy_of_the_course(tmp_path_factory.mktemp("now") / "course")
    own = folder / "private" / "sinks" / "my_exercise.py"
    own.parent.mkdir(parents=True)
    own.write_text(f"# {PRIVATE}\n", encoding="utf-8")
    return built(folder)


def test_nothing_of_a_teachers_own_exercise_is_in_the_wheel(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert "attention_course/exercises/examples.py" in names
        assert not [name for name in names if PRIVATE.encode() in archive.read(name)]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder in which nothing but the wheel is installed."""
    return unpacked(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The wheel of a release alone."""
    folder = tmp_path_factory.mktemp("published")
    release(folder)
    return unpacked(next(folder.glob("releases/**/*.whl")), folder / "installed")


@pytest.fixture(scope="module")
def installed_older(tmp_path_factory):
    folder = copy_of_the_course(tmp_path_factory.mktemp("then") / "course", "0.1.9")
    return unpacked(built(folder), tmp_path_factory.mktemp("installed-older"))


def unpacked(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_alone(notebook, folder, site, **options):
    """Run a notebook in an empty folder, with the course from ``site`` before any other."""
    folder.mkdir(exist_ok=True)
    assert list(folder.iterdir()) == []
    options |= {"timeout": 600, "resources": {"metadata": {"path": str(folder)}}}
    client = NotebookClient(notebook, kernel_name="python3", **options)
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    client.execute(env=os.environ | threads | {"PYTHONPATH": str(site)})
    return notebook


def notebook_of(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])


def test_the_wheel_is_small_and_holds_all_but_the_pages_python(wheel):
    assert wheel.stat().st_size <= MOST
    paths = (path for path in (ROOT / "src/attention_course").rglob("*") if path.is_file())
    left_out = {"pyodide", "tests"}  # the pages' Python; what tests a widget
    paths = (
        path for path in paths if path.suffix != ".pyc" and path.parent.name not in left_out
    )
    wanted = {str(path.relative_to(ROOT / "src")) for path in paths}
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == wanted


def test_a_notebook_runs_alone_with_the_wheel(installed, tmp_path):
    notebook = nbformat.read(ROOT / "book/why/attention-by-hand.ipynb", as_version=4)
    where = "import attention_course\nprint(attention_course.__file__)"
    notebook.cells.append(nbformat.v4.new_code_cell(where))
    run_alone(notebook, tmp_path / "empty", installed)
    assert notebook.cells[-1].outputs[0].text.startswith(str(installed))


@pytest.mark.gate("the course's version", "an older course is installed")
def test_an_older_course_is_noticed_and_the_run_stops(installed_older, tmp_path):
    notebook = notebook_of(setup_cell(COURSE, torch=False), "print('went on')")
    with pytest.raises(Exception, match=f"written for version {__version__}"):
        run_alone(notebook, tmp_path / "empty", installed_older)
    error = notebook.cells[0].outputs[-1]
    shown = "\n".join(error.traceback)
    assert f'%pip install -q --no-deps "{wheel_of(COURSE)}"' in shown
    assert "Traceback" not in shown
    assert notebook.cells[1].outputs == []


@pytest.mark.thorough
@pytest.mark.parametrize("path", [str(path.relative_to(ROOT)) for path in book_notebooks()])
def test_every_notebook_runs_alone_with_the_wheel(published, tmp_path, path):
    notebook = nbformat.read(ROOT / path, as_version=4)
    run_alone(notebook, tmp_path / "empty", published)


class Host:
    """A Python with this environment's packages, to which pip can add and nothing more."""

    def __init__(self, folder, without=()):
        self.folder, self.wheels = folder, folder / "wheels"
        packages = folder / "packages"
        packages.mkdir(parents=True)
        gone = "|".join(
            ["attention_course", "course_grader", "__editable__", "_virtualenv", *without]
        )
        for entry in HERE.iterdir():
            if not re.match(gone, entry.name) and entry.suffix != ".pth":
                (packages / entry.name).symlink_to(entry)
        venv.create(folder / "venv")
        self.python = folder / "venv/bin/python"
        site = next((folder / "venv/lib").glob("python*/site-packages"))
        (site / "host.pth").write_text(f"{packages}\n")
        self.wheels.mkdir()

    def run(self, *sources):
        """Run cells in an empty folder; return what each printed or raised."""
        empty = self.folder / "empty"
        shutil.rmtree(empty, ignore_errors=True)
        empty.mkdir()
        nbformat.write(notebook_of(*sources), empty / "one.ipynb")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment |= PIP | {"PIP_FIND_LINKS": str(self.wheels)}
        environment |= {"HOME": str(self.folder)}
        command = [str(self.python), "-c", RUN, "one.ipynb"]
        subprocess.run(command, cwd=empty, env=environment, check=True)
        cells = nbformat.read(empty / "one.ipynb", as_version=4).cells
        return [_shown(cell) for cell in cells]

    def publish(self, version=__version__):
        """Release the course in this folder; return its setup cell."""
        url = release(self.folder / "someone", version)
        return setup_cell(f"attention-course @ git+{url}@v{version}")

    def offer(self, name, version, *requires):
        """Put a wheel with one empty module on the shelf."""
        info = f"{name}-{version}.dist-info"
        needs = "".join(f"Requires-Dist: {need}\n" for need in requires)
        about = f"Name: {name}\nVersion: {version}\n"
        files = {
            f"{name}.py": f'__version__ = "{version}"\n',
            f"{info}/METADATA": f"Metadata-Version: 2.1\n{about}{needs}",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
        with zipfile.ZipFile(
            self.wheels / f"{name}-{version}-py3-none-any.whl", "w"
        ) as archive:
            for path, text in (files | {f"{info}/RECORD": record}).items():
                archive.writestr(path, text)


def _shown(cell):
    return "".join(
        out.text if out.output_type == "stream" else "\n".join(out.get("traceback", []))
        for out in cell.outputs
    )


VERSIONS = """import json, numpy, anywidget
print(json.dumps([numpy.__version__, anywidget.__version__]))"""


@pytest.mark.thorough
def test_the_setup_cell_installs_the_course_from_its_address_and_nothing_else(tmp_path):
    host = Host(tmp_path / "host")
    first, where = host.run(host.publish(), "print(ac.__file__, ac.__version__)")
    assert "Ready: Python" in first
    assert str(tmp_path / "host/venv") in where
    assert where.split()[-1] == __version__


@pytest.mark.thorough
def test_what_is_missing_is_installed_and_what_is_there_stays(tmp_path):
    import numpy

    host = Host(tmp_path / "host", without=("anywidget",))
    cell = host.publish()
    host.offer("anywidget", "0.9.30", "numpy")
    # pip would take this one, and the newer numpy with it, if it were not held.
    host.offer("anywidget", "0.10.0", "numpy>=99")
    host.offer("numpy", "99.0")
    first, versions = host.run(cell, VERSIONS)
    assert "Ready: Python" in first
    assert json.loads(versions) == [numpy.__version__, "0.9.30"]


@pytest.mark.thorough
def test_the_line_that_is_shown_replaces_an_older_course(tmp_path):
    host = Host(tmp_path / "host")
    assert "Ready" in host.run(host.publish("0.1.9"))[0]
    cell = host.publish()
    refused = host.run(cell)[0]
    assert "0.1.9 is loaded" in refused
    assert "Ready" not in refused
    (line,) = (line.strip() for line in refused.splitlines() if "%pip" in line)
    host.run(line)
    assert "Ready: Python" in host.run(cell)[0]


@pytest.mark.thorough
def test_what_cannot_be_installed_is_named(tmp_path):
    host = Host(tmp_path / "host", without=("anywidget",))
    shown = host.run(host.publish())[0]
    assert "This notebook needs anywidget: not installed" in shown
    assert "%pip install -q anywidget" in shown
