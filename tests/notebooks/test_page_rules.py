"""Every rule of tools/page_rules.py, applied to the chapters of the book."""

import functools
from collections import Counter

import pytest
from execute_notebooks import book_notebooks
from page_rules import (
    COUNTED,
    ROOT,
    complaints,
    definition,
    not_counted,
    page_of,
)

# What the rules find on the pages, a tenth less than when it was counted.
LEAST = {
    "lines of output": 1310,
    "lines in columns": 11840,
    "open cells": 85,
    "predictions": 100,
    "definitions shown in full": 96,
    "objectives": 102,
}
PAGES = {
    path.relative_to(ROOT / "book").with_suffix("").as_posix(): page_of(path)
    for path in book_notebooks()
}


@functools.cache
def found(name: str) -> tuple[list[str], list[str], Counter]:
    """What is amiss on a page, at what no rule looked, and how much they looked at."""
    page = PAGES[name]
    page.counted.clear()
    return complaints(page), not_counted(page), Counter(page.counted)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_shows_before_it_proves(name):
    assert found(name)[:2] == ([], [])


def test_how_much_the_rules_looked_at():
    looked = sum((found(name)[2] for name in PAGES), Counter())
    assert LEAST.keys() == {*COUNTED}
    assert {what: n for what, n in LEAST.items() if looked[what] < n} == {}


def test_what_is_to_be_shown_is_in_the_package():
    names = [dotted for page in PAGES.values() for dotted in page.shown_in_full]
    assert [name for name in names if "." in name and definition(name) is None] == []
    assert len(names) >= 96
