"""What each test file and each notebook costs, in CPU seconds: a pytest plugin and a command.

    python tools/costs.py          # runs every phase of the gate; writes tests/costs.json

Seconds on the clock say how busy a machine was; CPU seconds say what the work takes. Counted
is a whole tree of processes: pytest's own, the kernels, browsers and sandboxes that a test
started and that still run, and those that have ended.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "costs.json"
# The phases of `make test`, without the environment, which only downloads.
PHASES = ("lint", "javascript", "site", "unit", "browser", "status")
PACKAGES = ("pytest", "pytest-xdist", "nbval", "torch", "playwright")
# Where pytest leaves what each file took, when this is set.
VARIABLE = "COSTS"
AROUND = "(start, collection, end)"


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all that it started, ended or running."""
    spent = time.process_time()
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent += ended.ru_utime + ended.ru_stime
    for process in psutil.Process().children(recursive=True):
        try:
            taken = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += taken.user + taken.system + taken.children_user + taken.children_system
    return spent


def recorded(path: Path = RECORD) -> dict:
    """Return what was recorded, or a record without phases and files."""
    if not path.is_file():
        return {"phases": {}, "files": {}}
    return json.loads(path.read_text(encoding="utf-8"))


class Costs:
    """Counts by file in each worker; the process that started them gathers and writes."""

    def __init__(self, config: pytest.Config, target: Path):
        self.config, self.target = config, target
        self.found: dict[str, float] = defaultdict(float)
        self.at = 0.0

    def _charge(self, name: str) -> None:
        now = cpu_seconds()
        self.found[name] += now - self.at
        self.at = now

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        """Charge a file with what came since the last one's end, fixtures included."""
        self.at = self.at or self._begin()
        result = yield
        name = _file_of(item)
        if nextitem is None or _file_of(nextitem) != name:
            self._charge(name)
        return result

    def _begin(self) -> float:
        self._charge(AROUND)
        return self.at

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        """Take over what a worker found."""
        for name, seconds in getattr(node, "workeroutput", {}).get("costs", {}).items():
            self.found[name] += seconds

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        """Hand over what this worker found, or write down what all of them did."""
        if hasattr(self.config, "workeroutput"):
            self._charge(AROUND)
            self.config.workeroutput["costs"] = dict(self.found)
            return
        own = time.process_time() if self.config.getoption("numprocesses", 0) else 0
        if not own:
            self._charge(AROUND)
        self.found[AROUND] += own
        self.target.write_text(json.dumps(self.found), encoding="utf-8")


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


def pytest_configure(config):
    """Count only where somebody asks for it."""
    if target := os.environ.get(VARIABLE):
        config.pluginmanager.register(Costs(config, Path(target)))


def measure(phases: tuple[str, ...]) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Run phases of the gate; give the CPU seconds of each, and of its files."""
    found = ROOT / ".make" / "costs.json"
    found.parent.mkdir(exist_ok=True)
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
    parser.add_argument("phases", nargs="*", default=PHASES, metavar="PHASE")
    record = {"phases": {}, "files": {}}
    for phase, seconds, files in measure(tuple(parser.parse_args(arguments).phases)):
        print(f"{phase}: {seconds:.0f} CPU seconds", flush=True)
        record["phases"][phase] = round(seconds, 1)
        for name, spent in files.items():
            name = f"{phase} {name}" if name == AROUND else name
            record["files"][name] = round(record["files"].get(name, 0) + spent, 1)
    record["files"] = dict(sorted(record["files"].items()))
    RECORD.write_text(json.dumps(machine() | record, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
