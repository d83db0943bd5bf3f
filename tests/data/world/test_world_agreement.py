"""The small world's two writers and two parsers agree: Python's, and the page's in Node."""

import copy
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attention_course.data.world import for_the_page, parse, write
from attention_course.data.world.grammar import LANGUAGES, lexicon_lines, small_world

SCRIPT, MOST = Path(__file__).with_name("world_agreement.mjs"), 100_000
# The whole grammar, its words in the order in which the page has them.
WORLD = small_world(frozenset(line.split("|")[-1].split()[0] for line in lexicon_lines()))
pytestmark = pytest.mark.inputs(
    "src/attention_course/widgets/kit", "tests/data/world/world_agreement.mjs"
)


def in_python(seed, count):
    """Yield what is written from a seed in both languages, and all translations of it."""
    rng = np.random.RandomState(seed)
    for tree in [write(rng, world=WORLD) for _ in range(count)]:
        pair = [" ".join(tree.sentence(language)) for language in LANGUAGES]
        yield [pair, [
            sorted({" ".join(t.sentence(other)) for t in parse(text.split(), own, MOST)})
            for text, own, other in zip(pair, LANGUAGES, LANGUAGES[::-1], strict=True)
        ]]  # fmt: skip


def in_the_page(seed, count, grammar):
    """Return the same of the page's JavaScript."""
    asked = json.dumps({"grammar": grammar, "seed": seed, "count": count, "most": MOST})
    command = ["node", str(SCRIPT)]
    run = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("few", [200, pytest.param(3000, marks=pytest.mark.thorough)])
def test_python_and_the_page_write_and_read_the_same(few):
    rows = [*in_python(few, few)]
    assert rows == in_the_page(few, few, for_the_page(WORLD))
    for pair, read in rows:
        assert all(right in found for right, found in zip(pair[::-1], read, strict=True)), pair


@pytest.mark.parametrize(
    ("spoil", "part"),
    [
        (lambda rules: rules["Noun"].reverse(), 0),
        (lambda rules: rules["The"][1][2].reverse(), 1),
    ],
    ids=["nouns in another order", "la is English"],
)
def test_a_page_with_another_grammar_writes_or_reads_otherwise(spoil, part):
    grammar = copy.deepcopy(for_the_page(WORLD))
    spoil(grammar["rules"])
    pairs = zip(in_python(3, 60), in_the_page(3, 60, grammar), strict=True)
    assert any(ours[part] != theirs[part] for ours, theirs in pairs)
