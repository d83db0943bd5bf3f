"""What the review asks: terms, predictions, the quiz, drawings without labels, lines of code.

A card of the first three is cut out of the page that shows it, so question and answer are those
of the page, whether this build has written it or one before. A drawing and a line of code are
made of what the page shows (``drawing.labels``, ``exercises.completing``). All go into a script
that ``static/review.js`` loads, and into a deck for Anki (``anki.py``); which of them a reader
has met, the browser knows.
"""

import html
import json
import posixpath
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx

from attention_course.drawing import labels
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.completing import completions
from attention_course.site import anki
from attention_course.site.assets import FOLDER
from attention_course.site.exercise_pages import MARK

PAGE = "book/review"
FILE = "review-cards.js"
QUIZ = "book/practice/interview-questions"
_TERM = re.compile(
    r'<p id="(?P<id>[^"]+)"><strong>(?P<name>.*?)</strong>: (?P<text>(?:(?!</p>).)*?)\s+'
    r'Chapter:\s+<a class="reference internal" href="(?P<page>[^"#]+)\.html">.*?</p>',
    re.S,
)
_GUESS = re.compile(
    r'data-model-id="(?P<model>[^"]+)" data-ac-key="(?P<id>predict-[^"]*)">'
    r'<div class="ac-fallback"><p><b>Predict\.</b> (?P<ask>.*?)</p><details>'
    r"<summary>Show the answer</summary>(?P<answer>.*?)</details></div></div>",
    re.S,
)
_QUESTION = re.compile(
    r'<p id="quiz-(?P<id>[^"]+)"><strong>\d+\. (?P<ask>.*?)</strong></p>\s*'
    r"(?P<options><ol.*?</ol>)\s*<details>\s*<summary>Answer</summary>(?P<told>.*?)</details>",
    re.S,
)
_RIGHT = re.compile(r"<li>((?:(?!<li>).)*?<em>right\.</em>.*?)</li>", re.S)
_TABLE = re.compile(r"<pre[^>]*>(?:[^\n]*\n){2}.*</pre>", re.S)  # three lines or more
_HREF = re.compile(r'(?<= href=")(?![a-z]+:)([^"#]*)(#[^"]*)?(?=")')
STATE = "application/vnd.jupyter.widget-state+json"
Card = dict[str, Any]


def write(app: Sphinx) -> None:
    """Write the cards of all pages, in the order of the book (``build-finished``)."""
    if PAGE not in app.env.found_docs:
        return
    root, out = Path(app.srcdir), Path(app.outdir)
    toc = re.findall(r"- file: (\S+)", (root / "_toc.yml").read_text("utf-8"))
    every = [
        card
        for page in sorted(app.env.found_docs)
        for card in cards(root, page, (out / f"{page}.html").read_text("utf-8"))
    ]
    every.sort(key=lambda card: toc.index(f"book/{card['page']}"))
    # A drawing that several chapters show is asked once, as the first shows it.
    every = list({card["id"]: card for card in reversed(every)}.values())[::-1]
    for card in every:
        # A table that is wider than the page is scrolled by keyboard, too.
        card["answer"] = card["answer"].replace("<pre", '<pre tabindex="0"')
        card["title"] = app.env.titles[f"book/{card['page']}"].astext().partition(":")[0]
    text = json.dumps(every, ensure_ascii=False, separators=(",", ":"))
    (out / "_static" / FOLDER / FILE).write_text(f"globalThis.acCards = {text};\n", "utf-8")
    anki.write(every, out / "_static" / FOLDER / anki.FILE)


def cards(root: Path, page: str, body: str) -> Iterator[Card]:
    """Yield the cards of a page: identity, chapter, question and answer as HTML, address."""
    if page == "book/glossary":
        yield from map(_term, _TERM.finditer(body))
    elif page == QUIZ:
        yield from map(_question, _QUESTION.finditer(body))
    elif (path := root / f"{page}.ipynb").is_file() and "predict-" in body:
        widgets = nbformat.read(path, 4).metadata.get("widgets", {}).get(STATE, {})
        needing = tomllib.loads((root / "book/unasked.toml").read_text("utf-8"))
        for found in _GUESS.finditer(body):
            if found["id"] in needing.get(page.removeprefix("book/"), ()):
                continue  # it makes no sense away from its page
            state = widgets.get("state", {}).get(found["model"], {}).get("state", {})
            yield _guess(page.removeprefix("book/"), found, state)
    yield from _drawings(page.removeprefix("book/"), body)
    for slug in dict.fromkeys(MARK.findall(body)):
        yield from _code(page.removeprefix("book/"), slug)


def _drawings(page: str, body: str) -> Iterator[Card]:
    for name in labels.ASKED if "ac-drawing" in body else ():
        alt = html.escape(labels.alt(name))
        before, shown, _ = body.partition(f'<svg role="img" aria-label="{alt}"')
        if shown and (figures := re.findall(r'id="(fig-[^"]+)"', before)):
            drawing, texts = labels.hidden(name)
            yield {
                "id": f"drawing {name}",
                "page": page,
                "ask": f"<p>Which labels stand where the numbers are?</p><div>{drawing}</div>",
                "labels": texts,
                "answer": f"<details><summary>In words</summary><p>{alt}</p></details>",
                "at": f"{page}.html#{figures[-1]}",
            }


def _code(page: str, slug: str) -> Iterator[Card]:
    exercise = exercise_named(slug)
    if found := completions().get(slug):
        lines = [html.escape(line) for line in found.lines]
        lines[found.at] = lines[found.at].replace(html.escape(found.right), "<b>?</b>")
        ways = {found.right: "", **found.wrong}
        yield {
            "id": f"code {slug}",
            "page": page,
            "ask": f"<p>Which line is missing in “{html.escape(exercise.title)}”?</p>"
            f'<pre tabindex="0">{chr(10).join(lines)}</pre>',
            "ways": [[html.escape(line), html.escape(ways[line])] for line in sorted(ways)],
            "answer": f"<pre>{html.escape(found.right)}</pre>",
            "at": f"exercises/{slug}.html",
        }


def _term(found: re.Match[str]) -> Card:
    return {
        "id": f"term {found['id']}",
        "page": found["page"],
        "ask": f"<p>What is meant by <strong>{found['name']}</strong>?</p>",
        "answer": _rebased(f"<p>{found['text']}</p>", "glossary"),
        "at": f"glossary.html#{found['id']}",
    }


def _question(found: re.Match[str]) -> Card:
    page = QUIZ.removeprefix("book/")
    right = _RIGHT.search(found["told"])
    return {
        "id": f"quiz {found['id']}",
        "page": page,
        "ask": f"<p>{found['ask']}</p>{found['options']}",
        "answer": _rebased(right[1] if right else found["told"], page),
        "at": f"{page}.html#quiz-{found['id']}",
    }


def _guess(page: str, found: re.Match[str], state: dict[str, Any]) -> Card:
    listed = "".join(f"<li>{html.escape(one)}</li>" for one in state.get("choices", ()))
    told = r"<details><summary>All figures</summary>\g<0></details>"
    return {
        "id": f"guess {page} {found['id']}",
        "page": page,
        "question": html.unescape(re.sub(r"<[^>]+>", "", found["ask"])).strip(),
        "right": state.get("answer", []),
        "within": state.get("tolerance", 0),
        "ask": f"<p>{found['ask']}</p>" + (f"<ul>{listed}</ul>" if listed else ""),
        "answer": _TABLE.sub(told, _rebased(found["answer"], page)),
        "at": f"{page}.html#{found['id']}",
    }


def _rebased(text: str, page: str) -> str:
    """Return HTML of a page with its links as seen from the review's."""
    folder = posixpath.dirname(page)

    def moved(link: re.Match[str]) -> str:
        file = (
            posixpath.normpath(posixpath.join(folder, link[1])) if link[1] else f"{page}.html"
        )
        return file + (link[2] or "")

    return _HREF.sub(moved, text)
