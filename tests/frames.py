"""Waiting for the browser to draw, never for longer than a bound.

A promise inside ``evaluate`` waits for ever if its frame never comes, and one test would
hold up a whole run. Here the page counts its frames, and the wait gives up after a time.
"""

from playwright.sync_api import Locator, Page

SECONDS = 60
ASK = """(n) => {
  document.acFrames = n;
  const count = () => --document.acFrames > 0 && requestAnimationFrame(count);
  requestAnimationFrame(count);
}"""
IDLE = "(place) => !place.querySelector('[aria-busy=true]')"


def frames(page: Page, n: int = 2) -> None:
    """Wait until the page has drawn ``n`` more frames."""
    page.evaluate(ASK, n)
    page.wait_for_function("document.acFrames === 0", timeout=SECONDS * 1000)


def settled(place: Locator) -> None:
    """Wait until a widget has drawn what it was told and has nothing left to compute."""
    frames(place.page)
    place.page.wait_for_function(IDLE, arg=place.element_handle(), timeout=SECONDS * 1000)
    frames(place.page, 1)
