"""Counts the CPU seconds of each test file and notebook: a pytest plugin.

Counted is a whole tree of processes: pytest's own, the kernels, browsers and sandboxes that a
test started and that still run, and those that have ended. What was recorded also sets the
order: with several workers the file that takes longest comes first.
"""

import json
import os
import resource
import threading
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest
from costs import AROUND, UNKNOWN, VARIABLE, of_files, recorded


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
