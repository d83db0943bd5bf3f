"""A plugin of pytest for `make versions`: what needs torch is skipped where there is none.

Everything else must pass. A test needs torch if it fails because torch is not there; its skip
says so. Of all tests, enough must have run.
"""

import os
import re

import pytest

# The error itself, not a line of code that is shown above it.
NEEDS = re.compile(r"^E .*No module named 'torch'", re.M)
AT_LEAST = int(os.environ.get("RUN_WITHOUT_TORCH", "2400"))


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
        self.config, self.count, self.few = config, 0, False

    def pytest_runtest_logreport(self, report):
        """Count a test that was not skipped."""
        self.count += report.when == "call" and not report.skipped

    def pytest_sessionfinish(self, session):
        """Compare with the least that must run, if all tests were asked for."""
        self.few = self.config.args == ["tests"] and self.count < AT_LEAST
        if self.few and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        """Say what is wrong with it."""
        if self.few:
            line = f"FAILED without torch: {self.count} tests ran, at least {AT_LEAST} must"
            terminalreporter.write_line(line)


def pytest_configure(config):
    """Count in the process where the reports arrive."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Ran(config))
