"""The index has topics of every chapter. That each leads somewhere, the strict build sees."""

import tomllib

from rules.source import ROOT

BOOK = ROOT / "book"
PAGE = BOOK / "appendix/index-of-topics.md"
TOPICS = tomllib.loads(PAGE.with_suffix(".toml").read_text("utf-8"))["topics"]


def test_every_chapter_has_topics_and_none_is_there_twice():
    assert len(TOPICS) >= 220
    assert len({topic.replace("*", "").lower() for topic in TOPICS}) == len(TOPICS)
    pages = {at.partition("#")[0] for places in TOPICS.values() for at in places}
    chapters = {f"{p.parent.name}/{p.stem}" for p in BOOK.glob("*/*.ipynb")}
    assert chapters <= pages
