"""Controls of :func:`explore`, written as short as those of ``ipywidgets.interact``."""

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from attention_course.widgets.explorer.tables import short_list, spoken

# Arguments of explore itself, and what a widget's state has beside the controls.
RESERVED = {"key", "live", "precision", "play", "initial"}
NOTHING = object()


@dataclass(frozen=True)
class Control:
    """One control: the values it can take, in order, and the one it starts with.

    Attributes:
        name: the argument of the figure function.
        kind: ``slider``, ``select``, ``checkbox`` or ``fixed`` (not shown).
        values: what the function is given.
        labels: what the reader sees.
        start: index of the first value.
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    labels: tuple[str, ...]
    start: int = 0

    @property
    def numeric(self) -> bool:
        """Whether values in between make sense: sorted numbers on a slider."""
        return self.kind == "slider"

    def index(self, value: Any) -> float:
        """Return the index of ``value``; a fraction if it lies between two stops."""
        for i, known in enumerate(self.values):
            if type(known) is type(value) or {type(known), type(value)} <= {int, float}:
                same = known == value
                if same is True or (isinstance(known, float) and math.isclose(known, value)):
                    return i
        if self.numeric and is_number(value) and self.values[0] < value < self.values[-1]:
            after = next(i for i, known in enumerate(self.values) if known > value)
            low, high = self.values[after - 1], self.values[after]
            return after - 1 + (value - low) / (high - low)
        raise ValueError(
            f"explore: {self.name} must be one of {short_list(self.labels)}, got {value!r:.60}"
        )

    def value(self, index: float) -> Any:
        """Return the value at an index; whole numbers stay whole in between."""
        low = math.floor(index)
        if low == index or not self.numeric:
            return self.values[round(index)]
        before, after = self.values[low], self.values[low + 1]
        value = before + (index - low) * (after - before)
        whole = isinstance(before, int) and isinstance(after, int)
        return round(value) if whole else float(f"{value:.6g}")

    def spec(self) -> dict[str, Any]:
        """Return what the browser needs."""
        numbers = [float(v) for v in self.values] if self.numeric else None
        whole = self.numeric and all(isinstance(v, int) for v in self.values)
        return {
            "name": self.name,
            "label": spoken(self.name),
            "kind": self.kind,
            "labels": list(self.labels),
            "numbers": numbers,
            "whole": whole,
        }


def wrong(argument: str, expected: str, actual: Any) -> ValueError:
    """Return the error of a bad argument."""
    return ValueError(f"explore: {argument} must be {expected}, got {actual!r:.60}")


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a real number, and not True or False."""
    return isinstance(value, Real) and not isinstance(value, bool)


def read_controls(function: Callable[..., Any], given: Mapping[str, Any]) -> list[Control]:
    """Turn keyword arguments into controls, as ``interact`` does.

    An argument of ``function`` that is not given takes its default as its abbreviation; one
    that is given starts at its default if that is among its values.

    Raises:
        ValueError: if a name is not an argument of ``function``, or an argument has no values.
    """
    if not callable(function):
        raise wrong("figure_function", "a function", function)
    parameters = inspect.signature(function).parameters
    if taken := sorted(RESERVED & {*parameters, *given}):
        raise ValueError(
            f"explore: {_name(function)} must not have arguments named "
            f"{', '.join(sorted(RESERVED))}, got {', '.join(taken)}"
        )
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    unknown = [name for name in given if name not in parameters]
    if unknown and not open_ended:
        raise ValueError(
            f"explore: controls must be arguments of {_name(function)} "
            f"({', '.join(parameters)}), got {', '.join(unknown)}"
        )
    controls = []
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        default = NOTHING if parameter.default is parameter.empty else parameter.default
        if name in given:
            controls.append(read_control(name, given[name], default))
        elif default is not NOTHING:
            controls.append(read_control(name, default))
        else:
            raise ValueError(f"explore: {name} must have values to choose from, got none")
    controls += [read_control(n, given[n]) for n in given if n not in parameters]
    if not any(c.kind != "fixed" for c in controls):
        raise ValueError("explore: controls must have at least one to move, got none")
    return controls


def read_control(name: str, given: Any, default: Any = NOTHING) -> Control:
    """Turn one abbreviation into a control.

    ``True`` is a checkbox; ``7`` a slider from -7 to 21; ``(1, 9)``, ``(1, 9, 2)`` and
    ``(0.0, 1.0)`` sliders (steps of 1, 2 and 0.1); a list or a dict of labels a menu, or a
    slider with these stops if it holds rising numbers; an ipywidgets control stands for its
    options or its range.
    """
    control = _from_widget(name, given) or _from_abbreviation(name, given)
    if default is NOTHING or default is given:
        return control
    try:
        start = control.index(default)
    except ValueError:
        return control
    if start != int(start):
        return control
    return Control(control.name, control.kind, control.values, control.labels, int(start))


def _from_abbreviation(name: str, given: Any) -> Control:
    if isinstance(given, bool):
        return Control(name, "checkbox", (False, True), ("off", "on"), int(given))
    if is_number(given):
        low, high = (0, 1) if given == 0 else sorted((-given, 3 * given))
        return _slider(name, low, high, 1 if isinstance(given, Integral) else 0.1, given)
    if isinstance(given, tuple) and len(given) in (2, 3) and all(map(is_number, given)):
        step = given[2] if len(given) == 3 else None
        if step is None:
            step = 1 if all(isinstance(v, Integral) for v in given) else 0.1
        return _slider(name, given[0], given[1], step)
    if isinstance(given, Mapping):
        return _options(name, list(given.items()))
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        items = list(given)
        if items and all(isinstance(i, tuple) and len(i) == 2 for i in items):
            return _options(name, items)
        return _options(name, [(_label(v), v) for v in items], slide=True)
    raise ValueError(
        f"explore: {name} must be a list, a dict of labels, a (min, max, step) tuple, a number "
        f"or a bool, got {given!r:.60}"
    )


def _from_widget(name: str, given: Any) -> Control | None:
    """Read an ipywidgets control (or ``fixed``) by its traits."""
    if not hasattr(given, "has_trait") or not given.has_trait("value"):
        return None
    if given.has_trait("options"):
        pairs = zip(given._options_labels, given._options_values, strict=True)
        control = _options(name, list(pairs), slide=True)
    elif given.has_trait("base") and given.has_trait("min"):
        count = round((given.max - given.min) / given.step)
        values = [
            float(f"{given.base ** (given.min + i * given.step):.6g}") for i in range(count + 1)
        ]
        control = _options(name, [(_label(v), v) for v in values], slide=True)
    elif given.has_trait("min") and given.has_trait("step"):
        control = _slider(name, given.min, given.max, given.step)
    elif isinstance(given.value, bool):
        control = _from_abbreviation(name, given.value)
    else:
        return Control(name, "fixed", (given.value,), (_label(given.value),))
    start = round(control.index(given.value))
    return Control(name, control.kind, control.values, control.labels, start)


def _slider(name: str, low: Any, high: Any, step: Any, start: Any = None) -> Control:
    if not (all(map(math.isfinite, (low, high, step))) and low < high and step > 0):
        raise ValueError(
            f"explore: {name} must be (min, max, step) with min < max and step > 0, "
            f"got ({low}, {high}, {step})"
        )
    count = math.floor((high - low) / step + 1e-9) + 1
    if count > 10_000:
        raise ValueError(f"explore: {name} must have at most 10000 steps, got {count}")
    values = tuple(_clean(low + i * step, low, step) for i in range(count))
    control = Control(name, "slider", values, tuple(map(_label, values)))
    at = (count - 1) // 2 if start is None else round(control.index(start))
    return Control(name, "slider", values, control.labels, at)


def _options(name: str, pairs: list[Any], slide: bool = False) -> Control:
    labels = tuple(str(label) for label, _ in pairs)
    values = tuple(_plain(value) for _, value in pairs)
    if not pairs or len(set(labels)) != len(labels):
        raise ValueError(
            f"explore: {name} must have at least one value and different labels, "
            f"got {short_list(labels) or 'none'}"
        )
    rising = len(values) > 2 and all(map(is_number, values)) and slide
    rising = rising and all(a < b for a, b in itertools.pairwise(values))
    return Control(name, "slider" if rising else "select", values, labels)


def _plain(value: Any) -> Any:
    """Turn a NumPy scalar into a Python number."""
    if isinstance(value, bool) or not hasattr(value, "item") or getattr(value, "ndim", True):
        return value
    return value.item()


def _clean(value: Any, low: Any, step: Any) -> Any:
    """Drop the noise of adding floats: 0.1 + 0.2 is 0.3 here."""
    if isinstance(low, Integral) and isinstance(step, Integral):
        return int(value)
    digits = max(0, 9 - math.floor(math.log10(abs(step))))
    return float(round(value, digits))


def _label(value: Any) -> str:
    plain = _plain(value)
    return f"{plain:.6g}" if isinstance(plain, float) else str(plain)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "the figure function")
