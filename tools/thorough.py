"""Whether ``make thorough`` is due: whether what it looks at changed since it last passed.

    python tools/thorough.py                 # says whether it is due; exit status 1 if so
    python tools/thorough.py --passed        # writes down that it passed, as the tree is now
    python tools/thorough.py grader-test     # the same of the grader's own tests

A record holds a hash of what git tracks, so that every clone finds the same one. ``.ci/run``
asks here after ``make test``. Of the notebooks, which ``make thorough`` runs against the wheel
and opens in JupyterLab, code and the classes of their widgets count, not words and outputs.
Of the package's other files the names count, which a wheel may lack: what a module computes is
the same in a wheel as in a clone, where ``make test`` runs the same notebooks.
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

ROOT = Path(__file__).resolve().parent.parent
RECORDS = {"thorough": "tests/thorough.json", "grader-test": "grader/passed.json"}
# What the tests build, open and start; beside these count they themselves and their helpers.
LOOKS_AT = {
    "thorough": (
        *("_config.yml", "Makefile", "pyproject.toml", "requirements", "tests/", "tools/"),
        "src/attention_course/benchmarks/",
        "src/attention_course/exercises/",
        "src/attention_course/site/",
        "src/attention_course/widgets/",
    ),
    "grader-test": (
        *("assignments/", "book/teach/", "conftest.py", "grader/", "pyproject.toml"),
        *("requirements", "tools/first_class.py", "tools/rules/source.py", "tools/stamp.py"),
        "src/attention_course/_setup_cell.py",
        "src/attention_course/exercises/",
        "src/attention_course/measure/",
    ),
}
MARK = "pytest.mark.thorough"
# How a module speaks of the place where it lies and of who runs it.
PLACE = re.compile(r"__file__|\bresources\b|find_spec|\bsys\.prefix\b|google\.colab")


def counts(path: Path, name: str, what: str) -> bool:
    """Say whether these tests look at what a tracked file holds."""
    if name in RECORDS.values():
        return False
    looked_at = name.startswith(LOOKS_AT[what])
    if what == "grader-test":
        return looked_at
    if re.fullmatch(r"tests/(.*/)?test_.*\.py", name):
        return MARK in path.read_text(encoding="utf-8")
    if re.fullmatch(r"src/.*\.py", name):
        return looked_at or bool(PLACE.search(path.read_text(encoding="utf-8")))
    return looked_at or bool(re.fullmatch(r"book/.*\.ipynb", name))


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
    found = hashlib.sha256()
    for name in filter(None, said.split("\0")):
        path = root / name
        if path.is_file() and counts(path, name, what):
            found.update(name.encode() + b"\0" + content(path) + b"\0")
        elif what == "thorough" and name.startswith("src/"):
            found.update(name.encode() + b"\0")
    return found.hexdigest()


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=RECORDS, default="thorough")
    parser.add_argument("--passed", action="store_true", help="write down that it passed")
    options = parser.parse_args(arguments)
    what, path = options.what, root / RECORDS[options.what]
    if not path.parent.is_dir():
        print(f"make {what} is not due: there is no {path.parent.name}/ here.")
        return 0
    if options.passed:
        now = {"date": date.today().isoformat(), "python": platform.python_version()}
        record = now | {"sha256": digest(what, root)}
        path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
        return 0
    last = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if last.get("sha256") == digest(what, root):
        print(f"make {what} passed on {last['date']}, and what it looks at is the same.")
        return 0
    since = f" since it passed on {last['date']}" if last else ""
    print(f"make {what} is due: what it looks at has changed{since}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
