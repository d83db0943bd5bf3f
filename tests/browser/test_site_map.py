"""The landing page's list of chapters says what one has read, guessed, solved and answered."""

import json
import re

import pytest
from built_site import LAID_OUT, ROOT, SITE

from attention_course.site.chapter_map import parts

pytestmark = pytest.mark.browser
CHAPTER = "why/rnn-bottleneck"
HAS = parts(ROOT / f"book/{CHAPTER}.ipynb")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_was_done_on_a_chapters_page_stands_in_the_map(new_context, home, scheme):
    page = new_context(width=360, scheme=scheme).new_page()
    page.goto(f"{home}book/{CHAPTER}.html")
    page.wait_for_function(LAID_OUT)
    assert page.locator('[data-ac-key^="predict-"]').count() == len(HAS["guesses"])
    ids = page.locator("details.ac-words").evaluate_all("all => all.map((one) => one.id)")
    assert ids == [f"words-{name}" for name in HAS["words"]]
    page.locator(".ac-words-field textarea").first.fill("Zeros.")
    asked = page.locator('[data-ac-key^="predict-"]').first
    asked.scroll_into_view_if_needed()
    asked.get_by_role("radio").first.check()
    asked.get_by_role("button", name="Guess", exact=True).click()
    tried = '[{"numbers":1,"when":"2026-11-30T09:00:00Z","held":"right"}]'  # as tryit.js does
    key = f"attention-course: attempts: {HAS['code'][0]}"
    page.evaluate("([key, value]) => acStorage.keep(key, value)", [key, tried])
    # An answer to an exercise that has another title now is no answer to another.
    was = f"attention-course: words: {CHAPTER} what-it-was-called"
    page.evaluate("key => acStorage.keep(key, '{}')", was)
    page.goto(f"{home}book/index.html")
    entry = page.locator(f".ac-ticks li:has(> p > a[data-parts][href$='{CHAPTER}.html'])")
    said = entry.locator(".ac-ticked").text_content()
    assert said == (
        f" ✓ 1 of {len(HAS['guesses'])} guessed, 1 of {len(HAS['code'])} solved, "
        f"1 of {len(HAS['words'])} answered in words"
    )
    assert page.locator(".ac-ticked:has-text('guessed')").count() == 1
    page.evaluate("""() => acStorage.keep("attention-course: review: code encode-padded",
        '{"due": "2026-11-30T09:00:00Z"}')""")
    fold = entry.locator("details")
    fold.locator("summary").click()
    fold.get_by_text("Questions that the review has due: 1").wait_for()
    first = fold.locator("ol > li").first.inner_text().split("\n")
    aim = "read a gated unit, a decoder and a greedy decoding loop, and write an encoder;"
    assert first == [
        aim,
        "An encoder over a padded batch ✓ solved",
        "Gates held open and shut ✓ answered",
    ]
    assert fold.get_by_text("You need matrix products").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    fold.get_by_role("link", name="A delay").click()
    page.wait_for_url(f"**/{CHAPTER}.html#words-a-delay")


def test_every_objective_has_an_exercise_and_every_link_a_place(home):
    text = (SITE / "_static/course/chapter-map.js").read_text("utf-8")
    told = json.loads(text.partition(" = ")[2].rpartition(";")[0])
    links = {at for fold in told.values() for at in re.findall(r'href="([^"#:]+#[^"]+)"', fold)}
    pages = {
        name: (SITE / "book" / name).read_text("utf-8")
        for name in {a.split("#")[0] for a in links}
    }
    assert [
        at for at in links if f'id="{at.split("#")[1]}"' not in pages[at.split("#")[0]]
    ] == []
    assert [page for page, fold in told.items() if "<ul></ul>" in fold] == []
    assert (len(told), len(links)) >= (36, 190)
