"""What the browser tests must know of each class of widget.

Most of it is what the class says of its state. What is left stands in ``tests/on_page.py`` of
the widget's folder, and every part of that may be absent:

    MORE: traits without limits that decide what it shows, beside its state.
    SAID: numbers in its sentence: where they stand, and which of its read-outs they are.
    BAD: values that it must refuse, by trait, beside those that its limits rule out.
    UNNAMED: those of its traits whose name and bad value its error need not repeat.
    numbers(state): what the reference says its read-outs are. Without it, they are what its
        ``readouts()`` says, or its script in Node, which fixtures hold to the reference.
    complaints(state, numbers, words): what else is wrong with its sentence.
"""

import importlib
import json
import math
import re
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import Any

from widget_sentences import spoken_number

from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.compose import WIDGETS
from attention_course.widgets.kit.traits import Checked

Numbers = dict[str, float]


class Kind:
    """One class of widget."""

    def __init__(self, its_class: type[CourseWidget]):
        self.its_class = its_class
        self.page = _on_page(its_class.__module__.rpartition(".")[0])
        traits = self.its_class.class_traits().items()
        limits = {name: trait.limits for name, trait in traits if isinstance(trait, Checked)}
        state = self.its_class._state
        # The traits that its controls move, and those that decide with them.
        self.names = [*dict.fromkeys([*state, *limits, *getattr(self.page, "MORE", ())])]
        own = [(name, bad(limits[name])) for name in state if name in limits]
        self.bad = [*own, *getattr(self.page, "BAD", ())]
        self.unnamed = getattr(self.page, "UNNAMED", ())
        self.close = getattr(self.page, "CLOSE", 1e-9)

    def readouts(self, state: dict) -> Numbers:
        """What its read-outs must be."""
        if hasattr(self.page, "numbers"):
            return self.page.numbers(state)
        said = self.described(state)
        return (
            said["readouts"] if said else flat(built(self.its_class.__name__, state).readouts())
        )

    def described(self, state: dict) -> dict[str, Any]:
        """What its script says in Node; nothing if Python or the page says more than that."""
        if hasattr(self.page, "numbers") or hasattr(self.its_class, "readouts"):
            return {}
        widget = built(self.its_class.__name__, state)
        return widget.described(widget.stored())


def _on_page(folder: str) -> ModuleType | SimpleNamespace:
    try:
        return importlib.import_module(f"{folder}.tests.on_page")
    except ModuleNotFoundError as missing:
        if missing.name not in (f"{folder}.tests", f"{folder}.tests.on_page"):
            raise
        return SimpleNamespace()


def bad(limit: dict) -> Any:
    """A value that a trait with this limit refuses."""
    kind = limit["kind"]
    if kind in ("whole", "number"):
        return 2 * limit["max"] + (1 if kind == "whole" else 0.5)
    if kind == "items":
        return [bad(limit["item"])] * max(limit["fewest"], 1)
    return 7 if kind == "text" else "guess"


def built(name: str, state: dict):
    """The widget in Python with the state that the page holds."""
    return KINDS[name].its_class(**{trait: state[trait] for trait in KINDS[name].names})


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


class _Kinds(dict[str, Kind]):
    """The classes by name, each read when a test first needs it."""

    def __missing__(self, name: str) -> Kind:
        its_class = next(one for one in _by_limits().values() if one.__name__ == name)
        return self.setdefault(name, Kind(its_class))


KINDS = _Kinds()


@cache
def _by_limits() -> dict[str, type[CourseWidget]]:
    """Every class of widget, by what it says of its limits: a page stores that of each."""
    found = {}
    for path in sorted(WIDGETS.glob("*/widget.py")):
        module = importlib.import_module(f"attention_course.widgets.{path.parent.name}.widget")
        for one in vars(module).values():
            if getattr(one, "__module__", "") == module.__name__ and hasattr(one, "_limits"):
                found[_as_text(one._limits())] = one
    return found


def _as_text(limits: dict) -> str:
    return json.dumps(limits, sort_keys=True)


def kind_of(state: dict) -> str:
    """The name of the widget's class."""
    return _by_limits()[_as_text(state["limits"])].__name__


def number_complaints(kind: str, state: dict, numbers: Numbers) -> list[str]:
    """Which read-outs are missing, unknown or other than the reference or Node says."""
    wanted, close = KINDS[kind].readouts(state), KINDS[kind].close
    if kind == "SaturationLab" and state["compact"]:
        wanted = {"batch.dead": wanted["batch.dead"]}  # its words carry the others
    complaints = [f"no read-out of {name}" for name in sorted(wanted.keys() - numbers.keys())]
    complaints += [f"{name} is unknown" for name in sorted(numbers.keys() - wanted.keys())]
    for name in sorted(wanted.keys() & numbers.keys()):
        if not math.isclose(numbers[name], wanted[name], rel_tol=close, abs_tol=1e-12):
            complaints.append(
                f"{name} is {numbers[name]!r}, the reference says {wanted[name]!r}"
            )
    return complaints


def word_complaints(kind: str, state: dict, words: str) -> list[str]:
    """What is wrong with the sentence of a widget in this state."""
    numbers, complaints = KINDS[kind].readouts(state), []
    page = KINDS[kind].page
    for pattern, name in getattr(page, "SAID", ()):
        if not (found := re.search(pattern, words)):
            complaints.append(f"says nothing of {name}: {words!r}")
            continue
        value, slack = spoken_number(found[1])
        if not abs(value - numbers[name]) <= slack:
            complaints.append(f"says {name} is {found[1]}, the reference {numbers[name]!r}")
    if said := KINDS[kind].described(state):
        wanted = said["sentence"]
        complaints += [f"says {words!r}, must say {wanted!r}"] * (words != wanted)
    more = getattr(page, "complaints", None)
    return complaints + (more(state, numbers, words) if more else [])
