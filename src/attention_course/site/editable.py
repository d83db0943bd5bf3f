"""*Edit and run*: what a page needs so that a reader can change a chapter's own code in it.

What runs is the list of ``copied``, but for torch and Triton, which a page does not have. The
build marks the cells that have a part in it; their code comes with the first click, in a script
of its own, because a page that was opened from disk may load nothing else.
``static/editable.js`` puts the editors in, ``exercises/in_page_cells.py`` runs what they hold.
"""

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from attention_course.site.copied import OUT_OF_SIGHT, Piece, copied
from attention_course.site.main_path import source, tags
from attention_course.site.tryit import load_running

# What a page's Python lacks, by the names of ``copied.IMPORTS``.
WITHOUT = ("torch", "nn", "checkpoint", "triton", "tl")
# These parts of the course are written for tensors, and these are methods of tensors alone.
TORCH = re.compile(
    r"\A# attention_course\.(?:layers|models|kernels)\."
    r"|(?<!\bnp)\.(?:softmax|abs|clone|detach)\("
)
TRITON = re.compile(r"\b(?:triton|tl)\.")
CHAPTER = re.compile(r"^\s*- file: (\S+?)(?:\.ipynb)?\s*$", re.MULTILINE)
# What a page does by itself, or what cannot be run in it.
ASIDE = ("ac.show(", "ac.hold(")
_IMPORTS = (ast.Import, ast.ImportFrom)
_BLOCKS = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Code:
    """A chapter's code as its page has it."""

    before: str
    """Its imports, and what it takes from earlier chapters."""
    cells: list[dict[str, Any]]
    """In the order in which they run: ``code``; the ``id`` of the cell, if a reader can edit
    it; ``part``, if lines of it are left out."""
    elsewhere: dict[str, tuple[str, str]]
    """By the id of a cell that does not run in a page: what it needs, and the id of the cell
    that has the same in NumPy, or nothing."""

    @property
    def editable(self) -> set[str]:
        """The ids of the cells that a reader can edit."""
        return {cell["id"] for cell in self.cells if "id" in cell}


@cache
def book_code(book: Path) -> dict[str, Code]:
    """Return the code of each chapter that a book's ``_toc.yml`` names, by that name."""
    if not (book / "_toc.yml").is_file():  # a book of other pages
        return {}
    toc = (book / "_toc.yml").read_text("utf-8")
    paths = {name: book / f"{name}.ipynb" for name in CHAPTER.findall(toc)}
    read = {n: json.loads(p.read_text("utf-8")) for n, p in paths.items() if p.is_file()}
    runs = {name: pieces for name, pieces, _ in copied(read, WITHOUT)}
    return {
        name: chapter_code(read[name], name, runs[name], pieces)
        for name, pieces, _ in copied(read)
    }


def chapter_code(
    notebook: dict[str, Any], name: str, runs: list[Piece], listed: list[Piece]
) -> Code:
    """Return a chapter's code.

    A function that ``show`` displays runs above all cells, as in the list. Where its cell has
    statements of its own, these are edited with it, and run in the place of that cell.

    Args:
        notebook: its JSON.
        name: what the pieces call it.
        runs: the list of what runs in a page.
        listed: the list of all that runs with torch and Triton.
    """
    in_page, all_of_it = _own(runs, name), _own(listed, name)
    by_id = {cell.get("id", ""): cell for cell in notebook["cells"]}
    groups = [(cell, [*found]) for cell, found in groupby(in_page, lambda piece: piece.cell)]
    last = {cell: number for number, (cell, _) in enumerate(groups)}
    cells: list[dict[str, Any]] = []
    for number, (cell, found) in enumerate(groups):
        cells.append({"code": _joined(found)})
        mine = [p for p in in_page if p.cell == cell and (_here(p) or not _defined(p.source))]
        more = len([piece for piece in all_of_it if piece.cell == cell])
        part = max(more, _statements(by_id[cell])) > len(mine)
        taught = any(_defined(piece.source) for piece in mine if _here(piece))
        prints = bool(mine) and mine[-1].whole and mine[-1].kind == "example"
        shows = taught or (prints and (not part or _prints(by_id[cell])))
        if number == last[cell] and shows and _in_sight(by_id[cell], mine):
            cells[-1] = {"id": cell, "code": _joined(mine)} | ({"part": True} if part else {})
    before = _joined([piece for piece in runs if piece not in in_page])
    code = Code(before, cells, {})
    numpy = {_plain(n): p.cell for p in in_page if _here(p) for n in _defined(p.source)}
    here = {piece.cell for piece in in_page if _here(piece)}
    for cell in dict.fromkeys(piece.cell for piece in all_of_it if piece.works):
        found = [piece for piece in all_of_it if piece.cell == cell]
        if cell not in here and _in_sight(by_id[cell], found, printed=False):
            needs = "Triton" if any(TRITON.search(p.source) for p in found) else "torch"
            same = (numpy.get(_plain(n), "") for p in found for n in _defined(p.source))
            code.elsewhere[cell] = (needs, next((c for c in same if c in code.editable), ""))
    return code


def _own(pieces: list[Piece], name: str) -> list[Piece]:
    return [p for p in pieces if p.chapter == name and p.kind in ("definition", "example")]


def _here(piece: Piece) -> bool:
    """Whether what a piece defines can be called in a page."""
    return piece.works and not TORCH.search(piece.source)


def _joined(pieces: list[Piece]) -> str:
    """Return the source of pieces, definitions two lines apart."""
    text, apart = "", False
    for piece in pieces:
        defines = bool(_defined(piece.source))
        text += ("\n\n\n" if defines or apart else "\n") if text else ""
        text, apart = text + piece.source, defines
    return text


@cache
def _defined(source: str) -> list[str]:
    return [node.name for node in ast.parse(source).body if isinstance(node, _BLOCKS)]


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _in_sight(cell: dict[str, Any], pieces: list[Piece], printed: bool = True) -> bool:
    """Whether the page shows a cell's code, or all that it prints."""
    hidden = OUT_OF_SIGHT & {*tags(cell)}
    if not hidden or (hidden == {"hide-input"} and any(p.kind == "definition" for p in pieces)):
        return True
    return printed and hidden == {"hide-input"} and _prints(cell) and pieces[-1].whole


def _prints(cell: dict[str, Any]) -> bool:
    return any(output["output_type"] == "stream" for output in cell["outputs"])


def _statements(cell: dict[str, Any]) -> int:
    """Return how many statements of a cell a reader would expect to run."""
    if OUT_OF_SIGHT & {*tags(cell)}:
        return 0
    text = re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source(cell))
    body = [node for node in ast.parse(text).body if not isinstance(node, _IMPORTS)]
    return len([node for node in body if not ast.unparse(node).startswith(ASIDE)])


def _cells(doctree: nodes.document) -> Iterator[nodes.container]:
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code" and "cell_index" in node:
            yield node


def mark(app: Sphinx, doctree: nodes.document) -> None:
    """Mark the cells that a page can run, and name those that it cannot (``doctree-read``)."""
    code = book_code(Path(app.srcdir)).get(app.env.docname)
    if code is None:
        return
    path = Path(app.env.doc2path(app.env.docname))
    ids = [cell.get("id", "") for cell in json.loads(path.read_text("utf-8"))["cells"]]
    for cell in _cells(doctree):
        name = ids[cell["cell_index"]]
        if name in code.editable or name in code.elsewhere:
            cell["ids"].append(f"cell-{name}")
        if name in code.editable:
            cell["classes"].append("ac-edit")


def load(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the script on pages with such cells, with their code (``html-page-context``)."""
    if doctree is None or 'id="cell-' not in context.get("body", ""):
        return
    code = book_code(Path(app.srcdir))[page]
    script = script_of(code)
    file = Path("_static", "course", "cells", f"{page}.js")
    (Path(app.outdir) / file).parent.mkdir(parents=True, exist_ok=True)
    (Path(app.outdir) / file).write_text(script, encoding="utf-8")
    version = hashlib.sha256(script.encode()).hexdigest()[:8]
    beside = [",".join([cell, *about]) for cell, about in code.elsewhere.items()]
    data: dict[str, Any] = {
        "data-chapter": page,
        "data-cells": f"{context['pathto'](file.as_posix(), 1)}?v={version}",
        "data-elsewhere": " ".join(beside),
    }
    load_running(app)
    app.add_js_file("course/editable.js", loading_method="defer", **data)


def script_of(code: Code) -> str:
    """Return the script that has a chapter's code."""
    about = json.dumps({"before": code.before, "cells": code.cells})
    return f"globalThis.acChapter = {about};\n"
