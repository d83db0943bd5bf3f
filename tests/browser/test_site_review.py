"""The review asks what was met, when it is due, some minutes a day; the clock is moved."""

import html
import json
import re
import tomllib
from datetime import datetime, timedelta
from itertools import pairwise
from zipfile import ZipFile

import pytest
from built_site import LAID_OUT, ROOT, SITE
from page_gates import grave_violations
from test_site_tryit import FORBIDDEN, FULL

from attention_course.drawing.labels import ASKED
from attention_course.exercises.completing import completions
from attention_course.site import anki
from attention_course.site.review import FILE

pytestmark = pytest.mark.browser
ADDRESS = "book/review.html"
DAY = datetime(2026, 11, 30, 9, 0)
SCRIPT = (SITE / "_static/course" / FILE).read_text("utf-8")
CARDS = json.loads(SCRIPT.removeprefix("globalThis.acCards = ").removesuffix(";\n"))
TERMS = [c for c in CARDS if c["id"].startswith("term ") and c["page"] == "why/rnn-bottleneck"]
GUESS = next(c for c in CARDS if c["id"].startswith("guess "))
QUIZ = next(c for c in CARDS if c["id"].startswith("quiz "))
CHOICE = next(c for c in CARDS if c["page"] == "why/rnn-bottleneck" and c.get("within") == 0)
KEPT = "attention-course: review: "
DRAWING = next(c for c in CARDS if c["id"] == "drawing block")
CODE = next(c for c in CARDS if c["id"] == "code four-steps")
READ = {"attention-course: read: /book/why/rnn-bottleneck.html": "yes"}
# What an edition without learning steps kept.
OLDER = {"due": "2026-11-29T09:00:00.000Z", "last_review": "2026-11-19T09:00:00.000Z"}
OLDER |= {"stability": 10, "difficulty": 5, "scheduled_days": 10, "reps": 3, "state": 2}
BROKEN = json.dumps(OLDER | {"stability": 0.00001, "difficulty": 0, "state": 7})
OLDER = json.dumps(OLDER)
GUESSED = {f"attention-course: /book/{GUESS['page']}.html: {GUESS['question']}": "{}"}
TRIED = "attention-course: attempts: four-steps"
SOLVED = {TRIED: json.dumps([{"numbers": 1, "when": f"{DAY:%F}T08:00:00Z", "held": "right"}])}
BLOCK = {"attention-course: read: /book/transformer/transformer-block.html": "yes"}
CHOSEN = json.dumps({QUIZ["id"].replace(" ", "-"): 0})
ANSWERED = {f"attention-course: quiz: /book/{QUIZ['page']}.html": CHOSEN}


def plain(text):
    return re.sub(r"<[^>]+>", "", text)


class Review:
    """The page on one day, answered by keyboard."""

    def __init__(self, page, met):
        self.page, self.address = page, page.url
        page.clock.set_fixed_time(DAY)
        page.evaluate("(met) => Object.assign(localStorage, met)", met)
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
        self.page.locator(".ac-card-ask").press("Enter")

    def days(self, grade):
        told = self.page.get_by_role("button", name=f"{grade} ").inner_text()
        return int(re.search(r"(\d+) days?", told)[1])

    def held(self):
        return self.page.evaluate("() => Object.entries(localStorage)")


@pytest.fixture
def review(opened):
    return lambda met, **more: Review(opened(ADDRESS, **more), met)


def test_every_term_prediction_and_question_of_the_book_can_be_asked():
    listed = (ROOT / "book/terms.toml").read_text("utf-8").count("\nglossary = ")
    quiz = (ROOT / "book/practice/interview-questions.toml").read_text("utf-8")
    kinds = [card["id"].split()[0] for card in CARDS]
    assert kinds.count("term") == listed
    assert kinds.count("quiz") == quiz.count("\n[[quiz]]")
    pages = [(SITE / f"{page}").read_text("utf-8") for page in SITE.glob("book/*/*.html")]
    solved = re.findall(r"<!-- exercise ([\w-]+) -->", "".join(pages))
    assert kinds.count("code") == len(completions().keys() & set(solved))
    assert kinds.count("drawing") == len(ASKED)
    needing = tomllib.loads((ROOT / "book/unasked.toml").read_text("utf-8")).items()
    guesses = [f"guess {page} {key}" for page, keys in needing for key in keys]
    guesses += [card["id"] for card in CARDS if card["id"].startswith("guess ")]
    assert len(set(guesses)) == len(guesses)
    assert len(guesses) == sum(page.count('data-ac-key="predict-') for page in pages)
    assert len({card["id"] for card in CARDS}) == len(CARDS)
    for card in CARDS:
        shown = card["answer"].partition("<details>")[0]  # a longer table is folded
        assert shown.count("\n") < 3 or not card["id"].startswith("guess ")
        file, _, anchor = card["at"].partition("#")
        page = (SITE / "book" / file).read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in page or f'data-ac-key="{anchor}"' in page
        for href in re.findall(r' href="([^"#:]+)["#]', card["answer"]):
            assert (SITE / "book" / href).is_file(), card["id"]


@pytest.mark.parametrize(
    ("met", "new"),
    [({}, 0), (READ, len(TERMS) + 1), (GUESSED, 1), (ANSWERED, 1), ({TRIED: "[7, null]"}, 0)],
)
def test_only_what_was_met_is_asked(review, met, new):
    one = review(met)
    assert (
        f"0 questions due, {new} not asked yet" if new else "nothing to ask yet"
    ) in one.said()
    assert one.page.locator(".ac-card-ask").count() == bool(new)


def test_a_question_is_answered_by_keyboard_alone(review):
    one = review(ANSWERED | GUESSED)
    one.page.get_by_role("button", name="Show the answer").press("Enter")
    one.page.keyboard.press("4")
    # From the second on two keys do.
    one.page.keyboard.press("Enter")
    answer = one.page.locator(".ac-card-answer")
    assert answer.evaluate("(e) => e === document.activeElement")
    assert "right." in answer.inner_text()
    group = one.page.get_by_role("group", name="Did you know it?")
    assert group.get_by_role("button").count() == 4
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
    assert "1 question due, 0 not asked yet" in one.said()


def test_a_drawing_takes_two_keys_and_asks_for_other_labels_once_these_are_known(review):
    one, asked = review(BLOCK), []
    labels = dict(enumerate(map(plain, DRAWING["labels"]), 1))
    for days, grade in ((0, "1"), (1, "3"), (60, "3")):
        one.come(DAY + timedelta(days=days))
        while not one.asked().startswith("Which labels"):
            one.open()
            one.page.keyboard.press("4")
        gaps = [n for n in labels if one.page.locator(f"[data-asked='{n}']").first.is_visible()]
        told = [n for n in labels if one.page.locator(f"[data-told='{n}']").first.is_visible()]
        assert sorted(gaps + told) == list(labels)
        heard = "; ".join(f"({n})" if n in gaps else label for n, label in labels.items())
        assert one.page.get_by_role("img", name=f"A drawing: {heard}.", exact=True).count()
        one.open()
        assert one.page.locator("[data-asked]:visible").count() == 0
        answer = one.page.locator(".ac-card-answer > ol > li")
        assert answer.all_inner_texts() == [labels[n] for n in gaps]
        assert answer.evaluate_all("all => all.map((one) => one.value)") == gaps
        one.page.keyboard.press(grade)
        assert f"{KEPT}drawing block" in dict(one.held())
        asked.append(gaps)
    # Those that were not known are asked again, then the rest.
    assert asked[0] == asked[1]
    assert max(map(len, asked)) <= 3
    assert sorted(asked[0] + asked[2]) == list(labels)


@pytest.mark.parametrize("right", [True, False])
def test_a_line_of_code_is_chosen_and_a_wrong_one_gets_its_hint(review, right):
    one = review(SOLVED)
    assert "Nothing is due today" in one.said()  # solved an hour ago
    line, hint = next(way for way in CODE["ways"] if (way[1] == "") == right)
    ways, orders = one.page.locator(".ac-card > button:has(code)"), set()
    for day in range(10, 18):
        for hours in 0, 3:
            one.come(DAY + timedelta(days=day, hours=hours))
            orders.add((day, *ways.all_inner_texts()))
    # The same after a reload, another on another day.
    assert len(orders) == 8
    assert len({order[1:] for order in orders}) > 3
    at = [way[2:] for way in ways.all_inner_texts()].index(html.unescape(line)) + 1
    one.page.locator(".ac-card-ask").press(f"{at}")
    answer = one.page.locator(".ac-card-answer").inner_text()
    assert ("That is the line." if right else html.unescape(hint)) in answer
    # A wrong line was not known, and a right one was: the other grades do nothing.
    one.page.keyboard.press("1" if right else "4")
    grades = one.page.locator(".ac-card-grades button:visible")
    assert grades.count() == (3 if right else 1)
    one.page.keyboard.press("4" if right else "1")
    assert "Nothing is due today" in one.said()


def test_what_was_read_last_is_asked_before_what_has_waited(review):
    one = review({})
    for key, days in ((*READ, 9), ("attention-course: read: /book/recurrent/luong.html", 1)):
        when = (DAY - timedelta(days=days)).timestamp() * 1000
        one.page.evaluate("([key, when]) => acStorage.keep(key, 'yes', when)", [key, when])
    one.come(DAY)
    assert one.page.locator(".ac-card-from").inner_text() == "A term of Luong attention"


@pytest.mark.parametrize("right", [True, False])
def test_a_guess_made_in_its_chapter_comes_back_later_if_it_was_right(review, home, right):
    one = review({})
    one.page.goto(f"{home}book/{CHOICE['page']}.html")
    one.page.wait_for_function(LAID_OUT)
    asked = one.page.locator(f"[data-ac-key='{CHOICE['at'].partition('#')[2]}']")
    asked.scroll_into_view_if_needed()
    (answer,) = CHOICE["right"]
    asked.get_by_role("radio").nth(int(answer) if right else int(not answer)).check()
    asked.get_by_role("button", name="Guess", exact=True).click()
    asked.get_by_role("button", name="Guess again").wait_for()  # it is kept with the next frame
    one.come(DAY)
    day = re.search(r"Nothing is due today. The next .* is due on (\d+) December", one.said())[
        1
    ]
    assert (day == "1") != right  # the next day


def test_the_deck_for_anki_is_beside_the_page(review):
    page = review({}).page
    with page.expect_download() as download:
        page.get_by_role("link", name="all questions as a deck").click()
    assert download.value.suggested_filename == anki.FILE
    with ZipFile(download.value.path()) as file:
        assert {"collection.anki2", "media"} == set(file.namelist())


def test_a_month_of_days_ends_each_day_and_spaces_what_is_known(review):
    one = review(READ | GUESSED | ANSWERED)
    asked: dict[str, list[int]] = {}
    for day in range(30):
        one.come(DAY + timedelta(days=day))
        while one.page.locator(".ac-card-ask").count():
            name = one.asked()
            one.open()
            # One term is never known.
            one.page.keyboard.press("1" if name == FORGOTTEN else "3")
            asked.setdefault(name, []).append(day)
        assert "Nothing is due today" in one.said()
    assert len(asked) == len(TERMS) + 3
    for name, days in asked.items():
        gaps = [b - a for a, b in pairwise(days)]
        assert min(gaps) >= 1
        if name == FORGOTTEN:
            assert set(gaps) == {1}
        else:
            assert gaps == sorted(gaps)
            assert len(days) < 5


FORGOTTEN = plain(TERMS[0]["ask"])


def test_after_the_minutes_of_a_day_it_stops_each_time_and_the_rest_waits(review):
    one = review(READ | BLOCK | GUESSED | ANSWERED)
    total = int(re.search(r"(\d+) not asked yet", one.said())[1])
    minutes, when, answered = one.page.get_by_label("Minutes a day"), DAY, 0
    # A pause counts a minute: 45 s and then five times 60.
    for spent, count in ((5, 6), (10, 11), (20, 21)):
        assert f"{spent} today" in one.said()
        while one.page.locator(".ac-card-ask").count():
            when += timedelta(seconds=200 if answered else 45)
            one.page.clock.set_fixed_time(when)
            one.open()
            one.page.keyboard.press("4")
            answered += 1
        assert answered == count
        one.come(when)
        told = f"{spent} minutes today: that is enough. 0 questions due, {total - count} not"
        assert told in one.said()
        if spent == 5:
            one.page.get_by_role("button", name="Go on for another 5 minutes").press("Enter")
        elif spent == 10:
            minutes.press("ArrowDown")
            assert told in one.said()  # ten are spent already
            minutes.press("ArrowDown")
    one.come(DAY + timedelta(days=1))
    assert "0 minutes of 20 today" in one.said()
    assert minutes.input_value() == "20"


@pytest.mark.parametrize(
    ("kept", "due"),
    # An older edition kept less; the last are dates and numbers that no scheduler goes on with.
    [("7", 0), ("{", 0), ('{"due":"2026-01-01","stability":-1}', 0), (OLDER, 1), (BROKEN, 0)],
)
def test_what_is_kept_may_be_anything(review, kept, due):
    gone = {f"{KEPT}term gone": OLDER}
    one = review(ANSWERED | gone | {f"{KEPT}{QUIZ['id']}": kept})
    assert f"{due} question{'' if due else 's'} due, {1 - due} not asked yet" in one.said()
    one.open()
    assert (one.days("3 Good") > 10) == bool(due)
    one.page.keyboard.press("3")
    assert "Nothing is due today" in one.said()
    assert gone.items() <= dict(one.held()).items()


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


@pytest.mark.parametrize("storage", [FULL, FORBIDDEN])
def test_where_nothing_can_be_kept_it_is_said(review, storage):
    one = review(ANSWERED)
    one.page.evaluate(f"() => {{ {storage} }}")
    one.open()
    one.page.keyboard.press("3")
    assert "keeps nothing" in one.said()


AXE = ("What is meant by encoder", GUESS["question"], "Which labels", "Which line is missing")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_card_fits_a_phone(review, scheme):
    one = review(READ | GUESSED | ANSWERED | SOLVED, width=360, scheme=scheme)
    one.come(DAY + timedelta(days=10))
    # On coming, and below the longest answer, what one needs is in sight.
    assert one.page.locator(".ac-card-ask").bounding_box()["y"] < 600
    while one.page.locator(".ac-card-ask").count():
        one.open()
        grades = one.page.locator(".ac-card-grades")
        assert grades.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
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
