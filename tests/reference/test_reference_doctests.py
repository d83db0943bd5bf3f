"""Every function of the reference has an example; that it is true, test_examples.py says."""

import doctest
import inspect

from attention_course import reference

# Types and constants are shown by the functions that take them.
FUNCTIONS = [n for n in reference.__all__ if inspect.isfunction(getattr(reference, n))]


def test_every_public_function_has_an_example():
    finder = doctest.DocTestFinder(recurse=False)
    found = {n: finder.find(getattr(reference, n), n, globs={}) for n in FUNCTIONS}
    assert len(found) >= 130
    assert [name for name, (test, *_) in found.items() if not test.examples] == []
