"""An address that was given out once is still there, or has a line in book/redirects.toml.

``tests/addresses.txt`` lists the pages and the anchors of headings and targets. It only grows:
what a released site has is added to it, and nothing is taken away.
"""

import pytest
from built_site import PAGES, ROOT, SITE

from attention_course.site.redirects import table, there

TABLE = table(ROOT)
WINDOW = "book/recurrent/local-and-hard.html#local-window"  # a widget's, with its state
GIVEN_OUT = (ROOT / "tests" / "addresses.txt").read_text("utf-8").split()


@pytest.mark.site
def test_no_address_is_lost():
    """A moved page takes its anchors along."""
    lost = [a for a in GIVEN_OUT if not ({a, a.partition("#")[0]} & {*TABLE} or there(SITE, a))]
    assert not lost, "these lines are missing in the table"
    assert len(GIVEN_OUT) >= 240


@pytest.mark.browser
@pytest.mark.parametrize("place", ["served", "on disk"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("book/teach.html", "book/teach/reference.html"),
        ("book/teach.html#kept", "book/teach/reference.html#kept"),
        ("book/teach.html#a-course-of-4-weeks", TABLE["book/teach.html#a-course-of-4-weeks"]),
        ("book/index.html#for-whom", TABLE["book/index.html#for-whom"]),
        (f"{WINDOW}?width=3", TABLE[WINDOW]),
        ("book/index.html#what-to-expect", "book/index.html#what-to-expect"),
    ],
)
def test_an_old_address_leads_on(page, home, place, old, new):
    start = home if place == "served" else f"{SITE.as_uri()}/"
    page.goto(start + old)
    page.wait_for_url(start + new)
    assert page.title() != "Moved"


@pytest.mark.browser
def test_a_link_followed_on_the_page_leads_on_and_an_old_page_without_scripts(
    page, new_context, home
):
    page.goto(f"{home}book/index.html")
    page.evaluate("location.hash = 'for-whom'")
    page.wait_for_url(home + TABLE["book/index.html#for-whom"])
    plain = new_context(java_script_enabled=False).new_page()
    plain.goto(f"{home}book/teach.html")
    plain.wait_for_url(home + TABLE["book/teach.html"])


@pytest.mark.browser
@pytest.mark.parametrize("address", ["gone", "book/gone.html", "book/transformer/gone/x.html"])
def test_an_address_that_leads_nowhere_shows_a_page_that_leads_on(page, home, address):
    page.goto(home + address)
    assert page.locator("article h1").inner_text() == "Page not found"
    assert "Source Serif" in page.evaluate("getComputedStyle(document.body).fontFamily")
    links = set(page.evaluate("[...document.links].map((a) => a.href)"))
    assert len(links) > len(PAGES)
    inside = {link for link in links if not link.startswith("https://github.com/")}
    names = {link.removeprefix(home).partition("#")[0] for link in inside}
    assert [name for name in names - {address} if not (SITE / name).is_file()] == []
    page.get_by_role("link", name="Skip to main content").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{home}{address}#main-content")
    page.get_by_role("link", name="the first page").click()
    page.wait_for_url(home + PAGES[0])
