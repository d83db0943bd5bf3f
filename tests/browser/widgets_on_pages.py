"""The widgets on the built pages: which there are, what they hold, what they must show."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from built_site import PAGES, SITE
from playwright.sync_api import Locator, Page

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

    def __str__(self) -> str:
        return f"{self.page.removesuffix('.html').removeprefix('book/')}-{self.key}"


def states_of(html: str) -> dict[str, dict]:
    """The state of every widget on a page, by its id."""
    found = STATE_JSON.search(html)
    return {k: v["state"] for k, v in json.loads(found[2])["state"].items()} if found else {}


def with_state(html: str, model_id: str, changes: dict[str, Any]) -> str:
    """The page with another state of one widget."""

    def change(found: re.Match) -> str:
        stored = json.loads(found[2])
        stored["state"][model_id]["state"].update(changes)
        return found[1] + json.dumps(stored).replace("</", "<\\/") + found[3]

    return STATE_JSON.sub(change, html)


def kind_of(state: dict) -> str:
    """The widget's class, known by a trait that only it has."""
    marks = {
        "spread": "lab",
        "half_width": "local_window",
        "estimator": "hard_choice",
        "key_points": "plane",
        "positions": "steps",
        "silent": "heads",
        "spec": "explore",
        "rule": "mask",
        "temperature": "temperature",
        "beta": "response",
    }
    return next((kind for trait, kind in marks.items() if trait in state), "unknown")


def instances() -> list[Instance]:
    """Every widget on every page that is built."""
    found = []
    for name in PAGES:
        if not (SITE / name).is_file():
            continue
        html = (SITE / name).read_text(encoding="utf-8")
        states = states_of(html)
        found += [Instance(name, i, key, kind_of(states[i])) for i, key in PLACE.findall(html)]
    return found


def place_of(page: Page, model_id: str) -> Locator:
    """The place of a widget on an open page."""
    return page.locator(f".ac-widget[data-model-id='{model_id}']")


SETTLED = """async (place) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const until = performance.now() + 10000;
  await frame();
  do await frame();
  while (place.querySelector("[aria-busy=true]") && performance.now() < until);
  await frame();
}"""


def come_alive(page: Page, model_id: str) -> Locator:
    """Bring a widget into view and wait until it shows something."""
    place = place_of(page, model_id)
    place.scroll_into_view_if_needed()
    page.wait_for_function(
        "(e) => ['ready', 'failed'].includes(e.dataset.acState)", arg=place.element_handle()
    )
    place.evaluate(SETTLED)
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


def _lab(state: dict) -> dict[str, float]:
    from attention_course.widgets import SaturationLab

    numbers = SaturationLab(**{name: state[name] for name in SaturationLab._state}).readouts()
    parts = {"shown": ("top_weight", "entropy", "jacobian_norm", "gradient_norm"), "batch": ()}
    return {
        f"{part}.{name}": float(value)
        for part, wanted in parts.items()
        for name, value in numbers[part].items()
        if (name in wanted if wanted else name != "overflow")
    }


def _temperature(state: dict) -> dict[str, float]:
    from attention_course.widgets import Temperature

    return _flat(
        Temperature(scores=state["scores"], temperature=state["temperature"]).readouts()
    )


def _plane(state: dict) -> dict[str, float]:
    from attention_course.widgets import AttentionPlane

    names = AttentionPlane._state
    return _flat(AttentionPlane(**{name: state[name] for name in names}).readouts())


def _steps(state: dict) -> dict[str, float]:
    from attention_course.widgets.self_attention import flat_readouts

    return flat_readouts(_step_through(state).readouts())


def _step_through(state: dict):
    from attention_course.widgets import SelfAttentionSteps

    return SelfAttentionSteps(**{name: state[name] for name in SelfAttentionSteps._state})
def _response(state: dict) -> dict[str, float]:
    from attention_course.widgets import ScoreResponse

    shown = ScoreResponse(**{name: state[name] for name in ScoreResponse._state}).readouts()
    return {
        f"{part}-{score}-{j}": float(x)
        for part, rows in shown.items()
        for score, row in rows.items()
        for j, x in enumerate(row)
    }
def _local_window(state: dict) -> dict[str, float]:
    from attention_course.widgets import LocalWindow

    names = LocalWindow._state
    return _flat(LocalWindow(**{name: state[name] for name in names}).readouts())


def _hard_choice(state: dict) -> dict[str, float]:
    from attention_course.widgets import HardChoice

    names = HardChoice._state
    return _flat(HardChoice(**{name: state[name] for name in names}).readouts())
def _mask(state: dict) -> dict[str, float]:
    from attention_course.widgets import MaskPainter

    numbers = MaskPainter(**{name: state[name] for name in MaskPainter._state}).readouts()
    flat = {
        f"weight-{i}-{j}": float(w)
        for i, row in enumerate(numbers["weights"])
        for j, w in enumerate(row)
    }
    for name in ("moved", "reach"):
        flat |= {f"{name}-{i}": float(x) for i, x in enumerate(numbers[name])}
    # What is not a number is shown as such and has no read-out.
    return {name: value for name, value in flat.items() if not math.isnan(value)}
def _heads(state: dict) -> dict[str, float]:
    from attention_course.widgets import HeadsSideBySide

    given = {name: state[name] for name in NAMES["heads"]}
    numbers = HeadsSideBySide(**given).readouts()
    weights = numbers.pop("weights")[:, : len(state["word"]) + 2]
    each = {
        f"weight-{h}-{t}": float(w) for h, row in enumerate(weights) for t, w in enumerate(row)
    }
    return _flat(numbers) | each


def _flat(readouts: dict) -> dict[str, float]:
    flat = {}
    for name, value in readouts.items():
        if getattr(value, "ndim", 0):
            singular = name.removesuffix("s") if name != "scaled" else name
            flat |= {f"{singular}-{i}": float(x) for i, x in enumerate(value)}
        else:
            flat[name] = float(value)
    return flat


def _explore(state: dict) -> dict[str, float]:
    return {}  # its numbers are its sentence's: see expected_words


EXPECTED: dict[str, Callable[[dict], dict[str, float]]] = {
    "lab": _lab,
    "temperature": _temperature,
    "plane": _plane,
    "mask": _mask,
    "heads": _heads,
    "explore": _explore,
    "steps": _steps,
    "response": _response,
    "local_window": _local_window,
    "hard_choice": _hard_choice,
}
NAMES = {
    "lab": [
        "d_k",
        "n_keys",
        "scale",
        "scale_value",
        "spread",
        "number_format",
        "seed",
        "query",
        "offsets",
        "compact",
    ],
    "temperature": ["scores", "temperature", "words"],
    "plane": ["query", "key_points", "score", "temperature"],
    "mask": ["mask", "rule", "token", "output", "seed"],
    "heads": ["word", "place", "n_heads", "silent", "models", "words"],
    "explore": ["chosen", "spec"],
    "steps": ["text", "token", "other", "step", "d_k", "d_v", "seed", "mask", "positions"],
    "response": ["angle", "length", "d", "beta", "seed"],
    "local_window": ["words", "scores", "kind", "centre", "half_width"],
    "hard_choice": ["scores", "rewards", "shift", "estimator", "samples", "tau", "seed"],
}


# The numbers in a sentence: where they stand, and which of the reference's numbers they are.
SAID = {
    "lab": [
        (r"puts (.+?) of its weight", "batch.top_weight_median"),
        (r"gradient that reaches a query is (.+?), the mean", "batch.gradient_norm_median"),
        (r", the mean (.+?): ", "batch.gradient_norm_mean"),
    ],
    "temperature": [(r"Entropy (.+?) nats", "entropy")],
    "plane": [
        (r"entropy of the weights is (.+?) nats", "entropy"),
        (r"The context is \((.+?), ", "context-0"),
    ],
    "mask": [],  # its numbers depend on which outputs move: see below
    "heads": [(r"its loss is (.+?) nats a letter", "loss_now")],
    "explore": [],
    "steps": [],  # another number at each step: see step_complaints
    "response": [
        (r"gives key 1 a weight of (.+?), the scaled", "weight-dot-0"),
        (r"the scaled dot product (.+?), the additive", "weight-scaled-0"),
        (r"the additive score (.+?)\. From", "weight-additive-0"),
    "local_window": [(r"weights add up to (.+?)\.$", "total")],
    "hard_choice": [
        (r"mean estimate is (.+?) away", "distance"),
        (r"mean square of (.+?)\. ", "error"),
    ],
}
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_NUMBER = re.compile(r"^([-\d.]+)(?: × 10(-?\d+))?$")


def spoken_number(text: str) -> tuple[float, float]:
    """A number as a widget writes it, and how much its last digit leaves open."""
    if text == "more than 0.999":
        return 0.9995, 0.0006
    found = _NUMBER.match(text.translate(_RAISED))
    if not found:
        raise AssertionError(f"{text!r} is not a number as the widgets write them")
    power = 10.0 ** int(found[2] or 0)
    decimals = len(found[1].partition(".")[2])
    return float(found[1]) * power, 0.5001 * 10.0**-decimals * power


def word_complaints(kind: str, state: dict, words: str) -> list[str]:
    """What is wrong with the sentence of a widget in this state."""
    if kind == "explore":
        wanted = _stored_sentence(state)
        return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]
    if kind == "steps":
        return step_complaints(state, words)
    numbers, complaints = EXPECTED[kind](state), []
    for pattern, name in SAID[kind]:
        if not (found := re.search(pattern, words)):
            complaints.append(f"says nothing of {name}: {words!r}")
            continue
        value, slack = spoken_number(found[1])
        if not abs(value - numbers[name]) <= slack:
            complaints.append(f"says {name} is {found[1]}, the reference {numbers[name]!r}")
    if kind == "mask":
        complaints += _mask_complaints(state, numbers, words)
    if kind == "lab":
        dead = round(100 * numbers["batch.dead"])
        must = [f"At d_k = {state['d_k']},", f"{dead} of 100 quer" if dead else "dead"]
        complaints += [
            f"does not say {part!r}: {words!r}" for part in must if part not in words
        ]
    return complaints


# What the step-through says at each step, and from which of its stages it is computed.
STEP_SAID = [
    (r" length (.+?)\.(?:\s|$)", lambda s, i, j: np.linalg.norm(s["x"][i])),
    (r" length (.+?)\.(?:\s|$)", lambda s, i, j: np.linalg.norm(s["q"][i])),
    (r" length (.+?)\.(?:\s|$)", lambda s, i, j: np.linalg.norm(s["k"][j])),
    (r"largest score is (.+?), for", lambda s, i, j: s["scores"][i].max()),
    (r"largest is now (.+?)\.$", lambda s, i, j: s["scaled"][i].max()),
    (r"may look at (\d+) of", lambda s, i, j: np.isfinite(s["masked"][i]).sum()),
    (r"largest weight is (.+?),", lambda s, i, j: s["weights"][i].max()),
    (r"takes the share (.+?)\.$", lambda s, i, j: s["weights"][i, j]),
    (r"begins with (.+?);", lambda s, i, j: s["context"][i, 0]),
]


def step_complaints(state: dict, words: str) -> list[str]:
    """What is wrong with the sentence of the step-through at its step."""
    stages = _step_through(state).stages()
    last = len(stages["words"]) - 1
    pattern, compute = STEP_SAID[state["step"]]
    wanted = compute(stages, min(last, state["token"]), min(last, state["other"]))
    if not (found := re.search(pattern, words)):
        return [f"says nothing like {pattern!r}: {words!r}"]
    value, slack = spoken_number(found[1])
    if not abs(value - wanted) <= slack:
        return [f"says {found[1]}, the reference {wanted!r}"]
    return []
def _mask_complaints(state: dict, numbers: dict[str, float], words: str) -> list[str]:
    """The sentence must name what moves, by how much, and what the gradient reaches."""
    complaints = []
    moved = {i: numbers[f"moved-{i}"] for i in range(6) if f"moved-{i}" in numbers}
    stirred = [i + 1 for i, x in moved.items() if x > 1e-9]
    said = re.search(r"outputs? ([\d, and]+?) moves?, by up to (.+?)\. ", words)
    if bool(said) != bool(stirred):
        complaints.append(f"outputs {stirred} move, but it says {words!r}")
    elif said:
        value, slack = spoken_number(said[2])
        named = [int(x) for x in re.findall(r"\d+", said[1])]
        if named != stirred or not abs(value - max(moved.values())) <= slack:
            complaints.append(f"outputs {stirred} move by {max(moved.values())!r}: {words!r}")
    broken = [i + 1 for i in range(6) if i not in moved]
    told = re.search(r"Outputs? ([\d, and]+?) (?:is|are) not a number", words)
    if [int(x) for x in re.findall(r"\d+", told[1] if told else "")] != broken:
        complaints.append(f"outputs {broken} are not numbers, but it says {words!r}")
    reached = [i + 1 for i in range(6) if numbers.get(f"reach-{i}", 0) > 1e-9]
    last = re.search(r"gradient of output (\d) reaches inputs? ([\d, and]+)\.(?: It|$)", words)
    if [int(x) for x in re.findall(r"\d+", last[2] if last else "")] != reached:
        complaints.append(f"the gradient reaches {reached}, but it says {words!r}")
    return complaints


def number_complaints(kind: str, state: dict, numbers: dict[str, float]) -> list[str]:
    """Which read-outs are missing, unknown or other than the reference says."""
    wanted = EXPECTED[kind](state)
    if kind == "lab" and state["compact"]:
        wanted = {}  # its words carry the numbers
    complaints = [f"no read-out of {name}" for name in sorted(wanted.keys() - numbers.keys())]
    complaints += [f"{name} is unknown" for name in sorted(numbers.keys() - wanted.keys())]
    for name in sorted(wanted.keys() & numbers.keys()):
        if not math.isclose(numbers[name], wanted[name], rel_tol=1e-9, abs_tol=1e-12):
            complaints.append(
                f"{name} is {numbers[name]!r}, the reference says {wanted[name]!r}"
            )
    return complaints


def wrong_readouts(place: Locator, kind: str) -> list[str]:
    """Compare all that a widget shows with the reference, for the state it is in."""
    state, seen = state_now(place, NAMES[kind]), shown(place)
    return number_complaints(kind, state, seen["numbers"]) + word_complaints(
        kind, state, seen["words"]
    )


def _stored_sentence(state: dict) -> str:
    """The sentence that Python computed for the chosen values."""
    at = 0  # of all combinations, the last control moving fastest
    for control in state["spec"]["controls"]:
        chosen = state["chosen"][control["name"]]
        stops = control["numbers"] or control["labels"]
        if control["kind"] == "checkbox":
            place = int(chosen)
        elif control["kind"] == "select":
            place = control["labels"].index(chosen)
        else:
            place = min(range(len(stops)), key=lambda i: abs(stops[i] - chosen))
        at = at * len(control["labels"]) + place
    return state["spec"]["charts"][at][2]
