"""Find a Chromium and start it without a window: for the browser tests and a benchmark.

``chromium-headless-shell`` comes first. It is the small browser that Playwright itself ships
for this; with the full Chromium some page in a long run got no frame any more.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def found() -> str | None:
    """Return the path of the browser that CHROMIUM names, or else of the first of NAMES."""
    names = [name for name in (os.environ.get("CHROMIUM"), *NAMES) if name]
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def chromium() -> Iterator:
    """Give the browser, never one that playwright fetches; it is closed at the end."""
    from playwright.sync_api import sync_playwright

    path = found()
    if path is None:
        raise RuntimeError("a headless browser is needed, and none is installed: make system")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
