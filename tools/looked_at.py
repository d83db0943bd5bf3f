"""How much each gate looked at: one that looks at nothing guards nothing. A pytest plugin.

A test calls its fixture, ``looked_at("every file: files", len(files))``: that fails at zero
and when the number is smaller than the one in ``tests/looked_at.json``. Thousands are words,
lines or cells, which better prose makes fewer: they may fall by a twentieth. What grew is
printed at the end of the run; ``pytest --take-counts`` takes it over. To lower a number is to
edit the file.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

RECORD = Path(__file__).resolve().parent.parent / "tests" / "looked_at.json"
KEY = "looked_at"


def recorded() -> dict[str, int]:
    """Return the least that each gate must look at, by its name."""
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def complaint(gate: str, count: int, least: dict[str, int]) -> str | None:
    """Return what is wrong with a gate that looked at so much, or None."""
    if gate not in least:
        return f"{gate}: looked at {count}, and none is recorded: run pytest --take-counts"
    may_fall = least[gate] // 20 if least[gate] >= 1000 else 0
    if count < least[gate] - may_fall:
        return f"{gate}: looked at {count}, at least {least[gate]} before"
    return None


def raised(least: dict[str, int], counts: dict[str, int]) -> dict[str, int]:
    """Return the record with the numbers that grew and the gates that are new."""
    return dict(sorted({g: max(least.get(g, 0), counts.get(g, 0)) for g in {*least, *counts}}
                       .items()))  # fmt: skip


@pytest.fixture
def looked_at(record_property, pytestconfig) -> Callable[..., None]:
    """Say how much a gate looked at; fail if that is nothing or less than before.

    A gate that has yet to find its work says ``may_be_zero=True``; it still must not fall.
    """

    def compare(gate: str, count: int, may_be_zero: bool = False) -> None:
        record_property(KEY, (gate, count))
        assert count or may_be_zero, f"{gate}: looked at nothing"
        if not pytestconfig.getoption("--take-counts"):
            said = complaint(gate, count, recorded())
            assert said is None, said

    return compare


class Counts:
    """Gathers the numbers of all workers and prints them."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.counts: dict[str, int] = {}

    def pytest_runtest_logreport(self, report):
        """Take what a test said; of one that is run again, the last."""
        if report.when == "call":
            self.counts.update(value for key, value in report.user_properties if key == KEY)

    def pytest_terminal_summary(self, terminalreporter):
        """Print how much each gate looked at, and what grew; take it over if told to."""
        if not self.counts:
            return
        least = recorded()
        said = ", ".join(f"{gate} {count}" for gate, count in sorted(self.counts.items()))
        terminalreporter.write_line(f"looked at: {said}")
        fresh = raised(least, self.counts)
        if self.config.getoption("--take-counts"):
            RECORD.write_text(json.dumps(fresh, indent=1) + "\n", encoding="utf-8")
        elif grown := [gate for gate in fresh if fresh[gate] != least.get(gate)]:
            line = f"grown: {', '.join(grown)} (pytest --take-counts takes it over)"
            terminalreporter.write_line(line)


def pytest_addoption(parser):
    """Add the option that records what grew."""
    parser.addoption("--take-counts", action="store_true", help="record what grew")


def pytest_configure(config):
    """Gather where the reports arrive."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Counts(config), "counts")
