"""The index has topics of every chapter. That each leads somewhere, the strict build sees."""

import re
import tomllib

from rules.source import ROOT

from attention_course.site import from_data

BOOK = ROOT / "book"
PAGE = BOOK / "appendix/index-of-topics.md"
TOPICS = tomllib.loads(PAGE.with_suffix(".toml").read_text("utf-8"))["topics"]


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
