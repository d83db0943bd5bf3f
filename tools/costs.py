"""What each test file and each notebook costs, in CPU seconds: a pytest plugin and a command.

    python tools/costs.py              # runs every phase of the gate; writes tests/costs.json
    python tools/costs.py lint site    # these phases only; what is known of the others stays

Seconds on the clock say how busy a machine was; CPU seconds say what the work takes. Counted
is a whole tree of processes: pytest's own, the kernels, browsers and sandboxes that a test
started and that still run, and those that have ended. What was recorded also sets the order:
with several workers the file that takes longest comes first.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import threading
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
PHASES = ("lint", "types", "javascript", "site", "unit", "browser", "status")
PACKAGES = ("pytest", "pytest-xdist", "nbval", "torch", "playwright")
# Where pytest leaves what each file took, when this is set.
VARIABLE = "COSTS"
AROUND = "(start, collection, end)"
# What a file may cost of which nothing is recorded yet.
UNKNOWN = 5.0


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


class Meter(threading.Thread):
    """Adds up CPU time several times a second.

    A browser hands on nothing of what its processes had spent when they end, so that a sum
    taken now and then would fall. What it grew by in between is added up, and no fall.
    """

    def __init__(self, every: float = 0.25):
        super().__init__(daemon=True)
        self.every, self.spent, self.last = every, 0.0, 0.0
        self.lock, self.over = threading.Lock(), threading.Event()
        self.start()

    def run(self):
        """Read until it is over."""
        while not self.over.wait(self.every):
            self.read()

    def read(self) -> float:
        """Return the CPU time spent until now."""
        with self.lock:
            now = cpu_seconds()
            self.spent += max(0.0, now - self.last)
            self.last = now
            return self.spent


class Costs:
    """Counts by file in each worker; the process that started them gathers and writes."""

    def __init__(self, config: pytest.Config, target: Path):
        self.config, self.target = config, target
        self.found: dict[str, float] = defaultdict(float)
        self.works = hasattr(config, "workerinput") or not config.getoption("numprocesses", 0)
        self.meter = Meter() if self.works else None
        self.at = 0.0

    def _charge(self, name: str) -> None:
        now = self.meter.read()
        self.found[name] += now - self.at
        self.at = now

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        """Charge a file with what came since the last one's end, fixtures included."""
        if not self.found:
            self._charge(AROUND)
        result = yield
        name = _file_of(item)
        if nextitem is None or _file_of(nextitem) != name:
            self._charge(name)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        """Take over what a worker found."""
        for name, seconds in getattr(node, "workeroutput", {}).get("costs", {}).items():
            self.found[name] += seconds

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self):
        """Hand over what this worker found, or write down what all of them did."""
        if self.works:
            self._charge(AROUND)
            self.meter.over.set()
        else:
            self.found[AROUND] += time.process_time()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["costs"] = dict(self.found)
        else:
            self.target.write_text(json.dumps(self.found), encoding="utf-8")


def _file_of(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


def pytest_configure(config):
    """Count only where somebody asks for it; keep to the order of the costs."""
    if target := os.environ.get(VARIABLE):
        config.pluginmanager.register(Costs(config, Path(target)))
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False  # xdist would begin with the most tests


def pytest_collection_modifyitems(config, items):
    """Let the file that takes longest come first, so that no worker ends alone with it."""
    if hasattr(config, "workerinput"):
        items[:] = longest_first(items, of_files(recorded()))


def longest_first(items: list, costs: dict[str, float]) -> list:
    """Return items by their files' costs; inside a file they keep their order."""
    seconds = {name: costs.get(name, UNKNOWN) for name in map(_file_of, items)}
    place = {name: number for number, name in enumerate(seconds)}
    return sorted(items, key=lambda item: (-seconds[f := _file_of(item)], place[f]))


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
    parser.add_argument("phases", nargs="*", metavar="PHASE", help=", ".join(PHASES))
    phases = tuple(parser.parse_args(arguments).phases) or PHASES
    known = recorded()
    for phase, seconds, files in measure(phases):
        # A browser that is killed hands nothing on: its files have seen more than the phase.
        seconds = max(seconds, sum(files.values()))
        print(f"{phase}: {seconds:.0f} CPU seconds", flush=True)
        rounded = {name: round(spent, 1) for name, spent in sorted(files.items())}
        known[phase] = machine() | {"seconds": round(seconds, 1), "files": rounded}
    # Written at the end, for the status page shows it and a phase compares that page.
    text = json.dumps({phase: known[phase] for phase in PHASES if phase in known}, indent=1)
    RECORD.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
