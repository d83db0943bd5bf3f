r"""Colour the six roles in formulas, without the notebook having to say so.

A notebook holds plain LaTeX, because Colab and JupyterLab show it with MathJax. On the page
``\mathbf{q}`` becomes ``{\htmlClass{ac-query}{\mathbf{q}}}``, and the style sheet does the
rest. Only the symbol itself is coloured, never its index: indices are not roles.
"""

import re

_LETTER_ROLES = {
    "q": "query",
    "Q": "query",
    "k": "key",
    "K": "key",
    "v": "value",
    "V": "value",
    "e": "score",
    r"\alpha": "weight",
    "c": "context",
}

# Additive attention's learned vector shares its letter with the values: v_a, or v transposed.
_LEARNED = re.compile(r"\s*(?:_\{?a\b|\^\{?\\top)")

# One alternative per kind of token, tried in this order. Words, labels and commands are
# matched so that the letters inside them are left alone.
_TOKEN = re.compile(
    r"""
    (?P<words>\\(?:text\w*|math(?:rm|sf|tt)|operatorname\*?|begin|end|label|tag|html\w+|class)
        \s*\{[^{}]*\})
    | (?P<styled>\\(?:mathbf|boldsymbol|bm)\s*(?:\{\s*(?P<braced>[qkvceQKV]|\\alpha)\s*\}
        |\s(?P<bare>[qkvceQKV])(?![A-Za-z])|(?P<alpha>\\alpha)(?![A-Za-z])))
    | (?P<weight>\\alpha(?=\s*_))
    | (?P<command>\\(?:[A-Za-z]+|.))
    | (?P<score>e(?=\s*_))
    | (?P<matrix>[QKV])
    """,
    re.VERBOSE | re.DOTALL,
)


def colour_roles(latex: str) -> str:
    r"""Wrap the symbols of the six roles in the class that colours them.

    Bold ``q k v c e`` and bold alpha, ``\alpha_{..}``, ``e_{..}`` and the capitals ``Q K V``
    are role symbols; ``e^x``, ``d_k``, anything in ``\text{..}`` and additive attention's
    learned ``\mathbf{v}_a`` or ``\mathbf{v}^\top`` are not.

    Args:
        latex: a formula without its dollar signs.

    Returns:
        The formula with ``\htmlClass`` around each role symbol.

    >>> colour_roles(r"\mathbf{q}_i")
    '{\\htmlClass{ac-query}{\\mathbf{q}}}_i'
    """
    return _TOKEN.sub(_wrap, latex)


def _wrap(match: re.Match[str]) -> str:
    token = match.group(0)
    if match["styled"]:
        symbol = match["braced"] or match["bare"] or match["alpha"]
    elif match["weight"] or match["score"] or match["matrix"]:
        symbol = token
    else:
        return token
    if symbol == "v" and _LEARNED.match(match.string, match.end()):
        return token
    return rf"{{\htmlClass{{ac-{_LETTER_ROLES[symbol]}}}{{{token}}}}}"
