"""The examples in the docstrings are true."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

from attention_course import reference

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(reference.__path__, f"{reference.__name__}.")
)

# Types and constants are shown by the functions that take them.
FUNCTIONS = [n for n in reference.__all__ if inspect.isfunction(getattr(reference, n))]


def _examples(module_name: str) -> list[doctest.DocTest]:
    module = importlib.import_module(module_name)
    names = {name: getattr(reference, name) for name in reference.__all__} | vars(module)
    finder = doctest.DocTestFinder(exclude_empty=True)
    return finder.find(module, globs=names | {"np": np})


@pytest.mark.parametrize("module", MODULES)
def test_every_example_gives_what_it_shows(module):
    runner = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST)
    for example in _examples(module):
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_every_public_function_has_an_example():
    finder = doctest.DocTestFinder(recurse=False)
    found = {n: finder.find(getattr(reference, n), n, globs={}) for n in FUNCTIONS}
    assert len(found) >= 130
    assert [name for name, (test, *_) in found.items() if not test.examples] == []


def test_a_wrong_example_is_noticed(capsys):
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(wrong)
    assert runner.summarize(verbose=False).failed == 1
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out
