"""Every rule of tools/page_rules.py, applied to the chapters of the book."""

import pytest
from execute_notebooks import book_notebooks
from page_rules import ROOT, complaints, page_of

PAGES = {
    path.relative_to(ROOT / "book").with_suffix("").as_posix(): page_of(path)
    for path in book_notebooks()
}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_shows_before_it_proves(name):
    assert complaints(PAGES[name]) == []
