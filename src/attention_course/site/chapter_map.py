"""What there is to do in each chapter, for the landing page's list of chapters.

The list is a map: ``static/ticks.js`` says there what the browser has kept of how much, and
shows in a fold what ``write`` cuts out of a chapter: objectives, what tests them, its needs.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

import nbformat
from docutils.nodes import make_id
from sphinx.application import Sphinx

from attention_course.site.assets import FOLDER
from attention_course.site.exercise_pages import MARK
from attention_course.site.in_words import questions
from attention_course.site.review import STATE, _rebased

# An entry that begins with its link: the guided hour's begin with what to do.
_ENTRY = re.compile(r'(?<=<li><p><a )(?=class="reference internal" href="([^"#]+)\.html")')
_AIMS = re.compile(r"By the end you can</.*?<ol[^>]*>(.*?)</ol>\s*<p>(You need .*?)</p>", re.S)
_TESTS = re.compile(
    r"(?:<!-- exercise ([a-z0-9-]+) -->\s*)?<p[^>]*>\s*"
    r"<strong>\d+\. ([^<]*)</strong> \([^()]*objectives? ([\d, and]+)\)"
)


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


def write(app: Sphinx) -> None:
    """Write the chapters' objectives for the folds of the list (``build-finished``)."""
    pages = sorted(name[5:] for name in app.env.found_docs if name.count("/") == 2)
    built = {p: Path(app.outdir, f"book/{p}.html").read_text("utf-8") for p in pages}
    told = {p: fold for p, body in built.items() if (fold := objectives(p, body))}
    text = f"globalThis.acMap = {json.dumps(told, ensure_ascii=False)};\n"
    Path(app.outdir, "_static", FOLDER, "chapter-map.js").write_text(text, "utf-8")


def objectives(page: str, body: str) -> str:
    """Return a page's objectives, each with its exercises, and its needs, for the landing page.

    >>> ends = "By the end you can</b><ol><li><p>add.</p></li></ol><p>You need ten fingers.</p>"
    >>> objectives("a/b", ends + "<p><strong>1. A sum</strong> (explain, objective 1)")[:54]
    '<ol><li>add.<ul><li><a href="a/b.html#exercises">A sum'
    """
    if not (found := _AIMS.search(body)):
        return ""
    aims = [f"<li>{aim}<ul>" for aim in re.findall(r"<li><p>(.*?)</p></li>", found[1], re.S)]
    for slug, title, tested in _TESTS.findall(body):
        words = make_id(html.unescape(title).replace("’", "'"))
        at = f"exercise-{slug}" if slug else f"words-{words}"
        at = at if f'id="{at}"' in body else "exercises"  # code without a page of its own
        for n in re.findall(r"\d", tested):
            aims[int(n) - 1] += f'<li><a href="#{at}">{title}</a></li>'
    needs = re.sub(r"<a .*?</a>", r"<span>\g<0></span>", found[2])
    return _rebased(f"<ol>{'</ul></li>'.join([*aims, ''])}</ol><p>{needs}</p>", page)
