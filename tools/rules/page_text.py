"""What a reader sees of a notebook: its words, lines and answers, without what is folded."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape

import nbformat
from compare_outputs import PLOTLY
from fill_in_exercises import KIND
from normalise import STATE, VIEW

from rules.notebooks import NOT_CHAPTERS, tags
from rules.taught_code import called_names, parse

NO_OUTPUT = {"hide-output", "hide-cell", "remove-output", "remove-cell"}
NO_CODE = {"hide-input", "hide-cell", "remove-input", "remove-cell", "setup"}
ASIDE = re.compile(r"## (Exercises|Further reading)[ \t]*$", re.M)

DETAILS = re.compile(r"(?si)<details\b(?![^>]*\bopen\b)[^>]*>(?:(?!<details\b).)*?</details>")
FENCE = re.compile(r"(?sm)^(?P<fence>`{3,}|~{3,})(?!\{)[^\n]*\n(?P<code>.*?)^(?P=fence)[ \t]*$")

Cell = nbformat.NotebookNode


@dataclass
class Page:
    """A notebook as its reader sees it."""

    notebook: nbformat.NotebookNode
    name: str
    """Its address in the book, such as ``transformer/scaling``."""

    @property
    def cells(self) -> list[Cell]:
        """All cells, in order."""
        return self.notebook.cells

    @property
    def shown_in_full(self) -> list[str]:
        """What it exists for, as dotted names."""
        return self.notebook.metadata.get("shown_in_full", [])

    @property
    def is_landing_page(self) -> bool:
        """Whether it is a landing page: it teaches nothing and has no exercises."""
        return self.name in NOT_CHAPTERS

    @cached_property
    def sections(self) -> list[str]:
        """The heading of the section that each cell ends in."""
        found, now = [], ""
        for cell in self.cells:
            if cell.cell_type == "markdown":
                now = [now, *re.findall(r"^## .*", FENCE.sub(" ", cell.source), re.M)][-1]
            found.append(now)
        return found

    def aside(self, at: int) -> bool:
        """Whether a cell stands among the exercises."""
        return bool(ASIDE.match(self.sections[at])) or "exercise" in tags(self.cells[at])

    def open_code(self) -> Iterator[tuple[int, Cell]]:
        """Yield the cells whose code everybody sees."""
        hidden = {*NO_CODE, "deeper"}
        for at, cell in enumerate(self.cells):
            if cell.cell_type == "code" and not hidden & {*tags(cell)} and not self.aside(at):
                yield at, cell

    def state_of(self, cell: Cell) -> dict:
        """Return the stored state of the widget that a cell shows."""
        models = self.notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
        ids = [o.data[VIEW]["model_id"] for o in cell.outputs if VIEW in o.get("data", {})]
        return next((models[i]["state"] for i in ids if i in models), {})


def main_path(text: str) -> str:
    """Return Markdown or HTML without its closed folds and comments."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    while DETAILS.search(text):
        text = DETAILS.sub(" ", text)
    return text


def fences(text: str) -> list[str]:
    """Return the code in a Markdown text's fences."""
    return [found["code"] for found in FENCE.finditer(text)]


def exercise_lines(text: str) -> Iterator[str]:
    """Yield the line of each exercise: its title and what is in the parentheses."""
    for found in KIND.finditer(text):
        yield text[found.start() : text.find(")", found.end()) + 1]


def visible_lines(output: Cell) -> Iterator[str]:
    """Yield the lines that a page shows of an output, in the richest form that it has."""
    data = output.get("data", {})
    if output.output_type == "stream":
        yield from output.text.splitlines()
    elif VIEW in data or PLOTLY in data or output.output_type == "error":
        return
    elif "text/html" in data:
        text = re.sub(r"\s*\n\s*", " ", main_path(_without(data["text/html"], "pre")))
        text = re.sub(r"</t[dh]>\s*", " | ", text, flags=re.I)
        ends = r"</(?:tr|p|div|li|h\d|summary|caption)>|<br\s*/?>"
        text = unescape(re.sub(r"<[^>]+>", "", re.sub(ends, "\n", text, flags=re.I)))
        yield from filter(str.strip, text.splitlines())
    elif "text/markdown" in data:
        text = main_path(data["text/markdown"])
        yield from (line for line in text.splitlines() if not line.startswith("```"))
    else:
        yield from data.get("text/plain", "").splitlines()


def _without(html: str, *names: str) -> str:
    parts = "|".join([*names, "style", "script", "svg"])
    return re.sub(rf"<({parts})\b.*?</\1>", " ", html, flags=re.S | re.I)


def seen(cell: Cell) -> str:
    """Return all the words and numbers that a cell shows, a figure's title among them."""
    if "deeper" in tags(cell):
        return ""
    if cell.cell_type == "markdown":
        return main_path(cell.source)
    if NO_OUTPUT & {*tags(cell)}:
        return ""
    titles = [
        output.get("data", {}).get(PLOTLY, {}).get("layout", {}).get("title", {}).get("text")
        for output in cell.outputs
    ]
    lines = (line for output in cell.outputs for line in visible_lines(output))
    return "\n".join([*lines, *filter(None, titles)])


# ---- a prediction's answer ----

NUMBER = re.compile(r"(?<![\w.])[-−]?\d(?:[\d\u202f,]*\d)?(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")


def tells(text: str, state: dict, beside: bool = False, far: bool = False) -> str:
    """Return the part of a text that gives the answer of a ``predict`` away, or nothing.

    A whole number of one or two digits is in any text, and a choice in any that names the
    choices: the first is let pass, the second counts right ``beside`` the question, where the
    right one alone is named. ``far`` below it two digits may be there by chance.
    """
    answer, choices = state.get("answer") or [], state.get("choices") or []
    if not answer:
        return ""
    if state.get("kind") == "number":
        return _number_told(text, float(answer[0]), far)
    right = [choices[int(place)] for place in answer]
    if state.get("kind") == "choice":
        named = [c for c in choices if re.search(rf"(?<!\w){re.escape(c)}(?!\w)", text, re.I)]
        return right[0] if beside and named == right else ""
    order = r"\W+(?:then |and |before )?".join(map(re.escape, right))
    found = re.search(order, text, re.I)
    return found[0] if found else ""


def _number_told(text: str, answer: float, far: bool) -> str:
    for found in NUMBER.finditer(text):
        printed = re.sub(r"[\u202f,]", "", found[0]).replace("−", "-")
        percent = re.match(r"\s*(?:%|per cent|percent)", text[found.end() :])
        share = percent and abs(answer) <= 1 and not (far and answer.is_integer())
        if _is_rounded(printed, 100 * answer if share else answer, far):
            return " ".join(text[max(0, found.start() - 20) : found.end() + 10].split())
    return ""


def _is_rounded(printed: str, value: float, far: bool) -> bool:
    """Whether a printed number is a value, as far as it was printed: two digits, or three."""
    mantissa, _, power = printed.partition("e")
    digits = len(re.sub(r"^-?0*\.?0*|\.", "", mantissa))
    if digits < (3 if far or value.is_integer() else 2):
        return False
    decimals = len(mantissa.partition(".")[2]) - int(power or 0)
    return abs(float(printed) - value) <= 0.5001 * 10.0**-decimals


# ---- code that is on the page ----


def written(page: Page, name: str) -> list[ast.stmt]:
    """Return the definitions of that name in open cells."""
    return [
        node
        for _, cell in page.open_code()
        if "variant" not in tags(cell)
        for node in parse(cell.source).body
        if getattr(node, "name", None) == name
    ]


def show_outputs(page: Page, deeper: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the source that each ``show`` displays, with its cell."""
    hidden = {*NO_OUTPUT, *([] if deeper else ["deeper"])}
    for at, cell in enumerate(page.cells):
        if cell.cell_type != "code" or hidden & {*tags(cell)}:
            continue
        if "show" in called_names(parse(cell.source)):
            texts = (
                main_path(o.get("data", {}).get("text/markdown", "")) for o in cell.outputs
            )
            yield from ((at, source) for text in texts for source in fences(text))


def displayed(page: Page, name: str) -> list[ast.stmt]:
    """Return the definitions of that name that ``show`` displays."""
    sources = [source for _, source in show_outputs(page, deeper=False)]
    nodes = [node for source in sources for node in ast.parse(source).body]
    return [node for node in nodes if getattr(node, "name", None) == name]
