"""Slides for a lecture, made of a chapter's own page.

``book/slides/PART/SLUG.toml`` plans the slides of a chapter: under each title, ``show`` says
what of the page is on the slide, ``notes`` what the speaker says. What is shown is tagged in
the notebook, so its words may change: a cell by its metadata, ``"slide": "dates"``, a passage
by a comment right behind its last full stop, as in ``… so.<!-- slide dates -->``, which no
reader sees.

- ``text tag``: the sentence that ends at the mark, or all since ``<!-- slide begins -->``;
- ``paragraph tag``, ``list tag``, ``table tag``, ``formula tag``: the one in which the mark
  stands, or that follows it or its paragraph;
- ``code tag``, ``output tag``: what the cell shows, and ``code tag 2`` its second code;
- ``ask tag``: the cell's prediction, its answer on the next step;
- ``fig label``: a figure or a drawing, ``widget key?setting``: a widget as it is set;
- ``then …`` before any of these: it comes on the next step.

What the page does not have is a warning, fatal in the strict build; so is a tag that no slide
shows, or that two places have. After a build one plan can be tried alone::

    python -m attention_course.site.slides transformer/scaling
"""

import html
import json
import posixpath
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from attention_course.site import widget_state

_LOGGER = logging.getLogger(__name__)
PLANS = "book/slides"
TEMPLATES = Path(__file__).parent / "templates"
_BLOCKS = {
    "paragraph": "p",
    "list": "ul, ol",
    "table": "table",
    "formula": "div.math",
    "code": ":scope > .cell_input .highlight, .cell_output .highlight-python .highlight",
    "output": ".cell_output .output pre",
    "ask": "[data-ac-key^=predict-]",
}
_TAGGED = "slide-"  # with it a cell's tag is one of its classes on the page
_MARK = re.compile(r"\s*slide\s+([\w-]+)\s*")
_BEGINS = "begins"  # no tag, but where a passage begins that is not one sentence
_END = re.compile(r"[.!?]['”’)*]*$")


def plans(folder: Path) -> dict[str, Path]:
    """Return the plans of a book by chapter, such as ``transformer/scaling``."""
    paths = sorted((folder / PLANS).glob("*/*.toml"))
    return {f"{path.parent.name}/{path.stem}": path for path in paths}


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
        self.tags: dict[str, list[Any]] = {}
        for comment in self.article.find_all(string=_tag):
            self.tags.setdefault(_tag(comment), []).append(comment)
        self.tags.pop(_BEGINS, None)
        for cell in self.article.select(f".cell[class*={_TAGGED}]"):
            (tag,) = (c for c in cell["class"] if c.startswith(_TAGGED))
            self.tags.setdefault(tag.removeprefix(_TAGGED), []).append(cell)
        self.unused = {*self.tags}

    def find(self, what: str) -> str:
        """Return the HTML of what a plan asks for.

        Raises:
            ValueError: if the page has no such thing, or two.
        """
        if what.startswith("then "):
            return f'<div class="later">{self.find(what.removeprefix("then "))}</div>'
        kind, _, name = what.partition(" ")
        if kind == "fig":
            found = self.article.find("figure", id=name)
        elif kind == "widget":
            found = self._widget(name)
        else:
            found = self._tagged(kind, *name.split())
        if not found:
            raise ValueError(f"the page has no {what!r}")
        return f'<div class="show show-{kind}">{self._rebased(str(found))}</div>'

    def _tagged(self, kind: str, tag: str = "", number: str = "1") -> str:
        self.unused.discard(tag)
        places = self.tags.get(tag, [])
        if len(places) > 1:
            raise ValueError(f"the page has {len(places)} places tagged {tag!r}")
        found = [block for place in places for block in _blocks(place, kind)]
        return "".join(map(str, found[int(number) - 1 : int(number)]))

    def _widget(self, words: str) -> str:
        key, _, setting = words.partition("?")
        place = self.article.find("div", attrs={"data-ac-key": key})
        if place is None:
            return ""
        self._take(place["data-model-id"], dict(parse_qsl(setting)))
        return str(place)

    def _take(self, model_id: str, setting: dict[str, str]) -> None:
        """Keep a widget's model for the slides, with the plan's setting."""
        state = dict(self.models[model_id]["state"])
        for name, value in setting.items():
            if name not in state:
                raise ValueError(f"widget {state.get('key')} has no {name!r} to be set")
            state[name] = value if isinstance(state[name], str) else json.loads(value)
        self.used[model_id] = self.models[model_id] | {"state": state}

    def _rebased(self, fragment: str) -> str:
        """Let the links of a fragment lead where they lead on the page; leave out its marks."""
        home = f"book/{posixpath.dirname(self.name)}"

        def lead(link: re.Match[str]) -> str:
            if re.match(r"[a-z]+:", link[1]):
                return link[0]
            page, hash_, anchor = link[1].partition("#")
            target = posixpath.join(home, page) if page else f"book/{self.name}.html"
            start = f"slides/{posixpath.dirname(self.name)}"
            return f'href="{posixpath.relpath(target, start)}{hash_}{anchor}"'

        unmarked = re.sub("<!--.*?-->", "", fragment)
        return re.sub(r'(?<=\s)href="([^"]*)"', lead, unmarked)

    def opening(self) -> str:
        """Return the chapter's question: its first paragraph."""
        return self._rebased(str(self.article.find("h1").find_next("p")))


def _words(element: Any) -> str:
    return " ".join(element.get_text().split())


def _tag(text: Any) -> str:
    """Return the tag of a mark, nothing for any other text of a page."""
    mark = _MARK.fullmatch(text) if type(text).__name__ == "Comment" else None
    return mark[1] if mark else ""


def _blocks(place: Any, kind: str) -> list[Any]:
    """Return what a tagged cell, or the place of a mark, has of a kind."""
    selector = _BLOCKS.get(kind, "nothing")
    if place.name:
        found = place.select(selector)
        return [_asked(e) for e in found] if kind == "ask" else found
    if kind == "text":
        return [_sentence(place)]
    after = (place.find_parent("p") or place).find_next_sibling()
    near = (place.parent.css.closest(selector), after)
    return [block for block in near if block and block.css.match(selector)]


def _sentence(mark: Any) -> str:
    """Return the sentence that ends at a mark, or all since a mark that begins.

    >>> from bs4 import BeautifulSoup
    >>> page = "<p>One. <b>Two</b>: it <i>is.</i><!-- slide a --> Three</p>"
    >>> _sentence(BeautifulSoup(page, "html.parser").find(string=_tag))
    '<p><b>Two</b>: it <i>is.</i></p>'
    """
    part: Any
    said, written, begun = "", "", False
    for child in mark.parent.children:
        if child is mark:
            break
        if not child.name and (tag := _tag(child)):
            begun = tag == _BEGINS
            said, written = ("", "") if begun else (said, written)
            continue
        for part in [child] if child.name or begun else re.split(r"(?<=[.!?])(?=\s)", child):
            text = part.get_text() if child.name else part
            if text[:1].isspace() and _END.search(said.rstrip()) and not begun:
                said, written = "", ""
            said += text
            written += str(part) if child.name else html.escape(part, quote=False)
    written = written.strip()
    if re.match(r"[a-z]+[ ,]", written):  # and not float16
        written = written[0].upper() + written[1:]
    return f"<p>{written}</p>"


def _asked(prediction: Any) -> str:
    question, answer = prediction.find("p"), prediction.find("details")
    asked = _words(question).removeprefix("Predict.").strip()
    answer.find("summary").decompose()
    told = "".join(map(str, answer.contents))
    return f'<p class="ask">{html.escape(asked)}</p><div class="later">{told}</div>'


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
    for title, slide in plan.items():
        if title == "notes":
            continue
        shown = []
        for what in slide["show"]:
            try:
                shown.append(chapter.find(what))
            except ValueError as error:
                wrong.append(f"{title!r}: {error}")
        if not slide.get("notes", "").strip():
            wrong.append(f"{title!r}: it has no notes")
        content, drawing = "".join(shown), "ac-drawn" in "".join(shown)
        kinds = [kind for kind in ("widget", "fig") if f"show-{kind}" in content]
        kinds += ["drawing"] * drawing + ["beside"] * (drawing and len(shown) > 1)
        said = {"title": title, "kinds": " ".join(kinds), "content": content}
        made.append(said | {"notes": _notes(slide.get("notes", ""))})
    wrong += [f"no slide shows what is tagged {tag!r}" for tag in sorted(chapter.unused)]
    opening = {"title": chapter.title, "kinds": "opening", "content": chapter.opening()}
    slides = [opening | {"notes": _notes(plan["notes"])}, *made]
    state = widget_state.state_script(chapter.used) if chapter.used else ""
    jinja = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    text = jinja.get_template("course-slides.html").render(
        name=name, title=chapter.title, slides=slides, state=state
    )
    return text, wrong


def tag_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Let a cell that is tagged for a slide say so on the page (``doctree-read``)."""
    for cell in doctree.findall(nodes.container):
        if tag := cell.get("cell_metadata", {}).get("slide"):
            cell["classes"].append(_TAGGED + tag)


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
