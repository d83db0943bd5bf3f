"""Find what JupyterLab, Colab or GitHub would show raw in a Markdown text.

The text is read as these front ends read it: CommonMark with tables, and formulas between
dollars. What is then left as visible text but was meant for Sphinx is named by its kind; code
and formulas are never looked at.
"""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

_READER = MarkdownIt("commonmark").enable("table").use(amsmath_plugin)
_READER = _READER.use(dollarmath_plugin, allow_space=False, double_inline=True)

# A line of visible text that is one of these was meant for Sphinx.
_LINES = {
    "directive": re.compile(r"^:{3,}"),
    "option of a directive": re.compile(r"^:[a-z][\w-]*:( |$)"),
    "target": re.compile(r"^\([^()\s]+\)=$"),
    "break between blocks": re.compile(r"^\+\+\+"),
    "comment": re.compile(r"^% "),
    "definition": re.compile(r"^: +\S"),
}
_PARTS = {
    "substitution": re.compile(r"\{\{.*?\}\}"),
    "attribute": re.compile(r"\{[.#][\w-]+[^{}]*\}"),
    "footnote": re.compile(r"\[\^[^\]\s]+\]"),
}
_ROLE = re.compile(r"\{[a-zA-Z][\w:+.-]*\}$")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|#|$")


def raw(text: str) -> list[str]:
    """Return what a reader would see raw, each with its kind.

    >>> raw("As {cite:t}`bahdanau2015neural` say.")
    ['role: {cite:t}`bahdanau2015neural`']
    >>> raw("`{term}` is a role, and $a_{term}$ a symbol.")
    []
    """
    found, folds = [], 0
    for token in _READER.parse(text):
        found += [f"{kind}: {what}" for kind, what in _found(token)]
        if token.type == "html_block":
            folds += token.content.count("<details") - token.content.count("</details>")
        if token.type == "heading_open" and folds:
            found.append(f"heading in a fold: line {token.map[0] + 1}")
    return found + ["fold that is not closed: <details>"] * (folds != 0)


def _found(token: Token) -> Iterator[tuple[str, str]]:
    if token.type == "fence" and token.info.startswith("{"):
        yield "directive", token.info
    elif token.type == "math_block_label":
        yield "label of a formula", token.info
    elif token.type == "html_block":
        yield from _in_html(token.content)
    elif token.type == "inline":
        yield from _in_line(token.children or [])


def _in_line(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    lines = [""]
    for token, following in zip(tokens, [*tokens, None][1:], strict=True):
        if token.type in {"softbreak", "hardbreak"}:
            lines.append("")
        elif token.type == "text":
            lines[-1] += token.content
            role = _ROLE.search(token.content)
            if role and following and following.type == "code_inline":
                yield "role", f"{role[0]}`{following.content}`"
        else:
            lines[-1] += "\0"  # something that is not text
        address = str(token.attrs.get("href", ""))
        if token.type == "link_open" and _leads_nowhere(address):
            yield "link that only Sphinx follows", address
    for line in lines:
        yield from ((kind, line) for kind, form in _LINES.items() if form.search(line))
        yield from ((kind, f[0]) for kind, form in _PARTS.items() for f in form.finditer(line))


def _in_html(html: str) -> Iterator[tuple[str, str]]:
    """A fold must leave an empty line after its summary, which is shown as it is written."""
    for summary in re.findall(r"<summary>(.*?)</summary>", html, re.DOTALL):
        if re.search(r"[$`]|\*\w", summary):
            yield "summary that is not plain text", summary
    if "<details" in html and (
        left := re.split(r"</summary>|<details[^>]*>", html)[-1].strip()
    ):
        yield "fold without an empty line", left.splitlines()[0]


def _leads_nowhere(address: str) -> bool:
    """Say whether a relative link names no file, as ``scaling`` for ``scaling.ipynb``."""
    file = address.split("#")[0].rsplit("/")[-1]
    return not _SCHEME.match(address) and "." not in file
