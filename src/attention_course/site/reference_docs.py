"""Docstrings as HTML: napoleon reads their sections, docutils writes them."""

import re
from collections.abc import Callable
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

from attention_course.site.reference_source import Definition, Package, Target

_LOGGER = logging.getLogger(__name__)
# As lists of names: outside its domains Sphinx knows no fields of a parameter.
_LISTED = ("Args", "Attributes", "Raises")
_NAPOLEON: Any = Config(
    napoleon_use_rtype=False,
    napoleon_custom_sections=["Source", *((name, "params_style") for name in _LISTED)],
)
_SAID = {
    ":Args:": ":Arguments:",
    ":returns:": ":Returns:",
    ".. rubric:: Source": ".. rubric:: From",
}
_HEADS = re.compile("|".join(rf"^{re.escape(head)}" for head in _SAID), re.MULTILINE)


class Writer:
    """Reads docstrings and writes HTML for one page."""

    def __init__(
        self, app: Sphinx, package: Package, page: str, address: Callable[[Target], str]
    ):
        self.app, self.package, self.page, self.address = app, package, page, address
        app.env.prepare_settings(page)
        self.settings = get_default_settings(RSTParser, HTMLWriter)
        vars(self.settings).update(app.env.settings)
        self.settings.env = app.env

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

    def read(self, definition: Definition) -> str:
        """Return a definition's docstring as HTML."""
        owner = definition.name.rpartition(".")[0] or definition.name
        lines = GoogleDocstring(definition.docstring, _NAPOLEON, what=definition.kind).lines()
        text = _HEADS.sub(lambda head: _SAID[head[0]], "\n".join(lines))
        return self.written(self.parsed(text, definition.dotted, definition.module, owner))

    def written(self, parts: list[nodes.Node]) -> str:
        """Return nodes as HTML."""
        document = new_document(self.page, self.settings)
        document.extend(part.deepcopy() for part in parts)
        translator = self.app.builder.create_translator(document, self.app.builder)
        document.walkabout(translator)
        return "".join(translator.body)


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring as text.

    >>> first_sentence("Mix the values. More.")
    'Mix the values.'
    """
    opening = " ".join(docstring.partition("\n\n")[0].split())
    opening = re.sub(r":\w+:`~?([^`]*)`|``(.*?)``", lambda m: m[1] or m[2], opening)
    return re.split(r"(?<=[.?!]) ", opening.replace("'", "’"), maxsplit=1)[0]
