"""What a reader copies from the pages, in their order, leaves no name unexplained."""

import builtins
import copy
import re
import symtable

import nbformat
import pytest
from rules.notebooks import ROOT, tags
from rules.taught_code import shown
from shown_in_full import NOT_SHOWN

# What who copies imports once. Annotations may need more and explain nothing.
IMPORTED = {"np", "torch", "nn", "triton", "tl"}
HIDDEN = {"hide-input", "hide-cell", "remove-input", "setup", "exercise"}
CHAPTERS = re.findall(r"file: book/(\w+/[\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
NOTEBOOKS = {
    name: nbformat.read(path, 4)
    for name in CHAPTERS
    if (path := ROOT / "book" / f"{name}.ipynb").is_file()
}


def pieces(notebook):
    """Yield each piece of code that a page shows, in its order."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for data, _ in shown(cell.outputs):
            yield data["text/plain"]
        if not HIDDEN & {*tags(cell)}:
            yield cell.source


def names(source):
    """Return what a piece defines, and what its functions and classes take from outside."""
    table = symtable.symtable(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source), "", "exec")
    given = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
    given |= {inner.get_name() for inner in table.get_children()}
    taken, waiting = set(), list(table.get_children())
    while waiting:
        inner = waiting.pop()
        waiting += inner.get_children()
        taken |= {s.get_name() for s in inner.get_symbols() if s.is_global()}
    return given, taken


def not_shown(notebooks):
    """Return by chapter what its code takes from outside that no page has shown by its end."""
    known, found = {*dir(builtins), *IMPORTED}, {}
    for name, notebook in notebooks.items():
        given, taken = map(list, zip(*map(names, pieces(notebook)), strict=True))
        known = known.union(*given)
        found[name] = set().union(*taken) - known
    return found


@pytest.fixture(scope="module")
def book():
    return not_shown(NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_page_explains_the_names_of_its_code(name, book):
    assert book[name] == {*NOT_SHOWN.get(name, "").split()}


def test_how_much_is_copied():
    found = [source for notebook in NOTEBOOKS.values() for source in pieces(notebook)]
    assert len(found) >= 320


@pytest.mark.gate("code that can be copied", "a helper that is taken from its page")
def test_a_helper_that_no_page_shows_is_noticed(book):
    name = "why/attention-by-hand"
    notebook = copy.deepcopy(NOTEBOOKS[name])
    notebook.cells = [c for c in notebook.cells if not c.source.startswith("def attention(")]
    assert len(notebook.cells) == len(NOTEBOOKS[name].cells) - 1
    lost = not_shown(NOTEBOOKS | {name: notebook})
    assert any("attention" in names - book[page] for page, names in lost.items())
