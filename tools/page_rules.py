"""What the page of a chapter must be like: it shows, then proves.

    python tools/page_rules.py book/transformer/scaling.ipynb    # or no path: the whole book

Each rule returns its complaints, one a line.
``tests/notebooks`` applies all of them to every chapter; the command does so for any notebook.
"""

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from execute_notebooks import book_notebooks
from normalise import VIEW
from rules.notebooks import ROOT, tags
from rules.page_text import (
    Cell,
    Page,
    displayed,
    exercise_lines,
    fences,
    seen,
    show_outputs,
    tells,
    visible_lines,
    written,
)
from rules.taught_code import (
    called_names,
    last_call,
    package_definitions,
    parse,
    skeleton_of,
)

COLUMNS, LINES = 76, 30
OBJECTIVES = "By the end you can"

RULES: dict[str, Callable[[Page], Iterator[str]]] = {}


def rule(function: Callable[[Page], Iterator[str]]) -> Callable[[Page], Iterator[str]]:
    """Register a rule under its own name."""
    RULES[function.__name__] = function
    return function


@rule
def no_line_is_clipped(page: Page) -> Iterator[str]:
    """Code and printed text fit the column, in folds too."""
    for at, cell in enumerate(page.cells):
        hidden = {*tags(cell)}
        if cell.cell_type == "markdown":
            texts = fences(cell.source)
        else:
            texts = [] if hidden & {"remove-input", "remove-cell", "setup"} else [cell.source]
            if not hidden & {"remove-output", "remove-cell", "setup"}:
                plain = [o for o in cell.outputs if "text/html" not in o.get("data", {})]
                texts += ["\n".join(visible_lines(output)) for output in plain]
        for line in "\n".join(texts).expandtabs(8).splitlines():
            if len(line) > COLUMNS:
                yield f"cell {at} has a line of {len(line)} columns: {line.strip()[:40]}…"


@rule
def a_prediction_is_not_spoiled(page: Page) -> Iterator[str]:
    """A chapter asks for a guess, and who is asked finds the answer nowhere near."""
    asked = [(at, cell) for at, cell in enumerate(page.cells) if _asks(cell)]
    if not asked and not page.is_landing_page:
        yield "it asks for no guess: ac.predict(question, answer)"
    for at, cell in asked:
        yield from (f"cell {at} {line}" for line in _spoilers(page, at, cell))


def _asks(cell: Cell) -> bool:
    return "predict" in called_names(parse(_code(cell)))


def _spoilers(page: Page, at: int, cell: Cell) -> Iterator[str]:
    if last_call(cell) != "predict":
        yield "has a predict(...) that is not its last expression"
        return
    if len(cell.outputs) != 1 or VIEW not in cell.outputs[0].get("data", {}):
        yield "shows more than its predict(...)"
    tree = parse(cell.source)
    call = tree.body[-1].value
    answer = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "answer")]
    if not any(isinstance(n, ast.Name | ast.Call) for a in answer for n in ast.walk(a)):
        yield "has its answer typed in: it comes from what the cell computes"
    below = [page.cells[i] for i in (at + 1, at + 2) if i < len(page.cells)]
    untagged = ["answer" in tags(one) for one in below] == [False, True]
    if untagged and not below[0].source.endswith(("?", ":")):
        yield f"and its answer have cell {at + 1} between them: it is tagged answer, or asks"
    # The question, the code and its comments are seen; what is revealed is not.
    later = ("reveal", "choices", "order", "beliefs")
    call.keywords = [k for k in call.keywords if k.arg not in later]
    own = "\n".join([ast.unparse(tree), *re.findall(r"#.*", cell.source)])
    state = page.state_of(cell)
    if given := tells(own, state):
        yield f"gives its answer away itself: {given}"
    before = [i for i in range(at) if page.sections[i] == page.sections[at]]
    for place in [*before, *_waiting(page, at)]:
        if place == at + 1 and "hold" in called_names(parse(_code(page.cells[place]))):
            yield f"is followed by a mark, cell {place}, without the tag answer"
        near, far = abs(place - at) <= 2, place > at + 3
        if given := tells(seen(page.cells[place]), state, near, far):
            yield f"is answered by cell {place}, without the tag answer: {given}"


def _code(cell: Cell) -> str:
    return cell.source if cell.cell_type == "code" else ""


def _waiting(page: Page, at: int) -> Iterator[int]:
    """Yield the cells below a question, up to the next one or a heading, that stay in sight."""
    for place in range(at + 1, len(page.cells)):
        cell = page.cells[place]
        if _asks(cell):
            return
        head = cell.source.startswith("#") and cell.cell_type == "markdown"
        if head and "deeper" not in tags(cell):
            return
        if "answer" not in tags(cell):
            yield place


@rule
def what_it_is_for_is_shown_in_full(page: Page) -> Iterator[str]:
    """Every definition in the notebook's metadata ``shown_in_full`` is on the page, open.

    A name without a module is the page's own, where the package's has more to it than the idea.
    """
    if not page.is_landing_page and not page.shown_in_full:
        yield "its metadata lack shown_in_full: what it exists for, as dotted names"
    for dotted in page.shown_in_full:
        node, name = definition(dotted), dotted.rpartition(".")[2]
        if name == dotted:  # the page's own
            if not written(page, name):
                yield f"{name} is not written in an open cell"
            continue
        if node is None:
            yield f"the package has no {dotted}"
            continue
        bodies = [*written(page, name), *displayed(page, name)]
        if not bodies:
            yield f"{name} is neither written in an open cell nor displayed by show(...)"
        elif not {skeleton_of(body) for body in bodies} & (
            {skeleton_of(node)} | package_definitions().get(name, set())
        ):
            yield f"{name} on the page differs from {dotted}"
    for at, source in show_outputs(page):
        lines = sum(not line.startswith("#") for line in source.splitlines())
        if lines > LINES:
            yield f"cell {at} shows {lines} lines, more than {LINES}: split the definition"


OBJECTIVE = re.compile(r"\bobjectives? (\d+(?:(?:, | and )\d+)*)")


@rule
def every_objective_is_tested(page: Page) -> Iterator[str]:
    """Objectives are numbered, and the line of an exercise says which it tests."""
    if page.is_landing_page:
        return
    prose = [cell.source for cell in page.cells if cell.cell_type == "markdown"]
    opening = next((text for text in prose if OBJECTIVES in text), "")
    numbers = re.findall(r"^(\d+)\. ", opening.partition(OBJECTIVES)[2], re.M)
    if not numbers or numbers != [str(i + 1) for i in range(len(numbers))]:
        yield f"the objectives after {OBJECTIVES} are not numbered 1., 2., …"
    named = [OBJECTIVE.search(line) for line in exercise_lines("\n".join(prose))]
    tested = {number for found in named if found for number in re.findall(r"\d+", found[1])}
    yield from (f"no exercise says (…, objective {n})" for n in sorted({*numbers} - tested))
    yield from (f"there is no objective {n} to test" for n in sorted(tested - {*numbers}))


def definition(dotted: str) -> ast.FunctionDef | ast.ClassDef | None:
    """Return a definition of the package by its full name, a class's own too, or None."""
    module, _, name = dotted.rpartition(".")
    path = (ROOT / "src").joinpath(*module.split(".")).with_suffix(".py")
    if path.is_file():
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
    else:
        owner = definition(module) if module else None
        nodes = owner.body if isinstance(owner, ast.ClassDef) else []
    return next((node for node in nodes if getattr(node, "name", None) == name), None)


def page_of(path: Path) -> Page:
    """Read a notebook of the book."""
    name = path.resolve().relative_to(ROOT / "book").with_suffix("").as_posix()
    return Page(nbformat.read(path, as_version=4), name)


def complaints(page: Page) -> list[str]:
    """Return what all rules find wrong with a page."""
    return [f"{name}: {line}" for name, apply in RULES.items() for line in apply(page)]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    red = 0
    for page in map(page_of, options.paths or book_notebooks()):
        found = complaints(page)
        red += bool(found)
        print(page.name, *found, sep="\n  ")
    return min(red, 1)


if __name__ == "__main__":
    sys.exit(main())
