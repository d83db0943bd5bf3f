"""The inner loop: lint, then the tests and notebooks that a change touches, nearest first.

    python tools/quick.py            # what differs from main, or from the last commit
    python tools/quick.py FILE ...   # what these files touch
    python tools/quick.py --list     # choose, say why, and run nothing

A test is touched when it imports what changed, over any number of steps, or a module to which a
changed script or data file belongs; a notebook likewise. What reads the whole repository and is
cheap is run whatever changed. What needs the built site is left to ``make test``.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from dependencies import ROOT, Repository

# So many files take two cores about two minutes; the nearest to the change come first.
MOST = 20
# They read every file of the repository and take a few seconds.
ALWAYS = ("tests/test_structure.py", "tests/repository/test_repository.py")
# A chapter is also held against the rules and the bank.
OF_CHAPTERS = (
    "tests/notebooks/test_stored_notebooks.py",
    "tests/notebooks/test_exercises_in_chapters.py",
    "tests/notebooks/test_page_rules.py",
    "tests/notebooks/test_plain_markdown.py",
)
OF_SLIDES = ("tests/site/test_slides.py", "tests/repository/test_teach.py")
NEEDS_SITE = "tests/browser/"
SCRIPTS = (".js", ".mjs", ".ts")


@dataclass(frozen=True)
class Choice:
    """A test file or a notebook to run, and why."""

    name: str
    why: str


def choose(
    repository: Repository, changed: Iterable[str], most: int = MOST
) -> tuple[list[Choice], list[Choice]]:
    """Return what to run, nearest to the change first, and what is left out beyond ``most``.

    What itself changed is always run.
    """
    changed = [name for name in changed if name in repository.names]
    ways = {name: way for name, way in repository.touched(changed).items() if runnable(name)}
    found = [Choice(name, _why(way)) for name, way in ways.items()]
    more = dict.fromkeys(ALWAYS, "reads every file")
    if any(name.endswith(".ipynb") for name in changed):
        more |= dict.fromkeys(OF_CHAPTERS, "reads every notebook")
    if any(name.startswith("book/slides/") for name in changed):
        more |= dict.fromkeys(OF_SLIDES, "reads every set of slides")
    found += [
        Choice(name, why)
        for name, why in more.items()
        if name in repository.names and name not in ways and changed
    ]
    found.sort(key=lambda c: (c.name not in more, len(ways.get(c.name, ()))))
    taken = {choice.name for choice in found[:most]} | {*changed}
    kept = [choice for choice in found if choice.name in taken]
    return kept, [choice for choice in found if choice.name not in taken]


def runnable(name: str) -> bool:
    """Say whether a file is one that pytest runs here: a test or a notebook of the book."""
    path = PurePosixPath(name)
    if name.startswith(NEEDS_SITE):
        return False
    return (name.startswith(("tests/", "grader/tests/")) and path.match("test_*.py")) or (
        name.startswith("book/") and path.suffix == ".ipynb"
    )


def _why(way: tuple[str, ...]) -> str:
    return "it changed" if len(way) == 1 else "by way of " + ", ".join(way[1:])


def changes() -> tuple[str, list[str]]:
    """Return against what is compared, and the files that differ or that git does not know."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = _git("diff", "--name-only", base[0])
    names += _git("ls-files", "--others", "--exclude-standard")
    return ("main" if base != ["HEAD"] else "the last commit"), sorted(set(names))


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def report(kept: list[Choice], left: list[Choice]) -> str:
    """Return in words what is run and why, and what is not."""
    lines = ["chosen:", *(f"  {c.name}: {c.why}" for c in kept)]
    if left:
        lines += ["left to make test:", *(f"  {c.name}: {c.why}" for c in left)]
    return "\n".join(lines)


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
    kept, left = choose(Repository(), changed)
    print(report(kept, left), flush=True)
    if options.list:
        return 0
    steps = [["make", "lint"]]
    if any(name.endswith(SCRIPTS) or name.startswith("tests/js/") for name in changed):
        steps.append(["make", "javascript"])
    if kept:
        steps.append(["make", "touched", "TESTS=" + " ".join(c.name for c in kept)])
    for step in steps:
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return 1
    print("make quick: green. make test is the gate.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
