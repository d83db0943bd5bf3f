"""The built site in Firefox, and an assignment's file: alive, asks nobody, makes no error."""

import json

import pytest
from built_site import SITE
from firefox import Firefox, firefox, found
from page_gates import none

from attention_course.exercises import exercise_named
from attention_course.site.offline import offline_page

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
        "The model expects “egypt” next",
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
PUSH = """(() => {{
  const buttons = [...document.querySelectorAll(".ac-try-here button:not(:disabled)")];
  const button = buttons.find((one) => one.textContent === "{button}" && !one.hidden);
  button?.click();
  return Boolean(button);
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


def test_an_assignment_in_one_file_is_solved_checked_and_saved(browser_of_debian, tmp_path):
    fox, one, page = browser_of_debian, exercise_named("four-steps"), tmp_path / "work.html"
    sources = [f"{one.marker}\n{one.stub}", 'check(four_steps, "four-steps")']
    cells = [{"cell_type": "code", "source": source} for source in sources]
    page.write_text(offline_page(json.dumps({"cells": cells}), "work.ipynb"), "utf-8")
    fox.open(page.as_uri())
    fox.see("Boolean(document.querySelector('.ac-try-here')?.acSet)")
    output = "document.querySelector('.ac-try-output').textContent"
    for button, source, words in [
        ("Check", sources[0], "not written yet"),
        ("Check", one.source_of(one.wrong[0]), "of 6 properties hold"),
        ("Failing case", None, "expected weights"),
        ("Check", one.solution, "right on the public examples. All 6"),
    ]:
        if source:
            typed = source if source in sources else f"{one.marker}\n{source}"
            fox.see(
                f"(document.querySelector('.ac-try-here').acSet({json.dumps(typed)}), true)"
            )
        fox.see(PUSH.format(button=button))
        fox.see(f"{output}.includes({json.dumps(words)})")
    fox.see(PUSH.format(button="Save work.ipynb"))
    fox.see("document.querySelector('.ac-hand-in').textContent.includes('Saved')")
    saved = fox.saved("work.ipynb")
    assert [cell["source"] for cell in json.loads(saved)["cells"]] == [typed, sources[1]]
    none(complaints(fox, page.as_uri()))


@pytest.mark.gate("Firefox", "a foreign request, an error, nothing that comes alive")
def test_a_defect_is_noticed(browser_of_debian, home, tmp_path, monkeypatch):
    fox = browser_of_debian
    page = tmp_path / "page.html"
    script = "console.error('broken'); fetch('http://127.0.0.2:8099/x').catch(() => 0)"
    page.write_text(f"<!doctype html><title>A page</title><script>{script}</script>", "utf-8")
    fox.open(page.as_uri())
    monkeypatch.setattr("firefox.SECONDS", 1)
    with pytest.raises(AssertionError, match="nothing came of"):
        fox.see("document.querySelector('.ac-widget') !== null")
    found = "\n".join(complaints(fox, home))
    assert "error: broken" in found
    assert "asked for http://127.0.0.2:8099/x" in found
    with pytest.raises(AssertionError, match="lost"):
        fox.see("(() => { throw new Error('lost') })()")
