"""What every page says besides its text: where to report an error, and the licences."""

import html
import json
import re
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.config import Config

from attention_course.site import widget_state

LONGEST = 160  # characters of a description
_VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
_MARKUP = re.compile(r"\\[A-Za-z]+|[{}$]|<!--.*?-->")
# What extensions put on every page. Folds and tabs of theirs are on none: pages are plain
# Markdown, which Jupyter shows too.
_LOADED_BY_ALL = ("sphinx-thebe", "togglebutton", "design-tabs", "sphinx-design")
UNSET = "-set-owner-"  # in repository.url until the book has a public address


def adjust_options(app: Sphinx, config: Config) -> None:
    """Set what the whole site needs (``config-inited``), before the theme reads it."""
    config.html_math_renderer = "attention_course"
    config.nb_ipywidgets_js = {}
    config.html_context.setdefault("default_mode", "auto")
    options = config.html_theme_options
    options["use_fullscreen_button"] = False
    options["use_download_button"] = False  # the notebook has a button of its own
    options["back_to_top_button"] = False  # it lies over widgets
    options["footer_content_items"] = ["course-footer.html"]
    options["secondary_sidebar_items"] = []
    options["article_header_end"] = ["course-buttons.html"]
    # What is copied of an example is its code, without prompts and results.
    config.copybutton_prompt_text = r">>> ?|\.\.\. ?"
    config.copybutton_prompt_is_regexp = True
    config.html_sidebars = {"**": ["course-title.html", "course-nav.html"]}
    config.html_context["course_repository"] = options.get("repository_url", "")
    if UNSET in options.get("repository_url", UNSET):
        # A link to an account that does not exist is worse than no link.
        for name in ("repository_url", "repository_branch", "launch_buttons"):
            options.pop(name, None)
        config.html_context["course_repository"] = ""


def silence_thebe(app: Sphinx, config: Config) -> None:
    """Disconnect sphinx-thebe, which jupyter-book always loads (``config-inited``).

    Its script breaks on every page (a constant declared twice) and names a third party.
    """
    for listeners in list(app.events.listeners.values()):
        for listener in list(listeners):
            if listener.handler.__module__.split(".")[0] == "sphinx_thebe":
                app.disconnect(listener.id)


def name_chapter(app: Sphinx, doctree: nodes.document) -> None:
    """Let contents and links call a chapter by its name (``doctree-read``).

    A title is a name and a question, ``Scaling: why divide?``; the page, its tab and the search
    show both.
    """
    page = app.env.docname
    name, _, question = app.env.titles[page].astext().partition(": ")
    if question and app.env.doc2path(page).endswith(".ipynb"):
        app.env.titles[page] = nodes.title("", name)
        entry = next(app.env.tocs[page].findall(nodes.reference))
        entry[:] = [nodes.Text(name)]


def description(doctree: nodes.document) -> str:
    """Return what a page is about: the beginning of its first paragraph, in whole words."""
    for paragraph in doctree.findall(nodes.paragraph):
        if not isinstance(paragraph.parent, nodes.section) or paragraph["classes"]:
            continue
        text = " ".join(_MARKUP.sub(_spoken, paragraph.astext()).split())
        if len(text) <= LONGEST:
            return text
        sentences = text[:LONGEST].rpartition(". ")[0]
        cut = text[: LONGEST - 1].rpartition(" ")[0].rstrip(",;:")
        return f"{sentences}." if len(sentences) > LONGEST // 2 else f"{cut}…"
    return ""


def _spoken(markup: re.Match[str]) -> str:
    return {r"\sqrt": "√", r"\top": "ᵀ", r"\alpha": "α"}.get(markup[0], "")


def report_url(repository: str, page: str, title: str) -> str:
    """Return the address of a new issue that names the page.

    >>> report_url("https://example.org/a/b", "why/x", "Why").split("?")[1][:23]
    'title=why%2Fx%3A+&body='
    """
    body = f"Page: {title} ({page})\n\nWhat I read:\n\nWhat I expected:\n"
    return f"{repository}/issues/new?{urlencode({'title': f'{page}: ', 'body': body})}"


def with_sections(contents: str, sections: str) -> str:
    """Return the book's contents with the open page's sections under its entry.

    >>> with_sections('<a href="#">Now</a>', '<ul class="x"><li>One</li></ul>')
    '<a href="#">Now</a><ul class="ac-here"><li>One</li></ul>'
    """
    if not sections:
        return contents
    inner = re.sub(r"^\s*<ul[^>]*>", '<ul class="ac-here">', str(sections), count=1)
    entry = r'<a [^>]*href="#"[^>]*>.*?</a>'
    return re.sub(entry, lambda link: link[0] + inner, contents, count=1)


def add_page_context(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Add what the templates use, and mend what the page got (``html-page-context``)."""
    # docutils makes a list without list items, which a screen reader cannot count.
    body = context.get("body", "")
    context["body"] = body.replace('role="doc-biblioentry"', 'role="listitem"')
    described = 'name="description"' in context.get("metatags", "")
    context["metatags"] = _VIEWPORT.sub("", context.get("metatags", ""))
    said = context["said"] = description(doctree) if doctree is not None else ""
    if said and not described:
        context["metatags"] += f'<meta name="description" content="{html.escape(said)}" />\n'
    context["with_sections"] = lambda *lists: Markup(with_sections(*map(str, lists)))
    repository = app.config.html_context.get("course_repository")
    if repository:
        context["report_url"] = report_url(repository, page, context.get("title", page))
    elif "book/before-you-start" in app.env.found_docs:
        to_page = context["pathto"]("book/before-you-start").rstrip("#")  # "#" on itself
        context["report_url"] = f"{to_page}#report"


def lighten(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Leave out files that no page has a use for, and let no script hold up its first paint.

    The scripts without a file set options of these.
    """
    for files in (context["css_files"], context["script_files"]):
        files[:] = [
            file
            for file in files
            if file.filename and not any(name in str(file.filename) for name in _LOADED_BY_ALL)
        ]
    for script in context["script_files"]:
        script.attributes["defer"] = "defer"


def move_state(app: Sphinx, doctree: nodes.document) -> None:
    """Put the widget state at the end of the page, in its short form (``doctree-read``).

    myst-nb would put all of it into the head, before anything can be seen.
    """
    data = getattr(app.env, "nb_metadata", {}).get(app.env.docname, {})
    stored = data.get("js_files", {}).pop("ipywidgets_state", None)
    if stored is not None:
        state = json.loads(stored[1]["body"])["state"]
        script = widget_state.state_script(widget_state.compact(state))
        doctree += nodes.raw("", script, format="html", sources=widget_state.sources(state))
