"""The same operation has the same name, and takes the same arguments, in NumPy and torch."""

import importlib
import inspect
import pkgutil
import re

import pytest
from module_cases import FOUND

import attention_course.layers
import attention_course.reference
from attention_course.layers.scores import Score


def functions(package) -> dict[str, object]:
    """All public functions of a package by name."""
    found = {}
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if "._" not in info.name:
            module = importlib.import_module(info.name)
            for name, thing in vars(module).items():
                if inspect.isfunction(thing) and thing.__module__ == info.name:
                    found[name] = thing
    return found


NUMPY = functions(attention_course.reference)
TORCH = functions(attention_course.layers)
BOTH = sorted(name for name in {*NUMPY} & {*TORCH} if not name.startswith("_"))
SCORES = sorted(
    name for name, found in FOUND.items() if issubclass(found, Score) and found is not Score
)


def test_the_operations_that_both_have_are_found():
    assert {"scaled_dot_product_attention", "local_weights", "gated_step"} <= {*BOTH}
    assert len(BOTH) + len(SCORES) >= 14


@pytest.mark.parametrize("name", BOTH)
def test_a_function_takes_the_same_arguments(name):
    ours, specified = (inspect.signature(have[name]).parameters for have in (TORCH, NUMPY))
    assert list(ours) == list(specified)


@pytest.mark.parametrize("name", SCORES)
def test_a_score_has_a_namesake(name):
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Score")).lower()
    assert f"{words}_scores" in NUMPY


@pytest.mark.parametrize("name", ["SelfAttention", "MultiHeadAttention"])
def test_a_layer_has_a_namesake(name):
    assert name in FOUND
    assert re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() in NUMPY
