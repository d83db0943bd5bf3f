"""The built site: where it lies, its pages, a server for it, and how one reads a page."""

import contextlib
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("ATTENTION_SITE", ROOT / "_build" / "html"))


def toc_pages() -> list[str]:
    """Every page of the table of contents, as its address inside the site."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [toc["root"]] + [c["file"] for part in toc["parts"] for c in part["chapters"]]
    return [f"{file.removesuffix('.md').removesuffix('.ipynb')}.html" for file in files]


PAGES = toc_pages()
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
# Where the site stands on its host, "/" or "/NAME/": its page for what leads nowhere says so.
BELOW = urlsplit(CONFIG["html"]["baseurl"]).path or "/"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""

    def translate_path(self, path):
        """Find the file of an address that stands below where the public site does."""
        return super().translate_path("/" + path.removeprefix(BELOW).lstrip("/"))

    def send_error(self, code, *more):
        """Answer an address that leads nowhere with the site's own page, as hosts do."""
        page = Path(self.directory, f"{code}.html")
        if not page.is_file():
            super().send_error(code, *more)
            return
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.read_bytes())


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; give its address, ending in a slash."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{BELOW}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


SCROLL = """() => {
  const reading = (document.acReading ??= { y: 0, frames: 0 });
  if (reading.frames++ % 2) return false; // two frames at each place
  scrollTo({ top: reading.y, behavior: "instant" });
  reading.y += innerHeight * 0.8;
  if (reading.y < document.documentElement.scrollHeight + innerHeight) return false;
  scrollTo({ top: 0, behavior: "instant" });
  return delete document.acReading;
}"""
LAID_OUT = '(globalThis.acSettled || !("parts" in document.documentElement.dataset))'
SETTLED = f"""() => {LAID_OUT} && [...document.querySelectorAll(
    ".ac-widget[data-model-id], figure.ac-figure")].every(
    (e) => ["ready", "drawn", "failed"].includes(e.dataset.acState))"""


OPEN_FOLDS = """() => {
  const folds = document.querySelectorAll("details:has(.ac-widget, .ac-figure), .ac-deeper");
  for (const fold of folds) fold.open ||= !fold.matches(".ac-answer");
}"""
SHOW_ANSWERS = """() => [...document.querySelectorAll(".ac-waits button")]
  .find((button) => button.textContent.startsWith("Show"))?.click()"""


# From one widget or figure to the next, to each once, and past the last to the end.
SKIM = """() => {
  const places = document.querySelectorAll(".ac-widget[data-model-id], figure.ac-figure");
  const reading = (document.acReading ??= { at: 0, frames: 0 });
  if (reading.frames++ % 2) return false; // two frames at each place
  const [place, top] = [places[reading.at++], document.documentElement.scrollHeight];
  if (place) place.scrollIntoView({ block: "center", behavior: "instant" });
  else scrollTo({ top, behavior: "instant" });
  if (reading.at <= places.length + 1) return false;
  scrollTo({ top: 0, behavior: "instant" });
  return delete document.acReading;
}"""


def read_through(page: Page, seconds: float = 60, how: str = SCROLL) -> None:
    """Open folds and answers, scroll to the end and back, and wait until all has settled."""
    page.evaluate(OPEN_FOLDS)
    page.evaluate(SHOW_ANSWERS)
    page.wait_for_function(how, timeout=seconds * 2000)
    page.wait_for_function(SETTLED, timeout=seconds * 1000)
    page.wait_for_timeout(300)  # scrolling.js makes focusable what scrolls
