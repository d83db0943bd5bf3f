"""Runs the examples in the package's docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import sys
from types import ModuleType

import numpy as np

# Their public examples must run with the part's public names, NumPy and torch alone.
PASTED = ("reference", "layers", "models", "data", "drawing")


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
            if (name := _public(module, example.name)) is not None:
                example.globs = name
            runner.run(example, clear_globs=False)
    return output.getvalue() if runner.failures else ""


def _public(module: ModuleType, example: str) -> dict | None:
    """Return what a reader has who pastes the example of a public name; None for the rest."""
    part = module.__name__.split(".")[1] if "." in module.__name__ else ""
    name = example.removeprefix(f"{module.__name__}.").split(".")[0]
    if part not in PASTED:
        return None
    package = importlib.import_module(f"attention_course.{part}")
    if name not in package.__all__:
        return None
    import torch

    names = {name: getattr(package, name) for name in package.__all__}
    return {"np": np, "torch": torch} | names


def _names(module: ModuleType) -> dict:
    """Give the examples numpy, and what is in the packages above their module."""
    names, above = {"np": np}, module.__name__.split(".")
    for depth in range(2, len(above)):
        names |= vars(sys.modules[".".join(above[:depth])])
    return names | vars(module)
