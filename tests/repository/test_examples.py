"""The examples in the package's docstrings are true."""

import doctest
import importlib

from examples import failures, modules


def test_every_example_gives_what_it_shows(looked_at):
    loaded = [importlib.import_module(name) for name in modules()]
    found = {module.__name__: said for module in loaded if (said := failures(module))}
    assert found == {}
    finder = doctest.DocTestFinder()
    examples = [example for m in loaded for test in finder.find(m) for example in test.examples]
    looked_at("examples in docstrings: examples", len(examples))
