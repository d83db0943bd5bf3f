"""*Edit and run*: what a page needs so that a reader can change a chapter's own code in it.

A cell tagged ``page-python`` runs there, after all tagged cells above it; a function of the
specification that a cell shows is defined before them. The code comes with the first click, in
a script of its own, because a page that was opened from disk may load nothing else.
``static/editable.js`` puts the editors in, ``exercises/in_page_cells.py`` runs what they hold.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from attention_course.site.main_path import source, tags
from attention_course.site.tryit import load_running

RUNS = "page-python"
# Cells that run by themselves as well, with what the page's Python lacks.
LACKS = ("needs-torch", "needs-triton")
NOT_OFFERED = {"hide-cell", "remove-input", "remove-cell", "setup", *LACKS}

_SHOWN = re.compile(r"# (attention_course\.reference[\w.]*?)\.?(?:\n#     )?(\w+)\n")
_SHOW = re.compile(r"^ac\.show\(.*\)\n?", re.MULTILINE)


def chapter_code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a page runs of a chapter, in its order, a dictionary a cell.

    It says whether a reader can ``edit`` it, and the ``modules`` of the functions it shows.
    """
    cells = []
    for cell in notebook["cells"]:
        if RUNS not in tags(cell):
            continue
        texts = ["".join(o.get("data", {}).get("text/plain", "")) for o in cell["outputs"]]
        shown = {text.rstrip(): found[1] for text in texts if (found := _SHOWN.match(text))}
        own = _SHOW.sub("", source(cell)).strip()
        prints = any(o["output_type"] == "stream" for o in cell["outputs"])
        hidden = "hide-input" in tags(cell) and not (shown or prints)
        code = {"id": cell["id"], "code": "\n\n\n".join([*shown, *[own] * bool(own)])}
        code["edit"] = not (hidden or NOT_OFFERED & {*tags(cell)})
        code |= {"modules": sorted({*shown.values()}), "first": bool(shown) and not own}
        cells.append(code)
    return sorted(cells, key=lambda cell: not cell.pop("first"))


def of_page(app: Sphinx, page: str) -> list[dict[str, Any]]:
    """Return what a page runs of its chapter; nothing, if it is no notebook."""
    path = Path(app.env.doc2path(page))
    return chapter_code(json.loads(path.read_text("utf-8"))) if path.suffix == ".ipynb" else []


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the cells that a reader can edit and run (``doctree-read``)."""
    code = of_page(app, app.env.docname)
    if not code:
        return
    offered = {cell["id"] for cell in code if cell["edit"]}
    path = Path(app.env.doc2path(app.env.docname))
    ids = [cell["id"] for cell in json.loads(path.read_text("utf-8"))["cells"]]
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") != "cell_code" or "cell_index" not in node:
            continue
        if (name := ids[node["cell_index"]]) in offered:
            node["ids"].append(f"cell-{name}")
            node["classes"].append("ac-edit")


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script on pages with such cells, with their code (``html-page-context``)."""
    body = context.get("body", "")
    if doctree is None or not ('id="cell-' in body or "tag_needs-" in body):
        return
    script = script_of(of_page(app, page))
    file = Path("_static", "course", "cells", f"{page}.js")
    (Path(app.outdir) / file).parent.mkdir(parents=True, exist_ok=True)
    (Path(app.outdir) / file).write_text(script, encoding="utf-8")
    version = hashlib.sha256(script.encode()).hexdigest()[:8]
    data: dict[str, Any] = {
        "data-chapter": page,
        "data-cells": f"{context['pathto'](file.as_posix(), 1)}?v={version}",
    }
    load_running(app)
    app.add_js_file("course/editable.js", loading_method="defer", **data)


def script_of(code: list[dict[str, Any]]) -> str:
    """Return the script that has a chapter's code."""
    return f"globalThis.acChapter = {json.dumps({'cells': code})};\n"
