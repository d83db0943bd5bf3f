"""One server for the built site, a fresh context for each setting."""

import time
from collections.abc import Iterator

import pytest
from built_site import SITE, served
from playwright.sync_api import BrowserContext, Error, Page, TimeoutError


def wait_for_function(page: Page, expression: str, *, arg=None, timeout: float = 30_000):
    """Wait as Playwright does, asked from here: a page refuses its ``eval``."""
    end = time.monotonic() + timeout / 1000
    while time.monotonic() < end:
        try:
            if page.evaluate(expression, arg):
                return
        except Error as error:
            if "context was destroyed" not in error.message:  # the page leads on
                raise
        page.wait_for_timeout(20)
    raise TimeoutError(f"Timeout {timeout} ms exceeded: {expression}")


Page.wait_for_function = wait_for_function


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


@pytest.fixture
def opened(new_context, home):
    """Opens a page in a browser of its own, in which a script has run before the page's."""

    def open_page(address: str, script: str = "0", **more) -> Page:
        context = new_context(**more)
        context.add_init_script(script)
        page = context.new_page()
        page.goto(home + address)
        return page

    return open_page


@pytest.fixture
def page(new_context) -> Page:
    """A page on a desk that a test has for itself."""
    return new_context().new_page()
