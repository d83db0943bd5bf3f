"""Docstrings as HTML: napoleon reads their sections, types come from the signature."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes
from docutils.frontend import get_default_settings
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.parsers import RSTParser
from sphinx.transforms import SphinxSmartQuotes
from sphinx.util import logging
from sphinx.util.docutils import LoggingReporter, new_document, sphinx_domains
from sphinx.writers.html import HTMLWriter

from attention_course.site.reference_signatures import Parameter
from attention_course.site.reference_source import Definition, Package, Target

_LOGGER = logging.getLogger(__name__)
_NAPOLEON: Any = Config(
    napoleon_use_ivar=True, napoleon_use_rtype=False, napoleon_custom_sections=["Source"]
)
_NAME = re.compile(r"(?<![\w.\]])[A-Za-z_][\w.]*")


@dataclass
class Docs:
    """A docstring, taken apart.

    Attributes:
        opening: sentences and formulas.
        arguments: name to what it is, for *Args*.
        attributes: the same for *Attributes*.
        returns: what comes back.
        raises: pairs of an error and when.
        source: where it is from.
        examples: the doctests.
    """

    opening: list[nodes.Node] = field(default_factory=list)
    arguments: dict[str, list[nodes.Node]] = field(default_factory=dict)
    attributes: dict[str, list[nodes.Node]] = field(default_factory=dict)
    returns: list[nodes.Node] = field(default_factory=list)
    raises: list[tuple[str, list[nodes.Node]]] = field(default_factory=list)
    source: list[nodes.Node] = field(default_factory=list)
    examples: list[nodes.Node] = field(default_factory=list)


class Writer:
    """Reads docstrings and writes HTML for one page.

    Args:
        app: Sphinx, in a build of HTML.
        package: where names are looked up.
        page: the page's name in the site.
        address: gives the address of a definition, as seen from the page.
    """

    def __init__(
        self, app: Sphinx, package: Package, page: str, address: Callable[[Target], str]
    ):
        self.app, self.package, self.page, self.address = app, package, page, address
        app.env.prepare_settings(page)
        self.settings = get_default_settings(RSTParser, HTMLWriter)
        vars(self.settings).update(app.env.settings)
        self.settings.env = app.env

    # ---- reading ----

    def parsed(self, text: str, where: str, module: str, owner: str = "") -> list[nodes.Node]:
        """Return reStructuredText as nodes, its names resolved."""
        document = new_document(where, self.settings)
        document.reporter = LoggingReporter(where, halt_level=5)
        parser = RSTParser()
        parser.set_application(self.app)
        with sphinx_domains(self.app.env):
            parser.parse(text, document)
        SphinxSmartQuotes(document, None).apply()
        for message in list(document.findall(nodes.system_message)):
            message.parent.remove(message)  # they were logged, and turn the build red
        for cross in list(document.findall(pending_xref)):
            cross.replace_self(self._link(cross, where, module, owner))
        for block in list(document.findall(nodes.doctest_block)):
            said = block.astext()
            block.replace_self(nodes.literal_block(said, said, language="pycon"))
        return list(document.children)

    def _link(self, cross: pending_xref, where: str, module: str, owner: str) -> nodes.Node:
        target = cross["reftarget"].lstrip("~.")
        inside = [f"{module}.{owner}"] if owner else []
        parts = {name.split(".")[1] for name in self.package.modules if "." in name}
        around = [self.package.name, *(f"{self.package.name}.{part}" for part in sorted(parts))]
        for scope in [*inside, module, "", *around]:
            found = self.package.resolve(f"{scope}.{target}".lstrip("."))
            if found:
                break
        else:
            message = "%s: nothing in the package is called %s"
            _LOGGER.warning(message, where, target, type="attention_course", subtype="name")
        shown = nodes.literal("", target.rpartition(".")[2])
        if isinstance(found, Definition) and self.package.is_shown(found):
            return nodes.reference("", "", shown, refuri=self.address(found), internal=True)
        return shown

    def read(self, definition: Definition) -> Docs:
        """Return a definition's docstring, taken apart."""
        docs = Docs()
        owner = definition.name.rpartition(".")[0] or definition.name
        read = GoogleDocstring(definition.docstring, _NAPOLEON, what=definition.kind)
        where = f"{definition.dotted}"
        parts = self.parsed("\n".join(read.lines()), where, definition.module, owner)
        into = docs.opening
        for part in parts:
            if isinstance(part, nodes.field_list):
                self._fields(part, docs)
                into = docs.opening
            elif isinstance(part, nodes.rubric) and part.astext() == "Source":
                into = docs.source
            elif isinstance(part, nodes.literal_block) and part.get("language") == "pycon":
                docs.examples.append(part)
                into = docs.opening
            else:
                into.append(part)
        return docs

    def _fields(self, listed: nodes.field_list, docs: Docs) -> None:
        for item in listed.children:
            kind, _, name = item[0].astext().partition(" ")
            said = list(item[1].children)
            if kind == "param":
                docs.arguments[name] = said
            elif kind == "ivar":
                docs.attributes[name] = said
            elif kind == "returns":
                docs.returns = said
            elif kind == "raises":
                docs.raises.append((name, said))
            elif kind not in {"type", "vartype"}:
                docs.opening.append(nodes.field_list("", item))

    # ---- writing ----

    def written(self, parts: list[nodes.Node]) -> str:
        """Return nodes as HTML."""
        document = new_document(self.page, self.settings)
        document.extend(part.deepcopy() for part in parts)
        translator = self.app.builder.create_translator(document, self.app.builder)
        document.walkabout(translator)
        return "".join(translator.body)

    def inline(self, parts: list[nodes.Node]) -> str:
        """Return nodes as HTML, a single paragraph without its element."""
        alone = len(parts) == 1 and isinstance(parts[0], nodes.paragraph)
        if alone and all(isinstance(part, nodes.Text) for part in parts[0].children):
            return html.escape(parts[0].astext(), quote=False)  # the common case, made fast
        written = self.written(parts).strip()
        single = re.fullmatch(r"<p>(.*)</p>", written, re.DOTALL)
        return single[1] if single and "<p" not in single[1] else written

    def kind(self, text: str, module: str) -> str:
        """Return a type as HTML, the package's classes in it as links."""

        def link(match: re.Match[str]) -> str:
            found = self.package.resolve(f"{module}.{match[0]}")
            if not isinstance(found, Definition) or found.kind == "function":
                return match[0]
            if not self.package.is_shown(found):
                return match[0]
            return f'<a href="{html.escape(self.address(found))}">{match[0]}</a>'

        written = _NAME.sub(link, html.escape(text, quote=False))
        return f'<code class="ac-type">{written}</code>'

    def rows(
        self, listed: list[Parameter], said: dict[str, list[nodes.Node]], module: str
    ) -> str:
        """Return parameters as the rows of a description list."""
        said = {part.strip(): text for names, text in said.items() for part in names.split(",")}
        known = {parameter.name for parameter in listed}
        listed = listed + [Parameter(n, "") for n in said if n not in known and n]
        made = []
        for parameter in listed:
            kind = f" {self.kind(parameter.type, module)}" if parameter.type else ""
            text = said.get(parameter.name)
            more = self.inline(text) if text else ""
            name = f"<code>{html.escape(parameter.name)}</code>"
            made.append(f"<div><dt>{name}{kind}</dt><dd>{more}</dd></div>")
        return f'<dl class="ac-params">{"".join(made)}</dl>'


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring as text.

    >>> first_sentence("Mix the values. More.")
    'Mix the values.'
    """
    opening = " ".join(docstring.partition("\n\n")[0].split())
    opening = re.sub(r":\w+:`~?([^`]*)`|``(.*?)``", lambda m: m[1] or m[2], opening)
    return re.split(r"(?<=[.?!]) ", opening.replace("'", "’"), maxsplit=1)[0]
