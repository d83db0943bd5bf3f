"""The widget behind ``explore``: every combination stored, the chosen one kept in step."""

import html
import itertools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from attention_course.widgets.explorer.controls import Control
from attention_course.widgets.explorer.figures import read_figure, walk
from attention_course.widgets.explorer.packing import Packer
from attention_course.widgets.explorer.ranges import Ranges
from attention_course.widgets.explorer.tables import chart_table, choice_text, spoken
from attention_course.widgets.kit.base import CourseWidget, table

MOST_COMBINATIONS = 1000
MOST_BYTES = 400_000


class Explore(CourseWidget, folder="explorer"):
    """The widget that :func:`explore` returns; see there.

    Attributes:
        value: the chosen values by name, as the figure function gets them.
        chosen: the same as JSON holds it: numbers of sliders, labels of menus.
        spec: controls and charts, all numbers in packed arrays.
        hello: what the browser writes when it wants to know whether a kernel is there.
        alive: the answer to ``hello``.
        computed: the last chart between the stored ones.
    """

    _state = ("chosen",)
    value = traitlets.Dict()
    chosen = traitlets.Dict().tag(sync=True)
    spec = traitlets.Dict().tag(sync=True)
    hello = traitlets.Unicode("").tag(sync=True)
    alive = traitlets.Unicode("").tag(sync=True)
    computed = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        figure_function: Callable[..., Any],
        controls: list[Control],
        *,
        key: str = "",
        live: bool = False,
        precision: float = 1e-4,
        play: str = "",
    ) -> None:
        self._function = figure_function
        self._name = getattr(figure_function, "__name__", "figure")
        self._fixed = {c.name: c.values[0] for c in controls if c.kind == "fixed"}
        self._controls = {c.name: c for c in controls if c.kind != "fixed"}
        self._live, self._precision, self._play = bool(live), precision, play
        self._charts = [self._evaluate(values) for values in self._combinations()]
        self._ranges = Ranges(self._charts)
        start = {
            name: c.values[0 if name == play else c.start] for name, c in self._controls.items()
        }
        super().__init__(
            spec=self._pack(), value=start, key=key or self._name.strip("<>").replace("_", "-")
        )
        self.observe(self._choose_from_browser, names="chosen")
        if self._live:
            self.observe(lambda change: setattr(self, "alive", change.new), names="hello")

    @property
    def sentence(self) -> str:
        """The read-out for the chosen values (of the nearest stored ones in between)."""
        return self._charts[self._position(self.value)]["sentence"]

    def __repr__(self) -> str:
        """Return the call with the chosen values."""
        return f"explore({self._name}, {choice_text(self.value)})"

    def _fallback(self) -> str:
        chart = self._charts[self._position(self.value)]
        caption = f"{chart['title'] or self._name} ({choice_text(self.value)})"
        return f"<p>{html.escape(chart['sentence'])}</p>" + table(*chart_table(chart), caption)

    # ---- calling the function ----

    def _combinations(self) -> list[dict[str, Any]]:
        count = math.prod(len(c.values) for c in self._controls.values())
        if count > MOST_COMBINATIONS:
            sizes = " x ".join(str(len(c.values)) for c in self._controls.values())
            raise ValueError(
                f"explore: controls must give at most {MOST_COMBINATIONS} combinations, "
                f"got {sizes} = {count}"
            )
        names = list(self._controls)
        products = itertools.product(*(c.values for c in self._controls.values()))
        return [dict(zip(names, values, strict=True)) for values in products]

    def _evaluate(self, values: Mapping[str, Any]) -> dict[str, Any]:
        call = f"{self._name}({choice_text(values)})"
        try:
            result = self._function(**values, **self._fixed)
            figure, sentence = result if isinstance(result, tuple) else (result, "")
            chart = read_figure(figure)
        except Exception as error:
            raise ValueError(
                f"explore: {call} must return a figure that can be drawn, "
                f"got {type(error).__name__}: {error}"
            ) from error
        # The alt text repeats the title, which stands above the picture already.
        told = chart["alt"].split(f"{chart['title']}. ", 1)[-1]
        chart["sentence"] = str(sentence) or told or chart["title"] or call
        return chart

    def _position(self, values: Mapping[str, Any]) -> int:
        """Return the number of the stored combination nearest to ``values``."""
        position = 0
        for name, control in self._controls.items():
            nearest = math.floor(control.index(values[name]) + 0.5)
            position = position * len(control.values) + nearest
        return position

    # ---- storing ----

    def _pack(self) -> dict[str, Any]:
        packer = Packer(self._precision)
        templates: dict[str, int] = {}
        charts = []
        for chart in self._charts:
            skeleton, numbers = self._skeleton(chart, packer)
            text = json.dumps(skeleton, sort_keys=True, ensure_ascii=False, allow_nan=False)
            at = templates.setdefault(text, len(templates))
            charts.append([at, chart["title"], chart["sentence"], numbers])
        spec = {
            "name": spoken(self._name),
            "live": self._live,
            "precision": self._precision,
            "controls": [c.spec() for c in self._controls.values()],
            "templates": [json.loads(t) for t in templates],
            "charts": charts,
            **({"play": self._play} if self._play else {}),
            **packer.state(),
        }
        size = len(json.dumps(spec))
        if size > MOST_BYTES:
            raise ValueError(
                f"explore: figures must fit into {MOST_BYTES // 1000} kB, got "
                f"{size / 1000:.0f} kB in {len(charts)} combinations: use fewer combinations, "
                "fewer points, or a coarser precision"
            )
        return spec

    def _skeleton(
        self, chart: dict[str, Any], packer: Packer
    ) -> tuple[dict[str, Any], list[int]]:
        """Return the chart with places for its arrays, and the arrays' numbers."""
        numbers: list[int] = []

        def place(series: dict[str, Any], name: str) -> int:
            axis = "x" if name == "x" else "y"
            log = name != "z" and chart[axis]["type"] == "log"
            numbers.append(packer.add(series[name], log))
            return len(numbers) - 1

        skeleton = walk(self._ranges.apply(chart), place)
        for name in ("title", "alt", "sentence"):
            skeleton.pop(name, None)
        return skeleton, numbers

    # ---- the chosen values ----

    @traitlets.validate("value")
    def _check_value(self, proposal: Any) -> dict[str, Any]:
        given = proposal["value"]
        unknown = sorted(set(given) - set(self._controls))
        if unknown:
            raise ValueError(
                f"explore: value must name {', '.join(self._controls)}, "
                f"got {', '.join(map(str, unknown))}"
            )
        return {
            name: self._check_one(name, given.get(name, self.value.get(name)))
            for name in self._controls
        }

    def _check_one(self, name: str, value: Any) -> Any:
        control = self._controls[name]
        index = control.index(value)
        if index != int(index) and not self._live:
            raise ValueError(
                f"explore: {name} must be a stored value unless live=True, "
                f"got {value!r}; nearest is {control.labels[math.floor(index + 0.5)]}"
            )
        return control.value(index) if index == int(index) else value

    @traitlets.observe("value")
    def _choose_from_python(self, change: Any) -> None:
        self.chosen = {n: self._as_json(n, v) for n, v in change.new.items()}

    def _as_json(self, name: str, value: Any) -> Any:
        control = self._controls[name]
        if control.kind == "select":
            return control.labels[int(control.index(value))]
        return value

    @traitlets.validate("chosen")
    def _check_chosen(self, proposal: Any) -> dict[str, Any]:
        values = {name: self._from_json(name, proposal["value"]) for name in self._controls}
        return {name: self._as_json(name, value) for name, value in values.items()}

    def _from_json(self, name: str, chosen: Mapping[str, Any]) -> Any:
        control = self._controls[name]
        value = chosen.get(name)
        if control.kind != "select":
            return self._check_one(name, value)
        if value not in control.labels:
            raise ValueError(
                f"explore: {name} must be one of {', '.join(control.labels)}, got {value!r}"
            )
        return control.values[control.labels.index(value)]

    def _choose_from_browser(self, change: Any) -> None:
        self.value = {name: self._from_json(name, change.new) for name in self._controls}
        if self._live and any(self._between(name) for name in self._controls):
            self.computed = self._compute()

    def _between(self, name: str) -> bool:
        index = self._controls[name].index(self.value[name])
        return index != int(index)

    def _compute(self) -> dict[str, Any]:
        """Call the function for values in between; an error is shown in the widget."""
        try:
            chart = self._evaluate(self.value)
        except ValueError as error:
            return {"chosen": self.chosen, "error": str(error)}
        packer = Packer(self._precision)
        skeleton, numbers = self._skeleton(chart, packer)
        return {
            "chosen": self.chosen,
            "templates": [skeleton],
            "charts": [[0, chart["title"], chart["sentence"], numbers]],
            **packer.state(),
        }
