"""The inner loop: lint, then the tests and notebooks nearest to a change, for half a minute.

    python tools/quick.py            # what differs from main, or from the last commit
    python tools/quick.py FILE ...   # what these files touch
    python tools/quick.py --list     # choose and run nothing

Nearest is what has the name of a changed file or folder, then what looks at it over the fewest
imports (``inputs.py``), then what is short: the record of what passed says how long each took.
What itself changed is always run.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from inputs import ROOT, SCRIPTS, Tree
from passed import read

# Of two workers, beside the half minute that lint and the start of pytest take.
SECONDS = 50
UNKNOWN = 5
# Whatever changed: the few seconds in which the whole repository is read.
ALWAYS = ("tests/test_structure.py", "tests/repository/test_repository.py")


def choose(tree: Tree, changed: list[str], seconds: float = SECONDS) -> tuple[list, list]:
    """Return what to run, nearest to the change first, and what is left to the gate."""
    took = {name: seconds for name, (_, seconds) in read(tree.root).get("unit", {}).items()}
    distance = {}
    for name in tree.tests():
        near = [d for one, d in tree.inputs(name).items() if one in changed]
        if near and not name.startswith("tests/browser/"):
            distance[name] = min(near)
    called = {part for one in changed for part in (Path(one).stem, Path(one).parent.name)}

    def order(name: str) -> tuple:
        namesake = sum(part.replace("-", "_") in name for part in called)
        return name not in changed, -namesake, distance[name], took.get(name, 0), name

    nearest = sorted(distance, key=order)
    kept, left = [], []
    for name in dict.fromkeys([*(n for n in ALWAYS if n in tree.files), *nearest]):
        seconds -= took.get(name, 4 * UNKNOWN if name.endswith(".ipynb") else UNKNOWN)
        (kept if seconds >= 0 or name in changed or name in ALWAYS else left).append(name)
    return kept, left


def changes() -> list[str]:
    """Return the files that differ from main, or that git does not know."""
    base = _git("merge-base", "HEAD", "main") or ["HEAD"]
    names = _git("diff", "--name-only", base[0])
    return sorted({*names, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--list", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    changed = options.files or changes()
    if not changed:
        print("Nothing differs from main: there is nothing to run.")
        return 0
    kept, left = choose(Tree(), changed)
    print("changed:", ", ".join(changed))
    print("chosen:", *kept, sep="\n  ")
    print(f"{len(left)} more, further off, are left to make test.", flush=True)
    if options.list:
        return 0
    steps = [["make", "lint"]]
    if any(name.endswith((*SCRIPTS, ".ts")) for name in changed):
        steps.append(["make", "javascript"])
    steps.append(["make", "touched", "TESTS=" + " ".join(kept)])
    for step in steps:
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return 1
    print("make quick: green. make test is the gate.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
