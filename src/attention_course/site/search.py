"""The search's index in an order: under each word, the page that says it most comes first.

Sphinx notes only on which pages a word stands, so its search ranks the chapter that explains
it with every page that mentions it, by the alphabet. ``static/search.js`` reads this order, and
``names``: what the field calls a thing, and the page that introduces it (``book/terms.toml``).
"""

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_START, _END = "Search.setIndex(", ")"


def write(app: Sphinx) -> None:
    """Sort the index that Sphinx has written (``build-finished``)."""
    path = Path(app.outdir, "searchindex.js")
    if not path.is_file():
        return
    text = path.read_text("utf-8")
    index = json.loads(text.removeprefix(_START).removesuffix(_END))
    language = app.builder.indexer.lang  # type: ignore[attr-defined]
    said = [mentions(app.env.get_doctree(name), language) for name in index["docnames"]]
    sort(index, said)
    book = Path(app.srcdir, "book")
    if (book / "terms.toml").is_file():
        listed = tomllib.loads((book / "terms.toml").read_text("utf-8"))
        index["names"] = names(listed, index["docnames"])
    text = json.dumps(index, separators=(",", ":"), sort_keys=True)
    path.write_text(f"{_START}{text}{_END}", encoding="utf-8")


def names(listed: dict[str, Any], pages: list[str]) -> list[list[Any]]:
    """Return for every term, and for what else a page has, the page's number and the names.

    >>> names({"term": [{"name": "RoPE", "page": "x", "near": ["rotary"]}]}, ["book/x"])
    [[0, 'RoPE', 'rotary']]
    """
    return [
        [
            pages.index(f"book/{entry['page']}"),
            *([entry["name"]] if "name" in entry else []),
            *entry.get("synonyms", []),
            *entry.get("near", []),
        ]
        for entry in listed.get("term", []) + listed.get("page", [])
        if f"book/{entry['page']}" in pages
    ]


def mentions(doctree: nodes.document, language: Any) -> Counter[str]:
    """Return how often a page's prose has each word's stem."""
    words: Counter[str] = Counter()
    for text in doctree.findall(nodes.Text):
        if not isinstance(text.parent, (nodes.raw, nodes.literal_block)):
            words.update(language.split(text.astext()))
    stems: Counter[str] = Counter()
    for word, times in words.items():
        stems[language.stem(word)] += times
    return stems


def sort(index: dict[str, Any], said: list[Counter[str]]) -> None:
    """Put the pages of each word in order, given what each page says.

    >>> index = {"terms": {"rotari": [0, 1], "key": 0}, "titleterms": {}}
    >>> sort(index, [Counter(rotari=1), Counter(rotari=9)])
    >>> index["terms"]
    {'rotari': [1, 0], 'key': 0}
    """
    for table in (index["terms"], index["titleterms"]):
        for word, pages in table.items():
            if isinstance(pages, list):
                pages.sort(key=lambda page, word=word: -said[page][word])  # type: ignore[misc]
