"""Print the whole built book into one PDF, in dist/.

    python tools/pdf.py

Chromium draws each page of the table of contents as it does for a printer: figures and widgets
as stills, folds open. All of them are put into one document, so that links lead from page to
page inside it, and printed once to learn on which sheet each chapter begins, and once more with
these numbers in the contents.
"""

import html
import re
import sys
from pathlib import Path

import yaml
from headless import chromium
from playwright.sync_api import Browser
from pypdf import PdfReader

from attention_course import __version__

ROOT = Path(__file__).resolve().parent.parent
SITE, DIST = ROOT / "_build" / "html", ROOT / "dist"
SECONDS = 120
PAPER = {
    "format": "A4",
    "print_background": True,
    "outline": True,
    "tagged": True,
    "prefer_css_page_size": True,
    "display_header_footer": True,
    "header_template": "<span></span>",
    "footer_template": '<p style="width: 100%; text-align: center; font: 8pt sans-serif">'
    '<span class="pageNumber"></span></p>',
}
# A figure in a closed fold is not drawn.
OPENED = """() => document.querySelectorAll(".bd-article details:not(.ac-data, .tag_setup *)")
  .forEach((one) => (one.open = true))"""
READY = """() => {
  const states = [...document.querySelectorAll(".ac-figure, .ac-widget[data-model-id]")];
  return states.every((one) => ["drawn", "ready", "failed"].includes(one.dataset.acState))
    && !document.querySelector(".ac-live [aria-busy=true]");
}"""
# The page's article and the styles of its widgets. An anchor is called PAGE--ANCHOR in the
# whole; a link to a page that is not in the PDF is dropped.
TAKEN = r"""(pages) => {
  const here = new URL(location.href.split("#")[0]);
  const name = (url) => pages[url.pathname];
  const own = (id) => `${name(here)}--${id}`;
  const article = document.querySelector(".bd-article");
  const drawn = [...article.querySelectorAll("canvas")].map((one) => one.toDataURL());
  const copy = article.cloneNode(true);
  copy.querySelectorAll("canvas").forEach((one, at) => one.replaceWith(
    Object.assign(new Image(), { src: drawn[at], className: one.className })));
  copy.querySelectorAll("script, .headerlink, .ac-fallback").forEach((one) => one.remove());
  for (const one of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name: key, value } of [...one.attributes]) {
      if (key === "id") one.id = own(value);
      else if (["for", "aria-labelledby", "aria-describedby"].includes(key)) {
        one.setAttribute(key, value.split(" ").map(own).join(" "));
      } else if (value.includes("url(")) {
        one.setAttribute(key, value.replace(/url\((['"]?)#/g, `url($1#${name(here)}--`));
      }
    }
    const address = one.getAttribute("href") ?? one.getAttribute("xlink:href");
    if (address === null) continue;
    const url = new URL(address, here);
    const page = url.protocol === here.protocol && name(url);
    if (page) one.setAttribute("href", `#${page}${url.hash && `--${url.hash.slice(1)}`}`);
    else if (url.protocol === here.protocol) one.removeAttribute("href");
  }
  for (const one of copy.querySelectorAll("img[src]")) {
    one.src = new URL(one.getAttribute("src"), here);
  }
  // plotly's rules are in no text.
  const styles = [...document.head.querySelectorAll("style")].map(
    ({ sheet }) => [...sheet.cssRules].map((rule) => rule.cssText).join("\n"));
  return [copy.innerHTML, styles];
}"""
SHEET = """<!DOCTYPE html><html lang="en-GB" data-theme="light" data-mode="light"><head>
<meta charset="utf-8"><title>Attention, Measured</title>
<link rel="stylesheet" href="_static/course/site.css">
<style>{styles}
.ac-chapter {{ break-before: page; }}
.ac-contents p {{ display: flex; justify-content: space-between; gap: 1em; margin: 0; }}
.bd-article {{ padding: 0; max-width: none; }}
</style></head><body><main class="bd-main"><div class="bd-content">
<div class="bd-article-container"><article class="bd-article">
{body}
</article></div></div></main></body></html>"""


def chapters() -> list[tuple[str, list[str]]]:
    """Return the parts of the book, each with its pages as addresses inside the site."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [(part["caption"], [c["file"] for c in part["chapters"]]) for part in toc["parts"]]
    return [("", [toc["root"]]), *parts]


def key_of(page: str) -> str:
    """Return what a page's anchors begin with.

    >>> key_of("book/scale/serving")
    'scale-serving'
    """
    return page.removeprefix("book/").replace("/", "-")


def taken(browser: Browser, pages: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return each page's article, ready for the whole, and the styles of all widgets."""
    names = {(SITE / f"{page}.html").as_posix(): key_of(page) for page in pages}
    articles: dict[str, str] = {}
    styles: dict[str, None] = {}
    for page in pages:
        tab = browser.new_page(viewport={"width": 760, "height": 40_000}, color_scheme="light")
        tab.goto((SITE / f"{page}.html").as_uri())
        tab.evaluate(OPENED)
        tab.wait_for_function(READY, timeout=SECONDS * 1000)
        tab.emulate_media(media="print", color_scheme="light")
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        tab.wait_for_function(READY, timeout=SECONDS * 1000)
        article, used = tab.evaluate(TAKEN, names)
        articles[page] = article
        styles |= dict.fromkeys(used)
        tab.close()
    return articles, list(styles)


def contents(titles: dict[str, str], sheets: dict[str, int]) -> str:
    """Return the contents, with the sheet on which each chapter begins where it is known."""
    rows = []
    for caption, pages in chapters():
        here = [page for page in pages if page in titles]
        rows += [f"<h2>{html.escape(caption)}</h2>"] if caption and here else []
        for page in here:
            link = f'<a href="#{key_of(page)}">{titles[page]}</a>'
            rows.append(f"<p>{link} <span>{sheets.get(page, 1000)}</span></p>")
    return f'<section class="ac-contents"><h1>Attention, Measured</h1>{"".join(rows)}</section>'


def begins(reader: PdfReader, page: str) -> int:
    """Return the number of the sheet on which a page begins, from 1."""
    place = reader.named_destinations[f"/{key_of(page)}"]
    return (reader.get_destination_page_number(place) or 0) + 1


def printed(browser: Browser, pages: list[str], path: Path) -> PdfReader:
    """Print pages, with their contents in front, and return what was printed."""
    articles, styles = taken(browser, pages)
    titles = {
        page: re.sub(r"<[^>]+>", "", re.split("</?h1>", text, maxsplit=2)[1])
        for page, text in articles.items()
    }
    chapter = '<div class="ac-chapter" id="{}">{}</div>'
    text = "".join(chapter.format(key_of(page), one) for page, one in articles.items())
    whole = SITE / "whole.html"  # here, for its styles' sake
    tab = browser.new_page(color_scheme="light")
    sheets: dict[str, int] = {}
    try:
        for _ in range(2):
            body = contents(titles, sheets) + text
            page = SHEET.format(styles="\n".join(styles), body=body)
            whole.write_text(page, encoding="utf-8")
            tab.goto(whole.as_uri())
            tab.pdf(path=path, **PAPER)
            reader = PdfReader(path)
            sheets = {page: begins(reader, page) for page in pages}
    finally:
        whole.unlink(missing_ok=True)
        tab.close()
    return reader


def main() -> int:
    """Write the PDF, and say what it weighs."""
    if not (SITE / "index.html").is_file():
        wanted = "expected a built site in _build/html, found none: run make book"
        print(wanted, file=sys.stderr)
        return 1
    DIST.mkdir(exist_ok=True)
    made = DIST / f"attention-measured-{__version__}.pdf"
    with chromium() as browser:
        reader = printed(browser, [page for _, some in chapters() for page in some], made)
    megabytes = made.stat().st_size / 1e6
    print(f"{megabytes:6.1f} MB  {made.relative_to(ROOT)}, {len(reader.pages)} sheets")
    return 0


if __name__ == "__main__":
    sys.exit(main())
