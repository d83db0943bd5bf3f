"""Whether ``make thorough`` is due: whether what it looks at changed since it last passed.

    python tools/thorough.py                 # says whether it is due; exit status 1 if so
    python tools/thorough.py --passed        # writes down that it passed, as the tree is now
    python tools/thorough.py grader-test     # the same of the grader's own tests

A record holds a hash of what git tracks, so that every clone finds the same one. ``.ci/run``
asks here after ``make test``. The grader's tests look at the grader, at the exercises (the
protocol and the bank among them), and at what the tests and the teacher's pages are made of.

For ``make thorough`` are counted the folders below, the tests and their helpers. Of the
notebooks, which the tests run against the wheel and open in JupyterLab: their code and the
classes of their widgets, not words and outputs. Of the package's other files: their names,
which a wheel may lack, and the modules that look for files or hosts. What else a module
computes is the same in a wheel as in a clone, where ``make test`` runs the same notebooks:
counted, it would be due at every commit.
"""

import argparse
import hashlib
import json
import platform
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from dependencies import ROOT, Repository

RECORDS = {
    "thorough": ROOT / "tests" / "thorough.json",
    "grader-test": ROOT / "grader" / "passed.json",
}
# What the tests build, open and start; beside these count the tests and their helpers.
FOLDERS = (
    "_config.yml",
    "Makefile",
    "pyproject.toml",
    "requirements.txt",
    "requirements/",
    "src/attention_course/benchmarks/",
    "src/attention_course/exercises/",
    "src/attention_course/site/",
    "src/attention_course/widgets/",
)
GRADER = "grader/"
OF_GRADER = (
    GRADER,
    "assignments/",
    "book/teach/",
    "conftest.py",
    "pyproject.toml",
    "requirements",
    "src/attention_course/_setup_cell.py",
    "src/attention_course/exercises/",
    "src/attention_course/measure/",
)
MARK = "pytest.mark.thorough"
# How a module speaks of the place where it lies and of who runs it.
PLACE = re.compile(r"__file__|\bresources\b|find_spec|\bsys\.prefix\b|google\.colab")


def looks_at(repository: Repository, what: str = "thorough") -> list[str]:
    """Return the tracked files that these tests look at."""
    if what == "grader-test":
        tests = {name for name in repository.code if name.startswith(GRADER)}
        tools = {name for name in repository.closure(*tests) if name.startswith("tools/")}
        under = {name for name in repository.names if name.startswith(OF_GRADER)}
        return sorted(under - {RECORDS[what].relative_to(ROOT).as_posix()} | tools)
    tests = {name for name in repository.code if name.startswith("tests/") and "/test_" in name}
    marked = {n for n in tests if MARK in (repository.root / n).read_text(encoding="utf-8")}
    helpers = {
        name for name in repository.closure(*marked) if name.startswith(("tests/", "tools/"))
    }
    under = {name for name in repository.names if name.startswith(FOLDERS)}
    notebooks = {name for name in repository.names if re.fullmatch(r"book/.*\.ipynb", name)}
    placed = {
        name
        for name in repository.code
        if name.startswith("src/")
        and PLACE.search((repository.root / name).read_text(encoding="utf-8"))
    }
    return sorted(marked | helpers | under | notebooks | placed)


def content(path: Path) -> bytes:
    """Return what counts of a file: all of it, of a notebook its code and kinds of widgets."""
    if path.suffix != ".ipynb":
        return path.read_bytes()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [
        ["".join(cell["source"]), sorted(cell["metadata"].get("tags", []))]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    stored = notebook["metadata"].get("widgets", {}).values()
    models = (model["state"] for state in stored for model in state["state"].values())
    kinds = sorted({model["_anywidget_id"] for model in models if "_anywidget_id" in model})
    return json.dumps([code, kinds]).encode()


def digest(what: str, root: Path = ROOT) -> str:
    """Return the hash of the names and contents of those files."""
    command = ["git", "ls-files", "-z"]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    tracked = [name for name in said.split("\0") if name and (root / name).is_file()]
    found = hashlib.sha256()
    for name in looks_at(Repository(root, tracked), what):
        found.update(name.encode() + b"\0" + content(root / name) + b"\0")
    if what == "thorough":
        packed = sorted(name for name in tracked if name.startswith("src/"))
        found.update("\0".join(packed).encode())
    return found.hexdigest()


def recorded(what: str) -> dict:
    """Return what was written down when these tests last passed."""
    path = RECORDS[what]
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=RECORDS, default="thorough")
    parser.add_argument("--passed", action="store_true", help="write down that it passed")
    options = parser.parse_args(arguments)
    what, path = options.what, RECORDS[options.what]
    if not path.parent.is_dir():
        print(f"make {what} is not due: there is no {path.parent.name}/ here.")
        return 0
    if options.passed:
        now = {"date": date.today().isoformat(), "python": platform.python_version()}
        path.write_text(json.dumps(now | {"sha256": digest(what)}, indent=1) + "\n", "utf-8")
        return 0
    last = recorded(what)
    if last.get("sha256") == digest(what):
        print(f"make {what} passed on {last['date']}, and what it looks at is the same.")
        return 0
    since = f" since it passed on {last['date']}" if last else ""
    print(f"make {what} is due: what it looks at has changed{since}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
