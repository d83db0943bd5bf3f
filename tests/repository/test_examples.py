"""The examples in the package's docstrings are true."""

import importlib

import pytest
from examples import failures, modules


@pytest.mark.parametrize("module", modules())
def test_every_example_gives_what_it_shows(module):
    assert failures(importlib.import_module(module)) == ""
