"""Arguments are checked once, at the public door, and not again on their way."""

import importlib
from collections import Counter

import numpy as np
import pytest
from reference_examples import FUNCTIONS, MODULES, run_example

import attention_course.reference
from attention_course.reference import _check, multi_head_attention

CHECKS = ("as_float", "check_mask")
# A block by loops has no example: a whole made of it has one. Whole models by loops, and a
# decoder's step, are made of public steps that can be called alone, and each checks what it is
# given.
MADE_OF_STEPS = (".block_by_loops", ".decoder_step", ".lstmn_step")
ONCE = [n for n in FUNCTIONS if not n.endswith(MADE_OF_STEPS)]


@pytest.fixture
def counted(monkeypatch):
    """Write down who checks what while one function runs."""
    seen = []

    def count(real):
        def check(function, *given, **more):
            found = real(function, *given, **more)
            seen.append((function, given))
            return found

        return check

    counting = {name: count(getattr(_check, name)) for name in CHECKS}
    for module in MODULES:
        for name in CHECKS:
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counting[name])
    return seen


def calls_of_the_example(function, seen: list) -> list[tuple[list, list]]:
    """Run the example in the docstring; return arrays and checks of each call in it."""
    calls = []

    def call(given: dict):
        seen.clear()
        found = function(**given)
        calls.append(([x for x in given.values() if isinstance(x, np.ndarray)], list(seen)))
        return found

    run_example(function, call)
    return calls


def test_every_public_function_is_found(looked_at):
    looked_at("checked once: functions", len(ONCE))


def test_no_argument_is_checked_twice(counted):
    complaints = []
    for name in ONCE:
        calls = calls_of_the_example(FUNCTIONS[name], counted)
        if not calls:
            complaints.append(f"{name}: its example calls nothing")
        for given, checks in calls:
            passed = Counter(id(x) for x in given)
            checked = Counter(id(x) for _, (_, *xs) in checks for x in xs[:1])
            if any(checked[i] > n for i, n in passed.items()):
                complaints.append(f"{name}: {checks}")
    assert complaints == []


ATTENTION = [
    name
    for name in ONCE
    if name.endswith(("_attention", "query_gradient", "cross_attention_by_loops"))
]


@pytest.mark.parametrize("name", ATTENTION)
def test_attention_checks_its_arguments_and_nothing_that_it_makes(name, counted):
    if name.endswith("sentence_attention"):
        pytest.skip("takes a text: its arrays are all made")
    for given, checks in calls_of_the_example(FUNCTIONS[name], counted):
        assert len(checks) == len(given), checks
        assert {function for function, _ in checks} == {name.rsplit(".", 1)[1]}


@pytest.mark.gate("arguments are checked once", "a layer calls what checks again")
def test_a_second_check_is_noticed(counted, monkeypatch):
    module = importlib.import_module(multi_head_attention.__module__)
    public = attention_course.reference.scaled_dot_product_attention
    monkeypatch.setattr(module, "attend", lambda q, k, v, mask, factor: public(q, k, v, mask))
    name = next(name for name in ATTENTION if name.endswith(".multi_head_attention"))
    with pytest.raises(AssertionError):
        test_attention_checks_its_arguments_and_nothing_that_it_makes(name, counted)
