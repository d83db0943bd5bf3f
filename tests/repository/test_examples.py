"""The examples in the package's docstrings are true."""

import importlib

import pytest
from examples import failures, modules


@pytest.mark.parametrize("module", modules())
def test_every_example_gives_what_it_shows(module):
    assert failures(importlib.import_module(module)) == ""


@pytest.mark.gate("examples paste", "an example that needs a private name")
def test_an_example_that_does_not_paste_is_noticed(monkeypatch):
    module = importlib.import_module("attention_course.reference.softmax")
    monkeypatch.setattr(module.softmax, "__doc__", ">>> callable(_check_axis)\nTrue\n")
    assert "NameError" in failures(module)
