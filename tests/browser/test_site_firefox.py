"""The built site in Firefox: alive, asks nobody, makes no error."""

import pytest
from built_site import SITE
from firefox import Firefox, firefox, found
from page_gates import none

from attention_course.widgets import LivingSentence

pytestmark = [
    pytest.mark.browser,
    pytest.mark.thorough,
    pytest.mark.skipif(
        found() is None,
        reason="no Firefox here, and apt-get could not install firefox-esr: "
        "set FIREFOX to the path of one to run this",
    ),
]
# A button of a widget is pressed; then its text says so. Each widget computes in another way:
# with weights that are fetched, in workers, and in Python.
PRESSED = [
    ("book/index.html", "world-player", "Next ›", "Word 1, “l'”, looks most at “animal”"),
    ("book/recurrent/bahdanau.html", "live-training", "Step", "After 1 step from seed 0"),
    (
        "book/transformer/transformer-block.html",
        "living-sentence",
        "Let the model read it",
        f"The model expects “{LivingSentence().next_words(1)[0][0]}” next",
    ),
]
ALIVE = """(() => {{
  const place = document.querySelector(`[data-ac-key="{key}"]`);
  place.scrollIntoView();
  if (place.dataset.acState === "failed") throw new Error(place.textContent);
  return place.dataset.acState === "ready";
}})()"""
PRESS = """(() => {{
  const buttons = document.querySelectorAll(`[data-ac-key="{key}"] button`);
  const button = [...buttons].find((one) => one.textContent === "{button}");
  button.click();
  return true;
}})()"""
SAYS = """document.querySelector(`[data-ac-key="{key}"]`).textContent.includes("{words}")"""


@pytest.fixture(scope="module")
def browser_of_debian(tmp_path_factory):
    with firefox(found(), tmp_path_factory.mktemp("firefox")) as one:
        yield one


@pytest.fixture(params=["http", "disk"])
def where(request, home):
    """How the site's addresses begin."""
    return home if request.param == "http" else f"{SITE.as_uri()}/"


def complaints(fox: Firefox, where: str) -> list[str]:
    """What the page said in the console, and what it asked of others."""
    own = (where, "data:", "blob:", "about:")
    return [*fox.said, *(f"asked for {u}" for u in fox.asked if not u.startswith(own))]


@pytest.mark.parametrize(("page", "key", "button", "words"), PRESSED)
def test_a_widget_comes_alive_and_does_what_its_button_says(
    browser_of_debian, where, page, key, button, words
):
    fox = browser_of_debian
    fox.open(where + page)
    fox.see(ALIVE.format(key=key))
    assert fox.see(f"!{SAYS.format(key=key, words=words)}")
    fox.see(PRESS.format(key=key, button=button))
    fox.see(SAYS.format(key=key, words=words))
    none(complaints(fox, where))


def test_an_exercise_is_tried_on_its_page(browser_of_debian, where):
    fox = browser_of_debian
    fox.open(f"{where}book/why/attention-by-hand.html")
    fox.see("(document.querySelector('.ac-try-open button').click(), true)")
    fox.see("Boolean(document.querySelector('.ac-try-here')?.acSet)")
    fox.see("(document.querySelector('.ac-try-here').acSet('print(1)'), true)")
    run = "[...document.querySelectorAll('.ac-try-here button')]"
    fox.see(f"({run}.find((one) => one.textContent === 'Run').click(), true)")
    assert fox.see("document.querySelector('.ac-try-output').textContent") == "1\n"
    none(complaints(fox, where))
