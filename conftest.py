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

pytest_plugins = ["pytester"]
pytest_plugins += ["nbval_course"] if find_spec("nbval") else []
# They take longest: they come first, so that no worker ends alone with one.
LONGEST = (
    "test_site_pages.py",
    "test_site_widgets.py",
    "test_site_slides.py",
    "test_bank.py",
    "test_hostile_bank.py",
    "test_recorded_translation.py",
    "rnn-bottleneck.ipynb",
    "bahdanau.ipynb",
    "transformer-block.ipynb",
)


def pytest_configure(config):
    """Keep to the order below: xdist would begin with the files of most tests."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items):
    """Let the files that take longest come first; inside a file the order stays."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """Note which test runs, for tools/phase: a run that is ended says where it stood."""
    if notes := os.environ.get("PHASE_NOTES"):
        worker = os.environ.get("PYTEST_XDIST_WORKER", "pytest")
        (Path(notes) / f"test-{worker}").write_text(item.nodeid, encoding="utf-8")
