"""What looks at something that did not change does not run: a record of what passed on what.

    python -m pytest --passed unit           # run what changed, write down what passed
    ALL=1 python -m pytest --passed unit     # run everything, write down what passed
    python tools/passed.py thorough          # say what is due; exit status 1 if anything is

``tests/passed.json`` has, for each gate and test file, a hash of what the file looks at
(``inputs.py``) and the seconds that its tests took. It is written at the end of a run, of the
files all whose tests passed; a file that failed loses its record. A test that starts a program,
or opens or lists what was not found in its text, looks at the whole repository: its hash, which
then begins with a star, is of that. So a missing ``pytest.mark.inputs`` costs time and hides
nothing. Tests marked ``each_page`` have a record for each page of the built site.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inputs import BUILT, RECORD, ROOT, SITE, Tree

# Of each gate: where its tests stand, and which of them are its own.
LATER = "not thorough and not interpreted and not compiled and not pretrained"
GATES = {
    "unit": ("", f"not browser and not site and {LATER}"),
    "browser": ("tests/", "(browser or site) and not thorough"),
    "thorough": ("tests/", "thorough"),
    "grader": ("grader/", "not browser"),
    "grader-browser": ("grader/", "browser"),
}
PAGE = re.compile(r"\[(?:\d+-)?([\w/-]+\.html)\b")
# The browsers read what the tests give them.
BROWSER = re.compile(r"playwright|chrom|firefox")
EVENTS, STARTED = {"open", "os.listdir", "os.scandir", "subprocess.Popen"}, "a program"


def read(root: Path = ROOT) -> dict[str, dict[str, list]]:
    """Return the record: of each gate and file, a hash and seconds."""
    path = root / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def due(tree: Tree, gate: str) -> list[str]:
    """Return the files of a gate that have not passed on what is there now."""
    place, marks = GATES[gate]
    there = [n for n in tree.tests() if n.startswith(place or ("book/", "tests/"))]
    wanted = re.findall(r"(?<!not )\b(browser|site|thorough)\b", marks)
    if wanted:
        marked = re.compile(rf"pytest\.mark\.({'|'.join(wanted)})\b")
        there = [n for n in there if n.endswith(".py") and marked.search(tree.text(n))]
    passed = read(tree.root).get(gate, {})
    if os.environ.get("ALL"):
        return there
    still = fresh(tree, passed)
    return [n for n in there if n not in still or not still >= keys_of(n, passed)]


def keys_of(name: str, passed: dict[str, list]) -> set[str]:
    """Return under which keys a file has records: its own, and those of pages."""
    return {key for key in passed if key.partition(" ")[0] == name}


def fresh(tree: Tree, passed: dict[str, list]) -> set[str]:
    """Return the files and pages that passed on what is there now."""
    found = set()
    for key, (sha, _) in passed.items():
        name, _, page = key.partition(" ")
        there = name in tree.files and (tree.root / SITE / page).exists() >= bool(page)
        if there and sha == sha_of(tree, key, sha[0] == "*"):
            found.add(key)
    return found


def sha_of(tree: Tree, key: str, whole: bool) -> str:
    """Return what is in the record for a file or a page."""
    name, _, page = key.partition(" ")
    return "*" * whole + tree.digest(name, whole, page)


class Passed:
    """The plugin: leaves out what is fresh, watches what is read, writes the record."""

    def __init__(self, config: pytest.Config, gate: str):
        self.config, self.gate, self.tree = config, gate, Tree()
        worker = getattr(config, "workerinput", {})
        if worker:
            self.files, self.still = worker["due"], worker["still"]
        else:
            passed = {} if os.environ.get("ALL") else read().get(gate, {})
            self.files = due(self.tree, gate)
            self.still = sorted(fresh(self.tree, passed))
        self.before: dict[str, tuple[str, str]] = {}
        self.there, self.green, self.seconds = Counter(), Counter(), Counter()
        self.red: set[str] = set()
        self.seen: dict[str, set[tuple[str, bool]]] = {}
        self.unfound: dict[str, set[str]] = {}
        self.current = ""
        config.args[:] = self.files
        config.option.markexpr = GATES[gate][1]
        sys.addaudithook(self.watch)

    def key(self, nodeid: str) -> str:
        """Return under which key a test is recorded."""
        name, _, rest = nodeid.partition("::")
        page = PAGE.search(rest)
        if page and rest.partition("[")[0] in self.tree.each_page(name):
            return f"{name} {page[1]}"
        return name

    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what the first process found."""
        node.workerinput |= {"due": self.files, "still": self.still}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the pages that are as they were."""
        left = [item for item in items if self.key(item.nodeid) in self.still]
        if left:
            self.config.hook.pytest_deselected(items=left)
            items[:] = [item for item in items if self.key(item.nodeid) not in self.still]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count what is to run."""
        if not self.config.getoption("numprocesses", None):
            self.count([item.nodeid for item in session.items])

    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """Count it where workers run it; each has found the same."""
        if not self.there:
            self.count(ids)

    def count(self, ids: list[str]) -> None:
        """Note how many tests there are, and the hashes before any of them runs."""
        self.there = Counter(map(self.key, ids))
        for key in {*self.there, *self.files} - {*self.still}:
            self.before[key] = sha_of(self.tree, key, False), sha_of(self.tree, key, True)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        """Watch what a file reads when it is imported."""
        self.current = collector.nodeid.partition("::")[0]
        try:
            return (yield)
        finally:
            self.current = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch what a test reads."""
        self.current = item.nodeid.partition("::")[0]
        try:
            return (yield)
        finally:
            self.current = ""

    def watch(self, event: str, arguments: tuple) -> None:
        """Note what the test that runs now reads, lists or starts."""
        if event not in EVENTS or not self.current.endswith(".py"):
            return
        first = arguments[0]
        if event == "subprocess.Popen":
            if not BROWSER.search(f"{first} {arguments[1]}"):
                self.seen.setdefault(self.current, set()).add((STARTED, False))
        elif isinstance(first, str | os.PathLike):
            listed = event != "open"
            if not (listed and "importlib" in sys._getframe(1).f_code.co_filename):
                path = os.path.abspath(os.fspath(first))
                if path.startswith(str(ROOT)):
                    self.seen.setdefault(self.current, set()).add((path, listed))

    def not_found(self, name: str) -> set[str]:
        """Return, of what a test read, listed or started, what its text does not say."""
        found, looked_at = set(), self.tree.inputs(name)
        run = self.tree.inputs(name, True)
        for path, listed in self.seen.get(name, ()):
            one = Path(path).relative_to(ROOT).as_posix() if path != STARTED else STARTED
            one = re.sub(r"__pycache__/(\w+)\..*pyc$", r"\1.py", one)
            if path == STARTED:
                known = self.tree.says(name)
            elif listed:
                known = self.tree.beside.get(one.strip("."), set()) <= looked_at.keys()
            elif one.startswith(f"{BUILT}/"):
                known = BUILT in looked_at
            else:
                known = one not in self.tree.files or one in looked_at
                known |= one.endswith(".py") and one in run
            if not known:
                found.add(one)
        return found

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Iterator[None]:
        """Tell the first process what was read."""
        report = yield
        if report.when == "teardown":
            report.unfound = sorted(self.not_found(item.nodeid.partition("::")[0]))
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what could not be collected."""
        if report.outcome != "passed":
            self.red.add(report.nodeid.partition("::")[0])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ended; one that was skipped has shown nothing."""
        key = self.key(report.nodeid)
        self.seconds[key] += report.duration
        self.green[key] += report.when == "call" and report.outcome == "passed"
        if report.outcome == "failed" or hasattr(report, "wasxfail") < report.skipped:
            self.red.add(key)
        self.green[key] += report.skipped and hasattr(report, "wasxfail")
        if getattr(report, "unfound", ()):
            self.unfound.setdefault(key.partition(" ")[0], set()).update(report.unfound)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what looks at the whole repository, and why."""
        for name, read in sorted(self.unfound.items()):
            terminalreporter.write_line(f"{name} looks at all: {', '.join(sorted(read)[:4])}")

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the record."""
        nothing = pytest.ExitCode.NO_TESTS_COLLECTED
        ended = 0, 1, pytest.ExitCode.INTERRUPTED, nothing  # what had passed by then counts
        if hasattr(self.config, "workerinput") or exitstatus not in ended:
            return
        if exitstatus == nothing:
            session.exitstatus = pytest.ExitCode.OK
        record = read()
        passed = record.setdefault(self.gate, {})
        for key, sha in self.before.items():
            name = key.partition(" ")[0]
            passed.pop(key, None)
            if not {key, name} & self.red and self.green[key] == self.there[key]:
                whole = name in self.unfound and key == name
                shown = "*" * whole + sha[whole].lstrip("*")
                passed[key] = [shown, round(self.seconds[key], 1)]
        for key in [*passed]:
            if key.partition(" ")[0] not in self.tree.files:
                del passed[key]
        text = json.dumps({g: dict(sorted(record[g].items())) for g in sorted(record)})
        text = re.sub(r'("[^"]+": [\[{])', r"\n\1", text)
        (ROOT / RECORD).write_text(text + "\n", encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--passed``."""
    parser.addoption("--passed", choices=GATES, help="run what changed, and write a record")


def pytest_configure(config: pytest.Config) -> None:
    """Take what is asked for whole: a part that passed says nothing of a file."""
    gate = config.getoption("--passed")
    if not gate:
        return
    asked = config.option
    if asked.keyword or asked.markexpr or asked.deselect or asked.ignore or asked.collectonly:
        raise pytest.UsageError("--passed runs a gate whole: leave out what chooses tests")
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        raise pytest.UsageError("--passed names the tests itself: leave out files")
    config.pluginmanager.register(Passed(config, gate))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gates", nargs="+", choices=GATES)
    found = {gate: due(Tree(), gate) for gate in parser.parse_args(arguments).gates}
    for gate, names in found.items():
        print(f"{gate}: {len(names)} files are due", *names, sep="\n  ")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
