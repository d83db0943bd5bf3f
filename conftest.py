"""Loads the tools for every pytest run, with nbval and without; benchmarks can be imported.

Every test, the grader's too, gets hypothesis without clocks, and one browser for each worker.
Colab has neither jaxtyping nor nbval, so its run (``make colab``) does without them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / folder) for folder in ("tools", "benchmarks", "tests")]

import headless  # noqa: E402  (it lies in tools)
import pytest  # noqa: E402
import shape_checks  # noqa: E402
from hypothesis import settings  # noqa: E402

if shape_checks.AVAILABLE:
    shape_checks.install()

pytest_plugins = ["passed", *(["nbval_course"] if find_spec("nbval") else [])]
# They take longest: they come first, so that no worker ends alone with one.
LONGEST = (
    "test_site_pages.py",
    "test_site_widgets.py",
    "test_site_slides.py",
    "test_site_typing.py",
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


# No deadline: a time on a busy machine says nothing. Derandomised: red is red for everybody.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")


@pytest.fixture(scope="session")
def browser():
    """The one that CHROMIUM names, or what Debian has; never one that playwright fetches."""
    if headless.found() is None:
        pytest.fail("these tests drive a browser, and none is installed: run `make system`")
    with headless.chromium() as browser:
        yield browser
