"""Citations: links to a source, which read as text wherever the notebook is opened.

A chapter writes ``[Bahdanau et al. (2015)](https://arxiv.org/abs/1409.0473)`` or, in brackets,
``([Bahdanau et al., 2015](https://arxiv.org/abs/1409.0473))``. In JupyterLab or Colab the link
leads to the source. On the site it leads to the source's entry among the references, and the
build warns where author and year are not those of the entry.
"""

import re
from typing import Any

from docutils import nodes
from pybtex.backends import plaintext
from pybtex.database import Entry
from pybtex.richtext import Text
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

_LOGGER = logging.getLogger(__name__)
# What reads like a citation: "… (2015)" or "…, 2015".
_READS = re.compile(r"\w( \(\d{4}\)|, \d{4})$")


def address(entry: Entry) -> str | None:
    """Return where a source can be read: on arXiv, by its DOI, or at its address.

    >>> address(Entry("misc", {"eprint": "1706.03762", "url": "https://example.org"}))
    'https://arxiv.org/abs/1706.03762'
    """
    fields = entry.fields
    if "eprint" in fields:
        return f"https://arxiv.org/abs/{fields['eprint']}"
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return fields.get("url")


def names(entry: Entry) -> tuple[str, str]:
    """Return how a sentence names a source, and how brackets do.

    >>> from pybtex.database import Person
    >>> people = [Person("Och, Franz Josef"), Person("Ney, Hermann")]
    >>> names(Entry("misc", {"year": "2003"}, {"author": people}))
    ('Och and Ney (2003)', 'Och and Ney, 2003')
    """
    people = [
        str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names])))
        for person in entry.persons["author"]
    ]
    many = len(people) > 2 or people[-1] == "others"
    who = f"{people[0]} et al." if many else " and ".join(people)
    return f"{who} ({entry.fields['year']})", f"{who}, {entry.fields['year']}"


class Citations(SphinxPostTransform):
    """Lead each link to a source to its entry, and hold its words against the entry."""

    default_priority = 6  # the list of references is there by then

    def run(self, **kwargs: Any) -> None:
        """Turn the page's citations."""
        domain: Any = self.env.domains.get("cite")
        if domain is None:
            return
        sources = domain.bibdata.data.entries.values()
        entries = {where: entry for entry in sources if (where := address(entry))}
        found = {citation.key: citation for citation in domain.citations}
        listed = list(self.document.findall(nodes.citation))
        in_list = [link for entry in listed for link in entry.findall(nodes.reference)]
        for link in list(self.document.findall(nodes.reference)):
            if link in in_list:
                continue
            entry = entries.get(link.get("refuri"))
            words = " ".join(link.astext().split()).replace("’", "'")
            if entry is None:
                if "refuri" in link and _READS.search(words):
                    self._warn(
                        link, f"{words!r}: no source in the bibliography is at its address"
                    )
            elif words not in names(entry):
                expected = " or ".join(names(entry))
                self._warn(link, f"{words!r} cites {entry.key}; expected {expected}")
            elif entry.key in found:
                link.replace_self(self._to_entry(link, found[entry.key]))

    def _to_entry(self, link: nodes.reference, citation: Any) -> nodes.reference:
        title = citation.formatted_entry.text.render(plaintext.Backend())
        to = citation.bibliography_key.docname, citation.citation_id
        new = make_refnode(self.app.builder, self.env.docname, *to, link.children, title)
        new["classes"].append("ac-citation")
        return new

    def _warn(self, link: nodes.reference, says: str) -> None:
        _LOGGER.warning(says, location=link, type="attention_course", subtype="citation")
