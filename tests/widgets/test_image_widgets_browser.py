"""The image asker and the image looker in Chromium: they wait, say what is wrong, are cut."""

import os

import pytest
from opened import (
    DAMAGED,
    SHOWN,
    STATE,
    files,
    press,
    settled,
    show,
    site,
)
from playwright.sync_api import expect

from attention_course.widgets import ImageAsker, ImageLooker, PictureTeller

pytestmark = pytest.mark.browser
__all__ = ["show", "site"]  # fixtures
ALIVE = {"kind": ImageAsker, "loaded": True}


def truthful(place, kind=ImageAsker):
    """Whether the page shows what its script says of the state in Node."""
    settled(place)
    widget = kind(**place.evaluate(STATE, [*kind._state]))
    wanted = widget.described(widget.stored())["readouts"]
    assert place.evaluate(SHOWN) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    return wanted


def said(place):
    settled(place)
    return place.locator(".ac-readout").text_content()


def look(place, which):
    return place.get_by_role("group", name=f"The {which} look")


def ask(place, question):
    place.get_by_label("Question").fill(question)
    place.get_by_label("Question").press("Enter")


@pytest.mark.parametrize(
    ("kind", "file", "name"),
    [
        (ImageAsker, "asker.js", "about 80 kB"),
        (ImageLooker, "images.js", "about 70 kB"),
        (PictureTeller, "captions_soft.js", "about 120 kB"),
    ],
)
def test_nothing_is_asked_for_before_the_reader_asks(show, kind, file, name):
    place = show(kind)
    assert files(place.page) == ["player.html", "widget-host.js"]
    assert "Nothing is loaded" in said(place)
    press(place, f"Load the trained model ({name})")
    assert files(place.page)[2:] == [file]
    assert len(truthful(place, kind)) > 20


def test_a_word_is_changed_and_each_look_is_forced(show):
    place = show(**ALIVE)
    assert said(place).startswith("The model says sneaker")
    ask(place, "What is right of the bag?")
    assert said(place).startswith("The model says trousers")
    truthful(place)
    ask(place, "What is left of the bag?")
    place_of_trousers = look(place, "first").get_by_role("button", name="middle right")
    place_of_trousers.click()
    expect(place_of_trousers).to_have_attribute("aria-pressed", "true")
    assert "You force the first look onto middle right (trousers)." in said(place)
    assert said(place).endswith("Left alone, it says sneaker.")
    truthful(place)
    place_of_trousers.click()
    look(place, "second").get_by_role("button", name="centre").click()
    assert "You force the second look onto centre (bag)." in said(place)
    truthful(place)


def test_a_look_is_forced_and_a_garment_laid_down_by_keyboard(show):
    place = show(**ALIVE)
    first = look(place, "first").get_by_role("button").first
    first.focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown", "Space"):
        place.page.keyboard.press(key)
    settled(place)
    assert place.evaluate(STATE, ["first"]) == {"first": 5}
    place.get_by_label("A press on the picture puts").select_option("dress")
    place.get_by_role("group", name="The picture").get_by_role("button").first.focus()
    place.page.keyboard.press("Space")
    assert "In training there were always five garments" in said(place)
    assert place.evaluate(STATE, ["contents"])["contents"][0] == 2
    truthful(place)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is left of the hat?", "never taught the word “hat”"),
        ("Bag?", "three things"),
        ("", "three things"),
    ],
)
def test_a_question_that_cannot_be_read_is_said_so(show, question, words):
    place = show(**ALIVE)
    ask(place, question)
    assert words in said(place)
    assert truthful(place) == {}
    place.get_by_label("Examples").select_option("Is there a dress?")
    assert said(place).startswith("The model says no")
    truthful(place)


def test_an_empty_picture_is_said_to_be_so(show):
    place = show(contents=[8] * 9, **ALIVE)
    assert said(place).startswith("The picture is empty")
    assert truthful(place) == {}


def test_a_page_without_the_parameters_says_so(show):
    place = show(models=False, **ALIVE)
    assert "does not lie beside this page" in place.locator(".ac-error").text_content()


@pytest.mark.parametrize("content", DAMAGED)
def test_damaged_parameters_are_said_so(show, content):
    place = show(models=content, **ALIVE)
    assert "or its file is damaged" in place.locator(".ac-error").text_content()
    place.page.said.clear()


def test_a_caption_is_told_and_its_looks_are_turned_by_mouse_and_keyboard(show):
    place = show(kind=PictureTeller, loaded=True)
    assert said(place).startswith(
        "It writes “the big pullover is red and the small bag is blue.” Every word is right."
    )
    grid = place.get_by_role("group", name="The picture, 7 rows of 14 cells")
    bag = grid.get_by_role("button", name="right garment").nth(3)
    bag.click()
    assert "“red” in the place of “blue”" in said(place)
    expect(bag).to_have_attribute("aria-pressed", "true")
    truthful(place, PictureTeller)
    place.get_by_role("radio", name="hard").check()
    assert said(place).startswith("It writes “the big dress is red")
    truthful(place, PictureTeller)
    place.get_by_role("button", name="Let all looks go").click()
    place.get_by_role("button", name="word 3: dress").click()
    assert "Before “dress” it looks" in said(place)
    grid.get_by_role("button").first.focus()
    for key in ("ArrowDown", "ArrowRight", "Space"):
        place.page.keyboard.press(key)
    settled(place)
    assert place.evaluate(STATE, ["turned"]) == {"turned": [0, 0, 16]}
    for side, sort, word in (("left", "garment", "trousers"), ("right", "colour", "white")):
        group = place.get_by_role("group", name=f"{side} garment")
        group.get_by_label(sort, exact=True).select_option(word)
    assert place.evaluate(STATE, ["left", "right"]) == {
        "left": "big red trousers", "right": "small white bag"
    }  # fmt: skip
    truthful(place, PictureTeller)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_a_caption_fits_a_phone(show, width, theme):
    place = show(
        kind=PictureTeller, width=width, theme=theme, loaded=True, turned=[0] * 4 + [53]
    )
    truthful(place, PictureTeller)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= width
    cell = place.locator(".ac-look-cell").first.bounding_box()
    assert min(cell["width"], cell["height"]) >= 20
    if folder := os.environ.get("SCREENSHOTS"):
        place.screenshot(path=f"{folder}/teller-{width}-{theme}.png")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_nothing_sticks_out_and_pictures_are_large_enough(show, width, theme):
    place = show(width=width, theme=theme, first=6, **ALIVE)
    truthful(place)
    assert place.page.evaluate("document.documentElement.scrollWidth") <= width
    frames = place.locator(".ac-look-frame")
    sizes = [frames.nth(i).bounding_box()["width"] for i in range(frames.count())]
    assert len(sizes) == 3
    assert min(sizes) >= 160
    if folder := os.environ.get("SCREENSHOTS"):
        place.screenshot(path=f"{folder}/asker-{width}-{theme}.png")


def test_the_looker_moves_covers_swaps_and_silences(show):
    place = show(ImageLooker, loaded=True)
    grid = place.get_by_role("group", name="The picture, 7 by 7")
    box = grid.bounding_box()
    place.page.mouse.move(box["x"] + 10, box["y"] + 10)
    place.page.mouse.down()
    place.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    place.page.mouse.up()
    assert "With 1 patch covered" in said(place)
    assert place.evaluate(STATE, ["covered"]) == {"covered": [24]}
    place.page.keyboard.press("ArrowRight")
    place.get_by_label("A press on a patch").select_option("swaps two patches")
    for n in (0, 30):
        grid.get_by_role("button").nth(n).click()
    place.get_by_label("layer 1, head 1").check()
    assert "two patches swapped" in said(place)
    truthful(place, ImageLooker)


def test_who_chooses_a_drawing_draws(show):
    place = show(ImageLooker, loaded=True, covered=[3])
    tool = place.get_by_label("A press on a patch")
    grid = place.get_by_role("group", name="The picture, 7 by 7")
    place.get_by_label("Picture", exact=True).select_option("my own drawing")
    assert "Nothing is drawn yet" in said(place)
    box = grid.bounding_box()
    place.page.mouse.move(box["x"] + 40, box["y"] + 40)
    place.page.mouse.down()
    place.page.mouse.move(box["x"] + 100, box["y"] + 100)
    place.page.mouse.up()
    assert said(place).startswith("The model says")
    drawn = place.evaluate(STATE, ["drawn", "covered"])
    assert (len(drawn["drawn"]) >= 4, drawn["covered"]) == (True, [])
    place.get_by_label("Picture", exact=True).select_option("bag")
    assert tool.evaluate("tool => tool.selectedOptions[0].text") == "moves a cover"
    assert place.evaluate(STATE, ["drawn"]) == {"drawn": drawn["drawn"]}
    truthful(place, ImageLooker)


def test_what_is_covered_and_silenced_is_cut_by_the_blade_that_is_clicked(show):
    place = show(ImageLooker, loaded=True, picture=8)
    place.get_by_label("A press on a patch").select_option("covers, or uncovers")
    place.get_by_role("button", name="row 4, column 4").click()
    place.get_by_label("layer 1, head 1").check()
    seen = []
    for text in ("nothing", "the mean", "the next picture’s"):
        place.get_by_role("radio", name=text, exact=True).check()
        seen.append(truthful(place, ImageLooker)["chance-8"])
        told = said(place)
        assert f"With 1 patch covered and 1 head silent ({text}" in told
        assert "instead). Untouched it says" in told
    assert len({*seen}) == 3


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (360, "dark")])
def test_two_garments_are_asked_about_and_a_look_is_turned(show, width, theme):
    coats = {"left": "big red coat", "right": "small blue coat"}
    place = show(
        kind=PictureTeller, width=width, theme=theme, task="questions", loaded=True, **coats
    )
    assert said(place).startswith("It answers “blue”")
    truthful(place, PictureTeller)
    place.get_by_role("button", name="first look").click()
    place.get_by_role("button", name="left garment").nth(9).click()
    assert "It answers “yes”" in said(place)
    assert said(place).endswith("With its own looks it answers “blue”.")
    truthful(place, PictureTeller)
    ask(place, "is the hat red ?")
    assert "never taught the word “hat”" in said(place)
    assert truthful(place, PictureTeller) == {}
    ask(place, "is the blue coat big ?")
    truthful(place, PictureTeller)
    assert place.evaluate("e => e.scrollWidth <= e.clientWidth")
