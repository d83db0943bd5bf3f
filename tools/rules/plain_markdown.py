"""Find what JupyterLab, Colab or GitHub would show raw in a Markdown text.

What is visible text, without code and formulas, but was meant for Sphinx is named by its kind.
"""

import re

_FENCE = re.compile(r"^(`{3,}|~{3,})(?!\{).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\1\}|\$[^$\n]+\$", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)\1(?!`)", re.DOTALL)
# In the text without fences.
_IN_HTML = {
    "directive": re.compile(r"(?<=```)\{[\w-]+\}"),
    "label of a formula": re.compile(r"\$\$[ \t]*\([\w-]+\)[ \t]*$", re.MULTILINE),
    "summary that is not plain text": re.compile(r"<summary>[^<\n]*(?:[$`]|\*\w)[^\n]*"),
    "fold without an empty line": re.compile(r"</summary>[ \t]*\n(?=[^\n])[^\n]*"),
    "heading in a fold": re.compile(
        r"<details(?:(?!</details>).)*?^#+ [^\n]*", re.DOTALL | re.MULTILINE
    ),
}
# In that without formulas, a piece of code in a line put as \x01.
_IN_TEXT = {
    "role": re.compile(r"\{[a-zA-Z][\w:+.-]*\}(?=\x01)"),
    "directive": re.compile(r"^:{3,}.*", re.MULTILINE),
    "option of a directive": re.compile(r"^:[a-z][\w-]*:(?: .*|$)", re.MULTILINE),
    "target": re.compile(r"^\([^()\s]+\)=$", re.MULTILINE),
    "break between blocks": re.compile(r"^\+\+\+.*", re.MULTILINE),
    "comment": re.compile(r"^% .*", re.MULTILINE),
    "definition": re.compile(r"^: +\S.*", re.MULTILINE),
    "substitution": re.compile(r"\{\{.*?\}\}"),
    "attribute": re.compile(r"\{[.#][\w-]+[^{}]*\}"),
    "footnote": re.compile(r"\[\^[^\]\s]+\]"),
    # A relative address that names no file, as ``scaling`` for ``scaling.ipynb``.
    "link that only Sphinx follows": re.compile(
        r"\]\((?![a-z][a-z0-9+.-]*:|#)(?:[^)\s]*/)?[^./)#\s]+(?:#[^)\s]*)?\)"
    ),
}


def raw(text: str) -> list[str]:
    """Return what a reader would see raw, each with its kind.

    >>> raw("As {cite:t}`bahdanau2015neural` say.")
    ['role: {cite:t}']
    >>> raw("`{term}` is a role, and $a_{term}$ a symbol.")
    []
    """
    outside = _FENCE.sub("", text)
    plain = _CODE.sub("\1", _FORMULA.sub("x", outside))
    found = [
        f"{kind}: {match[0].strip()}"
        for where, kinds in ((outside, _IN_HTML), (plain, _IN_TEXT))
        for kind, form in kinds.items()
        for match in form.finditer(where)
    ]
    closed = outside.count("<details") == outside.count("</details>")
    return found + ["fold that is not closed: <details>"] * (not closed)
