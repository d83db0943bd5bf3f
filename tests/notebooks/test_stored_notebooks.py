"""Every rule of tools/rules/notebooks.py, applied to every notebook of the book."""

import nbformat
import pytest
from execute_notebooks import book_notebooks
from page_rules import TURNED
from rules.notebooks import ROOT, complaints, definitions
from rules.taught_code import package_definitions, shown

NOTEBOOKS = {str(path.relative_to(ROOT)): path for path in book_notebooks()}


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_notebook_obeys_every_rule(notebook):
    assert complaints(NOTEBOOKS[notebook]) == []


def test_the_book_has_notebooks(looked_at):
    assert "book/index.ipynb" in NOTEBOOKS
    cells = [
        cell for path in NOTEBOOKS.values() for cell in nbformat.read(path, as_version=4).cells
    ]
    looked_at("rules of notebooks: notebooks", len(NOTEBOOKS))
    looked_at("rules of notebooks: cells", len(cells))


def test_taught_code_is_compared_with_the_packages(looked_at):
    """None where no chapter has turned; tests/notebooks/test_turned_pages.py asks for more."""
    notebooks = [nbformat.read(path, as_version=4) for path in NOTEBOOKS.values()]
    defined = [node.name for notebook in notebooks for _, node in definitions(notebook)]
    compared = [name for name in defined if name in package_definitions()]
    cells = [cell for notebook in notebooks for cell in notebook.cells]
    compared += [name for cell in cells for _, name in shown(cell.get("outputs", []))]
    looked_at("taught code: definitions in chapters", len(defined))
    looked_at("taught code: compared with the package", len(compared), may_be_zero=not TURNED)
