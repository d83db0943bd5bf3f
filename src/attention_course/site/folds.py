"""Folds: what a first reader can skip, what answers a question, and the code that only draws.

A run of cells tagged ``deeper`` becomes one ``<details>``, whose summary is its heading. It is
left out of the list of sections; its anchor stays. A run of cells tagged ``answer`` becomes a
``<details>`` that stands open until ``static/predictions.js`` closes it, while the question
above it waits for a guess. Cells tagged ``hide-input``, ``hide-cell``
or ``setup`` get a toggle that says what it hides. ``static/folds.js`` opens folds for an
anchor, for the search and for paper; everything can be opened without it.
"""

import html
import json
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from attention_course.site import main_path

_LOGGER = logging.getLogger(__name__)
_LINES = 10_000  # by which myst-nb numbers the lines of a cell
_ANSWER = '<details class="ac-answer" open><summary hidden>Answer</summary>'
_OPEN = '<details class="ac-deeper"><summary><span class="ac-deeper-word">Going deeper:</span> '


class FoldDeeper(SphinxTransform):
    """Wrap the sections tagged ``deeper`` and the cells tagged ``answer``."""

    default_priority = 310

    def apply(self, **kwargs: Any) -> None:
        """Do so to one page."""
        path = str(self.env.doc2path(self.env.docname))
        if not path.endswith(".ipynb"):
            return
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        told = main_path.fold_complaints(cells) + main_path.answer_complaints(cells)
        for sentence in told:
            _LOGGER.warning(
                sentence, location=self.document, type="attention_course", subtype="fold"
            )
        heads = {fold.start for fold in main_path.folds(cells)}
        answers = {i for i, cell in enumerate(cells) if "answer" in main_path.tags(cell)}
        for section in list(self.document.findall(nodes.section)):
            _cover(section, answers)
            if _cell_of(section) in heads:
                _fold(section)


def _cell_of(node: nodes.Element) -> int:
    """Return the number of the cell that a node comes from; -1 if that is not known."""
    lines = (part.line for part in node.findall() if part.line)
    return next(lines, 0) // _LINES - 1


def _cover(section: nodes.section, answers: set[int]) -> None:
    """Put each run of a section's answers into one fold."""
    parts: list[nodes.Node] = []
    covered = False
    for child in [*section.children, nodes.section()]:
        answers_now = not isinstance(child, nodes.section) and _cell_of(child) in answers
        if answers_now and _is_open_code(child):
            answers_now = False
            at = child.index(_part(child, "cell_code_output"))
            child.insert(at + 1, _raw("</details>"))
            child.insert(at, _raw(_ANSWER))
        if answers_now != covered:
            parts.append(_raw(_ANSWER if answers_now else "</details>"))
        covered = answers_now
        parts.append(child)
    section.children = []
    section += parts[:-1]


def _is_open_code(node: nodes.Node) -> bool:
    """Whether a cell's code stays in sight when its output answers: not one with a claim."""
    if not _is_code(node) or "tag_hide-input" in node["classes"]:
        return False
    return "hold(" not in _part(node, "cell_code_source").astext()


def _fold(section: nodes.section) -> None:
    title, *rest = section.children
    section.children = []
    section += [_raw(_OPEN), title, _raw("</summary>"), *rest, _raw("</details>")]
    # What is no child of a section stays out of the list of sections.
    place = nodes.container("", classes=["ac-fold"])
    section.parent.replace(section, place)
    place += section


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def name_toggles(app: Sphinx, doctree: nodes.document) -> None:
    """Say what each folded cell hides (``doctree-read``).

    Folded code that shows nothing is put in front of the folded code right behind it, in one
    fold.
    """
    for cell in list(doctree.findall(_is_code)):
        below = cell.next_node(descend=False, siblings=True)
        if _only_code(cell) and below is not None and _is_folded_code(below):
            _part(below, "cell_code_source")[0:0] = _part(cell, "cell_code_source").children
            cell.parent.remove(cell)
    for cell in doctree.findall(_is_code):
        setup = "tag_setup" in cell["classes"]
        if setup:
            cell["hide_mode"] = "all"
        if cell.get("hide_mode"):
            name = "Set-up: installs and checks" if setup else _name(cell)
            cell["prompt_show"] = cell["prompt_hide"] = name


def _is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _part(cell: nodes.Element, kind: str) -> Any:
    """Return a cell's source or its output, None if it has none."""
    return next((part for part in cell.children if part.get("nb_element") == kind), None)


def _is_folded_code(node: nodes.Node) -> bool:
    return _is_code(node) and node.get("hide_mode") == "input"


def _only_code(cell: nodes.Element) -> bool:
    return _is_folded_code(cell) and _part(cell, "cell_code_output") is None


def _name(cell: nodes.container) -> str:
    raws = list(cell.findall(nodes.raw))
    figure = any(
        raw.get("live") == "figure" or '<figure class="ac-' in raw.astext() for raw in raws
    )
    if cell["hide_mode"] == "all" and _part(cell, "cell_code_output") is not None:
        return f"The code and its {'figure' if figure else 'output'}"
    if cell["hide_mode"] == "output":
        return "The output"
    return "The code behind this figure" if figure else "The code"


def visit_toggle(self: Any, node: nodes.Element) -> None:
    """Begin a folded cell: what one sees is what a screen reader says."""
    classes = " ".join(["hide", *node["classes"]])
    self.body.append(
        f'<details class="{classes}"><summary>{html.escape(node["prompt_show"])}</summary>\n'
    )


def depart_toggle(self: Any, node: nodes.Element) -> None:
    """End it."""
    self.body.append("</details>\n")
