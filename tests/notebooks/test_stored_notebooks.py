"""Every rule of tools/notebook_rules.py, applied to every notebook of the book."""

import nbformat
import pytest
from execute_notebooks import book_notebooks
from notebook_rules import LARGEST_FILE, ROOT, RULES

NOTEBOOKS = {str(path.relative_to(ROOT)): path for path in book_notebooks()}


@pytest.mark.parametrize("notebook", NOTEBOOKS)
@pytest.mark.parametrize("rule", RULES)
def test_the_notebook_obeys_the_rule(notebook, rule):
    path = NOTEBOOKS[notebook]
    found = list(RULES[rule](nbformat.read(path, as_version=4), path.stem))
    assert found == [], f"{notebook}: {found}"


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_the_file_is_small_enough_for_a_browser_to_open(notebook):
    assert NOTEBOOKS[notebook].stat().st_size <= LARGEST_FILE


def test_the_book_has_notebooks():
    assert "book/index.ipynb" in NOTEBOOKS
