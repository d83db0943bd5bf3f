r"""Colour the six roles in formulas, without the notebook having to say so.

A notebook holds plain LaTeX, because Colab and JupyterLab show it with MathJax. On the page
``\mathbf{q}`` becomes ``{\htmlClass{ac-query}{\mathbf{q}}}``, and the style sheet does the
rest. Only the symbol itself is coloured, never its index: indices are not roles.
"""

import re

_LETTER_ROLES = {"q": "query", "Q": "query", "k": "key", "K": "key", "v": "value"}
_LETTER_ROLES |= {"V": "value", "e": "score", r"\alpha": "weight", "c": "context"}

# What is learned wears no role, though it may share a letter with the values: Bahdanau's v_a
# (or v transposed) and V_o, Luong's v_p.
_LEARNED = re.compile(r"\s*(?:_\{?[aop]\b|\^\{?\\top)")

# The papers on recurrent models have letters of their own: Bahdanau asks with s_{i-1}, Luong
# with h_t, and a_t are Luong's weights. An h is a query on these pages only.
_ASKS_WITH_H = {"luong": "_t", "local-and-hard": "_t", "captioning": "_{t-1}"}

# LSTMN's paper has a plain a for a score and a plain s for a weight.
_LSTMN = re.compile(r"(?<![A-Za-z\\])(?:(?P<score>a)|(?P<weight>s))(?=(?:_i)?\^t(?![A-Za-z]))")

# One alternative per kind of token, tried in this order. Words, labels and commands are
# matched so that the letters inside them are left alone.
_TOKEN = re.compile(
    r"""
    (?P<words>\\(?:text\w*|math(?:rm|sf|tt)|operatorname\*?|begin|end|label|tag|html\w+|class)
        \s*\{[^{}]*\})
    | (?P<paper>\\mathbf\s*(?:\{\s*[ahs]\s*\}|\s[ahs])(?=_(?:t(?![A-Za-z])|\{[it]-1\})))
    | (?P<styled>\\(?:mathbf|boldsymbol|bm)\s*(?:\{\s*(?P<braced>[qkvceQKV]|\\alpha)\s*\}
        |\s(?P<bare>[qkvceQKV])(?![A-Za-z])|(?P<alpha>\\alpha)(?![A-Za-z])))
    | (?P<weight>\\alpha(?=\s*_))
    | (?P<command>\\(?:[A-Za-z]+|.))
    | (?P<score>e(?=\s*_))
    | (?P<matrix>[QKV])
    """,
    re.VERBOSE | re.DOTALL,
)


def colour_roles(latex: str, page: str = "") -> str:
    r"""Wrap the symbols of the six roles in the class that colours them.

    Bold ``q k v c e`` and bold alpha, ``\alpha_{..}``, ``e_{..}`` and the capitals ``Q K V``
    are role symbols; ``e^x``, ``d_k``, anything in ``\text{..}`` and additive attention's
    learned ``\mathbf{v}_a`` or ``\mathbf{v}^\top`` are not. Of the papers' letters,
    ``\mathbf{s}_{i-1}`` is a query and ``\mathbf{a}_t`` are weights; so is a query the
    ``\mathbf{h}_t`` of Luong's pages. LSTMN's page has a score ``a_i^t``, a weight ``s_i^t``.

    >>> colour_roles(r"\mathbf{q}_i")
    '{\\htmlClass{ac-query}{\\mathbf{q}}}_i'
    """
    page = page.rpartition("/")[2]
    asks = _ASKS_WITH_H.get(page, "none")
    latex = _TOKEN.sub(lambda match: _wrap(match, asks), latex)
    if page != "lstmn":
        return latex
    return _LSTMN.sub(lambda m: rf"{{\htmlClass{{ac-{m.lastgroup}}}{{{m[0]}}}}}", latex)


def _wrap(match: re.Match[str], asks: str) -> str:
    token = match.group(0)
    if match["paper"]:
        rest = match.string[match.end() :]
        letter = re.findall("[ahs]", token)[-1]
        roles = {"s": ("_{i-1}", "query"), "a": ("_t", "weight"), "h": (asks, "query")}
        index, role = roles[letter]
        return rf"{{\htmlClass{{ac-{role}}}{{{token}}}}}" if rest.startswith(index) else token
    if match["styled"]:
        symbol = match["braced"] or match["bare"] or match["alpha"]
    elif match["weight"] or match["score"] or match["matrix"]:
        symbol = token
    else:
        return token
    if symbol in "vV" and _LEARNED.match(match.string, match.end()):
        return token
    return rf"{{\htmlClass{{ac-{_LETTER_ROLES[symbol]}}}{{{token}}}}}"
