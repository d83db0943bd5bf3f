"""Figures get a number on their page, a caption and an address.

Plotly figures, drawings and the widgets that have a caption are counted through a chapter.
The caption is the Markdown cell below a figure, so that it reads in every front end::

    <a id="fig-spread"></a>**Figure 3.** The wider the keys, the wider the scores.

and the text refers to it by a link that reads as text, ``[figure 3](#fig-spread)``, from any
page. The numbers in the notebook are checked: a wrong one is a warning, fatal in the strict
build, as is a caption without a figure, and a figure without one on a page that has captions.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_ANCHOR = re.compile(r'<a id="([^"\s]+)">$')
_NUMBER = re.compile(r"Figure (\d+)\.$")
KEPT = "attention_course_figures"  # in a page's metadata: label to number


class Caption(nodes.General, nodes.TextElement):  # type: ignore[misc]  # docutils is untyped
    """The words below a figure; the figure itself bears the id."""


def visit_caption(self: Any, node: Caption) -> None:
    """Begin the caption, with its number, which links to the figure."""
    label, number = node["label"], node["number"]
    self.body.append(
        f'<p class="ac-caption"><a class="ac-number" href="#{label}">Figure {number}.</a> '
    )


def depart_caption(self: Any, node: Caption) -> None:
    """End the caption."""
    self.body.append("</p>")


class NumberFigures(SphinxTransform):
    """Number the figures of a page and hang their captions below them."""

    default_priority = 190  # before other anchors become targets (markdown_nodes.Anchors)

    def apply(self, **kwargs: Any) -> None:
        """Do so to one page."""
        numbers: dict[str, int] = {}
        bare = []
        written = {id(p): p for p in self.document.findall(nodes.paragraph) if _strong(p)}
        pictures = list(_pictures(self.document, written))
        for number, (raw, cell) in enumerate(pictures, start=1):
            last = number == len(pictures) or pictures[number][1] is not cell
            words = written.pop(_below(cell), None) if last else None
            caption = self._caption(words, number) if words is not None else None
            if caption is None:
                bare.append(number)
                caption = Caption("", label=f"figure-{number}", number=number)
            else:
                numbers[caption["label"]] = number
            _hang(raw, caption)
        for words in written.values():
            _warn(f"{_strong(words)!r} must stand directly below a figure", words)
        if numbers and bare:
            _warn(f"figures without a caption: {', '.join(map(str, bare))}", self.document)
        page = self.env.metadata[self.env.docname]
        page[KEPT] = numbers
        # Where MyST looks for the anchor of a link to another notebook.
        slugs = page.setdefault("myst_slugs", {})
        slugs |= {label: (0, label, f"figure {n}") for label, n in numbers.items()}

    def _caption(self, words: nodes.paragraph, number: int) -> Caption:
        said = _strong(words)
        if said != f"Figure {number}.":
            _warn(f"{said!r} stands below figure {number}", words)
        label = _label(words)
        caption = Caption("", label=label or f"figure-{number}", number=number)
        if label:
            caption["names"], caption["ids"] = [label], [label]
            self.document.note_explicit_target(caption)
            elsewhere = self.env.metadata.items()
            for page in [p for p, kept in elsewhere if label in kept.get(KEPT, {})]:
                if page != self.env.docname:
                    _warn(f"figure label {label!r} is also on {page}", words)
        first = words.index(next(words.findall(nodes.strong)))
        caption += words.children[first + 1 :]
        words.parent.remove(words)
        return caption


def _warn(what: str, node: nodes.Node) -> None:
    _LOGGER.warning(what, location=node, type="attention_course", subtype="figure")


def _pictures(
    document: nodes.document, written: Collection[int]
) -> Iterator[tuple[nodes.raw, nodes.Element]]:
    """Yield a figure's raw node and the cell that it is in; of widgets, the captioned."""
    for raw in list(document.findall(nodes.raw)):
        drawing = '<figure class="ac-diagram"' in raw.astext()
        widget = raw.get("live") == "widget"
        if not widget and raw.get("live") != "figure" and not drawing:
            continue
        at = raw.parent
        while at is not None and "cell" not in at.get("classes", []):
            at = at.parent
        if at is not None and not (widget and _below(at) not in written):
            yield raw, at


def _below(cell: nodes.Element) -> int:
    """Return which node is below a cell."""
    return id(cell.next_node(descend=False, siblings=True))


def _strong(words: nodes.paragraph) -> str:
    """Return the ``Figure 3.`` that a paragraph begins with, or an empty string."""
    said_first = (n for n in words.children if not isinstance(n, nodes.raw) and n.astext())
    first = next(said_first, None)
    said = first.astext() if isinstance(first, nodes.strong) else ""
    return said if _NUMBER.match(said) else ""


def _label(words: nodes.paragraph) -> str:
    marks = (_ANCHOR.match(n.astext()) for n in words.children if isinstance(n, nodes.raw))
    return next((mark[1] for mark in marks if mark), "")


def _hang(raw: nodes.raw, caption: Caption) -> None:
    """Put the caption into the figure's element, and the label on it."""
    label, text = caption["label"], raw.astext()
    if raw.get("live") == "figure":
        before, after = text.split("<figcaption>", 1)
        before = before.replace('"ac-figure"', f'"ac-figure" id="{label}"', 1)
        opening = nodes.raw("", f"{before}<figcaption>", format="html", live="figure")
        parts = [opening, caption, nodes.raw("", after, format="html")]
    else:
        kind = "ac-live ac-wide" if raw.get("live") == "widget" else "ac-drawn"
        opening = nodes.raw("", f'<figure class="{kind}" id="{label}">', format="html")
        middle = nodes.raw("", "<figcaption>", format="html")
        end = nodes.raw("", "</figcaption></figure>", format="html")
        parts = [opening, raw.deepcopy(), middle, caption, end]
    raw.parent.replace(raw, parts)


def check_references(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Warn of a link to a figure whose text has another number (``doctree-resolved``)."""
    numbers = {
        label: number
        for kept in app.env.metadata.values()
        for label, number in kept.get(KEPT, {}).items()
    }
    for link in doctree.findall(nodes.reference):
        label = link.get("refid") or link.get("refuri", "").partition("#")[2]
        said = re.search(r"\d+", link.astext())
        if said and label in numbers and int(said[0]) != numbers[label]:
            _warn(f"{link.astext()!r} leads to figure {numbers[label]}", link)
