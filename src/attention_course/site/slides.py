"""Slides for a lecture, made of a chapter's own page.

A talk is what the page has on its main path, in its order and as it stands: its question, what
one can do at the end, and of each section the figures, widgets, predictions and formulas, one a
slide, a formula with the paragraph that leads to it; of *What we showed* the list. The answer
of a prediction comes on the next step.

What a lecturer adds is in the metadata of a code cell, as
``"slide": {"show": ["code", "output"], "notes": "Say *why*."}``: its code or what it prints has
a slide too, and so has whatever a cell with such metadata has in a fold. Notes of the first
code cell go with the opening.
"""

import html
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from attention_course.site import widget_state

TEMPLATES = Path(__file__).parent / "templates"
# What has a slide on its own account, by what it is called there.
_ITEMS = {
    "ask": "[data-ac-key^=predict-]",
    "widget": ".ac-widget:not([data-ac-key^=predict-])",
    "fig": "figure[id]:not(:has(.ac-widget))",
    "formula": "div.ac-display",
    "added": ".cell[class*=slide-]",
}
_PARTS = {
    "code": ":scope > .cell_input .highlight, .cell_output .highlight-python .highlight",
    "output": ".cell_output .output pre",
}
_RECAP = "what-we-showed"
_NOT_TAUGHT = ("exercises", "further-reading")


def chapters(app: Sphinx) -> dict[str, Path]:
    """Return the notebooks of the book's parts by page, ``book/transformer/scaling``."""
    found = {name: Path(app.env.doc2path(name)) for name in app.env.found_docs}
    return {n: p for n, p in found.items() if n.count("/") == 2 and p.suffix == ".ipynb"}


class Chapter:
    """The built page of a chapter, and the slides that it makes."""

    def __init__(self, name: str, page: str, cells: list[dict[str, Any]]) -> None:
        """Read the HTML and the cells of a chapter, such as ``transformer/scaling``."""
        from bs4 import BeautifulSoup  # the theme brings it; only a build needs it

        soup: Any = BeautifulSoup(page, "html.parser")
        self.name, self.article = name, soup.find("article") or soup
        for extra in self.article.select("a.headerlink, .ac-time, .ac-edit-open"):
            extra.decompose()
        script = soup.find("script", type=widget_state.STATE)
        self.models = json.loads(script.string)["state"] if script else {}
        self.title = _words(self.article.find("h1"))
        self.used: dict[str, dict[str, Any]] = {}
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        self.added = {n: c["metadata"].get("slide", {}) for n, c in enumerate(cells)}
        self.notes = code[0]["metadata"].get("slide", {}).get("notes", "") if code else ""

    def slides(self) -> Iterator[dict[str, str]]:
        """Yield the slides: ``title``, ``kinds``, ``content`` and ``notes``."""
        first = self.article.find("h1")
        question = str(first.find_next("p"))
        yield _slide(self.title, "opening", self._rebased(question), _notes(self.notes))
        aims = self.article.find("p", string=re.compile("By the end you can"))
        if aims and (points := aims.find_next_sibling()):
            yield self._shown(_words(aims), "list", str(points))
        top = first.parent
        sections = [s for s in top.find_all("section", recursive=False) if s.find("h2")]
        short = self.title.partition(":")[0]
        yield from self._of_items(short, [e for e in self._items(top) if _section(e) is top])
        for section in sections:
            heading = _words(section.find("h2"))
            if section.get("id") == _RECAP:
                yield self._shown(heading, "list", str(section.find(["ul", "ol"]) or ""))
            elif section.get("id") not in _NOT_TAUGHT:
                items = self._items(section)
                yield from self._of_items(heading, items)
                if not items and (said := section.find("p")):
                    yield self._shown(heading, "text", str(said))

    def _items(self, part: Any) -> list[Any]:
        """Return what has a slide of a part of the page, but for what is in a widget."""
        found = part.select(", ".join(_ITEMS.values()))
        return [
            item
            for item in found
            if not item.find_parent(class_="ac-widget")
            and (
                self._cell(item) is not None
                or not item.find_parent(class_=("ac-fold", "ac-answer"))
            )
        ]

    def _cell(self, item: Any) -> dict[str, Any] | None:
        """Return what the cell of an item has been given for its slides, if anything."""
        cell = item.css.closest(".cell")
        numbers = re.findall(r"\bslide-(\d+)\b", " ".join(cell["class"])) if cell else []
        return self.added[int(numbers[0])] if numbers else None

    def _of_items(self, title: str, items: list[Any]) -> Iterator[dict[str, str]]:
        said: set[int] = set()  # the notes of a cell are under its first slide
        for item in items:
            kind = next(kind for kind, look in _ITEMS.items() if item.css.match(look))
            given = self._cell(item) or {}
            content = self._content(kind, item, given.get("show", ()))
            if content:
                notes = "" if id(given) in said else _notes(given.get("notes", ""))
                said.add(id(given))
                yield self._shown(title, kind, content, notes)

    def _content(self, kind: str, item: Any, show: Any) -> str:
        """Return what a slide shows of an item, as it is on the page."""
        if kind == "added":
            blocks = [b for part in show for b in item.select(_PARTS[part])]
            return "".join(f'<div class="show-code">{block}</div>' for block in blocks)
        if kind == "ask":
            return _asked(item)
        if kind == "widget":
            model = item["data-model-id"]
            self.used[model] = self.models[model]
        if kind == "formula":
            before = item.find_previous_sibling()
            return f"{before if before and before.name == 'p' else ''}{item}"
        return str(item)

    def _shown(self, title: str, kind: str, content: str, notes: str = "") -> dict[str, str]:
        drawing = " drawing" if "ac-drawn" in content else ""
        inside = f'<div class="show show-{kind}">{self._rebased(content)}</div>'
        return _slide(title, kind + drawing, inside, notes)

    def _rebased(self, fragment: str) -> str:
        """Let the links of a fragment lead where they lead on the page."""
        home = f"book/{posixpath.dirname(self.name)}"

        def lead(link: re.Match[str]) -> str:
            if re.match(r"[a-z]+:", link[1]):
                return link[0]
            page, hash_, anchor = link[1].partition("#")
            target = posixpath.join(home, page) if page else f"book/{self.name}.html"
            start = f"slides/{posixpath.dirname(self.name)}"
            return f'href="{posixpath.relpath(target, start)}{hash_}{anchor}"'

        return re.sub(r'(?<=\s)href="([^"]*)"', lead, fragment)


def _slide(title: str, kinds: str, content: str, notes: str) -> dict[str, str]:
    return {"title": title, "kinds": kinds, "content": content, "notes": notes}


def _section(element: Any) -> Any:
    return element.find_parent("section")


def _words(element: Any) -> str:
    return " ".join(element.get_text().split())


def _asked(prediction: Any) -> str:
    question, answer = prediction.find("p"), prediction.find("details")
    asked = _words(question).removeprefix("Predict.").strip()
    told = "".join(str(e) for e in answer.contents if e.name != "summary")
    return f'<p class="ask">{html.escape(asked)}</p><div class="later">{told}</div>'


def _notes(text: str) -> str:
    """Return a speaker's notes as HTML: paragraphs, and words between asterisks.

    >>> _notes("Say *why*.")
    '<p>Say <em>why</em>.</p>'
    """
    said = re.sub(r"[*]([^*]+)[*]", r"<em>\1</em>", html.escape(text.strip(), quote=False))
    paragraphs = filter(None, re.split(r"\n\s*\n", said))
    return "".join(f"<p>{' '.join(p.split())}</p>" for p in paragraphs)


def slides_html(name: str, page: str, cells: list[dict[str, Any]]) -> str:
    """Return the slides of a chapter; the arguments are those of :class:`Chapter`."""
    from jinja2 import Environment, FileSystemLoader

    chapter = Chapter(name, page, cells)
    slides = [*chapter.slides()]
    state = widget_state.state_script(chapter.used) if chapter.used else ""
    jinja = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    return jinja.get_template("course-slides.html").render(
        name=name, title=chapter.title, slides=slides, state=state
    )


def tag_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Let a cell with something for the slides say so on the page (``doctree-read``)."""
    for cell in doctree.findall(nodes.container):
        if "slide" in cell.get("cell_metadata", {}):
            cell["classes"].append(f"slide-{cell['cell_index']}")


def write(app: Sphinx) -> None:
    """Write the slides of every chapter (``build-finished``)."""
    for docname, notebook in chapters(app).items():
        cells = json.loads(notebook.read_text("utf-8"))["cells"]
        name = docname.removeprefix("book/")
        page = Path(app.outdir, f"{docname}.html").read_text("utf-8")
        path = Path(app.outdir, "slides", f"{name}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(slides_html(name, page, cells), encoding="utf-8")


def link(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell a chapter's template where its slides are (``html-page-context``)."""
    if page in chapters(app):
        context["slides"] = context["pathto"](f"slides/{page.removeprefix('book/')}.html", 1)
