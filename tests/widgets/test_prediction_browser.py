"""Predictions in Chromium, on a bare page: by keyboard, by mouse, kept or not."""

import pytest
from frames import frames

from attention_course.page import predict

bare_page = pytest.importorskip("bare_page")
pytestmark = pytest.mark.browser

TABLE = "score     dates\ndot           3\ngeneral      11\nconcat       17"
NUMBER = predict("How many dates?", 17, unit="dates", reveal=TABLE)
CHOICE = predict("Which score?", "concat", choices=["dot", "general", "concat"], reveal=TABLE)
ORDER = predict(
    "Fewest first?", ["dot", "general", "concat"], order=["concat", "dot", "general"]
)
KINDS = {"number": NUMBER, "choice": CHOICE, "order": ORDER}
SHOWN = """() => Object.fromEntries([...document.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]))"""
DENIED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("denied", "SecurityError"); } })"""


def written_page(widget, theme="light", **state):
    names = ("question", "kind", "answer", "choices", "unit", "tolerance")
    names += ("reveal", "believed", "beliefs")
    traits = {name: getattr(widget, name) for name in names}
    return bare_page.bare_page(widget, theme, **(traits | state))


@pytest.fixture
def show(browser, tmp_path):
    """Open a prediction; the pages of one test share what they store."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    context.set_default_timeout(20_000)
    said = []

    def open_one(widget, width=1000, theme="light", script="", **state):
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: said.append(str(error)))
        if script:
            page.add_init_script(script)
        file = tmp_path / f"{widget.kind}.html"
        file.write_text(written_page(widget, theme, **state), "utf-8")
        page.goto(file.as_uri())
        page.wait_for_function("document.querySelector('.ac-root')")
        frames(page)
        return page

    yield open_one
    context.close()
    assert said == []


def words(page):
    frames(page)
    return page.locator(".ac-readout").inner_text().replace("\u00a0", " ")


def judged(page, widget):
    """What Python says of the guess that the page holds."""
    state = page.evaluate("({ guess: model.get('guess'), opened: model.get('opened') })")
    names = ("question", "kind", "answer", "choices")
    return type(widget)(**{name: getattr(widget, name) for name in names}, **state).readouts()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_a_number_is_typed_and_the_answer_opens(show):
    page = show(NUMBER)
    assert not page.locator(".ac-predict-reveal").is_visible()
    assert "17" not in page.locator(".ac-root").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.type("33")
    page.keyboard.press("ArrowUp")  # one more, and the caret stays behind the number
    page.keyboard.press("Backspace")
    page.keyboard.type("4")
    assert page.get_by_label("Your guess").input_value() == "34"
    page.keyboard.press("Enter")
    assert words(page) == (
        "You said 34 dates, the answer is 17 dates: too high by 17 dates, a factor of 2."
    )
    assert page.evaluate(SHOWN) == judged(page, NUMBER) == {"difference": 17.0, "factor": 2.0}
    assert page.locator(".ac-predict-reveal").inner_text() == TABLE
    assert button(page, "Guess again").evaluate("(e) => e === document.activeElement")
    page.keyboard.press("Enter")
    assert words(page).startswith("Your guess stays")
    assert page.get_by_label("Your guess").evaluate("(e) => e === document.activeElement")
    assert page.get_by_label("Your guess").input_value() == ""


def test_without_a_guess_the_page_asks_for_one(show):
    page = show(NUMBER)
    button(page, "Guess").click()
    assert page.locator(".ac-predict-note").inner_text().startswith("Type a number first")
    assert page.get_by_label("Your guess").evaluate("(e) => e === document.activeElement")
    page = show(CHOICE)
    button(page, "Guess").click()
    assert page.locator(".ac-predict-note").inner_text() == "Choose one first."


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_can_be_had_without_a_guess(show, kind):
    page = show(KINDS[kind])
    button(page, "Show me").click()
    assert words(page).startswith("The answer is ")
    assert page.evaluate(SHOWN) == {}


def test_a_choice_by_the_arrow_keys(show):
    page = show(CHOICE)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    assert page.get_by_label("general").is_checked()
    page.keyboard.press("Enter")
    assert words(page) == "You chose general. The answer is concat."
    assert page.evaluate(SHOWN) == judged(page, CHOICE) == {"right": 0.0}


def items(page):
    return page.locator(".ac-predict-text").all_inner_texts()


def test_an_order_by_buttons_which_say_what_moved(show):
    page = show(ORDER)
    up = button(page, "Move general up")
    up.focus()
    page.keyboard.press("Enter")
    frames(page)
    assert items(page) == ["concat", "general", "dot"]
    assert page.locator(".ac-predict-note").inner_text() == "general is now 2 of 3."
    assert up.evaluate("(e) => e === document.activeElement")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # it stands at the top already
    frames(page)
    assert items(page) == ["general", "concat", "dot"]
    button(page, "Guess").click()
    assert words(page).startswith("2 of 3 pairs are the wrong way round. The order is dot, ")
    assert page.evaluate(SHOWN) == judged(page, ORDER) == {"wrong": 2.0, "pairs": 3.0}


def test_an_order_by_dragging(show):
    page = show(ORDER)
    rows = page.locator(".ac-predict-item")
    rows.filter(has_text="concat").drag_to(rows.filter(has_text="general"))
    frames(page)
    assert items(page) == ["dot", "general", "concat"]
    button(page, "Guess").click()
    assert words(page) == "All in the right order: dot, general, concat."


@pytest.mark.parametrize("kind", KINDS)
def test_a_guess_stays_in_the_browser_until_one_guesses_again(show, kind):
    page = show(KINDS[kind])
    if kind == "number":
        page.get_by_label("Your guess").fill("3")
    if kind == "choice":
        page.get_by_label("dot").check()
    button(page, "Guess").click()
    said = words(page)
    again = show(KINDS[kind])
    assert words(again) == said
    button(again, "Guess again").click()
    assert words(again).startswith("Your guess stays")
    assert words(show(KINDS[kind])).startswith("Your guess stays")


def test_a_guess_that_does_not_fit_any_more_is_left_out(show):
    page = show(ORDER)
    button(page, "Guess").click()
    fewer = {"choices": ["dot", "concat"], "answer": [0, 1]}
    assert words(show(ORDER, **fewer)).startswith("Your guess stays")


def test_it_works_where_storage_is_denied(show):
    page = show(NUMBER, script=DENIED)
    page.get_by_label("Your guess").fill("17")
    page.get_by_label("Your guess").press("Enter")
    assert words(page) == "Spot on: the answer is 17 dates."
    button(page, "Guess again").click()
    assert words(page).startswith("Your guess stays")
