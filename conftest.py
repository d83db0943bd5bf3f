"""Loads the tools for every pytest run, with nbval and without; benchmarks can be imported.

Colab has neither jaxtyping nor nbval, so its run (``make colab``) does without them.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "benchmarks")]

import pytest  # noqa: E402
import shape_checks  # noqa: E402  (it lies in tools)

if shape_checks.AVAILABLE:
    shape_checks.install()

WHERE_FOUND = {"nbval_course": "nbval", "count_costs": "psutil"}
pytest_plugins = ["pytester", "looked_at"]
pytest_plugins += [plugin for plugin, need in WHERE_FOUND.items() if find_spec(need)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Note which test runs, for tools/phase: a run that is ended says where it stood."""
    if notes := os.environ.get("PHASE_NOTES"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "pytest")
        (Path(notes) / f"test-{worker}").write_text(item.nodeid, encoding="utf-8")
