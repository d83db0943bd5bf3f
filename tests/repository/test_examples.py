"""The examples in the package's docstrings are true."""

import doctest
import importlib

import pytest
from examples import failures, modules


def test_every_example_gives_what_it_shows(looked_at):
    loaded = [importlib.import_module(name) for name in modules()]
    found = {module.__name__: said for module in loaded if (said := failures(module))}
    assert found == {}
    finder = doctest.DocTestFinder()
    examples = [example for m in loaded for test in finder.find(m) for example in test.examples]
    looked_at("examples in docstrings: examples", len(examples))


@pytest.mark.gate("examples paste", "an example that needs a private name")
def test_an_example_that_does_not_paste_is_noticed(monkeypatch):
    module = importlib.import_module("attention_course.reference.softmax")
    monkeypatch.setattr(module.softmax, "__doc__", ">>> callable(_check_axis)\nTrue\n")
    assert "NameError" in failures(module)
