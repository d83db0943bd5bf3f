"""What chapters write in plain Markdown, because JupyterLab, Colab and GitHub show it too.

An anchor is ``<a id="name"></a>`` at the beginning of a paragraph or above a heading; a margin
note is a quotation that begins with ``**Aside.**``. On the site the first becomes a target that
Sphinx knows, so that a link to nowhere is a warning, and the second is in the margin.
"""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

LONG = 16  # letters: half a line of a phone, or a column of a table there
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


class MarginNotes(SphinxTransform):
    """Set quotations that begin with ``**Aside.**`` into the margin, without that word."""

    default_priority = 200

    def apply(self, **kwargs: Any) -> None:
        """Turn the page's margin notes."""
        for quotation in list(self.document.findall(nodes.block_quote)):
            first = quotation[0]
            said = [n for n in first.children if n.astext()]
            if not said or not isinstance(said[0], nodes.strong) or len(said) == 1:
                continue
            if said[0].astext() == "Aside.":
                first.remove(said[0])
                begin = nodes.raw("", '<aside class="ac-margin" role="note">', format="html")
                end = nodes.raw("", "</aside>", format="html")
                quotation.parent.replace(quotation, [begin, *quotation.children, end])


class LongNames(SphinxTransform):
    """Mark code in a sentence that may be broken on a phone, where it would not fit."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Mark the page's code with a long word; an option stays whole."""
        for literal in self.document.findall(nodes.literal):
            words = literal.astext().split()
            if any(len(word) >= LONG and not word.startswith("-") for word in words):
                literal["classes"].append("ac-long")


class Closings(SphinxTransform):
    """Keep a short formula and the mark behind it on one line; a browser would part them."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        """Put the two into one."""
        for formula in list(self.document.findall(nodes.math)):
            parent = formula.parent
            at = parent.index(formula)
            behind = parent[at + 1] if at + 1 < len(parent) else None
            if not isinstance(behind, nodes.Text) or len(formula.astext()) > LONG:
                continue
            mark = re.match(r"[,.;:!?)]+", behind)
            if mark:
                both = nodes.inline("", "", formula, nodes.Text(mark[0]), classes=["ac-whole"])
                parent[at : at + 2] = [both, nodes.Text(behind[mark.end() :])]


class Terms(SphinxTransform):
    """Note what a glossary defines for the search: an anchored ``**word**: what it means``."""

    default_priority = 500  # by then an anchor's name is on what follows it

    def apply(self, **kwargs: Any) -> None:
        """Note the page's terms."""
        domain: Any = self.env.get_domain("std")
        for paragraph in list(self.document.findall(nodes.paragraph)):
            word, *after = [n for n in paragraph if n.astext()] or [paragraph]
            defined = isinstance(word, nodes.strong) and after
            if paragraph["ids"] and defined and after[0].astext().startswith(": "):
                name, label = word.astext(), paragraph["ids"][0]
                domain.note_object("term", name, label, location=paragraph)
                entry = addnodes.index(entries=[("single", name, label, "main", None)])
                paragraph.parent.insert(paragraph.parent.index(paragraph), entry)


def share_anchors(app: Sphinx, doctree: nodes.document) -> None:
    """Let links from other pages find a page's anchors and headings (``doctree-read``)."""
    known = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for section in doctree.findall(nodes.section):
        known.update({name: (0, name, "") for name in section["ids"]})
    for name, explicit in doctree.nametypes.items():
        if explicit and doctree.nameids.get(name):
            known.setdefault(name, (0, doctree.nameids[name], ""))
