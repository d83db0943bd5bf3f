"""Arguments are checked once, at the public door, and not again on their way."""

import inspect
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from reference_examples import FUNCTIONS, run_example

from attention_course.reference import _checked, multi_head_attention


def sees_all(function) -> bool:
    """No argument is a record or a list, whose parts the steps check that take them."""
    kinds = [p.annotation for p in inspect.signature(function).parameters.values()]
    return all(map(_checked._plain, kinds))


@pytest.fixture
def counted(monkeypatch):
    """Write down who checks what while one function runs."""
    seen = []
    real = _checked._check_arrays

    def count(call, arrays, broadcast):
        seen.append((call.function, [call.given[shape.name] for shape in arrays]))
        real(call, arrays, broadcast)

    monkeypatch.setattr(_checked, "_check_arrays", count)
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


def test_every_public_function_is_found():
    assert len(FUNCTIONS) >= 130
    assert sum(map(sees_all, FUNCTIONS.values())) >= 100


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_checks_its_arguments_and_nothing_that_it_makes(name, counted):
    function = FUNCTIONS[name]
    calls = calls_of_the_example(function, counted)
    assert calls or name.endswith(".block_by_loops"), "its example calls nothing"
    for given, checks in calls:
        assert checks or not given, "it checks nothing"
        if sees_all(function):
            assert {own for own, _ in checks} <= {function.__name__}
            checked = Counter(id(x) for _, xs in checks for x in xs)
            assert all(checked[i] == n for i, n in Counter(map(id, given)).items())


@pytest.mark.gate("arguments are checked once", "an inner call is checked again")
def test_a_second_check_is_noticed(counted, monkeypatch):
    forgetting = SimpleNamespace(get=bool, set=bool, reset=bool)
    monkeypatch.setattr(_checked, "_inside_checked_call", forgetting)
    module = multi_head_attention.__module__.removeprefix("attention_course.")
    with pytest.raises(AssertionError):
        test_a_function_checks_its_arguments_and_nothing_that_it_makes(
            f"{module}.multi_head_attention", counted
        )
