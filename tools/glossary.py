"""The glossary page, from ``book/terms.toml``, which the search and the tests read too.

``tools/status.py`` writes it whenever the book is built.
"""

import json
import re
import textwrap
import tomllib
from pathlib import Path

BOOK = Path(__file__).resolve().parents[1] / "book"


def terms() -> dict[str, list[dict]]:
    """Return what the file of terms holds: every ``term``, every other ``page``."""
    return tomllib.loads((BOOK / "terms.toml").read_text("utf-8"))


def markdown(page: str) -> str:
    """Return the prose of a page, such as ``why/rnn-bottleneck``."""
    path = BOOK / f"{page}.ipynb"
    if not path.is_file():
        return path.with_suffix(".md").read_text("utf-8")
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def anchor(term: dict) -> str:
    """Return a term's address on the glossary page.

    >>> anchor({"name": "KV cache"})
    'kv-cache'
    """
    return term.get("anchor") or re.sub(r"[^a-z0-9]+", "-", term["name"].lower())


def entry(term: dict) -> str:
    """Return a term's paragraph: what it is, what else it is called, where it is introduced."""
    text = f"**{term['name']}**: {' '.join(term['glossary'].split())}"
    said = text.replace("*", "").lower()
    if others := [name for name in term.get("synonyms", []) if name.lower() not in said]:
        text += f" Also called {', '.join(others)}."
    if letters := [letter for letter in term.get("letters", []) if letter not in text]:
        text += f" Written {', '.join(f'${letter}$' for letter in letters)}."
    title = re.match("# (.*)", markdown(term["page"]))[1].partition(": ")[0]
    text += f" Chapter: [{title}]({term['page']}.ipynb)."
    text = textwrap.fill(text, 98, break_long_words=False, break_on_hyphens=False)
    return f'<a id="{anchor(term)}"></a>\n{text}'


def glossary() -> str:
    """Return the page, ``book/glossary.md``."""
    start = "# Glossary\n\nThe field's words, and for each the chapter that introduces it."
    entries = sorted(terms()["term"], key=lambda term: anchor({"name": term["name"]}))
    return "\n\n".join([start, *map(entry, entries)]) + "\n"
