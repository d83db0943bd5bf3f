"""How long a chapter takes: said under its title, and where a list of chapters says minutes.

In a table or a list, ``25 min`` beside a link to a chapter becomes what the build computes.
What the notebook says may be rounded otherwise, but not be wrong by more than five minutes.
"""

import json
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from attention_course.site import main_path

_LOGGER = logging.getLogger(__name__)
_MINUTES = re.compile(r"\b(\d+)(?=\smin(utes)?\b)")
KEPT = "attention_course_minutes"  # in a page's metadata
STALE = 5  # minutes


def say_time(app: Sphinx, doctree: nodes.document) -> None:
    """Say below the title of a chapter how long it takes (``doctree-read``)."""
    page, path = app.env.docname, str(app.env.doc2path(app.env.docname))
    title = next(doctree.findall(nodes.title), None)
    if not path.endswith(".ipynb") or page == app.config.root_doc or title is None:
        return
    with open(path, encoding="utf-8") as file:
        minutes = main_path.reading_minutes(json.load(file)["cells"])
    app.env.metadata[page][KEPT] = minutes
    words = f"About {minutes} minutes, without exercises and what is folded"
    title.parent.insert(1, nodes.paragraph("", words, classes=["ac-time"]))


def fill_times(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Fill in the minutes beside links to chapters (``doctree-resolved``)."""
    times = {
        app.builder.get_relative_uri(docname, page): kept[KEPT]
        for page, kept in app.env.metadata.items()
        if KEPT in kept
    }
    for entry in doctree.findall(_is_entry):
        links = (link.get("refuri", "") for link in entry.findall(nodes.reference))
        minutes = next((times[link] for link in links if link in times), None)
        if minutes is None or next(entry.findall(_holds_entries), None) is not None:
            continue
        for text in list(entry.findall(nodes.Text)):
            if said := _MINUTES.search(text):
                if abs(int(said[1]) - minutes) > STALE:
                    wrong = f"it says {said[1]} minutes where the chapter takes {minutes}"
                    _LOGGER.warning(wrong, location=entry, type="attention_course")
                text.parent.replace(text, nodes.Text(_MINUTES.sub(str(minutes), text)))


def _is_entry(node: Any) -> bool:
    return isinstance(node, (nodes.row, nodes.list_item))


def _holds_entries(node: Any) -> bool:
    return isinstance(node, (nodes.bullet_list, nodes.enumerated_list, nodes.table))
