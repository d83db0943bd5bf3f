r"""Formulas become HTML and MathML while the book is built, so a page needs no script for them.

KaTeX runs inside the V8 engine that the ``mini-racer`` wheel brings: no Node, no network. The
HTML is what one sees, the MathML what a screen reader reads. A formula that KaTeX cannot set
is a Sphinx warning, and warnings are fatal in the strict build.
"""

import atexit
import functools
import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging

from attention_course.site.roles import colour_roles

KATEX = Path(__file__).parent / "vendor" / "katex" / "katex.min.js"

_LOGGER = logging.getLogger(__name__)
_SET = """
function set(latex, display) {
  return katex.renderToString(latex, {
    displayMode: display,
    output: "htmlAndMathml",
    throwOnError: true,
    strict: (code) => (code === "htmlExtension" ? "ignore" : "error"),
    trust: ({ command }) => {
      if (command === "\\\\htmlClass") return true;
      throw new katex.ParseError(`${command} is not allowed here`);
    },
  });
}
"""
# Environments that KaTeX would number.
_NUMBERED = re.compile(r"\\(begin|end)\{(equation|align|alignat|gather)\}")
_ANNOTATION = re.compile(r"(<annotation [^>]*>)[^<]*<")
_WIDE_SPACE = re.compile(r"(?<=,)\s*\\qquad\b")


@functools.cache
def _engine() -> Any:
    from py_mini_racer import MiniRacer  # Only a build needs it.

    engine = MiniRacer()
    engine.eval(KATEX.read_text("utf-8"))
    engine.eval(_SET)
    atexit.register(close_engine)  # for those who set formulas without building
    return engine


def close_engine(*_event: object) -> None:
    """Close the engine when a build has ended, well or badly (Sphinx's ``build-finished``).

    Left to the interpreter's last moments it waits for a thread that no longer runs: from
    Python 3.13 on, for ever.
    """
    if _engine.cache_info().currsize:
        _engine().close()
        _engine.cache_clear()


@functools.lru_cache(maxsize=8192)
def set_formula(latex: str, display: bool = False, page: str = "") -> str:
    r"""Return a formula as HTML with MathML, its roles coloured.

    The letters of its page may have roles of their own.

    Raises:
        ValueError: if KaTeX cannot set it; the message is KaTeX's.
    """
    arguments = json.dumps(colour_roles(latex, page)), json.dumps(display)
    try:
        made: str = _engine().eval(f"set({arguments[0]}, {arguments[1]})")
    except Exception as error:  # the engine's own class is not part of its interface
        reason = str(error).strip().splitlines()
        said = next((line for line in reason if "ParseError" in line), reason[0])
        raise ValueError(f"set_formula: latex must be what KaTeX knows, got {said}") from error
    # What is copied is what the author wrote, without the classes of the roles.
    made = _ANNOTATION.sub(lambda tag: f"{tag[1]}{html.escape(latex)}<", made)
    # A browser that translates the page would take letters for words.
    return made.replace('<span class="katex', '<span translate="no" class="katex', 1)


def prepare_display(latex: str) -> str:
    r"""Return the content of a display as one formula: lines aligned, none numbered.

    >>> prepare_display(r"a &= b \\ c &= d")
    '\\begin{aligned}a &= b \\\\ c &= d\\end{aligned}'
    """
    latex = _NUMBERED.sub(r"\\\1{\2*}", latex.strip())
    if r"\\" in latex and not latex.startswith(r"\begin"):
        return rf"\begin{{aligned}}{latex}\end{{aligned}}"
    return latex


def parts_of(latex: str) -> list[str]:
    r"""Split a display at the wide spaces behind its commas: on a phone each part has a line.

    >>> parts_of(r"a = f(b) , \qquad c = d .")
    ['a = f(b) ,', 'c = d .']
    """
    parts = [latex] if r"\begin" in latex else _WIDE_SPACE.split(latex)
    whole = all(part.count("{") == part.count("}") for part in parts)
    return [part.strip() for part in parts] if whole else [latex]


def _set_node(self: Any, latex: str, display: bool, node: nodes.Node) -> str:
    try:
        return set_formula(latex, display, self.builder.current_docname or "")
    except ValueError as error:
        _LOGGER.warning("formula %r: %s", latex, error, location=node, type="attention_course")
        return f'<code class="ac-error">{html.escape(latex)}</code>'


def visit_inline(self: Any, node: nodes.math) -> None:
    """Write a formula that runs in the text."""
    self.body.append(f'<span class="math">{_set_node(self, node.astext(), False, node)}</span>')
    raise nodes.SkipNode


def visit_display(self: Any, node: nodes.math_block) -> None:
    """Write a formula on its own line; none has a number, for pages name them in words."""
    self.body.append(self.starttag(node, "div", CLASS="math ac-display"))
    parts = parts_of(prepare_display(node.astext()))
    begin, end = ('<div class="ac-several">', "</div>") if len(parts) > 1 else ("", "")
    self.body += [begin, *(_set_node(self, part, True, node) for part in parts), end, "</div>"]
    raise nodes.SkipNode
