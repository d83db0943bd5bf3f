"""The player in Chromium, opened from disk: it asks, plays, and each scissor cuts."""

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
from attention_course.widgets import WorldPlayer
from attention_course.widgets.world_player.translate import LONGEST

pytestmark = pytest.mark.browser
SHOWN = """(place) => Object.fromEntries([...place.querySelectorAll("[data-readout]")]
    .map((e) => [e.dataset.readout, Number(e.dataset.value)]))"""
STATE = "(place, names) => Object.fromEntries(names.map((n) => [n, place.acModel.get(n)]))"
SET = """(place, state) => {
  for (const [name, value] of Object.entries(state)) place.acModel.set(name, value);
}"""

CAT = {"sentence": "the cat eats a cake"}
# Of 21 words; local-m writes 25 and an end mark.
PAST_ITS_END = (
    "the lawyers read their letter and a friend sat on the chairs "
    "and the cat ran to the river bank"
)
GIVEN = {"models": ["fixed", "attention", "transformer", "transformer_2"]}
CUTTABLE = ["attention", "transformer_2"]

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
        kind=WorldPlayer,
        given=(),
        **state,
    ):
        if kind is WorldPlayer:
            state, given = CAT | state, given or GIVEN
        widget = kind(**state | dict(given))
        names = [*widget._state, "key", "initial"]
        names += [*(["compact"] if "compact" in state else []), *given]
        own = {n: getattr(widget, n) for n in names} | {"fallback": widget.fallback or "still"}
        stored = {"p": {"state": own | kind.fixed()}}
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
            f"<main><h1>A player</h1>{place_html('p', stored)}</main>"
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
    return place.evaluate(STATE, [*WorldPlayer._state, "models"])


def truthful(place):
    """Whether the page shows what NumPy computes for its state."""
    settled(place)
    wanted = WorldPlayer(**state_of(place)).readouts()
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return wanted


def files(page):
    """What the page asked for but for the widget's code, all of it from its own folder."""
    urls = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
    urls = [url for url in urls if "/widgets/" not in url]
    assert all(url.startswith("file:") for url in urls)
    return [url.split("/")[-1] for url in urls]


def french(place):
    settled(place)
    return place.locator("[data-target]").all_text_contents()


def press(place, name):
    place.get_by_role("button", name=name, exact=True).click()
    settled(place)


@pytest.mark.parametrize("model", CUTTABLE)
def test_nothing_is_asked_for_before_the_reader_asks(show, model):
    place = show(model=model)
    page = place.page
    assert files(page) == ["player.html", "widget-host.js"]
    assert french(place) == []
    for _ in range(2):
        press(place, "Next ›")
    asked = [f"world_{model}.js", "world_fixed.js", "world.js"]
    assert sorted(files(page)[2:]) == sorted(asked)
    assert french(place) == ["le", "chat"]
    truthful(place)


@pytest.mark.parametrize("model", CUTTABLE)
def test_what_is_shown_is_what_numpy_computes(show, model):
    place = show(model=model)
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
    assert 0 < state_of(place)["step"] < 7
    place.get_by_label("Speed").select_option("4 ×")
    press(place, "Play")
    expect(place.locator("[data-target]").last).to_have_text("(end)")
    expect(place.get_by_role("button", name="Play", exact=True)).to_be_visible()
    assert " ".join(french(place)) == "le chat mange un gâteau . (end)"


@pytest.mark.parametrize("choose", ["Reset", "from Python"])
def test_what_is_chosen_while_it_plays_ends_playing(show, choose):
    place = show(step=1)
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
    assert french(place) == ["le"]


def test_a_focused_word_keeps_its_lines(show):
    place = show(step=LONGEST)
    assert place.locator(".ac-sp-own").count() == 0
    place.locator("[data-target='1']").focus()
    settled(place)
    assert place.locator(".ac-sp-own").count() > 0
    row = [truthful(place)[f"weight-1-{j}"] for j in range(6)]
    top = ("the", "cat", "eats", "a", "cake", ".")[row.index(max(row))]
    told = f"Word 2, “chat”, looks most at “{top}”: {max(row):.2f}"
    assert told in place.locator(".ac-readout").text_content()


CUTS = [
    ("attention", {"moves": [[1, 0]]}),
    ("attention", {"forbidden": [2]}),
    ("attention", {"uniform": True}),
    ("attention", {"backward": False}),
    ("attention", {"forbidden": [0, 1, 2, 3, 4, 5]}),
    ("transformer_2", {"moves": [[1, 0]]}),
    ("transformer_2", {"forbidden": [2]}),
    ("transformer_2", {"uniform": True}),
    ("transformer_2", {"positions": False}),
    *(("transformer_2", {"silent": [h]}) for h in (0, 3)),
    ("transformer_2", {"silent": [1], "blade": "other"}),
    ("attention", {"backward": False, "blade": "mean"}),
]


@pytest.mark.parametrize(("model", "cut"), CUTS, ids=str)
def test_python_sets_a_cut_and_the_page_obeys(show, model, cut):
    place = show(step=LONGEST, model=model)
    before = truthful(place)
    place.evaluate(SET, cut)
    assert truthful(place) != before
    uncut = place.locator(".ac-sp-line-of-text:visible").first.text_content()
    assert uncut == "Without cuts: le chat mange un gâteau ."
    press(place, "Undo all cuts")
    assert truthful(place) == before
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


BY_HAND = [
    ("attention", "Look at all words alike", {"uniform": True}),
    ("attention", "Switch off the backward reader", {"backward": False}),
    ("transformer_2", "Take the positions away", {"positions": False}),
    ("transformer_2", "Silence head 1 of layer 2", {"silent": [4]}),
]


@pytest.mark.parametrize(("model", "label", "cut"), BY_HAND, ids=str)
def test_a_box_cuts(show, model, label, cut):
    place = show(step=LONGEST, model=model)
    place.get_by_label(label).press("Space")
    settled(place)
    assert cut.items() <= state_of(place).items()
    truthful(place)


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("attention", "Switch off the backward reader"),
        ("transformer_2", "Silence head 1 of layer 1"),
    ],
)
def test_what_is_silenced_is_cut_by_the_blade_that_is_clicked(show, model, label):
    place = show(step=LONGEST, model=model)
    place.get_by_label(label).check()
    found = []
    for blade, text in (
        ("zero", "nothing"),
        ("mean", "its mean"),
        ("other", "another sentence’s"),
    ):
        place.get_by_role("radio", name=text, exact=True).check()
        found.append(truthful(place))
        assert state_of(place)["blade"] == blade
        assert f"({text} in its place)" in place.locator(".ac-readout").text_content()
    assert found[0] != found[1] != found[2] != found[0]
    press(place, "Undo all cuts")
    assert state_of(place)["blade"] == "other"


def test_only_what_a_model_has_is_there_to_be_cut(show):
    place = show(step=1)
    silence = place.get_by_label("Silence head")
    for name, heads, reader, blades in (
        ("Bahdanau", 0, 1, 3),
        ("Transformer", 4, 0, 3),
        ("Transformer (2)", 8, 0, 3),
        ("fixed vector", 0, 0, 0),
    ):
        place.get_by_role("radio", name=name, exact=True).check()
        settled(place)
        assert silence.locator("visible=true").count() == heads
        readers = place.get_by_label("Switch off the backward reader")
        assert readers.locator("visible=true").count() == reader
        replaced = place.get_by_role("group", name="In place of what is silenced")
        assert replaced.get_by_role("radio").locator("visible=true").count() == blades
        truthful(place)


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
    gaze = place.get_by_label("Word 2, “chat”, looks at")
    gaze.press("ArrowDown")
    settled(place)
    assert state_of(place)["moves"] == [[1, 0]]
    assert truthful(place)["weight-1-0"] == 1
    place.locator("select:visible").last.press("ArrowUp")
    settled(place)
    assert state_of(place)["moves"] == []


def test_a_gaze_is_moved_by_dragging_and_what_follows_follows(show):
    place = show(step=LONGEST)
    before = french(place)
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
    after = french(place)
    assert after[0] == before[0]
    assert after[1] != before[1]
    said = place.locator(".ac-readout").text_content()
    assert f"word 2 is “{after[1]}”, instead of “chat”" in said
    mouse.move(0, 0)
    press(place, "Undo all cuts")
    assert place.locator(".ac-sp-own, .ac-sp-at").count() == 0


def test_words_that_a_cut_has_only_shifted_are_not_marked(show):
    place = show(step=LONGEST, moves=[[2, 1]])
    assert " ".join(french(place)) == "le chat chat mange un gâteau . (end)"
    assert place.locator(".ac-sp-other").all_text_contents() == ["chat"]
    assert "no other word is new" in place.locator(".ac-readout").text_content()


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ({"uniform": True}, "looks alike at all 6 words: 0.17"),
        ({"uniform": True, "forbidden": [1]}, "looks alike at the 5 words that are left: 0.20"),
        (
            {"forbidden": [0, 1, 2, 3, 4, 5]},
            "Every source word is forbidden: attention brings nothing",
        ),
        (
            {"model": "local_m", "forbidden": [0, 1, 2, 3, 4], "chosen": 1},
            "The words that are left lie outside the window: attention brings nothing",
        ),
        (
            {"model": "local_m", "sentence": PAST_ITS_END},
            "“(end)”, looks at nothing. The window lies past the end of the sentence",
        ),
    ],
)
def test_equal_weights_and_none_are_said_in_words(show, cut, words):
    place = show(step=LONGEST, **cut)
    said = place.locator(".ac-readout").text_content()
    assert words in said
    assert "looks most" not in said
    assert "0 of 0" not in said


def test_what_finds_no_end_is_shown_to_where_it_was_cut_off(show):
    long = "the animal did not cross the street because it was too wide"
    place = show(step=LONGEST, sentence=long, backward=False, blade="other")
    truthful(place)
    words = french(place)
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
        "English: the cat eats a cake The translator that looks back writes"
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
@pytest.mark.parametrize("model", CUTTABLE)
def test_nothing_sticks_out_on_a_phone(show, model, theme):
    long = WorldPlayer().sentence
    place = show(width=360, theme=theme, step=LONGEST, sentence=long, model=model)
    truthful(place)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= 360
