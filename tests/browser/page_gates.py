"""What a page must not do. Each gate returns complaints, so that an empty list is a pass.

The tests of the built site use these gates, and ``test_gates_go_red`` uses the same ones on
pages with a defect.
"""

import gzip
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Response

GRAVE = ("serious", "critical")
KB = 1000


@dataclass
class Visit:
    """Listens to a page from before its first request."""

    page: Page
    home: str
    """How the addresses of the site's own files begin."""
    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    """Errors and warnings that the page wrote there, or threw."""
    missing: list[str] = field(default_factory=list)
    """Requests that were answered with an error or not at all."""

    def __post_init__(self):
        self.page.on("request", lambda asked: self.requests.append(asked.url))
        self.page.on("response", self._answered)
        failed = lambda asked: self.missing.append(f"{asked.failure} {asked.url}")  # noqa: E731
        self.page.on("requestfailed", failed)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.console.append(f"error: {error}"))

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.missing.append(f"{response.status} {response.url}")

    def _said(self, message: ConsoleMessage) -> None:
        no_gpu = message.text == "No available adapters."  # of a GPU: Chromium
        if message.type in ("error", "warning") and not no_gpu:
            self.console.append(f"{message.type}: {message.text} ({message.location['url']})")

    def foreign_requests(self) -> list[str]:
        """Requests to anywhere but the site itself."""
        own = (self.home, "data:", "blob:", "about:")
        return [url for url in self.requests if not url.startswith(own)]

    def own_files(self) -> set[str]:
        """Paths of the site's own files that were asked for, relative to its root."""
        own = (url for url in self.requests if url.startswith(self.home))
        return {unquote(urlsplit(url[len(self.home) :]).path).lstrip("/") for url in own}


SIDEWAYS = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  const outside = [...document.body.querySelectorAll("*")]
    .filter((e) => e.getBoundingClientRect().right > wide + 1)
    .map((e) => `${e.tagName.toLowerCase()}.${e.className} reaches ${
      Math.round(e.getBoundingClientRect().right)} of ${wide}`);
  return [`the page is ${document.documentElement.scrollWidth} of ${wide} wide`,
    ...outside.slice(0, 5)];
}"""


def sideways_scrolling(page: Page) -> list[str]:
    """Whether a reader has to scroll the page to the right, and because of what."""
    return page.evaluate(SIDEWAYS)


WIDE_FORMULAS = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  return [...document.querySelectorAll(".ac-display")]
    .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1)
    .map((e) => `${e.scrollWidth} of ${e.clientWidth}: ${
      e.querySelector("annotation").textContent.slice(0, 60)}`);
}"""


def wide_formulas(page: Page) -> list[str]:
    """Formulas on lines of their own that a reader has to push sideways, in folds as well."""
    return page.evaluate(WIDE_FORMULAS)


# Thousands of alike elements would take axe minutes: pictures that are one image to a screen
# reader, formulas, and code after the fourth piece. It looks at the page without them, and then
# they come back; faint_text looks at the colours of all formulas and all code.
TAKE_OUT = """() => {
  const pieces = [...document.querySelectorAll("pre")].slice(4);
  const alike = [...document.querySelectorAll(".ac-plot, .katex-html"), ...pieces];
  document.acTakenOut = alike.map((e) => {
    const inside = document.createDocumentFragment();
    inside.append(...e.childNodes);
    return [e, inside];
  });
}"""
PUT_BACK = """() => {
  for (const [e, inside] of document.acTakenOut) e.append(inside);
  delete document.acTakenOut;
}"""
OF_COLOURS = ["color-contrast", "link-in-text-block"]


def grave_violations(page: Page, colours: bool = True, form: bool = True) -> list[str]:
    """What axe calls serious or critical, of the colours, of everything else, or of both."""
    # Without preload: axe would ask for style sheets itself, at addresses of its own making.
    options = {"resultTypes": ["violations"], "preload": False}
    if not form:
        options["runOnly"] = OF_COLOURS
    elif not colours:
        options["rules"] = {rule: {"enabled": False} for rule in OF_COLOURS}
    page.evaluate(TAKE_OUT)
    found = Axe().run(page, options=options).response["violations"]
    page.evaluate(PUT_BACK)
    return [
        f"{violation['impact']}: {violation['id']}: {node['html'][:160]} {node['target']}"
        for violation in found
        if violation["impact"] in GRAVE
        for node in violation["nodes"][:5]
    ]


FAINT = """() => {
  const parts = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    const unit = colour.startsWith("color(srgb") ? 255 : 1; // what color-mix comes out as
    return { rgb: [r, g, b].map((c) => c * unit), a };
  };
  const over = ({ rgb, a }, below) => rgb.map((c, i) => a * c + (1 - a) * below[i]);
  const behind = (e) => {
    if (!e) return [255, 255, 255];
    const colour = parts(getComputedStyle(e).backgroundColor);
    return colour.a === 1 ? colour.rgb : over(colour, behind(e.parentElement));
  };
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const seen = new Map();
  for (const e of document.querySelectorAll("pre span, .katex-html *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own) continue;
    const below = behind(e);
    const front = over(parts(getComputedStyle(e).color), below);
    const [low, high] = [light(front), light(below)].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) seen.set(`${front} on ${below}`,
      `${ratio.toFixed(2)}: ${e.className} "${e.textContent.slice(0, 20)}"`);
  }
  return [...seen].map(([colours, what]) => `${what} rgb ${colours}`);
}"""


def faint_text(page: Page) -> list[str]:
    """Formulas and code whose contrast is below 4.5, each pair of colours once."""
    return page.evaluate(FAINT)


NOT_ALIVE = """() => [
    ...document.querySelectorAll(".ac-widget[data-model-id], figure.ac-figure")]
  .filter((e) => !["ready", "drawn"].includes(e.dataset.acState))
  .map((e) => `${e.className} ${e.dataset.acKey ?? e.id} is ${e.dataset.acState}: ${
    e.textContent.trim().slice(0, 100)}`)"""


def not_alive(page: Page) -> list[str]:
    """Widgets and figures that have not come to life."""
    return page.evaluate(NOT_ALIVE)


SCREEN = 900
TO_EXERCISES = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = false;
  const article = document.querySelector("article.bd-article, main").getBoundingClientRect();
  const exercises = document.querySelector("#exercises")?.getBoundingClientRect();
  return (exercises?.top ?? article.bottom) + scrollY;
}"""


def screens(page: Page) -> float:
    """How many screens a reader scrolls through until the exercises, the folds closed."""
    return page.evaluate(TO_EXERCISES) / SCREEN


CLIPPED = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  return [...document.querySelectorAll("pre")]
    .filter((e) => !e.closest(".tag_setup") && e.checkVisibility())
    .filter((e) => e.scrollWidth > e.clientWidth + 1)
    .map((e) => `${e.scrollWidth} of ${e.clientWidth}: ${e.textContent.trim().slice(0, 60)}`);
}"""


def clipped(page: Page) -> list[str]:
    """Code and printed text that do not fit their column, those in folds as well."""
    return page.evaluate(CLIPPED)


ERRORS = """() => [...document.querySelectorAll(".ac-error, [role=alert]")]
  .filter((e) => e.checkVisibility() && e.textContent.trim())
  .map((e) => e.textContent.trim())"""


def errors_shown(page: Page) -> list[str]:
    """Errors that the page shows its reader."""
    return page.evaluate(ERRORS)


def none(complaints: list[str]) -> None:
    """Fail with all the complaints, each on its line."""
    assert not complaints, "\n".join(["", *dict.fromkeys(complaints)])


def compressed(content: bytes) -> int:
    """Bytes on the way: what a server that compresses would send."""
    return min(len(gzip.compress(content, 6)), len(content))


def weigh(folder: Path, names: set[str]) -> int:
    """Bytes of some of a folder's files, as they travel."""
    files = (folder / name for name in names)
    return sum(compressed(file.read_bytes()) for file in files if file.is_file())


SCRIPT = re.compile(r'<script\b(?![^>]*(?:\bdefer\b|\basync\b|"module"))[^>]*\bsrc="([^"]+)"')
SHEET = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"?]+)')


def held_up(path: Path, most: float) -> list[str]:
    """Whether scripts, or more than ``most`` bytes of style, come before the first paint."""
    text = path.read_text(encoding="utf-8")
    weight = weigh(path.parent, {*SHEET.findall(text)})
    heavy = [f"{weight} bytes of style, of {most:.0f}"] if weight > most else []
    return heavy + [f"{script} is not deferred" for script in SCRIPT.findall(text)]


def too_heavy(
    folder: Path, before: set[str], after: set[str], limits: dict[str, float]
) -> list[str]:
    """What is over its limit, of the files asked for before and after scrolling."""
    complaints = [f"{file} before anybody scrolled" for file in before if "plotly" in file]
    if not weigh(folder, before | after):
        complaints.append("nothing was weighed")
    for when, names in (("before", before), ("after", after)):
        if (weight := weigh(folder, names)) > limits[when]:
            complaints.append(f"{weight} bytes {when} scrolling, of {limits[when]:.0f}")
    return complaints
