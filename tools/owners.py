"""Sentences that readers take away: which have no owner, and which lost a condition.

    python tools/owners.py

``book/claims.toml`` has general sentences with their owner and their conditions. A sentence
that says nearly the same elsewhere has to repeat each condition, or to link to the owner, and
its numbers have to be the claim's. What is looked at is where sentences are summed up:
recaps, objectives, the glossary, the questions with their answers, the explanations.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import log
from pathlib import Path
from typing import NamedTuple

import glossary
import nbformat
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT

BOOK = ROOT / "book"
ALIKE = 0.5  # of a claim's words, or of a sentence's, by weight, if the two share three
MOST = 0.6  # of a claim's words, if they share two
GENERAL = re.compile(
    r"\b(all|always|any|at (?:least|most)|cannot|every|exactly|must|never|no|none|nothing|only"
    r"|same|whatever)\b"
)
_ENDS = re.compile(r"(?<=[.!?;]) ")
STOP = {"and", "are", "but", "for", "has", "have", "its", "not", "than", "that", "the", "their"}
STOP |= {"them", "these", "they", "this", "was", "what", "with"}
_PARTS = re.compile(
    r"## What we showed(.*?)(?=\n## |\Z)|By the end you can(.*?)\n\n", re.DOTALL
)


class Sentence(NamedTuple):
    """A sentence, the page that says it, and the paragraph around it."""

    page: str
    text: str
    around: str


def claims() -> list[dict]:
    """Return the sentences that have an owner."""
    return tomllib.loads((BOOK / "claims.toml").read_text("utf-8"))["claim"]


def summed_up() -> Iterator[Sentence]:
    """Yield the sentences of recaps, objectives, glossary, questions and explanations."""
    for path in book_notebooks():
        cells = nbformat.read(path, as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        page = path.relative_to(BOOK).with_suffix("").as_posix()
        for found in _PARTS.finditer(text):
            yield from cut(page, re.split(r"\n(?:- |\d\. )", found[1] or found[2] or ""))
    yield from cut(
        "glossary", [f"{t['name']}: {t['glossary']}" for t in glossary.terms()["term"]]
    )
    page = "practice/interview-questions"
    asked = tomllib.loads((BOOK / f"{page}.toml").read_text("utf-8"))
    rows = [row for rows in asked.values() if isinstance(rows, list) for row in rows]
    rows += [option for row in rows for option in row.get("option", ())]
    yield from cut(page, [row.get("answer") or row.get("because") or "" for row in rows])
    page = "appendix/what-explanations-get-wrong"
    yield from cut(page, (BOOK / f"{page}.md").read_text("utf-8").split("\n\n"))


def cut(page: str, paragraphs: Iterable[str]) -> Iterator[Sentence]:
    """Yield the sentences of paragraphs."""
    for around in (" ".join(paragraph.split()) for paragraph in paragraphs):
        parts = [] if around.startswith(("|", "#")) else _ENDS.split(around)
        yield from (Sentence(page, part, around) for part in parts)


def stems(text: str) -> set[str]:
    """Return the first letters of a text's words, without links, numbers and small words."""
    words = re.findall(r"[a-z][a-z'-]+", re.sub(r"\]\([^)]*\)", "]", text).lower())
    return {word[:5] for word in words if len(word) > 2 and word not in STOP}


def numbers(text: str) -> set[str]:
    """Return the numbers of a text."""
    return set(re.findall(r"(?<![\w.-])\d+(?:[.,]\d+)*", re.sub(r"\]\([^)]*\)", "]", text)))


def without_owner(sentences: Iterable[Sentence], owned: Iterable[Mapping]) -> list[Sentence]:
    """Return the general sentences that are no claim."""
    owned = list(owned)
    general = (one for one in sentences if GENERAL.search(one.text.lower()))
    return [one for one in general if not any(_is(one, claim) for claim in owned)]


def disagree(sentences: Iterable[Sentence], owned: Iterable[Mapping]) -> Iterator[str]:
    """Yield the sentences that say a claim with another number, or without a condition."""
    sentences, owned = list(sentences), list(owned)
    count = Counter(stem for one in {*sentences} for stem in stems(one.text))
    rare = {stem: log((len(sentences) + 1) / n) for stem, n in count.items()}

    def weight(some: set[str]) -> float:
        return sum(rare.get(stem, log(len(sentences) + 1)) for stem in some)

    for one, claim in product(sentences, owned):
        core = stems(claim["says"]) - stems(" ".join(claim["where"]))
        own = stems(one.text)
        shared, most = weight(own & core), ALIKE * min(weight(own), weight(core))
        near = shared >= (most if len(own & core) > 2 else MOST * weight(core))
        near &= len(own & core) > 1
        near |= one.around.startswith(f"{claim.get('term')}: ")
        if (
            not near
            or _is(one, claim)
            or Path(claim["owner"].partition("#")[0]).name in one.around
        ):
            continue
        around, given = stems(one.around), numbers(claim["says"])
        lost = [w for w in claim["where"] if 2 * len(stems(w) & around) <= len(stems(w))]
        lost += [n for n in sorted(numbers(one.text) - given) if given]
        yield from (
            f"{one.page}: {one.text}\n  {claim['owner']} has it with: {w}" for w in lost
        )


def _is(one: Sentence, claim: Mapping) -> bool:
    """Return whether a sentence is the claim's own."""
    return one.page == claim["page"] and " ".join(claim["says"].split()) in one.around


def main() -> None:
    """Print both lists."""
    sentences, owned = list(summed_up()), claims()
    print(*(f"{one.page}: {one.text}" for one in without_owner(sentences, owned)), sep="\n")
    print(*disagree(sentences, owned), sep="\n")
    print(
        f"{len(owned)} owned; {len(without_owner(sentences, owned))} general without an owner"
    )


if __name__ == "__main__":
    main()
