"""Each of the field's words is in bold where its page introduces it, and used from there on."""

import re

import glossary
import yaml
from rules.source import ROOT

LISTED = glossary.terms()
TERMS = LISTED["term"]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
PAGES = [
    chapter["file"].removeprefix("book/")
    for part in TOC["parts"]
    for chapter in part["chapters"]
    if (ROOT / f"{chapter['file']}.ipynb").is_file()
]


def pattern(name: str) -> str:
    """What finds a name: in either case, with hyphens or spaces, one or several."""
    words = [re.escape(word) for word in re.split(r"[\s-]+", name)]
    return r"(?i)(?<![a-z])" + r"[\s-]+".join(words) + r"(?![a-z]{3})"


def is_bold(term: dict, page: str) -> bool:
    """Whether a page's Markdown has the term, or a synonym, in bold before its exercises."""
    taught = page.partition("\n## Exercises")[0]
    bold = [
        words
        for paragraph in re.split(r"\n\s*\n", taught)
        for words in re.findall(r"\*\*(.+?)\*\*", paragraph, re.DOTALL)
    ]
    names = [term.get("bold", term["name"]), *term.get("synonyms", [])]
    return any(re.search(pattern(name), words) for name in names for words in bold)


def is_used(term: dict, pages: list[str]) -> bool:
    """Whether the term, or a synonym, stands a second time from its page on."""
    names = [term["name"], *term.get("synonyms", [])]
    return sum(len(re.findall(pattern(name), page)) for name in names for page in pages) > 1


def missing() -> set[str]:
    """The terms that are not in bold on their page, or not used from there on."""
    text = {page: glossary.markdown(page) for page in PAGES}
    return {
        term["name"]
        for term in TERMS
        if not is_bold(term, text[term["page"]])
        or not is_used(term, [text[page] for page in PAGES[PAGES.index(term["page"]) :]])
    }


def test_a_term_is_in_bold_on_its_page_and_used_from_there_on():
    found = missing()
    assert found <= set(LISTED["not_yet"]), "bold where it is introduced, used from there on"
    assert len(TERMS) - len(found) >= 130


def test_no_word_leads_to_two_pages():
    pages: dict[str, set[str]] = {}
    for entry in TERMS + LISTED["page"]:
        names = [entry.get("name", ""), *entry.get("synonyms", []), *entry.get("near", [])]
        for name in filter(None, names):
            key = re.sub(r"[\W_]", "", name.lower())
            pages.setdefault(key, set()).add(entry["page"])
    assert [name for name, where in pages.items() if len(where) > 1] == []
    assert len(TERMS) >= 140
