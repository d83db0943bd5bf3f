"""What the browser tests must know of each class of widget: one entry each."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import widget_sentences as sentences

Numbers = dict[str, float]


@dataclass(frozen=True)
class Kind:
    """One class of widget.

    Attributes:
        name: the class.
        mark: a trait that only this class has.
        more: traits that decide what it shows, beside those that its controls move.
        numbers: what the reference says its read-outs are, for a state; its own, unless given.
        said: numbers in its sentence: where they stand, and which of the above they are.
        bad: values that it must refuse, by trait.
        unnamed: those of its traits whose name and bad value its error need not repeat.
        complaints: what else is wrong with its sentence.
    """

    name: str
    mark: str
    more: tuple[str, ...] = ()
    numbers: Callable[[dict], Numbers] | None = None
    said: list[tuple[str, str]] = field(default_factory=list)
    bad: list[tuple[str, Any]] = field(default_factory=list)
    unnamed: frozenset[str] = frozenset()
    complaints: Callable[[dict, Numbers, str], list[str]] = lambda state, numbers, words: []

    @property
    def names(self) -> list[str]:
        """The traits that its controls move, and those that decide with them."""
        return [*widget_class(self.name)._state, *self.more]

    def readouts(self, state: dict) -> Numbers:
        """What its read-outs must be."""
        if self.numbers:
            return self.numbers(state)
        return flat(widget_class(self.name)(**{n: state[n] for n in self.names}).readouts())


@cache
def widget_class(name: str) -> type:
    """The class of a widget: loaded when a test first needs it."""
    import attention_course.widgets

    return getattr(attention_course.widgets, name)


def built(name: str, state: dict):
    """The widget in Python with the state that the page holds."""
    its_class = widget_class(name)
    return its_class(**{trait: state[trait] for trait in its_class._state})


def flat(readouts: dict) -> Numbers:
    """Arrays as one number for each place, named as the page names them."""
    found = {}
    for name, value in readouts.items():
        if getattr(value, "ndim", 0):
            singular = name.removesuffix("s") if name != "scaled" else name
            found |= {f"{singular}-{i}": float(x) for i, x in enumerate(value)}
        else:
            found[name] = float(value)
    return found


def by_place(name: str, rows) -> Numbers:
    """A table as one number for each cell."""
    return {
        f"{name}-{i}-{j}": float(x) for i, row in enumerate(rows) for j, x in enumerate(row)
    }


def _lab(state: dict) -> Numbers:
    numbers = built("SaturationLab", state).readouts()
    parts = {"shown": ("top_weight", "entropy", "jacobian_norm", "gradient_norm"), "batch": ()}
    return {
        f"{part}.{name}": float(value)
        for part, wanted in parts.items()
        for name, value in numbers[part].items()
        if (name in wanted if wanted else name != "overflow")
    }


def _response(state: dict) -> Numbers:
    return {
        f"{part}-{score}-{j}": float(x)
        for part, rows in built("ScoreResponse", state).readouts().items()
        for score, row in rows.items()
        for j, x in enumerate(row)
    }


def _mask(state: dict) -> Numbers:
    numbers = built("MaskPainter", state).readouts()
    found = by_place("weight", numbers["weights"])
    for name in ("moved", "reach"):
        found |= {f"{name}-{i}": float(x) for i, x in enumerate(numbers[name])}
    # What is not a number is shown as such and has no read-out.
    return {name: value for name, value in found.items() if not math.isnan(value)}


def _heads(state: dict) -> Numbers:
    given = {name: state[name] for name in KINDS["heads"].names}
    numbers = widget_class("HeadsSideBySide")(**given).readouts()
    weights = numbers.pop("weights")[:, : len(state["word"]) + 2]
    return flat(numbers) | by_place("weight", weights)


def _stepper_complaints(state: dict, numbers: Numbers, words: str) -> list[str]:
    wanted = built("Stepper", state).sentences()[state["step"]]
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]


def _roofline_complaints(state: dict, numbers: Numbers, words: str) -> list[str]:
    wanted = built("Roofline", state).sentence()
    return [] if words == wanted else [f"says {words!r}, must say {wanted!r}"]


def _grow_complaints(state: dict, numbers: Numbers, words: str) -> list[str]:
    mean = numbers[f"mean-{state['stage']}"]
    wanted = f"{mean:.2f} nats a word"
    return [] if wanted in words else [f"says {words!r}, without {wanted!r}"]


@cache
def _trained(model: str, task: str, seed: int, steps: int) -> Numbers:
    """What torch gets to: the mean loss of ten steps, and what is exact where it is tested."""
    import live_training as script

    losses: list[float] = []
    setting = script.SETTING | {"steps": steps}
    exact = script.run(model, setting, seed, losses=losses, task=task)["exact"]
    found = {f"loss-{model}": math.fsum(losses[-10:]) / len(losses[-10:])}
    return found | ({f"exact-{model}": exact[-1]} if exact else {})


def _training(state: dict) -> Numbers:
    if not state["step"]:
        return {}
    at = (state["task"], state["seed"], state["step"])
    return _trained("attention", *at) | _trained("fixed", *at)


class _Kinds(dict[str, Kind]):
    def __missing__(self, kind: str) -> Kind:
        raise LookupError(
            f"a widget has no entry in KINDS (tests/browser/widget_kinds.py): {kind}"
        )


KINDS = _Kinds()
KINDS |= {
    "living": Kind(
        "LivingSentence",
        mark="exchanged",  # before "player": it has a sentence too
        bad=[
            ("sentence", 7),
            ("view", "dreams"),
            ("written", 25),
            ("layer", 5),
            ("cuts", ["head-5-1"]),
            ("exchanged", "all"),
        ],
    ),
    "player": Kind(
        "SentencePlayer",
        mark="sentence",
        bad=[
            ("sentence", 7),
            ("model", "luong"),
            ("step", 61),
            ("moves", [[1]]),
            ("forbidden", "all"),
            ("uniform", "yes"),
        ],
    ),
    "grow": Kind(
        "Grow",
        mark="guesses",
        more=("losses", "samples", "prompt"),
        bad=[("stage", 10), ("guess", "low"), ("guesses", [[1]])],
        complaints=_grow_complaints,
    ),
    "looker": Kind(
        "ImageLooker",
        mark="drawn",
        bad=[
            ("picture", 11),
            ("layer", 0),
            ("head", 5),
            ("covered", [49]),
            ("swapped", [1, 2, 3]),
            ("loaded", "yes"),
        ],
    ),
    "lab": Kind(
        "SaturationLab",
        mark="spread",
        more=("compact",),
        numbers=_lab,
        bad=[
            ("d_k", "wide"),
            ("n_keys", 99),
            ("scale", "cubed"),
            ("offsets", "up"),
            ("seed", -1),
        ],
        complaints=sentences.lab_complaints,
    ),
    "training": Kind(
        "LiveTraining",
        mark="training",
        numbers=_training,
        bad=[("task", "poems"), ("seed", -1), ("step", 251)],
    ),
    "plane": Kind(
        "AttentionPlane",
        mark="key_points",
        said=[
            (r"entropy of the weights is (.+?) nats", "entropy"),
            (r"The context is \((.+?), ", "context-0"),
        ],
        bad=[("query", "q"), ("key_points", []), ("score", "guess"), ("temperature", None)],
        unnamed=frozenset({"key_points"}),
    ),
    "explore": Kind(
        "Explore",
        mark="spec",
        more=("spec",),
        numbers=lambda state: {},  # its numbers are its sentence's
        bad=[("chosen", {}), ("spec", {})],
        complaints=sentences.explore_complaints,
        unnamed=frozenset({"chosen", "spec"}),
    ),
    "stepper": Kind(
        "Stepper",
        mark="plan",
        bad=[("step", 99), ("scale", "cubed"), ("word", -1)],
        complaints=_stepper_complaints,
    ),
    "response": Kind(
        "ScoreResponse",
        mark="beta",
        numbers=_response,
        said=[
            (r"gives key 1 a weight of (.+?), the scaled", "weight-dot-0"),
            (r"the scaled dot product (.+?), the additive", "weight-scaled-0"),
            (r"the additive score (.+?)\. From", "weight-additive-0"),
        ],
        bad=[("angle", "north"), ("length", 0), ("d", 5), ("beta", None), ("seed", 10)],
        unnamed=frozenset({"d", "beta", "angle", "length"}),
    ),
    "local_window": Kind(
        "LocalWindow",
        mark="half_width",
        said=[(r"weights add up to (.+?)\.$", "total")],
        bad=[("scores", ["high"]), ("kind", "local-q"), ("centre", -1), ("half_width", 0.5)],
    ),
    "clocks": Kind(
        "PositionClocks",
        mark="query_at",
        said=[(r"Their score is (.+?)\. Move", "score")],
        bad=[
            ("kind", "learned"),
            ("content", "odd"),
            ("query_at", 97),
            ("key_at", -1),
            ("d", 6),
        ],
    ),
    "hard_choice": Kind(
        "HardChoice",
        mark="estimator",
        said=[
            (r"mean estimate is (.+?) away", "distance"),
            (r"mean square of (.+?)\. ", "error"),
        ],
        bad=[
            ("rewards", [1]),
            ("shift", 99),
            ("estimator", "guess"),
            ("samples", 7),
            ("tau", 0),
        ],
    ),
    "mask": Kind(
        "MaskPainter",
        mark="rule",
        numbers=_mask,
        bad=[("mask", "all"), ("mask", [[1]]), ("rule", "guess"), ("token", 7)],
        complaints=sentences.mask_complaints,
    ),
    "heads": Kind(
        "HeadsSideBySide",
        mark="silent",
        more=("models", "words"),
        numbers=_heads,
        said=[(r"its loss is (.+?) nats a letter", "loss_now")],
        bad=[("word", "It"), ("place", "x"), ("n_heads", 3), ("silent", [99]), ("models", {})],
        unnamed=frozenset({"models", "place", "n_heads", "silent", "word"}),
    ),
    "prediction": Kind(
        "Prediction",
        mark="opened",
        more=(
            "question",
            "kind",
            "answer",
            "choices",
            "unit",
            "tolerance",
            "reveal",
            "believed",
            "beliefs",
        ),
        bad=[("answer", "many"), ("kind", "riddle"), ("guess", [1, 2]), ("choices", 7)],
        complaints=sentences.prediction_complaints,
    ),
    "roofline": Kind(
        "Roofline",
        mark="variant",
        bad=[
            ("variant", "flash"),
            ("device", "TPU"),
            ("n", 0),
            ("group", 3),
            ("causal", "yes"),
        ],
        complaints=_roofline_complaints,
    ),
    "temperature": Kind(
        "Temperature",
        mark="temperature",  # last: others have it too
        more=("words",),
        said=[(r"Entropy (.+?) nats", "entropy")],
        bad=[("temperature", 0), ("scores", ["warm", "cold"])],
    ),
}


def kind_of(state: dict) -> str:
    """The widget's class, known by a trait that only it has."""
    return next((name for name, kind in KINDS.items() if kind.mark in state), "unknown")


def number_complaints(kind: str, state: dict, numbers: Numbers) -> list[str]:
    """Which read-outs are missing, unknown or other than the reference says."""
    wanted = KINDS[kind].readouts(state)
    if kind == "lab" and state["compact"]:
        wanted = {"batch.dead": wanted["batch.dead"]}  # its words carry the others
    complaints = [f"no read-out of {name}" for name in sorted(wanted.keys() - numbers.keys())]
    complaints += [f"{name} is unknown" for name in sorted(numbers.keys() - wanted.keys())]
    for name in sorted(wanted.keys() & numbers.keys()):
        if not math.isclose(numbers[name], wanted[name], rel_tol=1e-9, abs_tol=1e-12):
            complaints.append(
                f"{name} is {numbers[name]!r}, the reference says {wanted[name]!r}"
            )
    return complaints


def word_complaints(kind: str, state: dict, words: str) -> list[str]:
    """What is wrong with the sentence of a widget in this state."""
    numbers, complaints = KINDS[kind].readouts(state), []
    for pattern, name in KINDS[kind].said:
        if not (found := re.search(pattern, words)):
            complaints.append(f"says nothing of {name}: {words!r}")
            continue
        value, slack = sentences.spoken_number(found[1])
        if not abs(value - numbers[name]) <= slack:
            complaints.append(f"says {name} is {found[1]}, the reference {numbers[name]!r}")
    return complaints + KINDS[kind].complaints(state, numbers, words)
