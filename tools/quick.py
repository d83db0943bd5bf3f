"""The inner loop: lint, then the tests and notebooks nearest to a change, for half a minute.

    python tools/quick.py            # what differs from main, or from the last commit
    python tools/quick.py FILE ...   # what these files touch
    python tools/quick.py --list     # choose and run nothing

Nearest is what has the name of a changed file or folder, then what looks at it over the fewest
imports (``inputs.py``), where ten seconds count as one: the record of what passed says how long
each took. What itself changed is always run, and all tests of an exercise that changed. The
grader's are left to its gate, unless it changed.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from inputs import BANK, ROOT, SCRIPTS, Tree
from passed import read

# Of two workers, beside the half minute that lint and the start of pytest take, and where a
# script changed, beside the half minute that all checks of scripts take.
SECONDS, BESIDE_SCRIPTS = 27, 5
UNKNOWN, COLLECTED = 5, 1  # each file is read by both workers
# Whatever changed: the few seconds in which the whole repository is read.
ALWAYS = ("tests/test_structure.py", "tests/repository/test_repository.py")


def choose(tree: Tree, changed: list[str], seconds: float = SECONDS) -> tuple[list, list]:
    """Return what to run, nearest to the change first, and what is left to the gate."""
    took = {name: seconds for name, (_, seconds) in read(tree.root).get("unit", {}).items()}
    distance = {}
    elsewhere = ("tests/browser/", *["grader/"] * (not any("grader/" in c for c in changed)))
    for name in tree.tests():
        near = [d for one, d in tree.inputs(name).items() if one in changed]
        if near and not name.startswith(elsewhere):
            distance[name] = min(near)
    called = {Path(one).parent.name for one in changed}
    # A name that many files have, such as index.js, says nothing.
    called |= {Path(one).stem for one in changed if len(tree.called[Path(one).name]) == 1}

    def order(name: str) -> tuple:
        namesake = sum(part.replace("-", "_") in name for part in called)
        return name not in changed, -namesake, distance[name] + took.get(name, 0) / 10, name

    nearest = sorted(distance, key=order)
    kept, left = [], []
    for name in dict.fromkeys([*(n for n in ALWAYS if n in tree.files), *nearest]):
        guessed = 4 * UNKNOWN if name.endswith(".ipynb") else UNKNOWN
        seconds -= took.get(name, guessed) + COLLECTED
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
    scripts = any(name.endswith((*SCRIPTS, ".ts")) for name in changed)
    kept, left = choose(Tree(), changed, BESIDE_SCRIPTS if scripts else SECONDS)
    print("changed:", ", ".join(changed))
    print("chosen:", *kept, sep="\n  ")
    print(f"{len(left)} more, further off, are left to make test.", flush=True)
    if options.list:
        return 0
    steps = [["make", "lint"]]
    if scripts:
        steps.append(["make", "javascript"])
    steps.append(["make", "touched", "TESTS=" + " ".join(kept)])
    for slug in sorted({one.split(BANK)[1].split("/")[0] for one in changed if BANK in one}):
        steps.append(["make", "touched", f"TESTS=tests/exercises/test_bank.py -k {slug}"])
    for step in steps:
        if subprocess.run(step, cwd=ROOT, check=False).returncode:
            return 1
    print("make quick: green. make test is the gate.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
