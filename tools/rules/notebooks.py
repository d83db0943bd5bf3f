"""What every stored notebook must be like. Each rule returns its complaints, one a line.

``tests/notebooks`` applies every rule to every notebook; ``tests/gates`` breaks each rule once
in a copy, to see that it complains.
"""

import ast
import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from compare_outputs import LIVE, PLOTLY, is_live, measured_numbers
from normalise import STATE, TAGS, VIEW, dump, normalise
from refresh_widgets import stale
from stamp import address, course_of

from attention_course._setup_cell import setup_cell
from attention_course.site import main_path
from rules.plain_markdown import raw
from rules.taught_code import (
    package_definitions,
    parse,
    skeleton_of,
)

ROOT = Path(__file__).resolve().parents[2]
LONGEST_CELL, LARGEST_FILE = 25, 5_000_000
SKELETON = (
    "By the end you can",
    "How would I know that it is right?",
    "What we showed",
    "Exercises",
    "Further reading",
)
# Doors, not chapters: they teach nothing and have no exercises.
NOT_CHAPTERS = {"index"}

Notebook = nbformat.NotebookNode
RULES: dict[str, Callable[[Notebook, str], Iterator[str]]] = {}


def rule(function: Callable) -> Callable:
    """Register a rule under its own name."""
    RULES[function.__name__] = function
    return function


def code_cells(notebook: Notebook) -> list[Notebook]:
    """Return the notebook's code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tags(cell: Notebook) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def ignored(cell: Notebook) -> bool:
    """Say whether nbval leaves this cell's output uncompared."""
    return "nbval-ignore-output" in tags(cell)


def live(cell: Notebook) -> bool:
    """Say whether a cell shows what a clock gave just now: only its form is compared."""
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if LIVE in "".join([output.get("text", ""), data.get("text/plain", "")]):
            return True
        if any(map(is_live, data.get(PLOTLY, {}).get("data", []))):
            return True
    return False


def compared(cell: Notebook) -> bool:
    """Say whether a run of the tests compares this cell's output."""
    return not {"nbval-ignore-output", "kernel-only", "gpu"} & {*tags(cell)}


@rule
def executed_in_order(notebook: Notebook, name: str) -> Iterator[str]:
    """Every code cell was run, top to bottom, on a clean kernel."""
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}"


@rule
def no_error(notebook: Notebook, name: str) -> Iterator[str]:
    """No stored error unless the cell is tagged for it, and then there is one."""
    for number, cell in enumerate(code_cells(notebook)):
        raised = any(output.output_type == "error" for output in cell.outputs)
        if raised != ("raises-exception" in tags(cell)):
            yield f"code cell {number} {'holds an error' if raised else 'does not raise'}"


@rule
def no_warning(notebook: Notebook, name: str) -> Iterator[str]:
    """Nothing was written to stderr, except in a cell that is ignored."""
    for number, cell in enumerate(code_cells(notebook)):
        if not ignored(cell) and any(o.get("name") == "stderr" for o in cell.outputs):
            yield f"code cell {number} wrote to stderr"


@rule
def tags_are_known(notebook: Notebook, name: str) -> Iterator[str]:
    """A mistyped tag has no effect and gives no error."""
    for number, cell in enumerate(notebook.cells):
        for tag in set(tags(cell)) - TAGS:
            yield f"cell {number} has the unknown tag {tag!r}"


@rule
def what_is_not_compared_says_why(notebook: Notebook, name: str) -> Iterator[str]:
    """A cell that is ignored, widened or measured needs a reason of three words or more."""
    for number, cell in enumerate(code_cells(notebook)):
        reason = str(cell.metadata.get("reason", ""))
        special = ignored(cell) or {"tolerance", "measured"} & cell.metadata.keys()
        if special and len(reason.split()) < 3:
            yield f"code cell {number} is ignored, widened or measured without a reason"
        if reason and not special:
            yield f"code cell {number} gives a reason and is compared as usual"


@rule
def measured_numbers_are_there(notebook: Notebook, name: str) -> Iterator[str]:
    """A pattern that matches nothing has no effect and gives no error."""
    for number, cell in enumerate(code_cells(notebook)):
        shown = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs]
        for pattern in cell.metadata.get("measured", {}):
            if not measured_numbers(pattern, "\n".join(shown)):
                yield f"code cell {number} says that {pattern!r} is measured and prints none"


# A number or a blank beside it: a tolerance. In ±1 and ±x it is a sign, in $x \\pm y$ a term.
PLUS_MINUS = re.compile(r"[\d)}%] ?±|± |\d ?\\{1,2}pm ?\d")
SAID = re.compile(r"half\s+the\s+range\s+of|\]\(https?://")


def tolerances(text: str) -> Iterator[str]:
    """Yield each ± that is no spread: no runs are named with it, nor where it was published."""
    if not SAID.search(text):
        yield from (f"writes a ± of its own: {f[0]!r}" for f in PLUS_MINUS.finditer(text))


@rule
def plus_minus_is_a_spread(notebook: Notebook, name: str) -> Iterator[str]:
    """± is half the range of runs, by ``ac.spread``; a tolerance is in the metadata."""
    for number, cell in enumerate(notebook.cells):
        texts = [
            cell.source,
            *(json.dumps(o, ensure_ascii=False) for o in cell.get("outputs", [])),
        ]
        found = {line for text in texts for line in tolerances(text)}
        yield from (f"cell {number} {line}" for line in sorted(found))
    for model in notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {}).values():
        yield from (
            f"a widget {x}" for v in model["state"].values() for x in tolerances(str(v))
        )


@rule
def outputs_can_be_compared(notebook: Notebook, name: str) -> Iterator[str]:
    """A picture is passed over by nbval, so a compared cell must not show one."""
    for number, cell in enumerate(code_cells(notebook)):
        for output in [] if ignored(cell) else cell.outputs:
            for mime in {"image/png", "image/jpeg"} & set(output.get("data", {})):
                yield f"code cell {number} shows {mime}, which nbval does not compare"


@rule
def cells_are_short(notebook: Notebook, name: str) -> Iterator[str]:
    """One idea a cell."""
    for number, cell in enumerate(code_cells(notebook)):
        lines = sum(bool(line.strip()) for line in cell.source.splitlines())
        if lines > LONGEST_CELL:
            yield f"code cell {number} has {lines} lines, more than {LONGEST_CELL}"


@rule
def setup_comes_first(notebook: Notebook, name: str) -> Iterator[str]:
    """The first code cell, and only that one, sets up, with the code that stamp.py writes."""
    cells = code_cells(notebook)
    marked = [number for number, cell in enumerate(cells) if "setup" in tags(cell)]
    if marked != [0]:
        yield f"the code cells tagged setup are {marked}, not [0]"
        return
    source, course = cells[0].source, course_of(*address())
    if source not in (setup_cell(course), setup_cell(course, torch=False)):
        yield "the setup cell is not the one of tools/stamp.py: run that"


@rule
def chapter_has_its_parts(notebook: Notebook, name: str) -> Iterator[str]:
    """Title, question, then the parts of SKELETON, in order."""
    if name in NOT_CHAPTERS:
        return
    cells = notebook.cells
    first_code = next((i for i, c in enumerate(cells) if c.cell_type == "code"), len(cells))
    opening = "\n".join(cell.source for cell in cells[:first_code])
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    if not cells[0].source.startswith("# "):
        yield "it does not begin with a title"
    if len(re.findall(r"^# ", prose, re.MULTILINE)) != 1:
        yield "it has not exactly one title"
    if "?" not in opening:
        yield "it asks no question before the first cell of code"
    at = {part: _place(part, prose) for part in SKELETON}
    yield from (f"the part {part!r} is missing" for part in SKELETON if at[part] is None)
    there = [at[p] for p in SKELETON if at[p] is not None and "right?" not in p]
    if there != sorted(there):
        yield "its parts stand in another order than " + ", ".join(SKELETON)


@rule
def folds_hide_what_they_should(notebook: Notebook, name: str) -> Iterator[str]:
    """Jupyter, which folds by headings, hides the same cells as the site; answers are asked."""
    yield from main_path.fold_complaints(notebook.cells)
    yield from main_path.answer_complaints(notebook.cells)


@rule
def nothing_is_raw(notebook: Notebook, name: str) -> Iterator[str]:
    """JupyterLab, Colab and VS Code show no directive, role or target."""
    yield from raw_parts(notebook)


def raw_parts(notebook: Notebook) -> Iterator[str]:
    """Yield what a notebook's own front ends would show raw, in its text and its outputs."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            yield from (f"cell {number} shows a raw {part}" for part in raw(cell.source))
        for output in cell.get("outputs", []):
            text = output.get("data", {}).get("text/markdown", "")
            yield from (f"cell {number}'s output shows a raw {part}" for part in raw(text))


@rule
def taught_code_is_the_packages(notebook: Notebook, name: str) -> Iterator[str]:
    """A definition that also is in the package is the same code."""
    for number, node in definitions(notebook):
        twins = package_definitions().get(node.name, ())
        if twins and skeleton_of(node) not in twins:
            yield f"code cell {number}: {node.name} differs from the package's"


def definitions(notebook: Notebook) -> Iterator[tuple[int, ast.FunctionDef | ast.ClassDef]]:
    """Yield what a notebook defines, with its code cell: no variants, no exercises."""
    for number, cell in enumerate(code_cells(notebook)):
        if not {"variant", "exercise"} & {*tags(cell)}:
            nodes = parse(cell.source).body
            kinds = ast.FunctionDef | ast.ClassDef
            yield from ((number, node) for node in nodes if isinstance(node, kinds))


@rule
def widgets_carry_their_state(notebook: Notebook, name: str) -> Iterator[str]:
    """A page without a kernel shows a widget from its stored state only."""
    states = notebook.metadata.get("widgets", {})
    states = next(iter(states.values()))["state"] if states else {}
    for number, cell in enumerate(code_cells(notebook)):
        for output in cell.outputs:
            view = output.get("data", {}).get(VIEW)
            if view and view["model_id"] not in states:
                yield f"code cell {number} shows a widget without state"
    if any("plotly" in m["state"].get("_anywidget_id", "").lower() for m in states.values()):
        yield "it stores a FigureWidget, five megabytes each: show a plain Figure"


@rule
def widgets_are_the_packages(notebook: Notebook, name: str) -> Iterator[str]:
    """The page has the scripts, and shows the code, of the package as it is now."""
    if found := stale(notebook):
        yield f"stale: {', '.join(found)}: run tools/refresh_widgets.py"


@rule
def installs_only_this_course(notebook: Notebook, name: str) -> Iterator[str]:
    """No reader is sent to a package of a stranger."""
    for number, cell in enumerate(notebook.cells):
        yield from (f"cell {number}: {line}" for line in foreign_installs(cell.source))


@rule
def stored_by_the_tool(notebook: Notebook, name: str) -> Iterator[str]:
    """The notebook is in the form that execute_notebooks.py writes."""
    again = normalise(copy.deepcopy(notebook), name)
    if dump(again) != dump(notebook):
        yield "it was not stored by tools/execute_notebooks.py: run that"


def complaints(path: Path) -> list[str]:
    """Return what all rules find wrong in the notebook at ``path``."""
    notebook = nbformat.read(path, as_version=4)
    return [f"{r}: {line}" for r, apply in RULES.items() for line in apply(notebook, path.stem)]


def foreign_installs(text: str) -> list[str]:
    """Return the lines that install anything but this repository."""
    lines = [line.strip() for line in text.splitlines()]
    own = (
        f'"{course_of(*address())}"',
        "install -q {missing}",  # held to what is installed: attention_course.environment
        "install --no-deps -e .",
        "install -r requirements",
    )
    return [
        line
        for line in lines
        if re.search(r"\b(pip|conda|npm|uv)3?\b.*\b(install|add)\b", line)
        and not any(part in line for part in own)
    ]


def _place(part: str, prose: str) -> int | None:
    found = re.search(rf"^[#*\s>:{{}}]*{re.escape(part)}", prose, re.MULTILINE | re.IGNORECASE)
    return found and found.start()
