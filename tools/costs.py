"""What each test file and each notebook costs, in CPU seconds: recorded by a command.

    python tools/costs.py              # runs every phase of the gate; writes tests/costs.json
    python tools/costs.py lint site    # these phases only; what is known of the others stays

Seconds on the clock say how busy a machine was; CPU seconds say what the work takes. What
earlier runs kept (answers of the bank, mypy's and ruff's caches) is thrown away first, as a
fresh clone has none of it.
``count_costs`` counts them while pytest runs. The status page reads the record where neither
pytest nor psutil is installed.
"""

import argparse
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "costs.json"
# The phases of `make test`, without the environment, which only downloads.
PHASES = ("lint", "types", "javascript", "site", "unit", "browser")
PACKAGES = ("pytest", "pytest-xdist", "nbval", "torch", "playwright")
# What a run leaves for the next, and a fresh clone has not.
KEPT = (".make/answers", ".mypy_cache", ".ruff_cache")
# Where pytest leaves what each file took, when this is set.
VARIABLE = "COSTS"
AROUND = "(start, collection, end)"
# What a file may cost of which nothing is recorded yet.
UNKNOWN = 5.0
# The share of the files that may be newer than the record.
NEWER = 1 / 3


def recorded(path: Path = RECORD) -> dict[str, dict]:
    """Return what was recorded of each phase: when, on what, its seconds and its files'."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def of_files(record: dict[str, dict]) -> dict[str, float]:
    """Return the CPU seconds of every test file and notebook, over all phases."""
    found: dict[str, float] = defaultdict(float)
    for phase in record.values():
        for name, seconds in phase["files"].items():
            if name != AROUND:
                found[name] += seconds
    return dict(found)


def there(root: Path = ROOT) -> set[str]:
    """Return the test files of ``make test`` and the notebooks, as the record names them."""
    tests = {
        path
        for path in (root / "tests").rglob("test_*.py")
        if not re.search(r"(?m)^pytestmark = pytest\.mark\.(thorough|interpreted|compiled)\b",
                         path.read_text(encoding="utf-8"))
    }  # fmt: skip
    found = tests | {*(root / "book").rglob("*.ipynb")}
    return {p.relative_to(root).as_posix() for p in found if not any(
        part.startswith((".", "_")) for part in p.relative_to(root).parts)}  # fmt: skip


def measure(phases: tuple[str, ...]) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Run phases of the gate; give the CPU seconds of each, and of its files."""
    found = ROOT / ".make" / "costs.json"
    found.parent.mkdir(exist_ok=True)
    for name in KEPT:
        shutil.rmtree(ROOT / name, ignore_errors=True)
    for phase in phases:
        found.unlink(missing_ok=True)
        before = _of_children()
        done = subprocess.run(
            ["make", phase], cwd=ROOT, env=os.environ | {VARIABLE: str(found)}, check=False
        )
        if done.returncode:
            raise SystemExit(f"costs: {phase} must be green to be measured")
        files = json.loads(found.read_text(encoding="utf-8")) if found.is_file() else {}
        yield phase, _of_children() - before, files


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def machine() -> dict:
    """Return the processor, the number of its cores, and the versions that ran."""
    from importlib.metadata import version

    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "date": date.today().isoformat(),
        "machine": f"{(names or [platform.machine()])[0]}, {os.cpu_count()} cores",
        "versions": {"python": platform.python_version()}
        | {package: version(package) for package in PACKAGES},
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("phases", nargs="*", metavar="PHASE", help=", ".join(PHASES))
    phases = tuple(parser.parse_args(arguments).phases) or PHASES
    known = recorded()
    for phase, seconds, files in measure(phases):
        # A browser that is killed hands nothing on: its files have seen more than the phase.
        seconds = max(seconds, sum(files.values()))
        print(f"{phase}: {seconds:.0f} CPU seconds", flush=True)
        rounded = {name: round(spent, 1) for name, spent in sorted(files.items())}
        known[phase] = machine() | {"seconds": round(seconds, 1), "files": rounded}
    text = json.dumps({phase: known[phase] for phase in PHASES if phase in known}, indent=1)
    RECORD.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
