"""The small world's two writers, two parsers and exact probabilities, on 100,000 sentences.

    python benchmarks/world_agreement.py                # goes on with the blocks not recorded
    python benchmarks/world_agreement.py --minutes 30   # CPU minutes, Node's included
    python benchmarks/world_agreement.py --quick        # a few sentences, nothing recorded

A block is 1,000 sentences from one seed. Python and the page's JavaScript each write it; each
sentence is then read from both languages by both parsers. Of each block's first sentences, the
probabilities of the next words are multiplied, and compared with that of the sentence. What is
recorded was found with one grammar; with another, the record begins anew.
"""

import hashlib
import json
import math
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from shared import DATA, command_line, store
from small_world import data_hash

from attention_course.data.world import Beginning, for_the_page, next_words, parse, write
from attention_course.data.world.grammar import (
    LANGUAGES,
    Grammar,
    lexicon_lines,
    small_world,
)
from attention_course.measure import recorded

BLOCKS, SENTENCES, WEIGHED, MOST = 100, 1000, 5, 100_000
Row = tuple[tuple[str, str], tuple[list[str], list[str]]]  # a pair; what each side is read as


@cache
def world() -> Grammar:
    """Return the whole grammar, its words in the order in which the page has them."""
    return small_world(frozenset(line.split("|")[-1].split()[0] for line in lexicon_lines()))


def drawn(seed: int, count: int) -> list[tuple[str, str]]:
    """Draw sentences, French and English."""
    rng = np.random.RandomState(seed)
    trees = [write(rng, world=world()) for _ in range(count)]
    french, english = ([" ".join(t.sentence(side)) for t in trees] for side in LANGUAGES)
    return [*zip(french, english, strict=True)]


def in_python(seed: int, count: int) -> Iterator[Row]:
    """Yield what is written from a seed, and all translations that are read of it."""
    for pair in drawn(seed, count):
        read = [
            sorted({" ".join(t.sentence(other)) for t in parse(text.split(), own, MOST)})
            for text, own, other in zip(pair, LANGUAGES, LANGUAGES[::-1], strict=True)
        ]
        yield pair, (read[0], read[1])


def in_the_page(seed: int, count: int, grammar: dict[str, Any] | None = None) -> list[Row]:
    """Return the same of the page's JavaScript, which Node runs."""
    ask = {"grammar": grammar or for_the_page(world()), "seed": seed}
    said = subprocess.run(
        ["node", str(Path(__file__).with_suffix(".mjs"))],
        input=json.dumps(ask | {"count": count, "most": MOST}),
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return [
        ((pair[0], pair[1]), (read[0], read[1]))
        for pair, read in map(json.loads, said.splitlines())
    ]


def faults(python: Row, page: Row) -> list[str]:
    """Return in words what is not as it should be with a sentence."""
    found = [] if python[0] == page[0] else ["written otherwise in JavaScript"]
    for name, (pair, read) in (("Python", python), ("JavaScript", page)):
        for own, right, others in zip(LANGUAGES, pair[::-1], read, strict=True):
            found += [] if right in others else [f"{name} does not read its {own}"]
    if python[1] != page[1]:
        found.append("other translations in JavaScript")
    return found


def apart(words: list[str], language: str) -> float:
    """Return how far the logarithms of the two probabilities of a sentence are apart."""
    by_words = sum(math.log(next_words(words[:n], language)[w]) for n, w in enumerate(words))
    return abs(by_words - math.log(Beginning(words, language).probability()))


def digest(pairs: list[tuple[str, str]]) -> str:
    """Return by what sentences are known again."""
    return hashlib.sha256("\n".join(map("\t".join, pairs)).encode()).hexdigest()[:16]


def block(
    seed: int, count: int, weighed: int, grammar: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Compare one block; return how many sentences, and what was wrong with which."""
    rows = [*in_python(seed, count)]
    page = in_the_page(seed, count, grammar)
    pairs = [pair for pair, _ in rows]
    wrong = [
        [*pair, fault]
        for (pair, read), other in zip(rows, page, strict=True)
        for fault in faults((pair, read), other)
    ]
    far = [
        apart(text.split(), language)
        for pair in pairs[:weighed]
        for text, language in zip(pair, LANGUAGES, strict=True)
    ]
    return {
        "sentences": len(rows),
        "words": sum(len(text.split()) for pair in pairs for text in pair),
        "longest": max(len(text.split()) for pair in pairs for text in pair),
        "translations": sum(len(read) for _, reads in rows for read in reads),
        "wrong": len(wrong), "examples": wrong[:5], "digest": digest(pairs[:50]),
        "weighed": len(far), "farthest": max(far, default=0.0),
    }  # fmt: skip


def main() -> None:
    """Compare the blocks that are not recorded, until the CPU minutes are over."""
    parser = command_line(__doc__, quick="a few sentences")
    parser.add_argument("--minutes", type=float, default=60, help="CPU minutes, Node's too")
    given = parser.parse_args()
    if given.quick:
        print(block(BLOCKS, 5, 1))
        return
    done: dict[str, Any] = {}
    if (DATA / "recorded/world_agreement.json").is_file():
        result, origin = recorded("world_agreement")
        done = result if origin["grammar"] == data_hash() else {}
    for seed in (n for n in range(BLOCKS) if str(n) not in done):
        times = os.times()
        if times.user + times.children_user > 60 * given.minutes:
            print("stopped; the same command goes on")
            return
        done[str(seed)] = block(seed, SENTENCES, WEIGHED)
        print(seed, done[str(seed)], flush=True)
        store(
            __file__, done, grammar=data_hash(), seeds=[*map(int, done)],
            settings={"blocks": BLOCKS, "sentences": SENTENCES, "weighed": WEIGHED},
        )  # fmt: skip


if __name__ == "__main__":
    main()
