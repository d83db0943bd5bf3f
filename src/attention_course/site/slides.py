r"""Slides for a lecture, made of a chapter's own page.

``book/slides/PART/SLUG.toml`` plans the slides of a chapter: order and titles, what of the page
each shows, and what the speaker says. Content is found on the built page by its first words,
its label or its key, so a slide says what the page says; what is not found is a warning, fatal
in the strict build. After a build one plan can be tried alone::

    python -m attention_course.site.slides transformer/scaling

A plan is a list of slides, each with ``show``, a list of what is taken from the page:

- ``text First words``: the sentence of a paragraph that begins so;
- ``list First words``, ``table …``, ``code …``, ``output …``: the whole block;
- ``formula \LaTeX``: a displayed formula;
- ``fig label``: a figure or a drawing, ``widget key?setting``: a widget as it is set;
- ``ask First words``: a prediction, its answer on the next step;
- ``then …`` before any of these: it comes on the next step.
"""

import html
import json
import posixpath
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from sphinx.application import Sphinx
from sphinx.util import logging

from attention_course.site import widget_state

_LOGGER = logging.getLogger(__name__)
PLANS = "book/slides"
TEMPLATES = Path(__file__).parent / "templates"
_SELECTORS = {
    "list": "ul, ol",
    "table": "table",
    "code": "div.cell_input div.highlight, .cell_output div.highlight",
    "output": ".cell_output pre",
}
_QUOTES = str.maketrans("’‘“”", "''\"\"")
_END = re.compile(r"[.!?:]['”’)*]*$")


def plans(folder: Path) -> dict[str, Path]:
    """Return the plans of a book by chapter, such as ``transformer/scaling``."""
    root = folder / PLANS
    return {
        path.relative_to(root).with_suffix("").as_posix(): path
        for path in sorted(root.glob("*/*.toml"))
    }


class Chapter:
    """The built page of a chapter, in which slides look for their content."""

    def __init__(self, name: str, page: str) -> None:
        """Read it.

        Args:
            name: the chapter, such as ``transformer/scaling``.
            page: its HTML.
        """
        from bs4 import BeautifulSoup  # the theme brings it; only a build needs it

        soup: Any = BeautifulSoup(page, "html.parser")
        self.name, self.article = name, soup.find("article") or soup
        for extra in self.article.select("a.headerlink, .ac-time"):
            extra.decompose()
        script = soup.find("script", type=widget_state.STATE)
        self.models = json.loads(script.string)["state"] if script else {}
        self.title = _words(self.article.find("h1"))
        self.used: dict[str, dict[str, Any]] = {}
        self._blocks: dict[str, list[tuple[str, Any]]] = {}

    def find(self, what: str) -> str:
        """Return the HTML of what a plan asks for.

        Raises:
            ValueError: if the page has no such thing.
        """
        if what.startswith("then "):
            return f'<div class="later">{self.find(what.removeprefix("then "))}</div>'
        kind, _, words = what.partition(" ")
        finder = getattr(self, f"_{kind}", None)
        if kind in _SELECTORS:
            element = self._first(kind, words)
            found = str(element) if element is not None else ""
        elif finder is not None and words:
            found = finder(words)
        else:
            kinds = "ask, code, fig, formula, list, output, table, text, widget, then"
            raise ValueError(f"a slide shows one of {kinds}; got {what!r}")
        if not found:
            raise ValueError(f"the page has no {what!r}")
        return f'<div class="show show-{kind}">{self._rebased(found)}</div>'

    @cached_property
    def _sentences(self) -> list[tuple[str, str]]:
        """Every sentence of the prose: its text, and its HTML."""
        apart = self.article.select("figure, .ac-widget")
        inside = {id(e) for place in apart for e in place.find_all(("p", "li", "strong"))}
        prose = (e for e in self.article.find_all(("p", "li", "strong")) if id(e) not in inside)
        return [(_plain(said), written) for p in prose for said, written in sentences(p)]

    def _first(self, kind: str, words: str) -> Any:
        if kind not in self._blocks:
            blocks = self.article.select(_SELECTORS[kind])
            self._blocks[kind] = [(_plain(_words(block)), block) for block in blocks]
        begins = _plain(words)
        found = (block for said, block in self._blocks[kind] if said.startswith(begins))
        return next(found, None)

    def _text(self, words: str) -> str:
        begins = _plain(words)
        for said, written in self._sentences:
            if said.startswith(begins):
                if re.match(r"[a-z]+[ ,]", written):  # and not float16
                    written = written[0].upper() + written[1:]
                return f"<p>{written}</p>"
        return ""

    def _formula(self, latex: str) -> str:
        layout = r"\\htmlClass\{[\w-]+\}|\\begin\{aligned\}|[&{}\s]"
        begins = re.sub(layout, "", latex)
        for formula in self.article.find_all("div", class_="math"):
            source = formula.find("annotation")
            if source and re.sub(layout, "", source.get_text()).startswith(begins):
                return str(formula)
        return ""

    def _fig(self, label: str) -> str:
        return str(self.article.find("figure", id=label) or "")

    def _widget(self, words: str) -> str:
        key, _, setting = words.partition("?")
        place = self.article.find("div", attrs={"data-ac-key": key})
        if place is None:
            return ""
        self._take(place["data-model-id"], dict(parse_qsl(setting)))
        return str(place)

    def _take(self, model_id: str, setting: dict[str, str]) -> None:
        """Keep a widget's model for the slides, with its sources and the plan's setting."""
        state = dict(self.models[model_id]["state"])
        for source in ("_esm", "_css"):
            if isinstance(state.get(source), dict):
                state[source] = self.models[state[source]["same_as"]]["state"][source]
        for name, value in setting.items():
            if name not in state:
                raise ValueError(f"widget {state.get('key')} has no {name!r} to be set")
            state[name] = value if isinstance(state[name], str) else json.loads(value)
        self.used[model_id] = self.models[model_id] | {"state": state}

    def _ask(self, words: str) -> str:
        begins = _plain(words)
        for place in self.article.find_all(attrs={"data-ac-key": re.compile("^predict-")}):
            question, answer = place.find("p"), place.find("details")
            asked = _words(question).removeprefix("Predict.").strip()
            if _plain(asked).startswith(begins):
                answer.find("summary").decompose()
                told = "".join(map(str, answer.contents))
                return f'<p class="ask">{html.escape(asked)}</p><div class="later">{told}</div>'
        return ""

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

    def opening(self) -> str:
        """Return the chapter's question: its first paragraph."""
        return self._rebased(str(self.article.find("h1").find_next("p")))

    def state_script(self) -> str:
        """Return the models of the slides' widgets, each source once."""
        return widget_state.state_script(self.used) if self.used else ""


def _words(element: Any) -> str:
    return " ".join(element.get_text().split())


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).split())


def sentences(paragraph: Any) -> Iterator[tuple[str, str]]:
    """Yield each sentence of a paragraph, also from a colon in it on: its text, and its HTML.

    >>> from bs4 import BeautifulSoup
    >>> p = BeautifulSoup("<p>One: <b>two</b> is <i>it.</i> Three</p>", "html.parser").p
    >>> [said for _, said in sentences(p)]
    ['One: <b>two</b> is <i>it.</i>', '<b>two</b> is <i>it.</i>', 'Three']
    """
    part: Any
    parts = [("", "")]  # what stands between two possible ends: text, HTML
    for child in paragraph.children:
        for part in [child] if child.name else re.split(r"(?<=[.!?:])(?=\s)", str(child)):
            said = part.get_text() if child.name else part
            if _END.search(parts[-1][0].rstrip()) and said[:1].isspace():
                parts.append(("", ""))
            written = str(part) if child.name else html.escape(part, quote=False)
            parts[-1] = (parts[-1][0] + said, parts[-1][1] + written)
    for start in range(len(parts)):
        stop = start + 1
        while stop < len(parts) and re.search(r":['”’)*]*$", parts[stop - 1][0].rstrip()):
            stop += 1
        text, markup = map("".join, zip(*parts[start:stop], strict=True))
        if text.strip():
            yield text.strip(), markup.strip()


def _notes(text: str) -> str:
    """Return a speaker's notes as HTML: paragraphs, and words between asterisks.

    >>> _notes("Say *why*.")
    '<p>Say <em>why</em>.</p>'
    """
    said = html.escape(text.strip(), quote=False)
    said = re.sub(r"[*]([^*]+)[*]", r"<em>\1</em>", said)
    return "".join(f"<p>{' '.join(p.split())}</p>" for p in re.split(r"\n\s*\n", said))


def slides_html(name: str, plan: dict[str, Any], page: str) -> tuple[str, list[str]]:
    """Return the slides of a chapter, and what is wrong with their plan.

    Args:
        name: the chapter, such as ``transformer/scaling``.
        plan: what its plan says.
        page: the chapter's page, as the site has it.
    """
    from jinja2 import Environment, FileSystemLoader

    chapter, wrong, made = Chapter(name, page), [], []
    for number, slide in enumerate(plan["slide"], start=2):
        shown = []
        for what in slide["show"]:
            try:
                shown.append(chapter.find(what))
            except ValueError as error:
                wrong.append(f"slide {number}, {slide['title']!r}: {error}")
        if not slide.get("notes", "").strip():
            wrong.append(f"slide {number}, {slide['title']!r}: it has no notes")
        content, drawing = "".join(shown), "ac-drawn" in "".join(shown)
        kinds = [kind for kind in ("widget", "fig") if f"show-{kind}" in content]
        kinds += ["drawing"] * drawing + ["beside"] * (drawing and len(shown) > 1)
        said = {"title": slide["title"], "kinds": " ".join(kinds), "content": content}
        made.append(said | {"notes": _notes(slide.get("notes", ""))})
    opening = {
        "title": chapter.title,
        "kinds": "opening",
        "content": chapter.opening(),
        "notes": _notes(plan["notes"]),
    }
    jinja = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    text = jinja.get_template("course-slides.html").render(
        name=name, title=chapter.title, slides=[opening, *made], state=chapter.state_script()
    )
    return text, wrong


def write_one(name: str, plan: Path, site: Path) -> list[str]:
    """Write the slides of a chapter into a built site; return what is wrong with the plan."""
    page = site / "book" / f"{name}.html"
    if not page.is_file():
        return [f"there is no chapter {name}"]
    planned = tomllib.loads(plan.read_text("utf-8"))
    text, wrong = slides_html(name, planned, page.read_text("utf-8"))
    path = site / "slides" / f"{name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return wrong


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the slides of every chapter that has a plan (``build-finished``)."""
    if error or app.builder.name != "html":
        return
    for name, plan in plans(Path(app.srcdir)).items():
        for sentence in write_one(name, plan, Path(app.outdir)):
            said = f"{PLANS}/{name}.toml: {sentence}"
            _LOGGER.warning(said, type="attention_course", subtype="slides")


def link(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Tell a chapter's template where its slides are (``html-page-context``)."""
    name = page.removeprefix("book/")
    if name in plans(Path(app.srcdir)):
        context["slides"] = context["pathto"](f"slides/{name}.html", 1)


if __name__ == "__main__":
    for chosen in sys.argv[1:]:
        print(*write_one(chosen, Path(PLANS, f"{chosen}.toml"), Path("_build/html")), sep="\n")
