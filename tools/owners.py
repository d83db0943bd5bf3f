"""Sentences that readers take away: which have no owner, and which lost a condition.

    python tools/owners.py

A general sentence is owned by its line in ``book/claims.toml``, by the source that it cites, or
by the cell to which its entry or answer leads (*Shown in*). A definition, the first sentence of
a glossary entry, needs no owner. What says nearly the same as a line elsewhere repeats each
condition, or links to the owner, and its numbers are the line's. What is looked at is where
sentences are summed up: recaps, objectives, glossary, questions and answers, explanations.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import log
from typing import NamedTuple

import glossary
from execute_notebooks import book_notebooks

from attention_course.site.conditions import Claim, claims

BOOK = glossary.BOOK
ALIKE, SOME = 0.45, 0.25  # by weight, of what a claim says; SOME, if half of the sentence is it
ADVICE = """{one.page}: {one.text}
  says nearly what book/claims.toml has of {claim.page}: {claim.says}
  It leaves out, or adds: {lost}
  Say the condition, or link to {claim.owner}. Another claim: use other words."""
GENERAL = re.compile(
    r"\b(all|always|any|at (?:least|most)|cannot|every|exactly|must|never|no|none|nothing|only"
    r"|same|whatever)\b"
)
_ENDS = re.compile(r"(?<=[.!?;]) ")
_LINK = re.compile(r"\]\([^)]*\)")
_SHOWN = re.compile(r"(?: (?:Shown|Said)\b[^.[]*|: )\[[^]]*\]\([^)]*\.ipynb#.*")
STOP = {"and", "are", "but", "for", "has", "have", "its", "not", "than", "that", "the", "their"}
STOP |= {"them", "these", "they", "this", "was", "were", "what", "with"}
_PARTS = re.compile(
    r"## What we showed(.*?)(?=\n## |\n<a id|\Z)|By the end you can(.*?)\n\n", re.DOTALL
)


class Sentence(NamedTuple):
    """A sentence, the page that says it, and the paragraph around it."""

    page: str
    text: str
    around: str


def summed_up() -> Iterator[Sentence]:
    """Yield the sentences of recaps, objectives, glossary, questions and explanations."""
    for path in book_notebooks():
        page = path.relative_to(BOOK).with_suffix("").as_posix()
        for found in _PARTS.finditer(glossary.markdown(page)):
            yield from cut(page, re.split(r"\n(?:- |\d\. )", found[1] or found[2] or ""))
    terms = glossary.terms()["term"]
    yield from cut("glossary", (f"{term['name']}: {term['glossary']}" for term in terms))
    page = "practice/interview-questions"
    asked = tomllib.loads((BOOK / f"{page}.toml").read_text("utf-8"))
    for row in (row for rows in asked.values() if isinstance(rows, list) for row in rows):
        told = [row["answer"]] if "option" not in row else [o["because"] for o in row["option"]]
        yield from cut(page, [f"{text} Shown in {row['link']}." for text in told])
    page = "appendix/what-explanations-get-wrong"
    parts = re.findall(r"^<a id=.*?(?=\n\n|\Z)", glossary.markdown(page), re.DOTALL | re.M)
    yield from cut(page, parts)


def cut(page: str, paragraphs: Iterable[str]) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs."""
    for around in (" ".join(paragraph.split()) for paragraph in paragraphs):
        parts = [] if around.startswith(("|", "#")) else _ENDS.split(_SHOWN.sub("", around))
        yield from (Sentence(page, part, around) for part in parts)


def stems(text: str) -> list[str]:
    """Return the first letters of a text's words, without links, numbers and small words."""
    words = re.findall(r"[a-z][a-z'-]+", _LINK.sub("]", text).lower())
    return [word[:5] for word in words if len(word) > 2 and word not in STOP]


def features(text: str, without: str = "") -> set[str]:
    """Return a text's stems and pairs of neighbours, without those of another text."""
    said, left_out = stems(text), {*stems(without)}
    pairs = {f"{one} {other}" for one, other in pairwise(said)}
    return {each for each in {*said} | pairs if not left_out & {*each.split()}}


def numbers(text: str) -> set[str]:
    """Return the numbers of a text."""
    return set(re.findall(r"(?<![\w.-])\d+(?:[.,]\d+)*", _LINK.sub("]", text)))


def without_owner(sentences: Iterable[Sentence], owned: list[Claim]) -> list[Sentence]:
    """Return the general sentences that have neither a line nor a source nor a cell."""
    return [
        one
        for one in sentences
        if GENERAL.search(_LINK.sub("]", one.text).lower())
        and not ("](http" in one.text or _SHOWN.search(one.around))
        and not _is_definition(one)
        and not any(is_said(one, claim) for claim in owned)
    ]


def is_said(one: Sentence, claim: Claim) -> bool:
    """Return whether a sentence is the claim's own."""
    return one.page == claim.page and (
        claim.says in one.text or one.text.strip(".;") in claim.says
    )


def disagree(sentences: list[Sentence], owned: list[Claim]) -> Iterator[str]:
    """Yield what says a claim with another number or without a condition, and what to do."""
    count = Counter(each for one in {*sentences} for each in features(one.text))
    cores = [features(claim.says, " ".join(claim.where)) for claim in owned]
    entries = {one.around for one in sentences if one.page == "glossary"}
    terms = {c.says: e.partition(": ")[0] for c in owned for e in entries if c.says in e}

    def weight(some: set[str]) -> float:
        return sum(log((len(sentences) + 1) / count.get(each, 1)) for each in some)

    for one in sentences:
        own, told = features(one.text), _SHOWN.sub("", one.around)
        for claim, core in zip(owned, cores, strict=True):
            words, shared = sum(" " not in each for each in own & core), weight(own & core)
            near = words > 1 and shared >= ALIKE * weight(core)
            near |= words > 2 and shared >= max(SOME * weight(core), weight(own) / 2)
            near &= not _is_definition(one)
            near |= one.around.startswith(f"{terms.get(claim.says)}: ")
            owner = claim.owner.rpartition("/")[2].replace("#", ".ipynb#")
            if not near or is_said(one, claim) or f"{owner})" in one.around:
                continue
            given, around = numbers(claim.says), {*stems(told)}
            lost = [w for w in claim.where if 2 * len({*stems(w)} & around) <= len({*stems(w)})]
            lost += sorted(numbers(one.text) - given) if given else []
            if lost:
                yield ADVICE.format(one=one, claim=claim, lost="; ".join(lost))


def _is_definition(one: Sentence) -> bool:
    """Return whether a sentence says what a term of the glossary is."""
    return one.page == "glossary" and one.around.startswith(one.text)


def main() -> None:
    """Print both lists."""
    sentences, owned = list(summed_up()), claims(BOOK)
    left = without_owner(sentences, owned)
    print(*(f"{one.page}: {one.text}" for one in left), sep="\n")
    print(*disagree(sentences, owned), sep="\n")
    print(f"{len(owned)} owned; {len(left)} general without an owner")


if __name__ == "__main__":
    main()
