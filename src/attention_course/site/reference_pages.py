"""The pages of the API reference, and the links to them from the code of the chapters.

The book's page ``book/api`` lists the modules (the directive ``course-reference``); each module
has a page below it, made at the end of the build from the package's source. The pages are no
documents of Sphinx: they are in no table of contents and in no search index. A book without
``book/api`` has neither pages nor links.
"""

import functools
import html
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

from attention_course.site.assets import FOLDER
from attention_course.site.reference_chapters import chapters_of
from attention_course.site.reference_docs import Writer, first_sentence
from attention_course.site.reference_links import link_code, link_page, names_of
from attention_course.site.reference_source import Definition, Package, Target

INDEX = "book/api"
OWN = Path(__file__).parent.parent


def setup(app: Sphinx) -> None:
    """Connect the reference (called by the site's extension)."""
    # Another package's folder, for tests.
    app.add_config_value("course_package", "", "html")
    app.add_node(course_reference, html=(_write_index, None))
    app.add_directive("course-reference", CourseReference)
    app.connect("html-collect-pages", collect)
    app.connect("html-page-context", add_links, priority=600)
    app.connect("html-page-context", add_context, priority=700)


@functools.cache
def read_package(folder: Path) -> Package:
    """Return the package of a folder, read once."""
    return Package(folder)


def package_of(app: Sphinx) -> Package | None:
    """Return the package that the book documents; None if it has no reference."""
    if INDEX not in app.env.found_docs:
        return None
    given = app.config.course_package
    return read_package(Path(app.srcdir, given) if given else OWN)


@functools.cache
def _chapters(app: Sphinx, package: Package) -> dict[Definition, tuple[str, str]]:
    """Return where the book has each definition; the landing page is no chapter."""
    listed = [app.config.root_doc]
    for document in listed:  # it grows
        listed += app.env.toctree_includes.get(document, [])
    paths = {document: Path(app.env.doc2path(document)) for document in listed[1:]}
    book = {
        d: json.loads(p.read_text("utf-8")) for d, p in paths.items() if p.suffix == ".ipynb"
    }
    return chapters_of(package, book)


def page_name(module: str) -> str:
    """Return a module's page; ``attention_course.training`` has ``book/api/training``."""
    return "/".join([INDEX, *module.split(".")[1:]])


def _addresses(app: Sphinx, package: Package, page: str) -> Callable[[Target], str]:
    """Return the function that gives an address as seen from a page.

    A part without a page of its own is in the list of all modules.
    """
    here = app.builder.get_target_uri(page)

    @functools.cache
    def address(target: Target) -> str:
        if isinstance(target, Definition):
            module, place = package.page_of(target), target.name
        else:
            module, place = target.name, ""
        there = page_name(module)
        if module not in package.shown:
            there, place = INDEX, module.split(".")[1]
        there = app.builder.get_target_uri(there)
        to = "" if there == here else relative_uri(here, there)
        return f"{to}#{place}" if place else to or "#"

    return address


# ---- the list of modules ----


class course_reference(nodes.General, nodes.Element):  # type: ignore[misc]  # noqa: N801
    """Where the list of a part's modules will stand; it has no text, so no search finds it."""


class CourseReference(SphinxDirective):
    """Lists the modules of a part of the package, with the names in each."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the place of the list."""
        package = package_of(self.env.app)
        part = self.arguments[0]
        if package is None or f"{package.name}.{part}" not in package.modules:
            raise self.error(f"course-reference: expected a part of the package, got {part}")
        return [course_reference(part=part, package=package.name)]


def _write_index(translator: Any, node: course_reference) -> None:
    app = translator.builder.app
    package = package_of(app)
    if package is None:
        raise nodes.SkipNode
    here = app.builder.get_target_uri(app.builder.current_docname)
    address = _addresses(app, package, app.builder.current_docname)
    start = f"{package.name}.{node['part']}"
    rows = []
    for module, definitions in package.shown.items():
        if module != start and not module.startswith(f"{start}."):
            continue
        there = relative_uri(here, app.builder.get_target_uri(page_name(module)))
        names = ", ".join(
            f'<a href="{html.escape(address(d))}"><code>{d.name}</code></a>'
            for d in definitions
            if d.kind != "constant"
        )
        said = html.escape(first_sentence(package.modules[module].docstring))
        short = module.removeprefix(f"{package.name}.")
        rows.append(
            f'<dt><a href="{there}"><code>{short}</code></a></dt>'
            f"<dd><p>{said}</p><p>{names}</p></dd>"
        )
    translator.body.append(f'<dl class="ac-modules" id="{node["part"]}">{"".join(rows)}</dl>')
    raise nodes.SkipNode


# ---- a module's page ----


def collect(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the pages of the reference (``html-collect-pages``)."""
    package = package_of(app)
    if package is None:
        return
    builder: Any = app.builder
    if builder.indexer:
        # The search is of the book.
        builder.indexer.prune(app.env.found_docs - {INDEX})
    for module in package.shown:
        yield page_name(module), _page(app, package, module), "page.html"


def _page(app: Sphinx, package: Package, module: str) -> dict[str, Any]:
    page = page_name(module)
    writer = Writer(app, package, page, _addresses(app, package, page))
    index = relative_uri(app.builder.get_target_uri(page), app.builder.get_target_uri(INDEX))
    short = module.removeprefix(f"{package.name}.")
    body = [
        f'<section id="{short}"><p class="ac-above"><a href="{index}">API reference</a></p>',
        f"<h1><code>{short}</code></h1>",
        writer.written(writer.parsed(package.modules[module].docstring, module, module)),
        *(_definition(writer, definition) for definition in package.shown[module]),
    ]
    return {"title": short, "parents": [], "body": "".join([*body, "</section>"])}


def _definition(writer: Writer, definition: Definition, level: int = 2) -> str:
    own = definition.name.rpartition(".")[2]
    link = f'class="headerlink" href="#{definition.name}" title="Link to this definition"'
    head = f"<h{level}><code>{html.escape(own)}</code><a {link}>#</a></h{level}>"
    parts = [f'<section id="{definition.name}" class="ac-def">', head]
    parts += [_code(writer, definition, definition.head), writer.read(definition)]
    if level == 2:
        parts.append(_where(writer, definition))
    if definition.kind == "class":
        package = writer.package
        parts += [_definition(writer, method, 3) for method in package.methods(definition)]
    if level == 2 and definition.source:
        source = _code(writer, definition, definition.source)
        parts.append(f'<details class="ac-source"><summary>Source</summary>{source}</details>')
    return "".join([*parts, "</section>"])


def _where(writer: Writer, definition: Definition) -> str:
    app = writer.app
    said = []
    if found := _chapters(app, writer.package).get(definition):
        kind, document = found
        here = app.builder.get_target_uri(writer.page)
        there = relative_uri(here, app.builder.get_target_uri(document))
        title = html.escape(app.env.titles[document].astext())
        said.append(f'{kind} in <a href="{there}">{title}</a>')
    source = writer.package.imported_from(definition)
    said.append(f"<code>from {source} import {definition.name}</code>")
    return f'<p class="ac-where">{"<br>".join(said)}</p>'


def _code(writer: Writer, definition: Definition, code: str) -> str:
    """Return code of a definition's module as HTML, its names as links."""
    builder: Any = writer.app.builder
    made = builder.highlighter.highlight_block(code, "python")
    spots = names_of(writer.package, definition.module).find(code)
    start, pre, rest = made.partition("<pre>")
    linked = start + pre + link_code(rest, spots, writer.address)
    return f'<div class="highlight-python notranslate">{linked}</div>'


# ---- what every page gets ----


def add_links(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Link the names in a page's code (``html-page-context``)."""
    package = package_of(app)
    if package is None or doctree is None:
        return
    address = _addresses(app, package, page)
    unseen = doctree.get("unseen", ())
    context["body"] = link_page(context.get("body", ""), package, address, unseen)


def add_context(app: Sphinx, page: str, template: str, context: Any, doctree: Any) -> None:
    """Give the pages of the reference their style."""
    if page == INDEX or page.startswith(f"{INDEX}/"):
        app.add_css_file(f"{FOLDER}/reference.css", priority=950)
