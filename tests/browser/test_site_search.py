"""The search finds words, the chapter that explains them first, and shows where they stand."""

from urllib.parse import quote

import glossary
import pytest
from built_site import LAID_OUT, SITE
from page_gates import Visit, none

pytestmark = pytest.mark.browser
RESULTS = """() => [...document.querySelectorAll("#search-results li")].map((item) =>
  [item.querySelector("a").getAttribute("href"), item.querySelector("p").textContent])"""
# Whether words are read on the screen, marked one by one.
WORDS_SEEN = """(words) => [...document.querySelectorAll("article .highlighted")].some((e) => {
  const { top, bottom } = e.getBoundingClientRect();
  const text = e.closest("h1, h2, h3, h4, p, li, td, pre").textContent.toLowerCase();
  return e.checkVisibility() && top > 0 && bottom < innerHeight && text.includes(words);
})"""
SHOWN = """() => document.querySelector(".search-summary")?.textContent
  && document.querySelector("#search-results li p")?.textContent"""


def test_the_page_that_introduces_a_term_comes_first(page, home):
    page.goto(f"{home}search.html?q=key")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent")
    entries = [entry for some in ("term", "page") for entry in glossary.terms()[some]]
    typed = {w: f"book/{entry['page']}" for entry in entries for w in entry.get("typed", [])}
    ask = "(asked) => asked.map((words) => Search.results(words)[0]?.[0])"
    found = dict(zip(typed, page.evaluate(ask, [*typed]), strict=True))
    wrong = {w: (where, found[w]) for w, where in typed.items() if found[w] != where}
    none([f"{w}: expected {where} first, got {got}" for w, (where, got) in wrong.items()])
    assert len(typed) >= 270


def test_a_teachers_plan_comes_after_every_chapter(page, home):
    page.goto(f"{home}search.html?q=attention")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent")
    for words in ("self-attention", "rotary", "heads", "mask slides"):
        found = page.evaluate("(words) => Search.results(words).map(([name]) => name)", words)
        plans = [name.startswith("book/teach/") for name in found]
        assert plans == sorted(plans)


def test_a_word_is_found_from_its_beginning_and_not_within_another(page, home):
    for word, expected in (("rope", 1), ("rotar", 5), ("perty", 0)):
        page.goto(f"{home}search.html?q={word}")
        page.wait_for_function("document.querySelector('.search-summary')?.textContent")
        count = len(page.evaluate(RESULTS))
        assert count >= expected
        assert count < 5 or word == "rotar"


PAIRS = [
    "softmax(QK^T)",
    "[mask]",
    "C++",
    "kv-cache",
    "teacher-forcing",
    "nn.Linear",
    "a|mask\\",
]


@pytest.mark.parametrize("typed", PAIRS)
def test_whatever_a_reader_types_the_first_result_shows_its_words(page, home, typed):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{home}search.html?q={quote(typed)}")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent")
    if page.evaluate(RESULTS):
        page.wait_for_function(SHOWN)
    assert errors == []


def test_from_disk_the_search_shows_titles(page, home):
    visit = Visit(page, "file:")
    page.goto(f"{(SITE / 'search.html').resolve().as_uri()}?q=rotary")
    page.locator("#search-results li a").first.wait_for()
    none(visit.console)


def test_what_was_searched_for_is_shown_and_marked_where_one_reads(page, home):
    visit = Visit(page, home)
    page.goto(f"{home}search.html?q=rotary")
    page.wait_for_function(SHOWN)
    assert "rotary" in page.evaluate(RESULTS)[0][1].lower()
    none(visit.foreign_requests() + visit.console + visit.missing)
    page.locator("#search-results li a[href*='positions']").click()
    page.locator("article p > span.highlighted:visible").first.wait_for()
    assert page.locator(".bd-sidebar-primary .highlighted").count() == 0
    assert page.locator(".katex .highlighted").count() == 0


# Words far down a chapter, in a fold, in an answer, and a name that stands for another.
HITS = {
    "admission": ("serving", "admission"),
    "allocator": ("decoding", "allocator"),
    "halfway": ("numerics", "halfway"),
    "mamba": ("rnn-bottleneck", "state-space model"),
}


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("typed", HITS)
def test_a_hit_leads_to_its_words(new_context, home, typed, width):
    slug, words = HITS[typed]
    page = new_context(width=width).new_page()
    page.goto(f"{home}search.html")
    field = page.locator(".bd-search-container input[type=search]")
    field.press_sequentially(typed)
    field.press("Enter")
    page.locator(f"#search-results a[href*='/{slug}.html']").first.click()
    page.wait_for_load_state("load")
    page.wait_for_function(LAID_OUT)
    page.wait_for_timeout(500)  # what it brought near comes to life
    page.wait_for_function(WORDS_SEEN, arg=words, timeout=5000)
    assert "highlight" not in page.url
