"""Exercises in words: what a good answer says, in the fold of its solution, and for teachers.

A chapter's exercises stand in its notebook. The points of a good answer and the commonest wrong
one lie in a TOML beside it, by the exercise's title (``[[answer]]``). A page shows the points
above the solution; ``static/words.js`` gives it a field, and makes them something to tick.
Where a text has flaws, an entry has its ``sentences``, each with a reply to those who mark it;
where numbers are asked, ``numbers``, each with how far a right one may be off, and a reply
to one that is ``often`` typed. The points are a rubric: ``write`` makes items of an assignment.
"""

import html
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from docutils.nodes import make_id
from markdown_it import MarkdownIt
from sphinx.application import Sphinx

FILE = "book/teach/questions-in-words.toml"
KEYS = {"exercise", "points", "wrong", "reply"}
# What else an entry may have, and what each of these lists holds; a number perhaps more.
MORE = {"sentences": {"says", "flaw", "reply"}, "numbers": {"asks", "is", "within"}}
_ASKED = re.compile(
    r"^\*\*\d+\. (?P<title>[^*]+)\*\* \((?!write code)[^()]*\)\n(?P<prompt>.*?)"
    r"<details>\n<summary>Solution</summary>(?P<solution>.*?)</details>",
    re.S | re.M,
)
_SHOWN = re.compile(
    r"(<strong>\d+\. (?P<title>[^<]*)</strong> \((?!write code)[^()]*\)</p>"
    r"(?:(?!<strong>\d+\. ).)*?)<details>(\s*<summary>Solution</summary>)",
    re.S,
)
_LINK = re.compile(r"\[([^]]*)\]\((?!https?:)[^)]*\)")  # leads nowhere outside the book


@dataclass(frozen=True)
class Question:
    """An exercise in words, as its chapter has it, with the points of a good answer."""

    title: str
    prompt: str
    solution: str
    points: tuple[str, ...]


def points_of(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return what a chapter's TOML says of good answers, by the exercise's title.

    A ValueError says what is wrong with an entry.
    """
    if not path.is_file():
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    for entry in tomllib.loads(path.read_text("utf-8")).get("answer", []):
        if set(entry) - MORE.keys() != KEYS:
            raise ValueError(f"{path.name}: expected {sorted(KEYS)}, got {sorted(entry)}")
        for kind, keys in MORE.items():
            for one in entry.get(kind, ()):
                if set(one) not in (keys, keys | {"often", "reply"}):
                    raise ValueError(f"{path.name}: expected {sorted(keys)}, got {sorted(one)}")
        if {one["flaw"] for one in entry.get("sentences", ())} not in (set(), {True, False}):
            raise ValueError(f"{path.name}: expected flaws among others: {entry['exercise']!r}")
        name = entry["exercise"]
        if not 2 <= len(entry["points"]) <= 4 or name in found:
            raise ValueError(f"{path.name}: expected two to four points, once, for {name!r}")
        found[name] = entry
    return found


def questions(notebook: Path) -> Iterator[Question]:
    """Yield a chapter's exercises in words, in their order; ValueError where its TOML errs."""
    known = points_of(notebook.with_suffix(".toml"))
    cells = nbformat.read(notebook, 4).cells
    text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    asked = list(_ASKED.finditer(text))
    if strange := set(known) - {one["title"] for one in asked}:
        raise ValueError(f"{notebook.name} has no exercise in words {strange.pop()!r}")
    for one in asked:
        entry = known.get(one["title"], {})
        points = entry.get("points", ())
        prompt = " ".join(one["prompt"].split())
        for sentence in entry.get("sentences", ()):
            if (says := sentence["says"]) not in prompt:
                raise ValueError(f"{notebook.name}: {one['title']!r} has no {says!r}")
        texts = one["prompt"].strip(), one["solution"].strip()
        yield Question(one["title"], *texts, tuple(points))


def add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the points into the folds of a chapter (``html-page-context``)."""
    body = context.get("body", "")
    if 'id="exercises"' in body:
        known = points_of(Path(app.srcdir, f"{page}.toml"))
        context["body"] = marked(body, page.removeprefix("book/"), known)


def marked(body: str, chapter: str, known: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a page whose solutions in words are named, with their points above them."""

    def with_points(found: re.Match[str]) -> str:
        title = html.unescape(found["title"]).replace("’", "'")
        name = make_id(title)
        entry = known.get(title, {})
        told = _told(entry) if entry else ""
        return (
            f'{found[1]}<details class="ac-words" id="words-{name}" '
            f'data-key="{chapter} {name}"{_asks(entry)}>{found[3]}{told}'
        )

    return _SHOWN.sub(with_points, body)


def _asks(entry: Mapping[str, Any]) -> str:
    """Return the attribute of what is marked, and typed as a number; empty if nothing is."""
    inline = MarkdownIt().renderInline
    asks = {
        "sentences": [
            [inline(one["says"]), one["flaw"], inline(one["reply"])]
            for one in entry.get("sentences", ())
        ],
        "numbers": [{**one, "asks": inline(one["asks"])} for one in entry.get("numbers", ())],
    }
    return f' data-asks="{html.escape(json.dumps(asks))}"' if any(asks.values()) else ""


def _told(entry: Mapping[str, Any]) -> str:
    inline = MarkdownIt().renderInline
    points = "".join(f"<li>{inline(point)}</li>" for point in entry["points"])
    return (
        f'\n<div class="ac-points"><p>A good answer says:</p><ul>{points}</ul>'
        f"<p><strong>Often said:</strong> <em>{inline(entry['wrong'])}</em> "
        f"{inline(entry['reply'])}</p></div>\n<p><strong>A model answer</strong></p>"
    )


def write(app: Sphinx) -> None:
    """Write the questions of all chapters for teachers (``build-finished``)."""
    root = Path(app.srcdir)
    pages = [page for page in app.env.found_docs if (root / f"{page}.ipynb").is_file()]
    items = [
        item(page, question)
        for page in sorted(pages)
        for question in questions(root / f"{page}.ipynb")
        if question.points
    ]
    if items:
        path = Path(app.outdir, FILE)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(items), encoding="utf-8")


def item(page: str, question: Question) -> str:
    """Return a question as an item of an assignment: each point of its rubric earns one."""
    rubric = [[_plain(point), 1] for point in question.points]
    return (
        f"[[items]]\nwritten = {_quoted(f'{Path(page).name}-{make_id(question.title)}')}\n"
        f"title = {_quoted(question.title)}\nprompt = {_quoted(_plain(question.prompt))}\n"
        f"points = {len(rubric)}\nrubric = {json.dumps(rubric, ensure_ascii=False)}\n"
        f"model_answer = {_quoted(_plain(question.solution))}\n"
    )


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a basic string of TOML, too
