"""A link to a figure leads to it, on a desk and a phone, also before the page is laid out."""

import posixpath
import re
from itertools import groupby
from urllib.parse import unquote

import pytest
from built_site import LAID_OUT, SITE

pytestmark = pytest.mark.browser
HREF = re.compile(r'<a [^>]*href="([^"#:]*)#([^"]+)"')
LIVE = re.compile(r'id="(fig-[^"]+)"|data-ac-key="([^"]+)"')
STILL = f"""() => {LAID_OUT} && [...document.querySelectorAll(".ac-widget")].every(
  (e) => e.dataset.acState !== "starting")"""
WHERE = """(name) => {
  const at = document.getElementById(name) ?? document.querySelector(`[data-ac-key="${name}"]`);
  const { top } = at.getBoundingClientRect();
  const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 3;
  const low = end ? innerHeight : 160;
  return at.checkVisibility() && top > -5 && top < low ? "" : Math.round(top);
}"""


def links() -> list[tuple[str, str]]:
    """Every figure, plain or live, that something links to, in its page's order."""
    pages = {
        str(path.relative_to(SITE)): path.read_text("utf-8") for path in SITE.rglob("*.html")
    }
    live = {page: {a or b for a, b in LIVE.findall(text)} for page, text in pages.items()}
    found = set()
    for page, text in pages.items():
        for path, anchor in HREF.findall(text):
            where = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
            where = where if path else page
            if unquote(anchor).split("?")[0] in live.get(where, ()):
                found.add((where, unquote(anchor)))
    return sorted(found, key=lambda x: (x[0], pages[x[0]].find(f'"{x[1]}"'), x[1]))


LINKS = links() if SITE.is_dir() else []
# The one that moved most: its page comes to life above it.
FEW = {("book/scale/linear-attention-today.html", "fig-overwriting"), *LINKS[::60]}
# Of each page the first and the last: a page is slow to lay out.
OF_PAGE = [[*own] for _, own in groupby(LINKS, key=lambda link: link[0])]
ENDS = {end for own in OF_PAGE for end in (own[0], own[-1])}
EACH = [
    pytest.param(*link, marks=[] if link in FEW else pytest.mark.thorough, id="#".join(link))
    for link in LINKS
    if link in FEW | ENDS
]


@pytest.mark.parametrize(("width", "how"), [(1280, "click"), (360, "address")])
@pytest.mark.parametrize(("address", "anchor"), EACH)
def test_a_link_leads_to_its_figure(new_context, home, address, anchor, width, how):
    page = new_context(width=width).new_page()
    if how == "address":
        page.goto(f"{home}{address}#{anchor}")
    else:
        page.goto(home + address, wait_until="domcontentloaded")
        page.evaluate(
            """(to) => document.body.appendChild(
            Object.assign(document.createElement("a"), { href: `#${to}` })).click()""",
            anchor,
        )
    page.wait_for_function(STILL)
    page.wait_for_timeout(500)  # figures that it brought near come to life
    page.wait_for_function(STILL)
    assert page.evaluate(WHERE, anchor.split("?")[0]) == ""
