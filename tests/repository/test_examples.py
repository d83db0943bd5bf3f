"""The examples in the package's docstrings are true."""

import importlib
import re
from collections import defaultdict

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
    "attention_course.kernels.triton_varlen",
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
