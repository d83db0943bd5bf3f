"""What a page says of an owner and an address.

What it leaves out while nobody knows them, and all else that it says and loads, is looked at on
the built site (``tests/browser``).
"""

import re

import pytest
from small_book import CONFIG, build, text

pytestmark = pytest.mark.thorough

MORE = """
repository: {{url: "{url}", branch: v1}}
html: {{baseurl: "{site}"}}
launch_buttons: {{colab_url: "https://colab.research.google.com"}}
"""


def published(folder, url, site):
    """Build a small book that says who owns it and where it is served."""
    pages = {"index": [text("# Start\n\nText.")], "page": [text("# Page\n\nText.")]}
    pages["before-you-start"] = [text("# Before\n\n(report)=\n## Report")]
    config = CONFIG + MORE.format(url=url, site=site)
    return build(folder, pages, {"_config.yml": config})


def links(page):
    return re.findall(r'<a [^>]*href="(.*?)"', page)


def test_with_an_owner_and_an_address_the_page_launches_reports_and_says_them(tmp_path):
    address = "https://someone.github.io/x/"
    site = published(tmp_path, "https://github.com/someone/x", address)

    assert site.code == 0, site.log
    page, said = f"{address}book/page.html", site.page("page")
    assert f'<link rel="canonical" href="{page}" />' in said
    assert f'<meta property="og:url" content="{page}">' in said
    assert '<meta property="og:title" content="Page">' in said
    assert '<meta property="og:description" content="Text.">' in said
    (picture,) = re.findall(r'property="og:image" content="(.*?)"', said)
    assert (site.html / picture.removeprefix(address)).is_file()
    assert f"<loc>{page}</loc>" in (site.html / "sitemap.xml").read_text("utf-8")
    missing = (site.html / "404.html").read_text("utf-8")
    assert missing.index('<base href="/x/">') < missing.index("<link")
    assert f"{address}404" not in missing
    colab = "https://colab.research.google.com/github/someone/x/blob/v1/book/page.ipynb"
    report = "https://github.com/someone/x/issues/new?title=book%2Fpage"
    assert colab in links(said)
    assert any(link.startswith(report) for link in links(said))


def test_where_one_page_is_built_again_the_review_still_asks_of_all(tmp_path):
    term = '<a id="word"></a>**word**: of the page. Chapter: [Page](page.ipynb).'
    pages = {name: [text(f"# {name.title()}")] for name in ("index", "page", "review")}
    pages["glossary"] = [text(f"# Glossary\n\n{term}")]
    files = "".join(f"- file: book/{name}\n" for name in ("page", "review", "glossary"))
    toc = {"_toc.yml": f"format: jb-book\nroot: book/index\nchapters:\n{files}"}
    first = build(tmp_path, pages, toc)
    cards = first.html / "_static/course/review-cards.js"
    asked = cards.read_text("utf-8")
    assert "What is meant by <strong>word</strong>?" in asked
    again = build(tmp_path, {"review": [text("# Review\n\nMore.")]}, toc)
    assert "More." in again.page("review")
    assert cards.read_text("utf-8") == asked
    assert "book/glossary" not in again.log  # so this build has not written it
