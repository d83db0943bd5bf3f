"""The widgets on the built pages: which there are, what they hold, what they must show."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from built_site import LAID_OUT, PAGES, SITE
from frames import settled
from playwright.sync_api import Locator, Page
from widget_kinds import KINDS, kind_of, number_complaints, word_complaints

STATE_JSON = re.compile(
    r'(<script type="application/vnd.jupyter.widget-state\+json">)(.*?)(</script>)', re.DOTALL
)
PLACE = re.compile(r'<div class="ac-widget" data-model-id="([^"]+)" data-ac-key="([^"]*)"')


@dataclass(frozen=True)
class Instance:
    """One widget on one page."""

    page: str
    model_id: str
    key: str
    kind: str
    form: str
    """What tells apart widgets of one kind: how a prediction is answered."""

    def __str__(self) -> str:
        return f"{self.page.removesuffix('.html').removeprefix('book/')}-{self.key}"


def states_of(html: str) -> dict[str, dict]:
    """The state of every widget on a page, by its id."""
    found = STATE_JSON.search(html)
    return {k: v["state"] for k, v in json.loads(found[2])["state"].items()} if found else {}


def with_state(html: str, model_id: str, changes: dict[str, Any]) -> str:
    """The page with another state of one widget."""

    return _changed(html, lambda states: states[model_id]["state"].update(changes))


def _changed(html: str, change: Callable[[dict], None]) -> str:
    found = STATE_JSON.search(html)
    stored = json.loads(found[2])
    change(stored["state"])
    text = found[1] + json.dumps(stored).replace("</", "<\\/") + found[3]
    return html[: found.start()] + text + html[found.end() :]


def with_copies(html: str, model_id: str, changes: list[dict[str, Any]]) -> str:
    """The page with copies of a widget before it, ``copy-0`` and so on, each changed."""

    def add(states: dict) -> None:
        model = states[model_id]
        for number, change in enumerate(changes):
            states[f"copy-{number}"] = model | {"state": model["state"] | change}

    place = next(found[0] for found in PLACE.finditer(html) if found[1] == model_id)
    copies = [place.replace(model_id, f"copy-{number}") for number in range(len(changes))]
    opened, closed = html.split(place)
    places = "".join(f"{copy}></div>" for copy in copies)
    return _changed(f"{opened}{places}{place}{closed}", add)


def instances() -> list[Instance]:
    """Every widget on every page that is built."""
    found = []
    for name in PAGES:
        if not (SITE / name).is_file():
            continue
        html = (SITE / name).read_text(encoding="utf-8")
        states = states_of(html)
        found += [
            Instance(name, i, key, kind_of(states[i]), states[i].get("kind", ""))
            for i, key in PLACE.findall(html)
        ]
    return found


def place_of(page: Page, model_id: str) -> Locator:
    """The place of a widget on an open page."""
    return page.locator(f".ac-widget[data-model-id='{model_id}']")


UNFOLD = """(place) => {
  for (let e = place; (e = e.parentElement?.closest("details")); ) e.open = true;
}"""


def come_alive(page: Page, model_id: str) -> Locator:
    """Bring a widget into view, out of its folds, and wait until it shows something."""
    place = place_of(page, model_id)
    place.evaluate(UNFOLD)
    page.wait_for_function(LAID_OUT)  # what grows above would move it out of view
    place.scroll_into_view_if_needed()
    page.wait_for_function(
        "(e) => ['ready', 'failed'].includes(e.dataset.acState)", arg=place.element_handle()
    )
    settled(place)
    return place


def state_now(place: Locator, names: list[str]) -> dict[str, Any]:
    """What the widget holds."""
    return place.evaluate(
        "(place, names) => Object.fromEntries(names.map((n) => [n, place.acModel.get(n)]))",
        names,
    )


# What a widget shows, with the words it says; and what the reference says it should.

SHOWN = """(place) => {
  const all = (selector) => [...place.querySelectorAll(selector)];
  const numbers = {};
  for (const { dataset: d } of all("[data-ac-figure]")) numbers[d.acFigure] = Number(d.acValue);
  for (const { dataset: d } of all("[data-readout]")) numbers[d.readout] = Number(d.value);
  all(".ac-temp-table tbody tr").forEach((row, i) => {
    const [scaled, weight] = row.querySelectorAll("[data-value]");
    numbers[`scaled-${i}`] = Number(scaled.dataset.value);
    numbers[`weight-${i}`] = Number(weight.dataset.value);
  });
  for (const { dataset: d } of all("[data-vector]")) {
    JSON.parse(d.values).forEach((x, i) => (numbers[`${d.vector}-${i}`] = x));
  }
  for (const e of all("[data-entropy]")) numbers.entropy = Number(e.dataset.entropy);
  for (const e of all("[data-top]")) numbers.top_weight = Number(e.dataset.top);
  for (const e of all("[data-context]")) {
    JSON.parse(e.dataset.context).forEach((c, i) => (numbers[`context-${i}`] = c));
  }
  return { numbers, words: place.querySelector(".ac-readout")?.textContent ?? "" };
}"""


def shown(place: Locator) -> dict[str, Any]:
    """Numbers in full precision and the sentence of a widget, as its markup carries them."""
    return place.evaluate(SHOWN)


def wrong_readouts(place: Locator, kind: str) -> list[str]:
    """Compare all that a widget shows with the reference, for the state it is in.

    What plays moves on meanwhile: it is read until it stood still for a frame.
    """
    names, state, seen = KINDS[kind].names, None, {}
    while state != (state := state_now(place, names)):
        settled(place)
        seen = shown(place)
    return number_complaints(kind, state, seen["numbers"]) + word_complaints(
        kind, state, seen["words"]
    )
