"""One server for the built site, a fresh context for each setting."""

from collections.abc import Iterator

import pytest
from built_site import SITE, served
from playwright.sync_api import BrowserContext


@pytest.fixture(scope="session")
def home() -> Iterator[str]:
    """The address of the built site."""
    if not (SITE / "index.html").is_file():
        pytest.fail("these tests look at the built site, and there is none: run `make site`")
    with served(SITE) as address:
        yield address


@pytest.fixture
def new_context(browser):
    """Makes contexts (``new_context(width=360, scheme="dark")``) and closes them."""
    contexts: list[BrowserContext] = []

    def make(width: int = 1280, scheme: str = "light", **more) -> BrowserContext:
        size = {"width": width, "height": 800 if width > 600 else 740}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme, **more))
        return contexts[-1]

    yield make
    for context in contexts:
        context.close()
