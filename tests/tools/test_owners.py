"""A sentence that lost its condition is found; those of the book keep theirs."""

import re
from functools import cache
from pathlib import Path

import owners
import pytest

SAID, OWNED = list(owners.summed_up()), owners.claims(owners.BOOK)
# What a reader refuted or found too general, as it stood, and its owner.
SEEDED = Path(__file__).with_name("refuted.tsv").read_text("utf-8").splitlines()


def found(*seeds):
    """What is said of sentences of another page, put among those of the book."""
    seeded = [owners.Sentence("seeded", text, text) for text in seeds]
    return list(owners.disagree([*SAID, *seeded], OWNED))


@pytest.fixture(scope="module")
def lines():
    return found(*(seed.partition("\t")[0] for seed in SEEDED))


def test_no_sentence_of_the_book_lost_a_condition(lines):
    assert [line for line in lines if not line.startswith("seeded: ")] == []


@pytest.mark.parametrize("seed", SEEDED)
def test_a_sentence_without_its_condition_is_found_by_its_owner(seed, lines):
    text, _, owner = seed.partition("\t")
    told = [line for line in lines if line.startswith(f"seeded: {text}\n")]
    assert any(f"or link to {owner}." in line for line in told), told


def test_a_sentence_with_its_condition_or_with_a_link_is_left_alone():
    said = "At most $d$ keys with arbitrary values are kept apart exactly"
    link = "../practice/try-to-break-it.ipynb#more-keys-than-numbers"
    assert found(f"{said}.")
    assert not found(f"{said}, read by one product.", f"{said} ([so]({link})).")


def test_each_line_is_on_its_page_and_its_owner_is_there():
    markdown, amiss = cache(owners.glossary.markdown), []
    asked = (owners.BOOK / "practice/interview-questions.toml").read_text("utf-8")
    made = {"glossary": owners.glossary.glossary(), "practice/interview-questions": asked}
    for claim in OWNED:
        owner, _, anchor = claim.owner.partition("#")
        heads = "\n".join(re.findall(r"^#+ (.+)", markdown(owner), re.M)).lower()
        anchors = {re.sub("[^a-z0-9]+", "-", head).strip("-") for head in heads.splitlines()}
        anchors |= set(re.findall(r'<a id="(.+?)">', markdown(owner)))
        text = made.get(claim.page) or markdown(claim.page)
        amiss += [] if anchor in anchors else [f"no such anchor: {claim}"]
        amiss += [] if claim.says in " ".join(text.split()) else [f"not said there: {claim}"]
    assert amiss == []


def test_a_general_sentence_is_listed_until_it_has_an_owner():
    text = "Every head has one role, and no other."
    shown = f"{text} Shown in [Heads](../transformer/multi-head.ipynb#silence-one)."
    cited = "Every head has one role ([Vig, 2019](https://arxiv.org/abs/1906.05714))."
    said = [owners.Sentence("recap", text, text)]
    assert owners.without_owner(said, OWNED) == said
    owned = [owners.Claim("recap", text, "recap#here", [])]
    assert owners.without_owner(said, owned) == []
    assert owners.without_owner(owners.cut("recap", [shown, cited]), []) == []


def test_nearly_every_general_sentence_of_the_book_has_an_owner():
    left = owners.without_owner(SAID, OWNED)
    assert len(left) <= 12, f"give some a line in book/claims.toml, or a source: {left}"
