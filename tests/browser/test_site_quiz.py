"""The quiz says what speaks against each wrong answer, and keeps what was answered here."""

import tomllib

import pytest
from built_site import LAID_OUT, ROOT
from test_site_tryit import FORBIDDEN

pytestmark = pytest.mark.browser
ADDRESS = "book/practice/interview-questions.html"
TOML = (ROOT / ADDRESS).with_suffix(".toml")
QUIZ = tomllib.loads(TOML.read_text("utf-8"))["quiz"]
RIGHT = [next(i for i, o in enumerate(q["option"]) if o.get("right")) for q in QUIZ]
KEPT = "() => JSON.stringify([Object.entries(localStorage), document.cookie])"


def answer(page, number, option):
    """Choose and check by keyboard; return what is said then."""
    form = page.locator(".ac-quiz").nth(number)
    form.get_by_role("radio").nth(0 if option else 1).focus()
    page.keyboard.press("Space")
    for _ in range(abs(option - (0 if option else 1))):
        page.keyboard.press("ArrowDown" if option else "ArrowUp")
    page.keyboard.press("Tab")
    assert form.get_by_role("button").evaluate("(e) => e === document.activeElement")
    page.keyboard.press("Enter")
    return form.get_by_role("status").inner_text()


def progress(page):
    """What the line above the quiz says."""
    return page.locator(".ac-quiz-bar output").inner_text()


@pytest.mark.parametrize("number", range(len(QUIZ)))
def test_each_option_has_its_reply_by_keyboard_and_for_screen_readers(opened, number):
    page = opened(ADDRESS, width=360)
    total = len(QUIZ)
    for option, told in enumerate(QUIZ[number]["option"]):
        said = answer(page, number, option)
        assert ("right." in said) == (option == RIGHT[number])
        plain = told["because"].replace("*", "").replace("'", "’").split(".")[0]
        assert plain in said
        assert progress(page) == f"1 of {total} answered, {int('right.' in said)} right"
    assert page.locator(".ac-quiz").nth(number).get_by_role("group").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("stored", [True, False])
def test_what_was_answered_is_kept_here_alone_and_can_be_forgotten(opened, stored):
    page = opened(ADDRESS, "0" if stored else FORBIDDEN)
    page.wait_for_function(LAID_OUT)
    page.wait_for_load_state("networkidle")  # the faces of formulas come when they are laid out
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    answer(page, 0, RIGHT[0])
    answer(page, 1, 1 - min(1, RIGHT[1]))
    assert progress(page) == f"2 of {len(QUIZ)} answered, 1 right"
    assert asked == []
    page.reload()
    kept = 2 if stored else 0
    assert progress(page) == f"{kept} of {len(QUIZ)} answered, {kept // 2} right"
    assert page.locator(".ac-quiz output:not(:empty)").count() == kept
    page.get_by_role("button", name="Start again").press("Enter")
    page.reload()
    assert progress(page) == f"0 of {len(QUIZ)} answered, 0 right"
    assert page.locator(".ac-quiz input:checked").count() == 0
    if stored:
        assert page.evaluate(KEPT).count('"quiz-') == 0


@pytest.mark.parametrize("kept", ["null", "7", '{"quiz-1": 9}', "[]", "{"])
def test_what_is_kept_may_be_anything(opened, kept):
    key = f"attention-course: quiz: /{ADDRESS}"
    page = opened(ADDRESS, f"localStorage.setItem({key!r}, {kept!r})")
    assert progress(page) == f"0 of {len(QUIZ)} answered, 0 right"
    assert "right." in answer(page, 0, RIGHT[0])


@pytest.mark.parametrize("how", ["without scripts", "on paper"])
def test_all_of_it_can_be_read(new_context, home, how):
    page = new_context(java_script_enabled=how == "on paper").new_page()
    page.goto(home + ADDRESS)
    if how == "on paper":
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("article details:not([open])").count() == 0
        assert page.locator(".ac-quiz button").locator("visible=true").count() == 0
    else:
        assert page.locator("article p[id^=quiz-] + ol > li").count() >= 3 * len(QUIZ)
        page.locator("summary").first.press("Enter")
    replies = page.locator("p[id^=quiz-] ~ details > ul").first
    assert replies.locator("li").count() == len(QUIZ[0]["option"])
    assert replies.is_visible()
    if how == "on paper":
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("article details[open]").count() == 0
