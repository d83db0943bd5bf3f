"""When a general sentence holds: a mark behind it opens its conditions, and leads to its owner.

``book/claims.toml`` has both. The mark is a button with a popover, which needs no script, also
on slides. The style sheet shows the same while a pointer is on the mark or its note, or the
focus on the mark, and prints the conditions behind the line.
"""

import html
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

_MARK = (
    '<button type="button" class="ac-if" popovertarget="{id}" aria-label="When does this '
    'hold?">°</button><span class="ac-if-said" popover id="{id}">{said}</span>'
)


class Claim(NamedTuple):
    """A general sentence, its page, what holds it, and on which conditions."""

    page: str
    says: str
    owner: str
    where: list[str]


def claims(book: Path) -> list[Claim]:
    """Return the sentences that have an owner."""
    path = book / "claims.toml"
    pages = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    return [
        Claim(page, says, f"{page}{at}" if at.startswith("#") else at, where)
        for page, lines in pages.items()
        for says, (at, *where) in lines.items()
    ]


def mark(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put a mark behind each paragraph of a page that says a claim (``doctree-resolved``)."""
    own = [c for c in claims(Path(app.srcdir, "book")) if f"book/{c.page}" == docname]
    paragraphs = {_letters(p.astext()): p for p in doctree.findall(nodes.paragraph) if own}
    for number, claim in enumerate(own):
        page, _, anchor = f"book/{claim.owner}".partition("#")
        where = html.escape("; ".join(claim.where))
        where = f"<span>Conditions: {where}.</span> " if where else ""
        link = app.builder.get_relative_uri(docname, page).partition("#")[0]
        title = html.escape(app.env.titles[page].astext().partition(":")[0])
        said = f'{where}<a href="{link}#{anchor}">Shown in {title}</a>'
        raw = nodes.raw("", _MARK.format(id=f"if-{number}", said=said), format="html")
        says = _letters(claim.says)  # a test asks that it is there
        next((p for text, p in paragraphs.items() if says in text), nodes.paragraph()).append(
            raw
        )


def _letters(text: str) -> str:
    """Return a text's letters and digits, in which Markdown and the page agree."""
    return re.sub(r"\]\([^)]*\)|[^a-z0-9]", "", text.lower())
