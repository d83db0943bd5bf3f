"""A sentence that lost its condition is found; those of the book keep theirs."""

import re

import owners
import pytest

SAID, OWNED = list(owners.summed_up()), owners.claims()
# What a reader refuted or found too general, as it stood, and where its owner is.
SEEDED = {
    "The maximum and the rescaling are safe in any format.": "scale/numerics",
    "Without all eleven the model leans to the right noun no less.": "practice/reading-a-real",
    "YaRN: Slows only those rotary clocks that did not go round.": "transformer/positions",
    "Deep post-norm stacks need a warm-up of the learning rate.": "transformer/transformer",
    "throughput: Large batches raise it, and make each request wait longer.": "scale/serving",
    "At most $d$ keys can be kept apart exactly.": "practice/try-to-break-it#more-keys",
    "A relation takes two looks.": "practice/try-to-break-it#even-weights",
    "occupancy: Registers and shared memory decide how many are there.": "scale/kernel-lab",
    "Location-based scores have a column for each position: a greatest length is built in.": (
        "recurrent/luong"
    ),
    "Continuous batching takes the waiting out of a server.": "scale/serving",
    "With few they are behind.": "vision/vision-transformer",
    "The cost grows with the fourth power of the side.": "vision/convolutional-networks",
    "linear attention: It is another function, not a faster softmax.": "scale/long-sequences",
    "attention weight: positive, and a query's weights sum to 1.": "scale/numerics",
    "unit roundoff: The largest relative error of rounding to a format.": "scale/numerics",
    "To choose one of 196, hard attention must first score all 196.": "recurrent/local",
    "wordpiece: a fixed list of pieces spells every word.": "recurrent/gnmt",
    "no key of 64 can get more than a third of the weight.": "practice/try-to-break-it#a-",
}


def found(*seeds):
    """What is said of sentences of another page, put among those of the book."""
    seeded = [owners.Sentence("seeded", text, text) for text in seeds]
    return list(owners.disagree([*SAID, *seeded], OWNED))


@pytest.fixture(scope="module")
def lines():
    return found(*SEEDED)


def test_no_sentence_of_the_book_lost_a_condition(lines):
    assert [line for line in lines if not line.startswith("seeded: ")] == []


@pytest.mark.parametrize("text", SEEDED)
def test_a_sentence_without_its_condition_is_found_by_its_owner(text, lines):
    own = [line for line in lines if line.startswith(f"seeded: {text}\n  {SEEDED[text]}")]
    assert own, lines


def test_a_sentence_with_its_condition_or_with_a_link_is_left_alone():
    said = (
        "Read by one product, a linear reader, at most $d$ keys with arbitrary values are kept"
    )
    link = (
        "At most $d$ keys can be kept apart exactly ([so](../practice/try-to-break-it.ipynb))"
    )
    assert not [line for line in found(f"{said} apart exactly.", link) if "seeded" in line]


@pytest.mark.parametrize("claim", OWNED, ids=[claim["says"][:40] for claim in OWNED])
def test_a_claim_is_on_its_page_and_its_owner_is_there(claim):
    page = claim["page"]
    text = owners.glossary.glossary() if page == "glossary" else ""
    if not text:
        file = next(owners.BOOK.glob(f"{page}.toml"), None) or owners.BOOK / f"{page}.md"
        text = owners.glossary.markdown(page) if "interview" not in page else file.read_text()
    assert " ".join(claim["says"].split()) in " ".join(text.split())
    owner, _, anchor = claim["owner"].partition("#")
    prose = owners.glossary.markdown(owner)
    heads = {
        re.sub("[^a-z0-9]+", "-", h.lower()).strip("-")
        for h in re.findall(r"^#+ (.+)", prose, re.M)
    }
    assert anchor in heads | set(re.findall(r'<a id="(.+?)">', prose))
    assert claim["where"]


def test_a_general_sentence_is_listed_until_it_has_an_owner():
    text = "Every head has one role, and no other."
    said = [owners.Sentence("recap", text, text)]
    assert owners.without_owner(said, OWNED) == said
    assert owners.without_owner(said, [{"says": text, "page": "recap"}]) == []
