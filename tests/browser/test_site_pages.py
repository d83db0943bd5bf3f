"""Every page of the built site, on a phone and a desk, in light and dark: nothing is amiss.

It is loaded once for each width, and all that is seen then is looked at.
"""

import json
import re

import pytest
from built_site import CONFIG, PAGES, SCROLL, SITE, SKIM, read_through
from page_gates import (
    SCREEN,
    Visit,
    clipped,
    errors_shown,
    faint_text,
    grave_violations,
    none,
    not_alive,
    screens,
    sideways_scrolling,
    too_heavy,
    wide_formulas,
)
from page_weights import limit, recorded
from rules.notebooks import ROOT

from attention_course.drawing import palette
from attention_course.site.main_path import reading_minutes

pytestmark = pytest.mark.browser
WIDTHS = (360, 1280)
MOST_SCREENS = 15.7
IN_SCHEME = "(scheme) => document.documentElement.dataset.theme === scheme"


# Colours belong to classes, so that a few pages show them all.
COLOURED = {PAGES[0], *PAGES[3::6]}


def looks(name: str, width: int) -> dict[str, dict[str, bool] | None]:
    """What axe looks at, by scheme: the light colours on a phone, the dark ones on a desk.

    The colours of code and formulas are looked at everywhere. What is not a matter of colours
    is the same in both schemes. The first page, which has the menus of all, is looked at in
    every way.
    """
    if name == PAGES[0]:
        return {"light": {}, "dark": {"form": False}}
    if width == WIDTHS[0]:
        return {"light": {"colours": name in COLOURED}}
    return {"dark": {"form": False} if name in COLOURED else None}


def amiss(page, address: str, name: str, width: int) -> dict[str, list[str]]:
    """What is amiss with a page at a width, by what it is a matter of."""
    visit = Visit(page, address)
    page.goto(address + name, wait_until="networkidle")
    before = visit.own_files()
    read_through(page, how=SCROLL if width == WIDTHS[0] else SKIM)
    found, sideways = {}, []
    for scheme, parts in looks(name, width).items():
        page.emulate_media(color_scheme=scheme)
        # The page hears of it with its next frame, which a busy machine delays.
        page.wait_for_function(IN_SCHEME, arg=scheme)
        page.wait_for_timeout(250)  # colours fade over
        axe = [] if parts is None else grave_violations(page, **parts)
        found[f"axe, {scheme}"] = faint_text(page) + axe
        sideways += sideways_scrolling(page)
    found |= {"not alive": not_alive(page), "an error": errors_shown(page)}
    long, cut = screens(page), clipped(page)
    found["wider than the page"] = sideways + wide_formulas(page)
    found["asked elsewhere"] = visit.foreign_requests()
    found |= {"in the console": visit.console, "missing": visit.missing}
    if width == WIDTHS[0]:
        limits = {when: limit(name, when, recorded()) for when in ("before", "after")}
        found["too heavy"] = too_heavy(SITE, before, visit.own_files(), limits)
    elif (ROOT / name).with_suffix(".ipynb").is_file():
        too_long = [f"{long:.3f} of {MOST_SCREENS} screens"] * (long > MOST_SCREENS)
        found |= {"too long": too_long, "cut off": cut}
    return found


@pytest.mark.each_page
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_amiss(browser, home, name, width):
    """On a phone the page comes from a server, on a desk from the disk by a double click."""
    phone = width == WIDTHS[0]
    size = {"width": width, "height": 800 if phone else SCREEN}
    address = home if phone else f"{SITE.resolve().as_uri()}/"
    with browser.new_context(viewport=size, color_scheme="light") as context:
        found = amiss(context.new_page(), address, name, width).items()
    none([f"{matter}: {text}" for matter, texts in found for text in texts])


def test_the_front_door_leads_to_the_first_page(page, home):
    page.goto(home)
    page.wait_for_url(home + PAGES[0])


@pytest.mark.parametrize(("width", "seen"), [(1280, ".ac-here"), (1680, ".ac-sections")])
def test_the_reader_sees_one_list_of_sections_and_the_place_in_it(
    new_context, home, width, seen
):
    page = new_context(width).new_page()
    page.goto(home + "book/scale/numerics.html")
    lists = page.locator(".ac-here, .ac-sections > ul")
    assert [i for i in range(2) if lists.nth(i).is_visible()] == [int(seen != ".ac-here")]
    links = page.locator(f"{seen} > li > a, {seen} > ul > li > a")
    for link in (links.nth(2), links.nth(1), links.last):
        place = link.get_attribute("href")
        page.evaluate("(place) => document.querySelector(place).scrollIntoView()", place)
        page.locator(f"{seen} a[aria-current=true][href='{place}']").wait_for()
        assert page.locator(f"{seen} a[aria-current=true]").count() == 1


@pytest.mark.parametrize(("width", "beside"), [(360, False), (768, False), (1280, True)])
def test_a_note_stands_in_the_margin_where_there_is_one(new_context, home, width, beside):
    page = new_context(width).new_page()
    page.goto(home + "book/scale/numerics.html")
    note, text = (
        page.locator(css).first for css in ("aside.ac-margin", ".ac-time ~ section > p")
    )
    assert not note.inner_text().startswith("Aside")
    text_ends = text.bounding_box()["x"] + text.bounding_box()["width"]
    assert (note.bounding_box()["x"] >= text_ends) == beside


def test_a_page_says_once_what_it_is_and_a_chapter_and_its_list_how_long_it_takes():
    minutes = {}
    for name in PAGES:
        page = (SITE / name).read_text(encoding="utf-8")
        assert page.count('name="viewport"') == page.count('name="description"') == 1, name
        assert page.count('name="twitter:card"') == 1
        assert 'href="##' not in page
        assert "-set-owner-" not in page  # while nobody knows the owner
        for address in ('rel="canonical"', 'property="og:url"', 'property="og:image"'):
            assert (address in page) == bool(CONFIG["html"]["baseurl"])
        path = (ROOT / name).with_suffix(".ipynb")
        if name != PAGES[0] and path.is_file():
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            minutes[name.removeprefix("book/")] = time = str(reading_minutes(cells))
            assert f'<p class="ac-time">About {time} minutes' in page
    door, told = (SITE / PAGES[0]).read_text(encoding="utf-8"), 0
    for entry in re.findall(r"<(?:li|tr)\b(?:(?!<li|<tr).)*?</(?:li|tr)>", door, re.DOTALL):
        links = [link for link in re.findall(r'href="([^"#]+)"', entry) if link in minutes]
        if links and (times := re.findall(r"(\d+) min", entry)):
            assert times == [minutes[links[0]]]
            told += 1
    assert told >= 7


@pytest.mark.parametrize(("width", "above", "beside"), [(360, 4, 0), (1280, 0, 4)])
def test_long_names_of_lines_leave_room_for_the_lines(new_context, home, width, above, beside):
    page = new_context(width).new_page()
    page.goto(home + "book/transformer/transformer-block.html#fig-deep-norm")
    figure = page.locator("#fig-deep-norm")
    figure.scroll_into_view_if_needed()
    page.locator("#fig-deep-norm[data-ac-state=drawn]").wait_for()
    for css, count in [(".legend .traces", above), (".annotation", beside)]:
        assert figure.locator(css).count() == count
    lines, whole = (figure.locator(css).bounding_box() for css in (".gridlayer", ".ac-plot"))
    assert lines["width"] > whole["width"] / 2
    assert lines["height"] > 150


PAINTED = """(figure) => {
  const place = figure.querySelector(".ac-plot");
  const { title, annotations, template } = place.layout;
  const { height, margin } = place._fullLayout;
  const { data, layout } = JSON.parse(figure.querySelector("script").textContent);
  const colours = (...parts) => JSON.stringify(parts).match(/#[0-9a-f]{6}/gi);
  return {
    given: colours(data, layout.annotations, layout.template),
    worn: colours(place.data, annotations, template),
    area: [layout.height - layout.margin.t, height - margin.t],
    room: [place.style.minHeight, `${height}px`],
    above: [title ?? "", Boolean(figure.querySelector(".ac-title").textContent)],
  };
}"""


@pytest.mark.parametrize(
    "address",
    [
        "transformer-block.html#fig-deep-norm",
        "masks-and-cross-attention.html#fig-masks-recap",
    ],
)
def test_a_figure_has_the_themes_colours_and_its_title_above_it(page, home, address):
    page.goto(f"{home}book/transformer/{address}")
    figure = page.locator(f"#{address.partition('#')[2]}")
    figure.scroll_into_view_if_needed()
    figure.locator(".main-svg").first.wait_for()
    for theme, pairs in [("light", {}), ("dark", palette.DARK), ("light", {})]:
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        page.wait_for_timeout(300)
        seen = figure.evaluate(PAINTED)
        assert seen["worn"] == [pairs.get(colour, colour) for colour in seen["given"]]
        assert len({*seen["given"]} & palette.DARK.keys()) >= 2
        assert seen["area"][0] == seen["area"][1]
        assert seen["room"][0] == seen["room"][1]
        assert seen["above"] == ["", True]
    assert figure.locator(".modebar-btn").count() == 0


INKS = """() => {
  const labels = [...document.querySelectorAll(".heatmap-label text")];
  const inks = (of) => new Set(labels.filter((label) => of(Number(label.textContent)))
    .map((label) => label.style.fill));
  return [inks((x) => x < 0.1), inks((x) => x > 0.9)].flatMap((set) => [...set]).join(); }"""


def test_numbers_on_light_cells_are_black_and_on_dark_cells_white(new_context, home):
    page = new_context(1280).new_page()
    page.goto(home + "book/transformer/masks-and-cross-attention.html")
    page.locator("#fig-masks-recap").scroll_into_view_if_needed()
    black, white = "rgb(0, 0, 0)", "rgb(255, 255, 255)"
    for theme, inks in [("light", (black, white)), ("dark", (white, black))]:
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        page.wait_for_function(f"(inks) => ({INKS})() === inks", arg=",".join(inks))


COPY = """(selector) => {
  const [first, last] = document.querySelectorAll(selector);
  getSelection().setBaseAndExtent(first, 0, last ?? first, (last ?? first).childNodes.length);
  document.execCommand("copy");
  return navigator.clipboard.readText();
}"""


def test_a_formula_is_copied_once_as_its_tex(home, new_context):
    """Half a formula is copied whole, and paragraphs keep their lines."""
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{home}book/transformer/scaling.html")
    assert page.evaluate(COPY, ".katex-html .mord") == r"$\sqrt{d_k}$"
    copied = page.evaluate(COPY, "article section > p:not(.ac-time)")
    assert copied.count(r"$\sqrt{d_k}$") == 1
    assert "\n" in copied.strip()
    assert page.evaluate(COPY, "article h1").startswith("Scaled")


LAID_OUT = """() => [scrollY, document.documentElement.scrollHeight,
  ...[...document.querySelectorAll("article :is(section, .cell, p, pre)")].flatMap((e) => {
    const box = e.getBoundingClientRect();
    return [Math.round(box.top + scrollY), Math.round(box.height), e.tabIndex];
  })]"""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_that_is_laid_out_in_parts_ends_as_one_laid_out_at_once(
    new_context, home, width
):
    """Read from its top it is; reloaded, or from an address with a place in it, it is not."""
    page = new_context(width).new_page()
    found = []
    for place in ("", "#exercises"):
        page.goto("about:blank")
        page.goto(f"{home}book/transformer/scaling.html{place}")
        assert page.evaluate('"parts" in document.documentElement.dataset') == (not place)
        read_through(page)
        found.append(page.evaluate(LAID_OUT))
    assert found[0] == found[1]
    assert len(found[0]) > 500
