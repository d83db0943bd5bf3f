"""Each topic of the index leads to a place that there is, in the sources and on the site."""

import functools
import os
import re
import tomllib
from pathlib import Path

import pytest
import test_explanations
from docutils.nodes import make_id
from rules.source import ROOT

from attention_course.site import from_data

BOOK = ROOT / "book"
PAGE = BOOK / "appendix/index-of-topics.md"
TOPICS = tomllib.loads(PAGE.with_suffix(".toml").read_text("utf-8"))["topics"]
SITE = Path(os.environ.get("ATTENTION_SITE", ROOT / "_build" / "html"))


@functools.cache
def anchors(page: str) -> set[str]:
    """Return the anchors of a page, from its source."""
    path = BOOK / f"{page}.md"
    if not path.is_file():
        return set().union(*(there for there, _ in test_explanations.sections(page)))
    data = path.with_suffix(".toml")
    text = path.read_text("utf-8")
    text = from_data.written(text, data) if data.is_file() else text
    heads = (make_id(head) for head in test_explanations.HEADING.findall(text))
    return {*re.findall(r'<a id="([\w-]+)"', text), *heads}


def built(page: str) -> set[str]:
    """Return the anchors of a page of the built site."""
    return {*re.findall(r'\bid="([^"]+)"', (SITE / f"book/{page}.html").read_text("utf-8"))}


def dead(topics: dict[str, list[str]], anchors) -> list[str]:
    """Return the places that there are not."""
    split = [at.partition("#") for places in topics.values() for at in places]
    return [f"{page}#{anchor}" for page, _, anchor in split if anchor not in anchors(page)]


def test_each_topic_leads_somewhere():
    assert dead(TOPICS, anchors) == []


@pytest.mark.site
def test_each_topic_leads_somewhere_on_the_built_site():
    assert dead(TOPICS, built) == []


def test_every_chapter_has_topics_and_none_is_there_twice():
    assert len(TOPICS) >= 220
    assert len({topic.replace("*", "").lower() for topic in TOPICS}) == len(TOPICS)
    pages = {at.partition("#")[0] for places in TOPICS.values() for at in places}
    chapters = {f"{p.parent.name}/{p.stem}" for p in BOOK.glob("*/*.ipynb")}
    assert chapters <= pages


def test_the_page_lists_them_by_the_alphabet():
    page = from_data.written(PAGE.read_text("utf-8"), PAGE.with_suffix(".toml"))
    listed = [line[2:] for line in page.splitlines() if line.startswith("- ")]
    assert len(listed) == len(TOPICS)
    plain = [line.replace("*", "").lower() for line in listed]
    assert plain == sorted(plain, key=lambda line: line.partition(": [")[0])
    letters = re.findall(r"(?m)^## (.)$", page)
    assert letters == sorted({line[0].upper() for line in plain})


@pytest.mark.gate("index of topics", "an anchor and a page that there are not")
def test_a_topic_that_leads_nowhere_is_noticed():
    assert dead({"a": ["scale/decoding#nowhere"]}, anchors) == ["scale/decoding#nowhere"]
    with pytest.raises(FileNotFoundError):
        dead({"a": ["scale/nowhere#the-cache"]}, anchors)
