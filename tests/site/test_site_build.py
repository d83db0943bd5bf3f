"""What a page says of an owner and an address, and what it leaves out while nobody knows them.

All else that a page says and loads is looked at on the built site (``tests/browser``).
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


def published(folder, url, site=""):
    """Build a small book that says who owns it and where it is served."""
    pages = {"index": [text("# Start\n\nText.")], "page": [text("# Page\n\nText.")]}
    pages["before-you-start"] = [text("# Before\n\n(report)=\n## Report")]
    config = CONFIG + MORE.format(url=url, site=site)
    return build(folder, pages, {"_config.yml": config})


def links(page):
    return re.findall(r'<a [^>]*href="(.*?)"', page)


def test_without_an_owner_and_an_address_a_page_says_only_what_needs_none(tmp_path):
    site = published(tmp_path, "https://github.com/-set-owner-/x")

    assert site.code == 0, site.log
    page, door = site.page("page"), (site.html / "index.html").read_text("utf-8")
    assert "before-you-start.html#report" in links(page)
    assert "##report" not in links(site.page("before-you-start"))
    assert not any("-set-owner-" in link or "colab" in link for link in links(page))
    assert "Text and figures: CC BY 4.0. Code: BSD-3-Clause." in page
    for said in (page, door):
        assert '<meta name="twitter:card" content="summary">' in said
    assert '<meta property="og:title" content="Page">' in page
    assert '<meta property="og:title" content="Start">' in door
    assert '<meta property="og:description" content="Text.">' in door
    for said in ('rel="canonical"', "og:url", "og:image"):
        assert said not in page + door
    assert not (site.html / "sitemap.xml").exists()


def test_with_an_owner_and_an_address_the_page_launches_reports_and_says_them(tmp_path):
    address = "https://someone.github.io/x/"
    site = published(tmp_path, "https://github.com/someone/x", address)

    assert site.code == 0, site.log
    page, said = f"{address}book/page.html", site.page("page")
    assert f'<link rel="canonical" href="{page}" />' in said
    assert f'<meta property="og:url" content="{page}">' in said
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
