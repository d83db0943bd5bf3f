"""What answers a question is out of sight until it is guessed or shown, and nothing else is."""

import re
from pathlib import Path

import nbformat
import pytest
from built_site import LAID_OUT, OPEN_FOLDS, PAGES, ROOT
from page_gates import none

pytestmark = pytest.mark.browser
PAGE = "book/recurrent/gnmt.html"
FIGURE = "fig-depth-gradient"  # its title answers a question
ASKED = '.ac-widget[data-ac-key^="predict-"]'
# Its last section answers its question, and is nothing else.
HEADED, HEADING, QUESTION = "book/scale/kernel-lab.html", "what-you-should-have-seen", -1

# The text of an article that can be seen, its spaces made even.
SEEN = """() => {
  const article = document.querySelector("article");
  const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walk.nextNode()) {
    const at = walk.currentNode.parentElement;
    if (!at.closest("script, style") && at.checkVisibility({ visibilityProperty: true })) {
      texts.push(walk.currentNode.data);
    }
  }
  return texts.join("").replace(/\\s+/g, " ");
}"""


# Gates and headings as they are met before a guess: a question has one gate at most, something
# is seen between two, and no heading is left without anything below it.
GATES = """() => {
  const SHOWN = ":is(h2, h3, h4, .ac-widget, figure, img, pre, p, li, table, .ac-display)";
  const said = [];
  let [gates, gate, heads] = [0, null, []];
  for (const e of document.querySelectorAll(`article ${SHOWN}`)) {
    if (!e.checkVisibility() || e.matches(".ac-widget *, .ac-hold *")) continue;
    const level = e.matches("h2, h3, h4") ? Number(e.tagName[1]) : 0;
    if (level) {
      said.push(...heads.filter((h) => h.level >= level).map((h) => `nothing below ${h.text}`));
      heads = [...heads.filter((h) => h.level < level), { level, text: e.textContent }];
    } else if (e.matches(".ac-waits")) {
      if (gate) said.push(`in a row: ${gate.textContent}`);
      gates++;
      gate = e;
      continue;
    } else heads = [];
    gate = null;
  }
  const all = [...document.querySelectorAll(".ac-widget[data-ac-key^=predict-], .ac-answer")];
  const answers = (e) => e.matches(".ac-answer");
  const due = all.filter((e, i) => answers(e) && !answers(all[i - 1])).length;
  if (gates !== due) said.push(`${gates} gates of ${due} questions`);
  return said;
}"""


def phrases(source: str) -> list[str]:
    """Stretches of a Markdown text that stand in the page as they are, the longest first."""
    text = re.sub(r"<[^>]*>|\$[^$]*\$|\]\([^)]*\)|`[^`]*`|^>.*?\*\*Aside\.\*\*", "|", source)
    found = re.findall(r"[A-Za-z][A-Za-z ,\n]{10,}[a-z]", text)
    return sorted((" ".join(part.split()) for part in found), key=len, reverse=True)


def questions(path: Path) -> list[list[str]]:
    """The words that answer each question of a notebook, for each cell tagged ``answer``."""
    cells = nbformat.read(path, as_version=4).cells
    prose = [c for c in cells if c.cell_type == "markdown"]
    rest = " ".join(
        " ".join(c.source.split()) for c in prose if "answer" not in c.metadata.get("tags", [])
    )
    found: list[list[str]] = []
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and re.search(r"\bpredict\(", cell.source):
            found.append([])
        elif "answer" in tags and cell.cell_type == "markdown":
            own = next(part for part in phrases(cell.source) if part not in rest)
            found[-1].append(own)
    return found


NOTEBOOKS = {
    page: ROOT / page.replace(".html", ".ipynb")
    for page in PAGES
    if (ROOT / page.replace(".html", ".ipynb")).is_file()
}
WHAT_ANSWERS = {page: questions(path) for page, path in NOTEBOOKS.items()}
ASKING = [page for page, found in WHAT_ANSWERS.items() if found]


def amiss(page, address: str, answered: set[int]) -> list[str]:
    """What of a page is in sight and should not be, and the other way round."""
    text = page.evaluate(SEEN)
    return [
        f"question {number}, {len(answered)} answered: {own!r}"
        for number, words in enumerate(WHAT_ANSWERS[address])
        for own in words
        if (own in text) != (number in answered)
    ]


@pytest.fixture
def visit(opened):
    """Open a page with its folds open."""

    def open_one(address=PAGE, **more):
        page = opened(address, **more)
        page.evaluate(OPEN_FOLDS)
        return page

    return open_one


def ask(page, number: int):
    """Bring a question to life."""
    place = page.locator(ASKED).nth(number)
    place.evaluate("(e) => e.scrollIntoView({ block: 'center', behavior: 'instant' })")
    place.get_by_role("button", name=re.compile("Show me|Guess again")).first.wait_for()
    return place


def press(place, name: str, then: str) -> None:
    """Press a button of a question, and wait for the one that comes in its place."""
    place.get_by_role("button", name=name, exact=True).press("Enter")
    place.get_by_role("button", name=then, exact=True).wait_for()
    place.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def guess(place) -> None:
    """Make a guess, whatever it is."""
    number, choice = place.locator(".ac-predict-entry"), place.locator("input[type=radio]")
    if number.count():
        number.fill("0.123")
    elif choice.count():
        choice.first.check()
    press(place, "Guess", "Guess again")


@pytest.mark.parametrize("address", ASKING)
def test_every_question_keeps_its_answer_until_it_is_guessed_or_shown(visit, address):
    page = visit(address)
    count = page.locator(ASKED).count()
    assert count == len(WHAT_ANSWERS[address])
    found = page.evaluate(GATES) + amiss(page, address, set())
    for number in range(count):
        place = ask(page, number)
        before = {*range(number)}
        press(place, "Show me", "Guess again")
        found += amiss(page, address, before | {number})
        press(place, "Guess again", "Show me")
        found += amiss(page, address, before)
        guess(place)
        found += amiss(page, address, before | {number})
        assert place.get_by_role("button", name="Guess again").evaluate(
            "(e) => e === document.activeElement"
        )
    none(found)
    page.reload()  # what was guessed stays open
    page.evaluate(OPEN_FOLDS)
    none(amiss(page, address, {*range(count)}))


@pytest.mark.parametrize("how", ["on paper", "without scripts", "the script is missing"])
def test_all_of_it_is_open_on_paper_and_without_a_script(new_context, home, how):
    page = new_context(java_script_enabled=how != "without scripts").new_page()
    if how == "the script is missing":
        page.route("**/predictions.js*", lambda route: route.abort())
    page.goto(home + PAGE)
    if how == "on paper":
        page.emulate_media(media="print")
    shown = page.locator(f"#{FIGURE}").evaluate("(e) => e.checkVisibility()")
    assert shown
    assert page.locator(".ac-waits").locator("visible=true").count() == 0


@pytest.mark.parametrize(
    "how", ["Guess", "Show me", "contents", "address", "on paper", "without scripts"]
)
def test_a_heading_over_nothing_but_answers_is_hidden_and_led_to(new_context, home, how):
    page = new_context(java_script_enabled=how != "without scripts").new_page()
    head = page.locator(f"#{HEADING} > h2")
    page.goto(home + HEADED + (f"#{HEADING}" if how == "address" else ""))
    if how in ("Guess", "Show me", "contents"):
        page.evaluate(OPEN_FOLDS)
        assert not head.is_visible()
    if how in ("Guess", "Show me"):
        place = ask(page, QUESTION)
        guess(place) if how == "Guess" else press(place, "Show me", "Guess again")
    elif how == "contents":
        page.locator(f".bd-sidebar-primary a[href='#{HEADING}']").click()
    elif how == "on paper":
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert head.is_visible()
    assert head.locator("xpath=following::p[1]").is_visible()
    if how in ("contents", "address"):
        page.wait_for_function(LAID_OUT)
        top = "(e) => Math.abs(e.getBoundingClientRect().top) < 160"
        page.wait_for_function(top, arg=head.element_handle())
        assert page.locator(".ac-waits").filter(visible=True).count() == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_all_answers_of_a_page_are_shown_and_hidden_again_and_that_is_kept(visit, width):
    page = visit(width=width)
    everything = {*range(len(WHAT_ANSWERS[PAGE]))}
    button = page.locator(".ac-waits button").first
    assert button.inner_text() == "Show all answers on this page"
    button.focus()
    page.keyboard.press("Enter")
    none(amiss(page, PAGE, everything))
    assert button.evaluate("(e) => e === document.activeElement")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.reload()
    page.evaluate(OPEN_FOLDS)
    none(amiss(page, PAGE, everything))
    page.locator(".ac-waits button").first.press("Enter")
    none(amiss(page, PAGE, set()))


def test_the_line_leads_to_its_question(visit):
    page = visit()
    ask(page, 2)
    link = page.locator(".ac-waits a").nth(1)
    assert link.inner_text() == "Answered by your guess above."
    link.click()
    inside = "(e) => e.contains(document.activeElement)"
    assert page.locator(ASKED).nth(2).evaluate(inside)
    # What is hidden is in no keyboard's way and read by no screen reader.
    assert page.evaluate("""() => [...document.querySelectorAll(".ac-answer :is(a, button)")]
      .every((e) => !e.checkVisibility())""")
