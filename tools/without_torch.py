"""A plugin of pytest for `make versions`: what needs torch is skipped where there is none.

Everything else must pass. A test needs torch if it fails because torch is not there; its skip
says so. How many tests ran is looked at: a run of all tests in which fewer did than are
recorded in ``tests/looked_at.json`` is red.
"""

import re

import pytest

# The error itself, not a line of code that is shown above it.
NEEDS = re.compile(r"^E .*No module named 'torch'", re.M)
GATE = "what needs no torch: tests"


def _skip(report):
    if report.failed and NEEDS.search(str(report.longrepr)):
        report.outcome = "skipped"
        report.longrepr = (str(report.nodeid), 0, "Skipped: it needs torch")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """Skip a file that imports torch."""
    return _skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Skip a test that does."""
    return _skip((yield))


class Ran:
    """Counts the tests that ran, where the reports of all workers arrive."""

    def __init__(self, config: pytest.Config):
        self.config, self.count, self.said = config, 0, None

    def pytest_runtest_logreport(self, report):
        """Count a test that was not skipped."""
        self.count += report.when == "call" and not report.skipped

    def pytest_sessionfinish(self, session):
        """Hold the number against the recorded one, if all tests were asked for."""
        import looked_at  # not before pytest does, which rewrites what it asserts

        counts = self.config.pluginmanager.get_plugin("counts")
        if counts is None or self.config.args != ["tests"]:
            return
        counts.counts[GATE] = self.count
        if not self.config.getoption("--take-counts"):
            self.said = looked_at.complaint(GATE, self.count, looked_at.recorded())
        if self.said and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Say what is wrong with it."""
        if self.said:
            terminalreporter.write_line(f"FAILED {self.said}")


def pytest_configure(config):
    """Count in the process where the reports arrive."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ran(config))
