"""``explore``: move a figure's sliders on a page that has no kernel.

``ipywidgets.interact`` calls Python at every move. ``explore`` calls it once for every
combination of the sliders' stops, when the cell runs, and stores what the figures show; from
then on the browser draws.
"""

import html
import inspect
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import traitlets

from attention_course.widgets.explorer.figures import read_figure, share_ranges
from attention_course.widgets.explorer.tables import chart_table
from attention_course.widgets.kit.base import CourseWidget, table

MOST_COMBINATIONS = 300
MOST_BYTES = 400_000


class Explore(CourseWidget, folder="explorer"):
    """The widget that :func:`explore` returns; see there.

    Attributes:
        chosen: the sliders' values by name.
        spec: the sliders' stops, and a chart for each combination.
    """

    _state = ("chosen",)
    chosen = traitlets.Dict().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        figure_function: Callable[..., Any],
        stops: dict[str, list[Any]],
        key: str,
        play: str,
    ) -> None:
        self._function, self._stops = figure_function, stops
        products = [*itertools.product(*stops.values())]
        if len(products) > MOST_COMBINATIONS:
            raise ValueError(
                f"explore: sliders must give at most {MOST_COMBINATIONS} combinations, "
                f"got {len(products)}"
            )
        charts = [self._evaluate(dict(zip(stops, each, strict=True))) for each in products]
        share_ranges(charts)
        spec = {
            "name": self._name.replace("_", " "),
            "controls": [
                {"name": name, "label": spoken(name), "numbers": [*map(float, values)]}
                for name, values in stops.items()
            ],
            "charts": charts,
            **({"play": play} if play else {}),
        }
        if (size := len(json.dumps(spec))) > MOST_BYTES:
            raise ValueError(
                f"explore: figures must fit into {MOST_BYTES // 1000} kB, got "
                f"{size / 1000:.0f} kB in {len(charts)} combinations"
            )
        defaults = inspect.signature(figure_function).parameters
        start = {
            name: values[0]
            if name == play or defaults[name].default not in values
            else defaults[name].default
            for name, values in stops.items()
        }
        super().__init__(spec=spec, chosen=start, key=key or self._name.replace("_", "-"))

    @property
    def _name(self) -> str:
        return getattr(self._function, "__name__", "figure").strip("<>")

    @property
    def sentence(self) -> str:
        """The read-out for the chosen values."""
        return self._chart()["sentence"]

    def __repr__(self) -> str:
        """Return the call with the chosen values."""
        return f"explore({self._name}, {_arguments(self.chosen)})"

    def _chart(self) -> dict[str, Any]:
        position = 0
        for name, values in self._stops.items():
            position = position * len(values) + values.index(self.chosen[name])
        return self.spec["charts"][position]

    def _fallback(self) -> str:
        chart = self._chart()
        caption = f"{chart['title'] or self._name} ({_arguments(self.chosen)})"
        return f"<p>{html.escape(chart['sentence'])}</p>" + table(*chart_table(chart), caption)

    def _evaluate(self, values: Mapping[str, Any]) -> dict[str, Any]:
        call = f"{self._name}({_arguments(values)})"
        try:
            result = self._function(**values)
            figure, sentence = result if isinstance(result, tuple) else (result, "")
            chart = read_figure(figure)
        except Exception as error:
            raise ValueError(
                f"explore: {call} must return a figure that can be drawn, "
                f"got {type(error).__name__}: {error}"
            ) from error
        # The alt text repeats the title, which is above the picture already.
        told = chart.pop("alt").split(f"{chart['title']}. ", 1)[-1]
        return chart | {"sentence": str(sentence) or told or call}

    @traitlets.validate("chosen")
    def _check_chosen(self, proposal: Any) -> dict[str, Any]:
        chosen = proposal["value"]
        for name, values in self._stops.items():
            value = chosen.get(name)
            if isinstance(value, bool) or value not in values:
                raise ValueError(
                    f"explore: {name} must be one of {', '.join(map(str, values))}, "
                    f"got {value!r:.60}"
                )
        return {name: chosen[name] for name in self._stops}


def spoken(name: str) -> str:
    """Write a Python name for readers; a symbol such as d_k stays as it is.

    >>> spoken("hidden_width"), spoken("d_k")
    ('hidden width', 'd_k')
    """
    return name if any(len(part) == 1 for part in name.split("_")) else name.replace("_", " ")


def _arguments(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _read_stops(name: str, given: Any) -> list[Any]:
    whole = isinstance(given, tuple) and all(isinstance(v, Integral) for v in given)
    if whole and len(given) in (2, 3) and (len(given) == 2 or given[2] > 0):
        given = range(given[0], given[1] + 1, *given[2:])
    values = [*given] if isinstance(given, Sequence) and not isinstance(given, str) else []
    fine = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
    rising = fine and all(a < b for a, b in itertools.pairwise(values))
    if len(values) < 2 or not rising or not all(map(math.isfinite, values)):
        raise ValueError(
            f"explore: {name} must be whole numbers (min, max, step) or a list of rising "
            f"numbers, got {given!r:.60}"
        )
    return values


def explore(
    figure_function: Callable[..., Any], /, *, key: str = "", play: str = "", **sliders: Any
) -> Explore:
    """Show the figure that a function returns, with a slider for each argument.

    Called as ``ipywidgets.interact`` is: ``(min, max, step)`` are whole numbers, a list has the
    stops themselves. The function is called once for each combination. Axes are the same for
    all of them (unless the function fixes a range), so that what moves is the data.

    Args:
        figure_function: takes the sliders' values by name; returns a heatmap, lines or bars of
            ``attention_course.drawing.plots``, or a pair (figure, sentence). The sentence is
            the read-out; without one it is the figure's alternative text.
        key: names the widget in links; the function's name unless given.
        play: the name of a slider that starts at its first stop and gets a button *Play*, for
            what happens in time: a training, say. Where the reader's system asks for less
            motion, each press is one stop.
        **sliders: the stops of each argument of the function.

    Returns:
        The widget. ``widget.chosen`` is a dictionary of the chosen values.

    Raises:
        ValueError: if a slider is no argument or has no stops, if there are more than 300
            combinations, if the function fails (the combination is named), if a figure has
            what cannot be drawn, or if more than 400 kB would have to be stored.

    Source:
        Interface: ``ipywidgets.interact``.

    >>> from attention_course.drawing.plots import bars
    >>> def power(n=2):
    ...     figure = bars(["1", "n"], {"2": [2, 2**n]}, title="T", x_title="x", y_title="y")
    ...     return figure, f"2 to the power {n} is {2**n}."
    >>> explore(power, n=[1, 2, 3]).sentence
    '2 to the power 2 is 4.'
    """
    names = [*inspect.signature(figure_function).parameters]
    if set(names) != set(sliders) or not names:
        raise ValueError(
            f"explore: sliders must be the arguments of the function ({', '.join(names)}), "
            f"got {', '.join(sliders) or 'none'}"
        )
    if play and play not in sliders:
        raise ValueError(f"explore: play must name a slider ({', '.join(names)}), got {play!r}")
    stops = {name: _read_stops(name, sliders[name]) for name in names}
    return Explore(figure_function, stops, key, play)
