"""What there is to do in each chapter, for the landing page's list of chapters.

The list is a map: ``static/ticks.js`` says there what the browser has kept of how much.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from docutils.nodes import make_id
from sphinx.application import Sphinx

from attention_course.site.exercise_pages import MARK
from attention_course.site.in_words import questions
from attention_course.site.review import STATE

# An entry that begins with its link: the guided hour's begin with what to do.
_ENTRY = re.compile(r'(?<=<li><p><a )(?=class="reference internal" href="([^"#]+)\.html")')


def mark(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Say at the links of the landing page what each chapter has (``html-page-context``)."""
    if page == app.config.root_doc and "ac-ticks" in context.get("body", ""):
        folder = Path(app.srcdir, page).parent

        def marked(entry: re.Match[str]) -> str:
            notebook = folder / f"{entry[1]}.ipynb"
            if not notebook.is_file():
                return ""
            held = html.escape(json.dumps({"page": entry[1], **parts(notebook)}))
            return f'data-parts="{held}" '

        context["body"] = _ENTRY.sub(marked, context["body"])


def parts(notebook: Path) -> dict[str, Any]:
    """Return a chapter's exercises in code, its predictions, and its exercises in words."""
    read = nbformat.read(notebook, 4)
    widgets = read.metadata.get("widgets", {}).get(STATE, {}).get("state", {}).values()
    states = (widget["state"] for widget in widgets)
    asked = [state for state in states if state.get("key", "").startswith("predict-")]
    return {
        "code": [slug for cell in read.cells for slug in MARK.findall(cell.source)],
        "guesses": [state["question"] for state in asked],
        "words": [make_id(question.title) for question in questions(notebook)],
    }
