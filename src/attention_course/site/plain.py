"""What chapters write in plain Markdown, because JupyterLab, Colab and GitHub show it too.

An anchor is ``<a id="name"></a>`` at the beginning of a paragraph or above a heading; an aside
is a quotation that begins with a bold line of its own. On the site the first becomes a target
that Sphinx knows, so that a link to nowhere is a warning, and the second a note.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_ANCHOR = re.compile(r'<a id="([a-z0-9-]+)">')


class Anchors(SphinxTransform):
    """Make targets of anchors, before docutils hands a target's name to what follows it."""

    default_priority = 200

    def apply(self, **kwargs: Any) -> None:
        """Turn the page's anchors."""
        for raw in list(self.document.findall(nodes.raw)):
            found, paragraph = _ANCHOR.fullmatch(raw.astext()), raw.parent
            if not found or not isinstance(paragraph, nodes.paragraph) or paragraph.index(raw):
                continue
            target = nodes.target("", "", names=[found[1]])
            self.document.note_explicit_target(target)
            paragraph.parent.insert(paragraph.parent.index(paragraph), target)
            del paragraph[:2]  # the second is "</a>"
            if paragraph.children and not paragraph[0].astext().strip():
                del paragraph[0]
            if not paragraph.children:
                paragraph.parent.remove(paragraph)


class Asides(SphinxTransform):
    """Make notes of quotations that begin with a bold line."""

    default_priority = 200

    def apply(self, **kwargs: Any) -> None:
        """Turn the page's asides."""
        for quotation in list(self.document.findall(nodes.block_quote)):
            line = [n for n in quotation[0] if n.astext()]  # MyST puts empty text around
            if [type(n) for n in line] == [nodes.strong]:
                title = nodes.title("", "", *line[0].children)
                quotation.replace_self(nodes.admonition("", title, *quotation[1:]))


def share_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Let links from other pages find a page's anchors and terms (``doctree-read``)."""
    page = app.env.docname
    known = app.env.metadata[page].setdefault("myst_slugs", {})
    for name, explicit in doctree.nametypes.items():
        if explicit and doctree.nameids.get(name):
            known.setdefault(name, (0, doctree.nameids[name], ""))
    for (kind, term), (where, label) in app.env.get_domain("std").data["objects"].items():
        if kind == "term" and where == page:
            known.setdefault(term.lower().replace(" ", "-"), (0, label, ""))
