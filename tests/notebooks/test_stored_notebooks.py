"""Every rule of tools/rules/notebooks.py, applied to every notebook of the book."""

import nbformat
import pytest
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT, complaints, definitions
from rules.taught_code import package_definitions, shown

NOTEBOOKS = {str(path.relative_to(ROOT)): path for path in book_notebooks()}


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_notebook_obeys_every_rule(notebook):
    assert complaints(NOTEBOOKS[notebook]) == []


def test_taught_code_is_compared_with_the_packages():
    """None where no chapter has turned; tests/notebooks/test_turned_pages.py asks for more."""
    notebooks = [nbformat.read(path, as_version=4) for path in NOTEBOOKS.values()]
    defined = [node.name for notebook in notebooks for _, node in definitions(notebook)]
    compared = [name for name in defined if name in package_definitions()]
    cells = [cell for notebook in notebooks for cell in notebook.cells]
    compared += [name for cell in cells for _, name in shown(cell.get("outputs", []))]
    assert len(defined) >= 190
    assert len(compared) >= 130
