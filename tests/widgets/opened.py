"""A widget opened from disk as a page of the site has it: its host and its models beside it."""

import shutil

import pytest
from frames import settled

from attention_course.site.assets import MODELS, SITE, write_models
from attention_course.site.widget_state import (
    compact,
    place_html,
    sources,
    state_script,
    write_sources,
)

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
    """Opens a widget; gives its place, and what the page asked for."""
    contexts = []

    def open_widget(
        kind, width=1000, theme="light", models=True, motion=None, given=(), **state
    ):
        widget = kind(**state | dict(given))
        own = widget.stored() | {"fallback": widget.fallback or "still"}
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
            '<meta name="viewport" content="width=device-width"><title>A widget</title>'
            f'<link rel="icon" href="data:,"><body style="color:{ink};background:{paper}">'
            f"<main><h1>A widget</h1>{place_html('p', stored)}</main>"
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

    yield open_widget
    for context, said in contexts:
        context.close()
        assert said == []


def files(page):
    """What the page asked for but for the widget's code, all of it from its own folder."""
    urls = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
    urls = [url for url in urls if "/widgets/" not in url]
    assert all(url.startswith("file:") for url in urls)
    return [url.split("/")[-1] for url in urls]


def press(place, name):
    place.get_by_role("button", name=name, exact=True).click()
    settled(place)
