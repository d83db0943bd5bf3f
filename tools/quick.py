"""The inner loop: lint, then the tests and notebooks that a change touches, nearest first.

    python tools/quick.py            # what differs from main, or from the last commit
    python tools/quick.py FILE ...   # what these files touch
    python tools/quick.py --list     # choose and run nothing

A change touches the tests and notebooks that name the file or what it defines; a script or data
touch those that name the modules beside them. What reads the whole repository and is cheap is
run whatever changed. What is further off, or needs the built site, is left to ``make test``.
"""

import argparse
import ast
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# So many files take two cores about two minutes; the nearest to the change come first.
MOST = 20
# They read every file of the repository and take a few seconds.
ALWAYS = ("tests/test_structure.py", "tests/repository/test_repository.py")
# A chapter is also held against the rules and the bank, an exercise against its mistakes.
MORE = {
    r"book/.*\.ipynb": (
        "tests/notebooks/test_stored_notebooks.py",
        "tests/notebooks/test_exercises_in_chapters.py",
        "tests/notebooks/test_page_rules.py",
        "tests/notebooks/test_plain_markdown.py",
    ),
    r"src/attention_course/exercises/bank/.*": ("tests/exercises/test_bank.py",),
}
SCRIPTS = (".js", ".mjs", ".ts")
UNSAID = {"__init__", "conftest", "index", "maths", "style", "widget", "main"}


def choose(root: Path, changed: list[str], most: int = MOST) -> tuple[list[str], list[str]]:
    """Return what to run, nearest to the change first, and what is left out beyond ``most``.

    What itself changed is always run.
    """
    files = runnable(root)
    own = [name for name in changed if name in files]
    wanted = (MORE[form] for form in MORE if any(re.fullmatch(form, c) for c in changed))
    asked = [name for names in wanted for name in names if name in files]
    said = {name: set(re.findall(r"\w+", text)) for name, text in files.items()}
    near: dict[str, int] = {}
    for name in set(changed) - set(own):
        words, stem = names_in(root / name), Path(name).stem
        for other, spoken in said.items():
            if count := len(words & spoken):
                mirror = 2 * (stem in Path(other).stem) + (Path(name).parent.name in other)
                near[other] = max(near.get(other, 0), count + 1000 * mirror)
    nearest = sorted(near, key=lambda name: (-near[name], name))
    found = list(dict.fromkeys([*own, *asked, *nearest]))
    most = max(most, len(own))
    always = [name for name in ALWAYS if name in files and name not in found[:most]]
    return found[:most] + always, found[most:]


def runnable(root: Path) -> dict[str, str]:
    """Return the code of what pytest runs here: tests without the built site, and notebooks."""
    tests = [*root.glob("tests/**/test_*.py"), *root.glob("grader/tests/**/test_*.py")]
    found = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in tests}
    for path in root.glob("book/**/[!.]*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        found[path.relative_to(root).as_posix()] = "\n".join(code)
    return {name: text for name, text in found.items() if not name.startswith("tests/browser/")}


def names_in(path: Path) -> set[str]:
    """Return by which words others speak of a file: its name, and what is defined there."""
    modules = [path] if path.suffix == ".py" else list(path.parent.glob("*.py"))
    found = {path.stem, *(module.stem for module in modules)} - UNSAID
    for module in filter(Path.is_file, modules):
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            if isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in found if not name.startswith("_")}


def changes() -> tuple[str, list[str]]:
    """Return against what is compared, and the files that differ or that git does not know."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = _git("diff", "--name-only", base[0])
    names += _git("ls-files", "--others", "--exclude-standard")
    return ("main" if base != ["HEAD"] else "the last commit"), sorted(set(names))


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--list", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    base, changed = changes()
    changed = options.files or changed
    if not changed:
        print(f"Nothing differs from {base}: there is nothing to run.")
        return 0
    print(f"changed{'' if options.files else f' against {base}'}: {', '.join(changed)}")
    kept, left = choose(ROOT, changed)
    print("chosen:", *kept, sep="\n  ")
    if left:
        print("left to make test:", *left, sep="\n  ", flush=True)
    if options.list:
        return 0
    steps = [["make", "lint"]]
    if any(name.endswith(SCRIPTS) or name.startswith("tests/js/") for name in changed):
        steps.append(["make", "javascript"])
    steps.append(["make", "touched", "TESTS=" + " ".join(kept)])
    for step in steps:
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return 1
    print("make quick: green. make test is the gate.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
