"""Slides: what a class in the back row, a keyboard, a phone, paper and no script get."""

import functools

import pytest
from built_site import SITE
from page_gates import Visit, faint_text, grave_violations, none

pytestmark = pytest.mark.browser
FOLDER = SITE / "slides"
NAMES = [str(p.relative_to(FOLDER).with_suffix("")) for p in sorted(FOLDER.glob("*/*.html"))]
SIZE = {"width": 1280, "height": 720}
SMALLEST = 28  # pixels of type on a slide of 1280 by 720, but in pictures and widgets
SETTLED = """() => [...document.querySelectorAll(
    ".page.current :is(.ac-figure, .ac-widget)")].every(
    (e) => ["ready", "drawn", "failed"].includes(e.dataset.acState))"""
LOOK = """() => {
  const page = document.querySelector(".page.current");
  const [slide, body] = [page.querySelector(".slide"), page.querySelector(".body")];
  const zoom = slide.getBoundingClientRect().width / slide.offsetWidth;
  const written = [...slide.querySelectorAll("*")].filter(
    (e) => e.checkVisibility() && [...e.childNodes].some(
      (n) => n.nodeType === 3 && n.textContent.trim()));
  const apart = (e) => e.closest("svg, .ac-widget, .katex, .ac-plot");
  const types = written.filter((e) => !apart(e)).map(
    (e) => [parseFloat(getComputedStyle(e).fontSize) * zoom, e.textContent.slice(0, 30)]);
  const right = slide.getBoundingClientRect().right;
  const outside = [...slide.querySelectorAll("p, li, pre, h2, svg, .ac-widget, .ac-display")]
    .filter((e) => e.checkVisibility() && !e.closest(".katex, .ac-plot"))
    .map((e) => e.getBoundingClientRect())
    .filter((b) => b.height && b.right > right + 1).length;
  const wide = [...slide.querySelectorAll("pre, .ac-display")].filter(
    (e) => e.scrollWidth > e.clientWidth + 1).length;
  return {
    over: Math.max(body.scrollWidth - body.clientWidth,
                   slide.scrollHeight - slide.clientHeight),
    outside, wide,
    smallest: types.sort((a, b) => a[0] - b[0])[0],
    failed: page.querySelectorAll('[data-ac-state="failed"]').length,
    title: slide.querySelector("h1, h2").textContent,
  };
}"""


def complaints(look: dict) -> list[str]:
    """What a class would not see of a slide that looks like this."""
    wrong = []
    if look["over"] > 1 or look["outside"] or look["wide"]:
        wrong.append(f"{look['title']}: wider than it is ({look})")
    if look["smallest"][0] < SMALLEST - 0.1:
        wrong.append(f"{look['title']}: type of {look['smallest']}")
    if look["failed"]:
        wrong.append(f"{look['title']}: a figure or widget failed")
    return wrong


def opened(context, home, name):
    page = context.new_page()
    visit = Visit(page, home)
    page.goto(f"{home}slides/{name}.html")
    page.wait_for_function("document.documentElement.classList.contains('deck')")
    return page, visit


@functools.cache
def count(name: str) -> int:
    return (SITE / "slides" / f"{name}.html").read_text("utf-8").count('<section class="page"')


def turn(page, number):
    """Go to a slide, with all of it shown, and wait until it is drawn."""
    page.evaluate(f"location.hash = '#{number}'")
    page.wait_for_function(
        f"""() => document.querySelector(".page.current")?.id === "slide-{number}" """
    )
    page.wait_for_function(SETTLED, timeout=30_000)


def number_of(page, selector: str) -> int:
    """The number of the first slide that has something."""
    return int(page.locator(f".page:has({selector})").first.get_attribute("id")[6:])


def on_paper(page) -> tuple[int, int]:
    """How many slides are printed with their notes, and on how many sheets."""
    page.evaluate("window.print = () => {}")
    page.keyboard.press("p")
    page.wait_for_function("document.documentElement.dataset.ready === 'print'", timeout=60_000)
    page.emulate_media(media="print")
    shown = page.locator(".page").evaluate_all(
        """(all) => all.filter((e) => e.checkVisibility()
            && e.querySelector(".notes").checkVisibility()).length"""
    )
    return shown, page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n")


@pytest.mark.parametrize("name", NAMES)
def test_every_slide_can_be_read_from_the_back_row_and_on_paper(new_context, home, name):
    page, visit = opened(new_context(), home, name)
    page.set_viewport_size(SIZE)
    found = []
    assert count(name) >= 8
    for number in range(1, count(name) + 1):
        turn(page, number)
        for _ in range(30):  # a widget says a word more, and is made smaller
            if not (wrong := complaints(page.evaluate(LOOK))):
                break
            page.wait_for_timeout(100)
        found += wrong
    assert found == []
    assert on_paper(page) == (count(name), count(name))
    assert visit.foreign_requests() == []
    assert visit.console == []
    assert visit.missing == []


def test_what_does_not_fit_is_scrolled_to_before_the_next_slide(new_context, home):
    page, _ = opened(new_context(), home, NAMES[0])
    page.set_viewport_size(SIZE)
    turn(page, 2)
    page.evaluate("""() => { document.querySelector(".page.current .body").insertAdjacentHTML(
      "beforeend", "<p>" + "many words ".repeat(300) + "</p>");
      dispatchEvent(new Event("resize")); }""")
    assert complaints(page.evaluate(LOOK)) == []
    page.keyboard.press("Space")
    assert page.evaluate("document.querySelector('.page.current').id") == "slide-2"
    assert page.evaluate("document.querySelector('.page.current .body').scrollTop") > 100
    for _ in range(8):
        page.keyboard.press("Space")
    assert page.evaluate("document.querySelector('.page.current').id") != "slide-2"


def test_the_keyboard_leads_through_the_slides(new_context, home):
    page, _ = opened(new_context(), home, "transformer/scaling")
    here = "document.querySelector('.page.current').id"
    assert page.evaluate(here) == "slide-1"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(here) == "slide-2"
    ask = number_of(page, ".ask")
    turn(page, ask)
    later = page.locator(".page.current .later")
    assert not later.is_visible()
    page.keyboard.press("Space")
    assert later.is_visible()
    page.keyboard.press("PageDown")
    assert page.evaluate(here) == f"slide-{ask + 1}"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(here) == f"slide-{ask}"
    assert later.is_visible(), "going back shows what was shown"
    page.keyboard.press("End")
    assert page.evaluate(here) == f"slide-{count('transformer/scaling')}"
    page.keyboard.press("Home")
    assert page.evaluate(here) == "slide-1"
    notes = page.locator(".page.current .notes")
    assert not notes.is_visible()
    page.keyboard.press("n")
    assert notes.is_visible()
    assert page.locator(".place").inner_text() == f"1 / {count('transformer/scaling')}"


def test_a_widget_on_a_slide_keeps_its_keys(new_context, home):
    page, _ = opened(new_context(), home, "transformer/scaling")
    live = number_of(page, ".show-widget")
    turn(page, live)
    slider = page.locator('.page.current input[type="range"]').first
    before = slider.input_value()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('.page.current').id") == f"slide-{live}"
    assert slider.input_value() != before


def test_a_sentence_typed_on_a_slide_is_no_command(new_context, home):
    page, _ = opened(new_context(), home, "recurrent/bahdanau")
    live = number_of(page, '[data-ac-key="world-player"]')
    turn(page, live)
    field = page.locator(".page.current .ac-widget").get_by_role("combobox").first
    field.fill("")
    field.press_sequentially("a plan and n")  # n, p and d are the slides' own keys
    assert field.input_value() == "a plan and n"
    assert page.evaluate("document.querySelector('.page.current').id") == f"slide-{live}"
    assert not page.locator(".page.current .notes").is_visible()


def test_two_windows_of_the_same_slides_go_on_together(new_context, home):
    context = new_context()
    (one, _), (two, _) = [opened(context, home, "transformer/scaling") for _ in "12"]
    one.keyboard.press("End")
    last = f"slide-{count('transformer/scaling')}"
    two.wait_for_function(f"document.querySelector('.page.current').id === '{last}'")


SWIPE = """() => {
  const target = document.body;
  const at = (x) => [new Touch({ identifier: 1, target, clientX: x, clientY: 300 })];
  const tell = (kind, x, held) => document.body.dispatchEvent(new TouchEvent(kind, {
    touches: held ? at(x) : [], changedTouches: at(x), bubbles: true }));
  tell("touchstart", 300, true);
  tell("touchend", 80, false);
}"""


def too_wide(page, name) -> list[int]:
    """Turn to every slide in turn; the numbers of those that are wider than the screen."""
    here, wide = "document.querySelector('.page.current')", []
    for number in range(1, count(name) + 1):
        turn(page, number)
        if page.evaluate(f"{here}.scrollWidth - {here}.clientWidth") > 1:
            wide.append(number)
    return wide


UNFOLDED = """.deck, .deck body { overflow: visible !important; height: auto !important; }
.deck .page, .deck .notes { display: block !important; height: auto; overflow: visible; }
.deck .page, .deck .bar { position: static !important; }
.later.hidden { visibility: visible !important; }
* { transition: none !important; }"""


def barriers(page) -> list[str]:
    """What axe finds on all slides at once, their notes and answers shown, in both schemes."""
    page.add_style_tag(content=UNFOLDED)
    found = []
    for scheme in ("light", "dark"):
        page.evaluate(
            "(scheme) => { document.documentElement.dataset.theme = scheme; }", scheme
        )
        page.wait_for_timeout(300)
        found += grave_violations(page, form=scheme == "light")
        found += faint_text(page)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_nothing_is_too_wide_a_swipe_goes_on_and_axe_finds_nothing(
    new_context, home, name
):
    page, _ = opened(new_context(width=360, has_touch=True), home, name)
    assert too_wide(page, name) == []
    turn(page, 1)
    page.evaluate(SWIPE)
    assert page.evaluate("document.querySelector('.page.current').id") == "slide-2"
    none(barriers(page))


def test_without_scripts_the_slides_are_one_long_page(new_context, home):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{home}slides/transformer/scaling.html")
    assert page.locator("h2").count() == count("transformer/scaling") - 1
    assert page.get_by_text("The answer is 0.25.").is_visible()
    assert page.locator(".notes p").first.is_visible()
    assert page.locator(".ac-figure table").first.is_visible()
    assert not page.locator(".bar").is_visible()


def test_a_chapter_leads_to_its_slides_and_back(page, home):
    page.goto(f"{home}book/transformer/scaling.html")
    page.get_by_role("link", name="Slides", exact=True).click()
    page.wait_for_url("**/slides/transformer/scaling.html*")
    page.get_by_role("link", name="Chapter", exact=True).click()
    page.wait_for_url("**/book/transformer/scaling.html")
