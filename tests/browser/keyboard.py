"""Work every control of a widget with the keyboard alone."""

from collections.abc import Iterator

from playwright.sync_api import Locator

LIST = """(place) => {
  const name = (e) => e.dataset.point ?? e.getAttribute("aria-label")
    ?? e.labels?.[0]?.textContent.trim() ?? e.textContent.trim();
  const kind = (e) => e.dataset.point ? "point" : e.getAttribute("role")
    ?? (e.tagName === "INPUT" ? e.type : e.tagName.toLowerCase());
  const controls = place.querySelectorAll(
    ".ac-live :is(input, select, button, summary, [tabindex='0'])");
  // What was a control and is none now loses its number.
  for (const e of place.querySelectorAll("[data-test-control]")) delete e.dataset.testControl;
  const group = (e) => kind(e) === "radio" ? e.name : "";
  return [...controls].map((e, i) => {
    e.dataset.testControl = i;
    const { value, min, max, step } = e;
    // "Copy link" changes its words once pressed; it is still the same button.
    e.dataset.testName ??= group(e) || `${kind(e)} ${name(e)}`;
    return { at: i, kind: kind(e), name: e.dataset.testName, value, min, max, step,
      checked: e.checked === true, seen: e.checkVisibility() && !e.disabled };
  });
}"""


def controls(place: Locator) -> list[dict]:
    """All controls of a widget, hidden ones too; a group of radio buttons is its members."""
    return place.evaluate(LIST)


def another_number(control: dict) -> str:
    """A number that a field accepts and does not hold now."""
    low = float(control["min"] or "-inf")
    high = float(control["max"] or "inf")
    now = float(control["value"] or 0)
    if 0 < abs(now) < 1:
        return f"{now * 2:g}" if now * 2 <= high else f"{now / 2:g}"
    return f"{now + 1:g}" if now + 1 <= high else f"{max(low, now - 1):g}"


def _type(element: Locator, *texts: str) -> None:
    """Type, in place of what a field holds, the first of some texts that it does not hold."""
    text = next(text for text in texts if text != element.input_value())
    element.press("ControlOrMeta+a")
    element.page.keyboard.type(text)
    element.press("Enter")


def _type_word(element: Locator, control: dict) -> None:
    number = element.get_attribute("autocapitalize") == "off"
    _type(element, *(("1/8", "2^3") if number else ("letters", "words")))


SENTENCES = ("the man reads the book", "the cat sleeps in the house")


def _step(element: Locator, control: dict) -> None:
    at_end = control["kind"] == "range" and float(control["value"]) >= float(control["max"])
    element.press("ArrowLeft" if at_end else "ArrowRight")


KEYS = {
    "range": _step,
    "number": lambda element, control: _type(element, another_number(control)),
    "spinbutton": lambda element, control: _spin(element),
    "text": _type_word,
    "textbox": _type_word,
    "combobox": lambda element, control: _type(element, *SENTENCES),
    "select": lambda element, control: _choose_another(element),
}
# A group reads a chart, a region scrolls a table.
PRESSED = {"checkbox": "Space", "point": "ArrowUp", "slider": "ArrowUp", "group": "ArrowRight"}
PRESSED |= {"region": "ArrowDown", "button": "Enter", "summary": "Enter"}


def _spin(element: Locator) -> None:
    before = element.input_value()
    element.press("ArrowUp")
    if element.input_value() == before:
        element.press("ArrowDown")


ORDER = {"summary": 0, "radio": 0, "button": 2}


def _choose_another(element: Locator) -> None:
    last = element.evaluate("(e) => e.selectedIndex === e.options.length - 1")
    element.press("ArrowUp" if last else "ArrowDown")


def move_everything(place: Locator) -> Iterator[tuple[str, str]]:
    """Move each control once by keyboard; give its kind and name after each move.

    Radio buttons are gone through to the last, and back while something was never seen. A
    control that another one reveals has its turn when it appears. At the end nothing may be
    left that was never seen.
    """
    done: set[str] = set()
    hidden: set[str] = set()  # once: another control may hide it again
    while True:
        waiting = [c for c in controls(place) if c["name"] not in done]
        seen = [c for c in waiting if c["seen"]]
        if not seen:
            if not waiting:
                return
            back = _a_radio_back(place)
            assert back, f"never reached: {[c['name'] for c in waiting]}"
            yield "radio", back
            continue
        hidden |= {c["name"] for c in waiting if not c["seen"]}
        # First what opens and reveals, then what it revealed; last the buttons.
        control = min(seen, key=lambda c: (ORDER.get(c["kind"], 1), c["name"] not in hidden))
        done.add(control["name"])
        if control["kind"] == "radio":
            yield from _through_the_radios(place, control["name"])
            continue
        element = place.locator(f"[data-test-control='{control['at']}']")
        element.focus()
        if control["kind"] == "summary" and element.evaluate("(e) => e.parentElement.open"):
            continue
        if control["kind"] in PRESSED:
            element.press(PRESSED[control["kind"]])
        else:
            KEYS[control["kind"]](element, control)
        yield control["kind"], control["name"]


def _a_radio_back(place: Locator) -> str | None:
    """Choose the radio button before the chosen one, in the first group that has one."""
    for chosen in place.locator("input[type='radio']:checked:visible").all():
        group = chosen.get_attribute("name")
        radios = place.locator(f"input[type='radio'][name='{group}']")
        at = next(i for i in range(radios.count()) if radios.nth(i).is_checked())
        if at:
            chosen.press("ArrowLeft")
            return f"{group} {at - 1}"
    return None


def _through_the_radios(place: Locator, group: str) -> Iterator[tuple[str, str]]:
    radios = place.locator(f"input[type='radio'][name='{group}']")
    already = radios.first.is_checked()
    radios.first.press("Space")
    for i in range(already, radios.count()):
        if i:
            radios.nth(i - 1).press("ArrowRight")
        assert radios.nth(i).is_checked()
        yield "radio", f"{group} {i}"
