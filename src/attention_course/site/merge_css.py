"""One style sheet for every page: of the theme's rules, those that some page can use.

Three quarters of the theme's 490 kB style icons and parts that no page has, and a page shows
nothing until it has read all of its sheets. A rule whose class is on no built page and in
no script that a page loads is left out; the book's own sheets are taken whole.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

THEME = (  # under _static/, in the order in which pages would load them
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "copybutton.css",
    "mystnb.*.css",
)
OWN = ("course/katex.css", "course/course.css")
SHEET = "course/site.css"

_CLASSES = re.compile(r'class="([^"]*)"')
_WORD = re.compile(r"[\w-]+")
_SCRIPT = re.compile(r'<script[^>]* src="([^"?]+)')
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PART = re.compile(r"""("[^"]*"|'[^']*'|[{};])""")
_INSIDE = r"\((?:[^()]|\([^()]*\))*\)"
_SELECTOR = re.compile(rf"(?:[^,()]|{_INSIDE})+")
_CHOICE = re.compile(rf":(?:not|is|where|has){_INSIDE}")
_CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
_URL = re.compile(r"url\((?!\"?data:|#)([^)]*)\)")


def drop_merged(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Take what the one sheet holds off a page's list (``html-page-context``)."""
    files = context["css_files"]
    files[:] = [f for f in files if not any(Path(f.filename).match(name) for name in THEME)]


def write(app: Sphinx) -> None:
    """Write the sheet, now that all pages are there (``build-finished``)."""
    site = Path(app.outdir)
    static = site / "_static"
    theme = [path for name in THEME for path in sorted(static.glob(name))]
    words = names_on(site)
    parts = [needed(_with_addresses(path, static), words) for path in theme]
    parts += [(static / name).read_text("utf-8") for name in OWN]
    (static / SHEET).write_text("".join(parts), encoding="utf-8")


def names_on(site: Path) -> set[str]:
    """Return the classes on the pages of a site, and every word in the scripts they load."""
    words: set[str] = set()
    scripts: set[Path] = set()
    for page in site.rglob("*.html"):
        if "_static" in page.relative_to(site).parts:
            continue
        text = page.read_text("utf-8")
        words.update(*map(str.split, _CLASSES.findall(text)))
        scripts.update((page.parent / found).resolve() for found in _SCRIPT.findall(text))
    for script in filter(Path.is_file, scripts):
        words.update(_WORD.findall(script.read_text("utf-8")))
    return words


def needed(css: str, words: set[str]) -> str:
    """Return a sheet without the selectors whose classes are not among the words.

    >>> needed("a.x, b { color: red } @media print { .y { color: red } }", {"y"})
    'b{ color: red }@media print{.y{ color: red }}'
    """
    kept = []
    for head, body in _rules(_COMMENT.sub("", css)):
        if head.startswith(("@media", "@supports")):
            if inner := needed(body, words):
                kept.append(f"{head}{{{inner}}}")
        elif head.startswith("@"):
            kept.append(f"{head}{{{body}}}")
        elif used := [one for one in _SELECTOR.findall(head) if _is_used(one, words)]:
            kept.append(f"{','.join(map(str.strip, used))}{{{body}}}")
    return "".join(kept)


def _is_used(selector: str, words: set[str]) -> bool:
    classes = _CLASS.findall(_CHOICE.sub("", selector))
    return all(name.replace("\\", "") in words for name in classes)


def _rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield the rules of a sheet as head and body, but for what has none, such as a charset."""
    depth, head, body = 0, "", ""
    for part in _PART.split(css):
        if part == "{":
            depth += 1
        elif part == "}":
            depth -= 1
        if not depth and part == "}":
            yield head.strip(), body
            head, body = "", ""
        elif not depth:
            head = "" if part == ";" else head + part
        elif depth > 1 or part != "{":
            body += part


def _with_addresses(path: Path, static: Path) -> str:
    """Return a sheet's text with its addresses as seen from the one sheet."""
    here = path.parent.relative_to(static).as_posix()
    start = posixpath.dirname(SHEET)

    def moved(found: re.Match[str]) -> str:
        to = posixpath.normpath(posixpath.join(here, found[1].strip("\"'")))
        return f"url({posixpath.relpath(to, start)})"

    return _URL.sub(moved, path.read_text("utf-8"))
