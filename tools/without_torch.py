"""A plugin of pytest for `make versions`: what needs torch is skipped where there is none.

Everything else must pass. How much was skipped, pytest's last line says.
"""

import pytest

NEEDS = "No module named 'torch'"


def _skip(report):
    if report.failed and NEEDS in str(report.longrepr):
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
