"""The sentence player in Chromium, opened from disk: it asks, plays, and each scissor cuts."""

import shutil

import pytest
from frames import settled
from playwright.sync_api import expect

from attention_course.site.assets import MODELS, SITE, write_models
from attention_course.site.widget_state import (
    compact,
    place_html,
    sources,
    state_script,
    write_sources,
)
from attention_course.widgets import SentencePlayer
from attention_course.widgets.sentence_player.translate import LONGEST

pytestmark = pytest.mark.browser
SHOWN = """(place) => Object.fromEntries([...place.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]))"""
STATE = "(place, names) => Object.fromEntries(names.map((n) => [n, place.acModel.get(n)]))"
SET = """(place, state) => {
  for (const [name, value] of Object.entries(state)) place.acModel.set(name, value);
}"""

# What may stand in a file of weights: a script that was cut short, nothing of use, no model.
DAMAGED = ["(((globalThis.acModels ??= {}).", "1", "(globalThis.acModels ??= {}).NAME = 'AAAA'"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with what a page loads: the host and the models beside it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(SITE / "static" / "widget-host.js", folder)
    for names in MODELS.values():
        write_models(folder / "models", names)
    return folder


@pytest.fixture
def show(browser, site):
    """Opens a player, or another widget; gives its place, and what the page asked for."""
    contexts = []

    def open_player(
        width=1000,
        theme="light",
        models=True,
        motion=None,
        kind=SentencePlayer,
        answer=False,
        given=(),
        **state,
    ):
        widget = kind(**state | dict(given))
        names = [*widget._state, "key", "initial"]
        names += [name for name in ("asked", "compact") if name in state] + [*given]
        own = {n: getattr(widget, n) for n in names} | {"fallback": widget.fallback or "still"}
        stored = {"p": {"state": own | kind.fixed()}}
        below = '<details class="ac-answer"></details>' if answer else ""
        host = "widget-host.js" if models is True else "elsewhere/widget-host.js"
        shutil.rmtree(site / "elsewhere", ignore_errors=True)
        (site / "elsewhere" / "models").mkdir(parents=True)
        shutil.copy(site / "widget-host.js", site / "elsewhere")
        for folder in (site, site / "elsewhere"):
            write_sources(folder / "widgets", sources(stored))
        if isinstance(models, str):  # the content of each file of weights
            for name in (site / "models").iterdir():
                script = models.replace("NAME", name.stem)
                (site / "elsewhere" / "models" / name.name).write_text(script, "utf-8")
        ink, paper = ("#e9e7e2", "#14181e") if theme == "dark" else ("#1d1d1b", "#ffffff")
        file = site / "player.html"
        file.write_text(
            f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width"><title>A player</title>'
            f'<link rel="icon" href="data:,"><body style="color:{ink};background:{paper}">'
            f"<main><h1>A player</h1>{place_html('p', stored)}{below}</main>"
            f'{state_script(compact(stored))}<script src="{host}"></script></body></html>',
            "utf-8",
        )
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            has_touch=width < 500,
            reduced_motion=motion,
        )
        page = context.new_page()
        page.set_default_timeout(30_000)
        said = []
        page.on("pageerror", lambda error: said.append(f"{error.name}: {error}"))
        page.said = said
        contexts.append((context, said))
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(file.as_uri())
        place = page.locator(".ac-widget")
        page.wait_for_function("document.querySelector('.ac-readout')?.textContent")
        settled(place)
        return place

    yield open_player
    for context, said in contexts:
        context.close()
        assert said == []


def state_of(place):
    return place.evaluate(STATE, [*SentencePlayer._state])


def truthful(place):
    """Whether the page shows what NumPy computes for its state."""
    settled(place)
    wanted = SentencePlayer(**state_of(place)).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return wanted


def files(page):
    """What the page asked for but for the widget's code, all of it from its own folder."""
    urls = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
    urls = [url for url in urls if "/widgets/" not in url]
    assert all(url.startswith("file:") for url in urls)
    return [url.split("/")[-1] for url in urls]


def english(place):
    settled(place)
    return place.locator("[data-target]").all_text_contents()


def press(place, name):
    place.get_by_role("button", name=name, exact=True).click()
    settled(place)


@pytest.mark.parametrize("model", ["attention", "transformer"])
def test_nothing_is_asked_for_before_the_reader_asks(show, model):
    place = show(model=model)
    page = place.page
    assert files(page) == ["player.html", "widget-host.js"]
    assert english(place) == []
    for _ in range(2):
        press(place, "Next ›")
    assert sorted(files(page)[2:]) == sorted([f"{model}.js", "fixed.js"])
    assert english(place) == ["i", "love"] == [w for w in english(place) if w]
    truthful(place)


@pytest.mark.parametrize("sentence", ["Je vous aime.", "La robe est une pizza"])
@pytest.mark.parametrize("model", ["attention", "transformer"])
def test_what_is_shown_is_what_numpy_computes(show, model, sentence):
    place = show(model=model, sentence=sentence)
    press(place, "To the end")
    assert len(truthful(place)) > 20
    press(place, "‹ Back")
    truthful(place)
    place.evaluate(SET, {"head": 2})
    truthful(place)


def test_it_plays_pauses_and_plays_to_the_end(show):
    place = show()
    press(place, "Play")
    expect(place.locator("[data-target]").nth(1)).to_be_visible()
    press(place, "Pause")
    assert 0 < state_of(place)["step"] < 5
    place.get_by_label("Speed").select_option("4 ×")
    press(place, "Play")
    expect(place.locator("[data-target]").last).to_have_text("(end)")
    expect(place.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert english(place) == ["i", "love", "you", ".", "(end)"]


@pytest.mark.parametrize("choose", ["Reset", "from Python"])
def test_what_is_chosen_while_it_plays_ends_playing(show, choose):
    place = show(sentence="je vous aime .", step=1)
    place.get_by_role("button", name="Play").press("Enter")
    expect(place.get_by_role("button", name="Pause")).to_be_visible()
    if choose == "Reset":
        place.get_by_role("button", name="Reset").press("Enter")
    else:
        place.evaluate(SET, {"step": 7})
    settled(place)
    assert place.get_by_role("button", name="Pause").count() == 0


def test_who_wants_no_motion_goes_by_hand(show):
    place = show(motion="reduce")
    assert place.get_by_role("button", name="Play", exact=True).count() == 0
    expect(place.get_by_text("there is no Play: press Next")).to_be_visible()
    press(place, "Next ›")
    assert english(place) == ["i"]


def test_a_focused_word_keeps_its_lines(show):
    place = show(step=LONGEST)
    assert place.locator(".ac-sp-own").count() == 0
    place.locator("[data-target='1']").focus()
    settled(place)
    assert place.locator(".ac-sp-own").count() > 0
    row = [truthful(place)[f"weight-1-{j}"] for j in range(4)]
    top = ("je", "vous", "aime", ".")[row.index(max(row))]
    told = f"Word 2, “love”, looks most at “{top}”: {max(row):.2f}"
    assert told in place.locator(".ac-readout").text_content()


CUTS = [
    ("attention", {"moves": [[1, 0]]}),
    ("attention", {"forbidden": [2]}),
    ("attention", {"uniform": True}),
    ("attention", {"backward": False}),
    ("attention", {"forbidden": [0, 1, 2, 3]}),
    ("transformer", {"moves": [[1, 0]]}),
    ("transformer", {"forbidden": [2]}),
    ("transformer", {"uniform": True}),
    ("transformer", {"positions": False}),
    *(("transformer", {"silent": [h]}) for h in (0, 3, 7)),
    ("transformer", {"silent": [4], "blade": "other"}),
    ("attention", {"backward": False, "blade": "mean"}),
]


@pytest.mark.parametrize(("model", "cut"), CUTS, ids=str)
def test_python_sets_a_cut_and_the_page_obeys(show, model, cut):
    place = show(model=model, step=LONGEST)
    before = truthful(place)
    place.evaluate(SET, cut)
    assert truthful(place) != before
    uncut = place.locator(".ac-sp-line-of-text").first.text_content()
    assert uncut == "Without cuts: i love you ."
    press(place, "Undo all cuts")
    assert truthful(place) == before
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


BY_HAND = [
    ("attention", "Look at all words alike", {"uniform": True}),
    ("attention", "Switch off the backward reader", {"backward": False}),
    ("transformer", "Take the positions away", {"positions": False}),
    ("transformer", "Silence head 1 of layer 2", {"silent": [4]}),
]


@pytest.mark.parametrize(("model", "label", "cut"), BY_HAND, ids=str)
def test_a_box_cuts(show, model, label, cut):
    place = show(model=model, step=LONGEST)
    place.get_by_label(label).press("Space")
    settled(place)
    assert cut.items() <= state_of(place).items()
    truthful(place)


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("attention", "Switch off the backward reader"),
        ("transformer", "Silence head 1 of layer 2"),
    ],
)
def test_what_is_silenced_is_cut_by_the_blade_that_is_clicked(show, model, label):
    place = show(model=model, step=LONGEST)
    place.get_by_label(label).check()
    for blade, text in (
        ("zero", "nothing"),
        ("mean", "its mean"),
        ("other", "another verse’s"),
    ):
        place.get_by_role("radio", name=text, exact=True).check()
        numbers = truthful(place)
        assert state_of(place)["blade"] == blade
        cost = "bleu-backward" if model == "attention" else "bleu-silent-4"
        assert f"{cost}-{blade}".removesuffix("-zero") in numbers
        assert f"({text} in its place)" in place.locator(".ac-readout").text_content()
    press(place, "Undo all cuts")
    assert state_of(place)["blade"] == "other"


def test_a_word_is_forbidden_by_keyboard(show):
    place = show(step=LONGEST)
    place.locator("[data-source='2']").press("Enter")
    assert state_of(place)["forbidden"] == [2]
    numbers = truthful(place)
    assert all(
        w == 0
        for name, w in numbers.items()
        if name.startswith("weight-") and name.endswith("-2")
    )
    assert place.locator("[data-source='2']").get_attribute("aria-pressed") == "true"


def test_a_gaze_is_moved_by_keyboard_and_let_go(show):
    place = show(step=LONGEST)
    place.locator("[data-target='1']").press("Enter")
    gaze = place.get_by_label("Word 2, “love”, looks at")
    gaze.press("ArrowDown")
    settled(place)
    assert state_of(place)["moves"] == [[1, 0]]
    assert truthful(place)["weight-1-0"] == 1
    place.locator("select:visible").last.press("ArrowUp")
    settled(place)
    assert state_of(place)["moves"] == []


def test_a_gaze_is_moved_by_dragging_and_what_follows_follows(show):
    place = show(step=LONGEST)
    before = english(place)
    source, target = (
        place.locator(s).bounding_box() for s in ("[data-source='0']", "[data-target='1']")
    )
    mouse = place.page.mouse
    mouse.move(target["x"] + 8, target["y"] + 8)
    mouse.down()
    mouse.move(source["x"] + 8, source["y"] + 8, steps=8)
    mouse.up()
    settled(place)
    assert state_of(place)["moves"] == [[1, 0]]
    truthful(place)
    after = english(place)
    assert after[0] == before[0]
    assert after[1] != before[1]
    said = place.locator(".ac-readout").text_content()
    assert f"word 2 is “{after[1]}”, instead of “love”" in said
    mouse.move(0, 0)
    press(place, "Undo all cuts")
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


def test_words_that_a_cut_has_only_shifted_are_not_marked(show):
    place = show(step=LONGEST, moves=[[1, 0]])
    assert english(place) == ["i", "have", "loved", "you", ".", "(end)"]
    assert place.locator(".ac-sp-other").all_text_contents() == ["have", "loved"]
    assert "2 of its 5 words are new" in place.locator(".ac-readout").text_content()


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ({"uniform": True}, "looks alike at all 4 words: 0.25"),
        ({"uniform": True, "forbidden": [1]}, "looks alike at the 3 words that are left: 0.33"),
        (
            {"forbidden": [0, 1, 2, 3]},
            "Every source word is forbidden: attention brings nothing",
        ),
    ],
)
def test_equal_weights_and_none_are_said_in_words(show, cut, words):
    place = show(step=LONGEST, **cut)
    said = place.locator(".ac-readout").text_content()
    assert words in said
    assert "looks most" not in said
    assert "0 of 0" not in said


def test_what_a_cut_costs_waits_for_the_answer_of_the_page(show):
    """A page that asks for it below, as predictions.js closes its answer."""
    place = show(step=LONGEST, asked=True, answer=True, uniform=True)
    costs, waits = (
        place.get_by_text("test verses: "),
        place.get_by_text("once you have"),
    )
    expect(costs).to_be_hidden()
    expect(waits).to_be_visible()
    truthful(place)
    place.page.evaluate("document.querySelector('.ac-answer').open = true")
    expect(costs).to_be_visible()
    expect(waits).to_be_hidden()
    place.page.evaluate("document.querySelector('.ac-answer').open = false")
    expect(costs).to_be_hidden()
    press(place, "Undo all cuts")
    expect(waits).to_be_hidden()


@pytest.mark.parametrize("given", [{}, {"answer": True}, {"asked": True}], ids=str)
def test_where_nobody_asks_a_cut_tells_its_cost(show, given):
    place = show(step=LONGEST, uniform=True, **given)
    expect(place.get_by_text("test verses: ")).to_be_visible()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  ", "no word in the sentence"),
        ("et " * 61, "61 words and marks; the model takes at most 60"),
    ],
)
def test_a_sentence_that_cannot_be_translated_is_said_so_and_the_old_one_stays(
    show, text, words
):
    place = show()
    field = place.get_by_label("Your French sentence")
    field.fill(text)
    field.press("Enter")
    assert words in place.locator(".ac-sp-wide .ac-hint").first.text_content()
    assert state_of(place)["sentence"] == "Je vous aime."


def test_words_that_it_knows_are_offered_while_one_is_typed(show):
    place = show()
    field = place.get_by_label("Your French sentence")
    offers = place.locator("datalist option")
    field.fill("")
    field.press_sequentially("Le roi env")
    settled(place)  # the words come with the model
    field.press_sequentially("oy")
    expect(offers.first).to_be_attached()
    offered = [option.get_attribute("value") for option in offers.all()]
    assert "Le roi envoya" in offered
    assert len(offered) <= 8
    assert all(text.startswith("Le roi envoy") for text in offered)
    field.press_sequentially("xq")
    expect(offers).to_have_count(0)
    assert state_of(place)["sentence"] == "Je vous aime."


def test_another_sentence_starts_anew_and_unknown_words_are_told(show):
    place = show(step=LONGEST, moves=[[1, 0]], forbidden=[2])
    field = place.get_by_label("Your French sentence")
    field.fill("the zebra eats pizza")
    field.press("Enter")
    settled(place)
    state = state_of(place)
    assert (state["step"], state["moves"], state["forbidden"]) == (0, [], [])
    press(place, "Next ›")
    said = place.locator(".ac-readout").text_content()
    assert "“zebra”" in said
    assert "from Bible verses, and from nothing else" in said
    assert place.locator(".ac-sp-unknown").count() >= 3


def test_what_finds_no_end_is_shown_to_where_it_was_cut_off(show):
    place = show(model="transformer", step=LONGEST, uniform=True, sentence="Où est ta mère ?")
    truthful(place)
    words = english(place)
    assert len(words) == LONGEST or words[-1] == "(end)"
    cut_off = f"cut off after {LONGEST} words" in place.locator(".ac-readout").text_content()
    assert cut_off == (words[-1] != "(end)")


def test_a_page_without_the_weights_says_so(show):
    place = show(models=False)
    press(place, "Next ›")
    error = place.locator("[role=alert]:visible")
    assert "does not lie beside this page" in error.text_content()
    recorded = place.locator(".ac-recorded")
    expect(recorded).to_contain_text(
        "French: Je vous aime. The translator that looks back writes"
    )
    expect(recorded).to_be_visible()


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_weights_are_said_so_at_once_beside_the_recorded_run(show, content):
    place = show(models=content)
    expect(place.locator(".ac-recorded")).to_be_hidden()
    press(place, "Next ›")
    assert "or its file is damaged" in place.locator("[role=alert]:visible").text_content()
    expect(place.locator(".ac-recorded")).to_be_visible()
    assert ("SyntaxError" in str(place.page.said)) == content.startswith("(((")
    place.page.said.clear()
    press(place, "Reset")
    expect(place.locator(".ac-recorded")).to_be_hidden()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("model", ["attention", "transformer"])
def test_nothing_sticks_out_on_a_phone(show, model, theme):
    long = "Le roi envoya ses serviteurs chercher du pain et du vin."
    place = show(width=360, theme=theme, model=model, step=LONGEST, sentence=long)
    truthful(place)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= 360
