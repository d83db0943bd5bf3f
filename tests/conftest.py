"""What every test gets: hypothesis without clocks, and one browser for each worker."""

import os
import shutil

import pytest
from hypothesis import settings

# No deadline: a time on a busy machine says nothing. Derandomised: red is red for everybody.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, or the one that CHROMIUM names; never one that playwright fetches."""
    from playwright.sync_api import sync_playwright

    names = filter(None, (os.environ.get("CHROMIUM"), *CHROMIUM))
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.fail("these tests drive a browser, and none is installed: run `make system`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()
