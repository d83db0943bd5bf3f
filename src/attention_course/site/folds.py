"""Folds: what a first reader can skip, what answers a question, and the code that only draws.

A run of cells tagged ``deeper`` becomes one ``<details>``, whose summary is its heading. It is
left out of the list of sections; its anchor stays. A run of cells tagged ``answer`` becomes a
``<details>`` that stands open until ``static/predictions.js`` closes it, while the question
above it waits for a guess; a section of nothing else is covered with its heading. Of a cell
tagged ``hide-input`` the result is on the page, of one tagged ``setup`` nothing: their code
is in the notebook, which each page offers. A cell tagged ``hide-cell`` gets a toggle. What a
section claims, and where its records are from, is under one mark, but for a claim that
answers. ``static/folds.js`` opens folds for an anchor, for the search and for paper; everything
can be opened without it.
"""

import html
import json
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from attention_course.site import main_path

_LINES = 10_000  # by which myst-nb numbers the lines of a cell
_ANSWER = '<details class="ac-answer" open><summary hidden>Answer</summary>'
_MARK = re.compile(
    r'<details class="ac-hold"><summary>([^<]*)</summary>((?:<p>[^<]*</p>)*)</details>'
)
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
        heads = {fold.start for fold in main_path.folds(cells)}
        answers = {i for i, cell in enumerate(cells) if "answer" in main_path.tags(cell)}
        for section in list(self.document.findall(nodes.section)):
            if not _waits(section, answers):
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
        answers_now = _waits(child, answers)
        if _cell_of(child) in answers and _is_open_code(child):
            at = next(i for i, part in enumerate(child.children) if _is(part, "output"))
            child.insert(at + 1, _raw("</details>"))
            child.insert(at, _raw(_ANSWER))
        if answers_now != covered:
            parts.append(_raw(_ANSWER if answers_now else "</details>"))
        covered = answers_now
        parts.append(child)
    section.children = []
    section += parts[:-1]


def _waits(node: nodes.Node, answers: set[int]) -> bool:
    """Whether all of a node answers: of a section, all but its heading and its anchors."""
    if not isinstance(node, nodes.section):
        return _cell_of(node) in answers and not _is_open_code(node)
    heads = (nodes.title, nodes.target, nodes.comment)
    rest = [child for child in node.children if not isinstance(child, heads)]
    return bool(rest) and all(_waits(child, answers) for child in rest)


def _is_open_code(node: nodes.Node) -> bool:
    """Whether a cell's code stays in sight when its output answers: not one with a claim."""
    if not _is_code(node) or "tag_hide-input" in node["classes"]:
        return False
    return not any("hold(" in part.astext() for part in node.children if _is(part, "source"))


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


def show_results(app: Sphinx, doctree: nodes.document) -> None:
    """Leave the code of plumbing to the notebook, and gather marks (``doctree-read``).

    It is kept in the document's ``unseen``: names in the code that stays may come from there.
    """
    doctree["unseen"] = [
        part.astext()
        for cell in doctree.findall(_is_code)
        if "tag_setup" in cell["classes"] or cell.get("hide_mode") == "input"
        for part in cell.children
        if _is(part, "source")
    ]
    for cell in list(doctree.findall(_is_code)):
        if "tag_setup" in cell["classes"]:
            cell.parent.remove(cell)
        elif cell.get("hide_mode") == "input":
            del cell["hide_mode"]
            cell.children = [part for part in cell.children if not _is(part, "source")]
            if not cell.children:
                cell.parent.remove(cell)
        elif cell.get("hide_mode"):
            shows = any(_is(part, "output") for part in cell.children)
            name = "The output" if cell["hide_mode"] == "output" else "The code"
            name += " and its output" if shows and cell["hide_mode"] == "all" else ""
            cell["prompt_show"] = cell["prompt_hide"] = name
    marks: dict[int, list[nodes.raw]] = {}
    for raw in doctree.findall(nodes.raw):
        if _MARK.fullmatch(raw.astext().strip()):
            marks.setdefault(id(_answer_of(raw) or _place(raw)), []).append(raw)
    for found in marks.values():
        _gather(found)


def _is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def _is(node: nodes.Node, part: str) -> bool:
    return isinstance(node, nodes.Element) and node.get("nb_element") == f"cell_code_{part}"


def _answer_of(node: nodes.Node) -> nodes.Node | None:
    """Return the cell of a mark if it answers a question: what it says stays hidden with it."""
    while node is not None and not _is_code(node):
        node = node.parent
    return node if node is not None and "tag_answer" in node["classes"] else None


def _place(node: nodes.Node) -> nodes.Node:
    """Return the section of the page, or the fold in one, where a node stands."""
    within = node
    while within.parent is not None and within.parent.parent is not None:
        if isinstance(within.parent, nodes.container) and "ac-fold" in within.parent["classes"]:
            return within
        if isinstance(within, nodes.section) and within.parent.parent.parent is None:
            return within
        within = within.parent
    return within


def _gather(marks: list[nodes.raw]) -> None:
    """Put the marks of one section, or of one answer, under the last of them."""
    if len(marks) < 2:
        return
    claims: list[tuple[str, str]] = []
    records: list[tuple[str, str]] = []
    for mark in marks:
        said, inside = _MARK.fullmatch(mark.astext().strip()).groups()  # type: ignore[union-attr]
        (claims if said.startswith("✓") else records).append((said, inside))
    heads = [f"✓ {len(claims)} claims checked"] if claims[1:] else [said for said, _ in claims]
    heads += [records[0][0]] if records else []
    lines = [f"<p>{said}</p>{inside}" if claims[1:] else inside for said, inside in claims]
    lines += dict.fromkeys(inside for _, inside in records)
    head = f"<summary>{' · '.join(heads)}</summary>"
    marks[-1].children = [
        nodes.Text(f'<details class="ac-hold">{head}{"".join(lines)}</details>')
    ]
    for mark in marks[:-1]:
        empty: nodes.Element = mark
        while not _is_code(empty) and (
            len(empty.parent.children) == 1
            or empty.parent.get("nb_element") == "mime_bundle"  # the same in plain text
        ):
            empty = empty.parent
        empty.parent.remove(empty)


def visit_toggle(self: Any, node: nodes.Element) -> None:
    """Begin a folded cell: what one sees is what a screen reader says."""
    classes = " ".join(["hide", *node["classes"]])
    self.body.append(
        f'<details class="{classes}"><summary>{html.escape(node["prompt_show"])}</summary>\n'
    )


def depart_toggle(self: Any, node: nodes.Element) -> None:
    """End it."""
    self.body.append("</details>\n")
