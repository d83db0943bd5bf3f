"""Binder gets the same versions as everybody else, and never a build with CUDA."""

import re

import pytest
from rules.notebooks import ROOT

PIN = re.compile(r"^([\w.-]+)==([\w.+]+)", re.MULTILINE)


def _pins(name):
    return dict(PIN.findall((ROOT / name).read_text()))


KNOWN = _pins("requirements/lab.txt") | _pins("requirements/book.txt")
# The first of the two lines is Linux's, the second would hide it.
KNOWN["torch"] = re.search(r"^torch==(\S+)", (ROOT / "requirements.txt").read_text(), re.M)[1]


@pytest.mark.parametrize("package", _pins("binder/requirements.txt"))
def test_binder_has_the_pinned_version(package):
    assert _pins("binder/requirements.txt")[package] == KNOWN[package]


def test_binder_has_every_package_that_the_course_needs():
    text = (ROOT / "pyproject.toml").read_text()
    block = re.search(r"^dependencies = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)[1]
    needed = set(re.findall(r'"([\w-]+)>=', block))
    assert needed <= set(_pins("binder/requirements.txt"))
    assert needed
