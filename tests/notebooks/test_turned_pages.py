"""Every rule of tools/page_rules.py, applied to the chapters that have turned."""

import functools
from collections import Counter

import looked_at as counts
import pytest
from page_rules import (
    LOOKED_AT,
    ROOT,
    SHOWN_IN_FULL,
    TURNED,
    complaints,
    definition,
    looked_at_nothing,
    page_of,
)

RECORDED = "pages that have turned: "
PAGES = {name: page_of(ROOT / "book" / f"{name}.ipynb") for name in TURNED}


@functools.cache
def found(name: str) -> tuple[list[str], list[str], Counter]:
    """What is amiss on a page, at what no rule looked, and how much they looked at."""
    page = PAGES[name]
    page.looked.clear()
    return complaints(page), looked_at_nothing(page), Counter(page.looked)


@pytest.mark.parametrize("name", TURNED)
def test_the_page_shows_before_it_proves(name):
    assert found(name)[:2] == ([], [])


def test_how_much_the_rules_looked_at(looked_at):
    looked = sum((found(name)[2] for name in TURNED), Counter())
    for what in LOOKED_AT:
        looked_at(f"pages that show: {what}", looked[what], may_be_zero=not TURNED)


def gone(turned: tuple[str, ...], record: dict[str, int]) -> list[str]:
    """Return the chapters that had turned and are on the list no more."""
    before = [key.removeprefix(RECORDED) for key in record if key.startswith(RECORDED)]
    return sorted({*before} - {*turned})


def test_the_list_of_pages_that_have_turned_grows(looked_at):
    for name in TURNED:
        looked_at(f"pages that have turned: {name}", 1)


def test_no_page_turns_back():
    assert gone(TURNED, counts.recorded()) == []


@pytest.mark.gate("pages that have turned", "one taken off the list, another put on")
def test_a_page_that_turns_back_is_noticed():
    record = {f"{RECORDED}index": 1, f"{RECORDED}transformer/scaling": 1, "cells": 9}
    assert gone(("index", "recurrent/luong"), record) == ["transformer/scaling"]
    assert gone(("index", "transformer/scaling", "recurrent/luong"), record) == []


def test_what_is_to_be_shown_is_in_the_package(looked_at):
    names = [dotted for row in SHOWN_IN_FULL.values() for dotted in row]
    assert [name for name in names if "." in name and definition(name) is None] == []
    looked_at("pages that show: definitions to be shown", len(names))
