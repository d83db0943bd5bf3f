"""What a page says about its address, and the pages that belong to none.

``html.baseurl`` in ``_config.yml`` is where the site is served; ``tools/stamp.py --site``
writes it there. With it, pages have a canonical address and a card with a picture, and there
is a ``sitemap.xml``. Without it, they have what needs no address: a card of words.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sphinx.application import Sphinx

MISSING = "404"
_CARD = re.compile(
    r'<(?:meta (?:name="(?:description|twitter:card)"|property="og:)|link rel="canonical")'
    r"[^>]*>"
)
# Hosts answer any unknown address with this page, so its links count from the site's root.
# Where that is not known, it lies above the book's folders, or where two hosts put a project.
_GUESS = """<script>
  if (location.protocol !== "file:") {
    const at = location.pathname;
    const folder = at.search(/\\/(book|slides)\\//);
    const project = /\\.git(hub|lab)\\.io$/.test(location.hostname) ? at.split("/")[1] : "";
    const root = folder >= 0 ? at.slice(0, folder + 1) : project ? `/${project}/` : "/";
    document.head.append(Object.assign(document.createElement("base"), { href: root }));
  }
</script>
"""
_SORRY = """<section><h1>Page not found</h1>
<p>There is no page at this address. Start from <a href="{start}">the first page</a>, or
<a href="search.html">search</a>.</p></section>
<script>
  for (const link of document.querySelectorAll('a[href^="#"]')) {{
    link.href = location.pathname + link.getAttribute("href");
  }}
</script>
"""
_DOOR = """<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="refresh" content="0; url={start}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
{card}</head>
<body><p><a href="{start}">{title}</a></p></body></html>
"""


def site_address(app: Sphinx) -> str:
    """Return where the site is served, ending in a slash; empty if unknown."""
    given = str(app.config.html_baseurl)
    return f"{given.rstrip('/')}/" if given else ""


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the page for addresses that lead nowhere (``html-collect-pages``)."""
    body = _SORRY.format(start=f"{app.config.root_doc}.html")
    yield MISSING, {"title": "Page not found", "body": body}, "page.html"


def add_context(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Give the template the site's address, and that page its base (``html-page-context``)."""
    context["site_address"] = site_address(app)
    if page == MISSING:
        context["pageurl"] = None
        root = html.escape(urlsplit(site_address(app)).path)
        base = f'<base href="{root}">\n' if root else _GUESS
        context["metatags"] = base + context.get("metatags", "")


def write(app: Sphinx) -> None:
    """Write the front door and, with an address, the site's map (``build-finished``)."""
    out, start = Path(app.outdir), f"{app.config.root_doc}.html"
    card = "\n".join(_CARD.findall((out / start).read_text("utf-8")))
    title = html.escape(app.config.html_title)
    door = _DOOR.format(title=title, start=start, card=card)
    if app.config.root_doc != "index":
        (out / "index.html").write_text(door, encoding="utf-8")
    if address := site_address(app):
        names = sorted(app.env.found_docs)
        places = [f"<url><loc>{address}{name}.html</loc></url>" for name in names]
        head = '<?xml version="1.0" encoding="utf-8"?>'
        kind = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        text = "\n".join([head, kind, *places, "</urlset>", ""])
        (out / "sitemap.xml").write_text(text, encoding="utf-8")
