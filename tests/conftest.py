"""What every test gets: hypothesis without clocks, and one browser for each worker."""

import os

import headless
import pytest
from hypothesis import settings

# No deadline: a time on a busy machine says nothing. Derandomised: red is red for everybody.
settings.register_profile("course", deadline=None, derandomize=True)
settings.load_profile("course")

# Milliseconds by which every page gets its frames and observations late, as on a busy machine.
# A test that reads a page before it is drawn passes without, and fails with it: make late.
LATE = os.environ.get("LATE_FRAMES")
LATER = """(() => {
  const late = %s;
  window.requestAnimationFrame = (f) => setTimeout(() => f(performance.now()), late);
  window.cancelAnimationFrame = clearTimeout;
  for (const name of ["IntersectionObserver", "ResizeObserver"]) {
    const Observer = window[name];
    window[name] = class extends Observer {
      constructor(f, ...more) {
        super((...seen) => void setTimeout(() => f(...seen), late), ...more);
      }
    };
  }
})()"""


def drawing_late(browser, late: float) -> None:
    """Let every page that this browser opens be drawn ``late`` milliseconds late."""
    open_context, open_page = browser.new_context, browser.new_page

    def late_one(make):
        def made(**options):
            place = make(**options)
            place.add_init_script(LATER % late)
            return place

        return made

    browser.new_context, browser.new_page = late_one(open_context), late_one(open_page)


@pytest.fixture(scope="session")
def browser():
    """The one that CHROMIUM names, or what Debian has; never one that playwright fetches."""
    if headless.found() is None:
        pytest.fail("these tests drive a browser, and none is installed: run `make system`")
    with headless.chromium() as browser:
        if LATE:
            drawing_late(browser, float(LATE))
        yield browser
