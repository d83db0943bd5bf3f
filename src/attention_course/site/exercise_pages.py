"""A page for each exercise in code, and the list of all (the directive ``course-exercises``).

A page shows what its chapter shows of the exercise: statement, hints, cell and solution are cut
out of the chapter's page when that is written. Like the pages of the API reference they are no
documents of Sphinx: they stand neither in the contents nor in the search.
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from attention_course.exercises.bank import exercise_named
from attention_course.site.assets import FOLDER

INDEX = "book/exercises"
# From the comment above an exercise to the end of its solution, as a chapter's page has it.
_PLACE = re.compile(
    r"<!-- exercise ([a-z0-9-]+) -->\s*(.*?<!-- solution \1 -->\s*<details>.*?</details>)", re.S
)
_MARK = re.compile(r"<!-- exercise ([a-z0-9-]+) -->")
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


class course_exercises(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """Where the list of all exercises will stand."""


class CourseExercises(SphinxDirective):
    """Lists the exercises in code, chapter by chapter."""

    def run(self) -> list[nodes.Node]:
        """Return the place of the list."""
        return [course_exercises()]


def setup(app: Sphinx) -> None:
    """Connect the pages (called by the site's extension)."""
    found: dict[str, tuple[str, str]] = {}

    def take(
        app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
    ) -> None:
        """Keep what a chapter shows of its exercises (``html-page-context``)."""
        for slug, content in _PLACE.findall(context.get("body", "")):
            found.setdefault(slug, (page, content))

    def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
        """Yield the pages (``html-collect-pages``)."""
        if INDEX in app.env.found_docs:
            for slug, (chapter, content) in found.items():
                yield page_name(slug), _page(app, slug, chapter, content), "page.html"

    app.add_node(course_exercises, html=(_write_list, None))
    app.add_directive("course-exercises", CourseExercises)
    app.connect("html-page-context", take, priority=650)
    app.connect("html-page-context", add_scripts)
    app.connect("html-collect-pages", collect)


def page_name(slug: str) -> str:
    """Return an exercise's page; it lies as deep as the chapters, so their links hold."""
    return f"{INDEX}/{slug}"


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


def add_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load what such a page uses beside ``tryit.js`` (``html-page-context``)."""
    if page.startswith(f"{INDEX}/"):
        for script in ("folds.js", "scrolling.js"):
            app.add_js_file(f"{FOLDER}/{script}", loading_method="defer")


def _write_list(translator: Any, node: course_exercises) -> None:
    app = translator.builder.app
    listed = [app.config.root_doc]
    for document in listed:  # it grows
        listed += app.env.toctree_includes.get(document, [])
    here = app.builder.get_target_uri(INDEX)
    for document in listed:
        path = Path(app.env.doc2path(document))
        if path.suffix != ".ipynb":
            continue
        cells = json.loads(path.read_text("utf-8"))["cells"]
        slugs = [slug for cell in cells for slug in _MARK.findall("".join(cell["source"]))]
        if not slugs:
            continue
        chapter = relative_uri(here, app.builder.get_target_uri(document))
        name = html.escape(app.env.titles[document].astext())
        rows = "".join(_row(app, here, slug) for slug in slugs)
        translator.body.append(
            f'<p class="ac-of"><a href="{chapter}">{name}</a></p><ul>{rows}</ul>'
        )
    raise nodes.SkipNode


def _row(app: Sphinx, here: str, slug: str) -> str:
    exercise = exercise_named(slug)
    there = relative_uri(here, app.builder.get_target_uri(page_name(slug)))
    uses = {"numpy": "", "torch": ", in torch", "triton": ", in Triton"}[exercise.uses]
    title = html.escape(exercise.title)
    return f'<li><a href="{there}">{title}</a> ({exercise.minutes} min{uses})</li>'
