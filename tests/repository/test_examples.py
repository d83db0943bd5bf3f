"""The examples in the package's docstrings are true."""

import importlib
import re
from collections import defaultdict
from types import ModuleType

import pytest
from examples import failures, modules
from rules.source import modules as files

# By part of the package: Colab's run leaves out the site's.
PARTS = defaultdict(list)
for name in modules():
    PARTS[".".join(name.split(".")[:2])].append(name)
# What begins by importing Triton has no examples; `make kernels` imports it.
KERNELS = {
    "attention_course.kernels.triton_backward",
    "attention_course.kernels.triton_forward",
    "attention_course.kernels.triton_softmax",
}


@pytest.mark.parametrize("part", PARTS)
def test_every_example_gives_what_it_shows(part):
    there = [name for name in PARTS[part] if name not in KERNELS]
    found = {name: failures(importlib.import_module(name)) for name in there}
    assert {name: said for name, said in found.items() if said} == {}


def test_there_are_examples():
    texts = (path.read_text(encoding="utf-8") for path in files())
    examples = sum(len(re.findall(r"^ *>>> ", text, re.MULTILINE)) for text in texts)
    assert examples >= 700


@pytest.mark.gate("examples paste", "an example that needs a private name")
def test_an_example_that_does_not_paste_is_noticed(monkeypatch):
    module = importlib.import_module("attention_course.reference.softmax")
    monkeypatch.setattr(module.softmax, "__doc__", ">>> callable(_check_axis)\nTrue\n")
    assert "NameError" in failures(module)


@pytest.mark.gate("examples in docstrings", "an example with a wrong result")
def test_a_wrong_example_is_noticed():
    module = ModuleType("one")
    module.__doc__ = ">>> 1 + 1\n3\n"
    assert "Expected:\n    3\nGot:\n    2" in failures(module)
    module.__doc__ = ">>> 1 + 1\n2\n"
    assert failures(module) == ""
