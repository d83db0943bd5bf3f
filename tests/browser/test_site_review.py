"""The review asks what was met, when it is due, for five minutes a day; the clock is moved."""

import json
import re
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from built_site import ROOT, SITE
from page_gates import grave_violations
from test_site_tryit import FULL

from attention_course.site.review import FILE

pytestmark = pytest.mark.browser
ADDRESS = "book/review.html"
DAY = datetime(2026, 11, 30, 9, 0)
CARDS = json.loads(
    (SITE / "_static/course" / FILE)
    .read_text("utf-8")
    .removeprefix("globalThis.acCards = ")
    .removesuffix(";\n")
)
TERMS = [c for c in CARDS if c["id"].startswith("term ") and c["page"] == "why/rnn-bottleneck"]
GUESS = next(c for c in CARDS if c["id"].startswith("guess "))
QUIZ = next(c for c in CARDS if c["id"].startswith("quiz "))
READ = {"attention-course: read: /book/why/rnn-bottleneck.html": "yes"}
GUESSED = {f"attention-course: /book/{GUESS['page']}.html: {GUESS['question']}": "{}"}
ANSWERED = {
    "attention-course: quiz: /book/practice/interview-questions.html": json.dumps(
        {QUIZ["id"].replace(" ", "-"): 0}
    )
}


class Review:
    """The page on one day, answered by keyboard."""

    def __init__(self, page, home, met):
        self.page, self.address = page, home + ADDRESS
        page.clock.set_fixed_time(DAY)
        page.goto(self.address)
        page.evaluate(
            "(met) => Object.entries(met).forEach(([k, v]) => localStorage.setItem(k, v))", met
        )
        self.come(DAY)

    def come(self, when):
        self.page.clock.set_fixed_time(when)
        self.page.goto(self.address)
        self.status().filter(has_text=re.compile(r"\w")).wait_for()

    def status(self):
        return self.page.locator("#ac-review").get_by_role("status")

    def said(self):
        return self.status().text_content()

    def asked(self):
        return self.page.locator(".ac-card-ask").inner_text()

    def open(self):
        self.page.get_by_role("button", name="Show the answer").press("Enter")

    def days(self, grade):
        told = self.page.get_by_role("button", name=f"{grade} ").inner_text()
        return int(re.search(r"(\d+) days?", told)[1])

    def held(self):
        return self.page.evaluate("() => Object.entries(localStorage)")


@pytest.fixture
def review(new_context, home):
    def opened(met, script="0", **more):
        context = new_context(**more)
        context.add_init_script(script)
        return Review(context.new_page(), home, met)

    return opened


def test_every_term_prediction_and_question_of_the_book_can_be_asked():
    listed = (ROOT / "book/terms.toml").read_text("utf-8").count("\nglossary = ")
    quiz = (ROOT / "book/practice/interview-questions.toml").read_text("utf-8")
    kinds = [card["id"].split()[0] for card in CARDS]
    assert kinds.count("term") == listed
    assert kinds.count("quiz") == quiz.count("\n[[quiz]]")
    pages = [(SITE / f"{page}").read_text("utf-8") for page in SITE.glob("book/*/*.html")]
    assert kinds.count("guess") == sum(page.count('data-ac-key="predict-') for page in pages)
    assert len({card["id"] for card in CARDS}) == len(CARDS)
    for card in CARDS:
        file, _, anchor = card["at"].partition("#")
        page = (SITE / "book" / file).read_text("utf-8")
        assert f'id="{anchor}"' in page or f'data-ac-key="{anchor}"' in page
        for href in re.findall(r' href="([^"#:]+)["#]', card["answer"]):
            assert (SITE / "book" / href).is_file(), card["id"]


@pytest.mark.parametrize(
    ("met", "new"), [({}, 0), (READ, len(TERMS)), (GUESSED, 1), (ANSWERED, 1)]
)
def test_only_what_was_met_is_asked(review, met, new):
    one = review(met)
    if new:
        assert f"0 questions due, {new} new" in one.said()
    else:
        assert "nothing to ask yet" in one.said()
        assert one.page.locator(".ac-card-ask").count() == 0


def test_a_question_is_answered_by_keyboard_alone(review):
    one = review(ANSWERED)
    one.page.get_by_role("button", name="Show the answer").focus()
    one.page.keyboard.press("Enter")
    answer = one.page.locator(".ac-card-answer")
    assert answer.evaluate("(e) => e === document.activeElement")
    assert "right." in answer.inner_text()
    assert (
        one.page.get_by_role("group", name="Did you know it?").get_by_role("button").count()
        == 4
    )
    days = one.days("3 Good")
    one.page.keyboard.press("3")
    assert "Nothing is due today" in one.said()
    # The button is gone: the focus is on what is said instead.
    assert one.page.evaluate("document.activeElement.className") == "ac-review-status"
    back = DAY + timedelta(days=days)
    assert f"on {back.day} {back:%B}" in one.said()
    one.come(back - timedelta(days=1))
    assert "Nothing is due today" in one.said()
    # Early on the day itself, hours before it was answered then.
    one.come(back - timedelta(hours=6))
    assert "1 question due, 0 new" in one.said()


def test_a_month_of_days_ends_each_day_and_spaces_what_is_known(review):
    one = review(READ | GUESSED | ANSWERED)
    asked: dict[str, list[int]] = {}
    for day in range(30):
        if day:
            one.come(DAY + timedelta(days=day))
        while one.page.locator(".ac-card-ask").count():
            name = one.asked()
            one.open()
            # One term is never known.
            one.page.keyboard.press("1" if name == FORGOTTEN else "3")
            asked.setdefault(name, []).append(day)
        assert "Nothing is due today" in one.said()
    assert len(asked) == len(TERMS) + 2
    for name, days in asked.items():
        gaps = [b - a for a, b in pairwise(days)]
        assert min(gaps) >= 1
        if name == FORGOTTEN:
            assert set(gaps) == {1}
        else:
            assert gaps == sorted(gaps)
            assert len(days) < 5


FORGOTTEN = re.sub(r"<[^>]+>", "", TERMS[0]["ask"])


def test_after_five_minutes_it_stops_and_the_rest_waits(review):
    one = review(READ)
    when = DAY
    answered = 0
    while one.page.locator(".ac-card-ask").count():
        when += timedelta(seconds=200 if answered else 45)
        one.page.clock.set_fixed_time(when)
        one.open()
        one.page.keyboard.press("4")
        answered += 1
    # A pause counts a minute: 45 s and then five times 60.
    assert answered == 6
    assert "5 minutes today: that is enough" in one.said()
    one.come(when)
    assert "that is enough" in one.said()
    one.page.get_by_role("button", name="Go on all the same").press("Enter")
    assert one.page.locator(".ac-card-ask").count() == 1
    one.come(DAY + timedelta(days=1))
    assert "of five today" not in one.said()
    assert one.page.locator(".ac-card-ask").count() == 1


@pytest.mark.parametrize(
    ("kept", "due"),
    [
        ("7", 0),
        ("{", 0),
        ('{"due":"2026-01-01","stability":-1}', 0),
        # Dates and numbers, and yet nothing that the scheduler can go on with.
        (
            '{"due":"2026-01-01","last_review":"2025-12-01","stability":0.00001,'
            '"difficulty":0,"scheduled_days":1,"state":7}',
            1,
        ),
    ],
)
def test_what_is_kept_may_be_anything(review, kept, due):
    one = review(ANSWERED | {f"attention-course: review: {QUIZ['id']}": kept})
    assert f"{due} question{'' if due == 1 else 's'} due, {1 - due} new" in one.said()
    one.open()
    one.page.keyboard.press("3")
    assert "Nothing is due today" in one.said()


def test_two_tabs_count_an_answer_once(review):
    one = review(ANSWERED)
    other = one.page.context.new_page()
    other.clock.set_fixed_time(DAY)
    other.goto(one.address)
    for page in (one.page, other):
        page.get_by_role("button", name="Show the answer").press("Enter")
    one.page.keyboard.press("3")
    held = one.held()
    other.keyboard.press("1")
    other.get_by_text("Nothing is due today").wait_for()
    assert one.held() == held


def test_where_the_storage_is_full_it_is_said(review):
    one = review(ANSWERED)
    one.page.evaluate(f"() => {{ {FULL} }}")
    one.open()
    one.page.keyboard.press("3")
    assert "keeps nothing" in one.said()


AXE = ("What is meant by encoder", GUESS["question"])  # formulas; a table and choices


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_card_fits_a_phone(review, scheme):
    one = review(READ | GUESSED | ANSWERED, width=360, scheme=scheme)
    while one.page.locator(".ac-card-ask").count():
        one.open()
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 360
        if one.asked().startswith(AXE):
            assert grave_violations(one.page) == []
        one.page.keyboard.press("4")


def test_without_scripts_the_page_says_where_all_of_it_is(new_context, home):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(home + ADDRESS)
    assert "Without scripts nothing is asked here" in page.locator("#ac-review").inner_text()
    assert "Without scripts nothing is kept" in page.locator("#ac-kept").inner_text()
    for name in ("glossary", "quiz"):
        page.locator("#ac-review").get_by_role("link", name=name).click()
        assert page.locator("article h1").is_visible()
        page.go_back()
