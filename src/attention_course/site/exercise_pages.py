"""A page for each exercise in code, and the list of all (``<!-- all exercises -->``).

A page shows what its chapter shows of the exercise: statement, hints, cell and solution are cut
out of the chapter's page when that is written. Like the pages of the API reference they are no
documents of Sphinx: they stand neither in the contents nor in the search.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from attention_course.exercises import Exercise
from attention_course.exercises.bank import exercise_named
from attention_course.site.assets import FOLDER

INDEX = "book/exercises"
# From the comment above an exercise to the end of its solution, as a chapter's page has it.
_PLACE = re.compile(
    r"<!-- exercise ([a-z0-9-]+) -->\s*(.*?<!-- solution \1 -->\s*<details>.*?</details>)", re.S
)
MARK = re.compile(r"<!-- exercise ([a-z0-9-]+) -->")
_FIRST = re.compile(r"#exercise-([a-z0-9-]+)")  # linked to by the landing page
# Its first line: number and title, then kind, minutes and objectives.
_HEAD = re.compile(r"<strong>(?:\d+\. )?(.*?)</strong> \(([^()]*)\)", re.S)
_LINK = re.compile(r'(?<= href=")(?![a-z]+:|\.\./)([^"#]*)(#[^"]*)?(?=")')
_BODY = """<section id="{slug}" class="ac-alone">
<p class="ac-above"><a href="../exercises.html">All exercises</a></p>
<h1>{title}</h1>
<p>{about}. From the chapter <a href="{chapter}.html#exercise-{slug}">{name}</a>. {where}
<a href="{notebook}" download>the chapter's notebook</a>.</p>
{content}
</section>"""
_HERE = """It runs in this page<noscript>, but not without scripts</noscript>; elsewhere, in"""
_ELSEWHERE = "It is answered in"


def setup(app: Sphinx) -> None:
    """Connect the pages (called by the site's extension)."""
    found: dict[str, tuple[str, str]] = {}

    def take(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
        """Keep what a chapter shows of its exercises (``html-page-context``)."""
        for slug, content in _PLACE.findall(context.get("body", "")):
            found.setdefault(slug, (page, content))

    def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield the pages (``html-collect-pages``)."""
        if INDEX in app.env.found_docs:
            for slug, (chapter, content) in found.items():
                # As deep as the chapters, so that their links hold.
                yield f"{INDEX}/{slug}", _page(app, slug, chapter, content), "page.html"

    app.connect("source-read", _fill)
    app.connect("html-page-context", take, priority=650)
    app.connect("html-page-context", add_scripts)
    app.connect("html-collect-pages", collect)


def _page(app: Sphinx, slug: str, chapter: str, content: str) -> dict[str, Any]:
    here = f"../{chapter.removeprefix('book/')}"
    folder, _, _ = here.rpartition("/")

    def rebased(link: re.Match[str]) -> str:
        file, anchor = link[1], link[2] or ""
        if anchor == f"#exercise-{slug}" and not file:
            return anchor
        return f"{folder}/{file}{anchor}" if file else f"{here}.html{anchor}"

    head = _HEAD.search(content)
    about = head[2] if head else ""
    content = _HEAD.sub("", content, count=1)
    title = exercise_named(slug).title
    body = _BODY.format(
        slug=slug,
        title=html.escape(title),
        about=about[:1].upper() + about[1:],
        chapter=here,
        name=html.escape(app.env.titles[chapter].astext()),
        where=_HERE if "ac-try" in content else _ELSEWHERE,
        notebook=f"../../_sources/{chapter}.ipynb",
        content=_LINK.sub(rebased, content),
    )
    return {"title": title, "parents": [], "body": body}


def add_scripts(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Load what such a page uses beside ``tryit.js`` (``html-page-context``)."""
    if page.startswith(f"{INDEX}/"):
        app.add_js_file(f"{FOLDER}/folds.js", loading_method="defer")


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == INDEX:
        source[0] = source[0].replace("<!-- all exercises -->", _listed(Path(app.srcdir)))


def _listed(root: Path) -> str:
    """Return the exercises in Markdown: those that the landing page begins with, then all."""
    landing = (root / "book/index.ipynb").read_text("utf-8")
    begin = "**Begin here**, as [the guided start](index.ipynb#first-hour) does"
    lists = {begin: _FIRST.findall(landing)}
    for name in re.findall(r"- file: book/(\S+)", (root / "_toc.yml").read_text("utf-8")):
        if (path := root / f"book/{name}.ipynb").is_file():
            lists[f"[]({name}.ipynb)"] = MARK.findall(path.read_text("utf-8"))
    return "\n\n".join(
        f"{head}\n\n" + "\n".join(map(_row, slugs)) for head, slugs in lists.items() if slugs
    )


def _row(slug: str) -> str:
    exercise = exercise_named(slug)
    uses = {"numpy": "", "torch": ", in torch", "triton": ", in Triton"}[exercise.uses]
    about = f"{exercise.minutes} min, {grade(exercise)}{uses}"
    title = html.escape(exercise.title)
    return f'- <a href="exercises/{slug}.html">{title}</a> ({about})'


def grade(exercise: Exercise) -> str:
    """Return how hard an exercise is, by its minutes and the lines that one has to write."""
    ours, given = (
        Counter(line.strip() for line in text.splitlines() if line.strip())
        for text in (exercise.solution, exercise.stub)
    )
    lines = (ours - given).total()
    if lines > 15 or exercise.minutes >= 30:
        return "hard"
    return "easy" if lines <= 8 and exercise.minutes <= 20 else "medium"
