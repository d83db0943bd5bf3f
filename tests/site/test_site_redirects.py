"""A table of moved addresses that is wrong. That they lead on is seen on the built site."""

import pytest
from small_book import build, text

pytestmark = pytest.mark.thorough


@pytest.mark.gate(
    "site: old addresses lead somewhere",
    "a target that does not exist, an old address that still does",
)
def test_a_wrong_table_turns_the_build_red(tmp_path):
    moves = """
"a.html" = "book/nowhere.html"
"b.html" = "book/index.html#nothing"
"book/index.html" = "book/page.html"
"book/page.html#one" = "book/page.html"
"c.html#d" = "book/page.html"
"""
    pages = {"index": [text("# Start")], "page": [text("# Page\n\n## One\n\nWords.")]}
    built = build(tmp_path, pages, {"book/redirects.toml": moves})

    assert built.code != 0
    said = [line.partition("WARNING: ")[2] for line in built.warnings]
    assert len(said) == 5
    assert said[0].startswith("a.html leads to book/nowhere.html, which is not there")
    assert said[1].startswith("b.html leads to book/index.html#nothing, which is not there")
    assert said[2].startswith("book/index.html has moved to book/page.html and is still there")
    assert said[3].startswith("book/page.html#one has moved to book/page.html and is still")
    assert said[4].startswith("c.html#d has moved, and so has its page")
