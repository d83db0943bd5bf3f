"""Pages and anchors that moved keep their old addresses.

``book/redirects.toml`` has a line for each, old address to new, as they are after the site's
own address::

    "book/transformer/scale.html" = "book/transformer/scaling.html"
    "book/index.html#the-lab" = "book/transformer/scaling.html#saturation"

An old page becomes a page that leads on, with or without scripts; an old anchor of a page that
is still there is looked up by a script in its head. A target that does not exist, or an old
address that still does, is a warning, fatal in the strict build.
"""

import html
import json
import posixpath
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
TABLE = "book/redirects.toml"
_FOLLOW = (
    "<script>((moved, page) => {{ const follow = () => {{ "
    'const to = moved[decodeURIComponent(location.hash.slice(1).split("?")[0])] ?? page; '
    'if (to) location.replace(to.includes("#") ? to : to + (page ? location.hash : "")); }}; '
    'follow(); addEventListener("hashchange", follow); }})({moved}, {page});</script>\n'
)
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title>
{script}<meta http-equiv="refresh" content="0; url={to}">
<link rel="canonical" href="{to}">
<meta name="viewport" content="width=device-width, initial-scale=1.0"></head>
<body><p>This page is now <a href="{to}">here</a>.</p></body></html>
"""


def table(folder: Path) -> dict[str, str]:
    """Return the table of a book, or nothing where it has none."""
    path = folder / TABLE
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def script(moves: dict[str, str], page: str, to: str = "") -> str:
    """Return the script that leads on from a page, or nothing where nothing moved."""
    moved = {
        old.partition("#")[2]: _relative(new, page)
        for old, new in moves.items()
        if old.startswith(f"{page}#")
    }
    if not moved and not to:
        return ""
    return _FOLLOW.format(moved=_json(moved), page=_json(to))


def _json(value: object) -> str:
    return json.dumps(value).replace("</", "<\\/")


def _relative(address: str, page: str) -> str:
    path, hash_, anchor = address.partition("#")
    start = posixpath.dirname(page) or "."
    return posixpath.relpath(path, start) + hash_ + anchor


def follow_anchors(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Let a page lead on from anchors that it no longer has (``html-page-context``)."""
    found = script(table(Path(app.srcdir)), f"{page}.html")
    context["metatags"] = context.get("metatags", "") + found


def write(app: Sphinx) -> None:
    """Write a page for every page that moved, and check the table (``build-finished``)."""
    moves, out = table(Path(app.srcdir)), Path(app.outdir)
    for sentence in complaints(moves, out):
        _LOGGER.warning(sentence, location=TABLE, type="attention_course", subtype="redirect")
    for old, new in moves.items():
        path = out / old
        if "#" in old or path.exists():
            continue
        to = _relative(new, old)
        path.parent.mkdir(parents=True, exist_ok=True)
        page = _PAGE.format(script=script(moves, old, to), to=html.escape(to))
        path.write_text(page, encoding="utf-8")


def complaints(moves: dict[str, str], site: Path) -> Iterator[str]:
    """Yield what is wrong with a table, given the site as it was built."""
    for old, new in moves.items():
        page, _, anchor = old.partition("#")
        if not there(site, new):
            yield f"{old} leads to {new}, which is not there"
        if there(site, old):
            yield f"{old} has moved to {new} and is still there"
        if anchor and page not in moves and not (site / page).is_file():
            yield f"{old} has moved, and so has its page: say where to"


def there(site: Path, address: str) -> bool:
    """Say whether a built site has a page, and on it the anchor that the address names."""
    page, _, anchor = address.partition("#")
    path = site / page
    if not path.is_file():
        return False
    return not anchor or f'id="{anchor}"' in path.read_text("utf-8")
