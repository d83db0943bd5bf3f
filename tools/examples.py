"""Runs the examples in the package's docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import sys
from types import ModuleType

import numpy as np


def modules() -> list[str]:
    """Return the names of all modules of the package."""
    package = importlib.import_module("attention_course")
    found = pkgutil.walk_packages(package.__path__, "attention_course.")
    return ["attention_course", *(module.name for module in found)]


def failures(module: ModuleType) -> str:
    """Return the report on the examples in a module that are wrong: empty if none is."""
    runner = doctest.DocTestRunner()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        for example in doctest.DocTestFinder().find(module, globs=_names(module)):
            runner.run(example, clear_globs=False)
    return output.getvalue() if runner.failures else ""


def _names(module: ModuleType) -> dict:
    """Give the examples numpy, and what stands in the packages above their module."""
    names, above = {"np": np}, module.__name__.split(".")
    for depth in range(2, len(above)):
        names |= vars(sys.modules[".".join(above[:depth])])
    return names | vars(module)
