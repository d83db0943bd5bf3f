"""Every rule of tools/rules/notebooks.py, applied to every notebook of the book."""

import pytest
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT, complaints

NOTEBOOKS = {str(path.relative_to(ROOT)): path for path in book_notebooks()}


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_notebook_obeys_every_rule(notebook):
    assert complaints(NOTEBOOKS[notebook]) == []
