"""NaN is never hidden, and weights are weights: refused, or seen in what comes out."""

import inspect

import numpy as np
import pytest
from reference_examples import FUNCTIONS, last_call

BAD = {"NaN": np.nan, "inf": np.inf, "-inf": -np.inf}


GOOD = {name: last_call(function) for name, function in FUNCTIONS.items()}
ARRAYS = [
    (name, argument)
    for name, given in GOOD.items()
    for argument, x in given.items()
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size
]


def numbers(found: object) -> list[np.ndarray]:
    """All floats in a result, however deep."""
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple, set)):
        return [x for part in found for x in numbers(part)]
    x = np.asarray(found)
    return [x] if x.dtype.kind == "f" else []


def outcome(name: str, given: dict) -> list[np.ndarray] | None:
    """What comes out, or None if the function refuses in its own name."""
    function = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        try:
            return numbers(function(**given))
        except ValueError as error:
            message = str(error)
    assert message.startswith(f"{function.__name__}: ")
    assert ", got " in message
    return None


def equal(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(map(np.array_equal, a, b))


def test_enough_is_looked_at():
    assert len(ARRAYS) >= 210
    assert len(TAKES_WEIGHTS) >= 10


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_nan_is_refused_or_comes_out(name, argument):
    x = GOOD[name][argument]
    found = outcome(name, GOOD[name] | {argument: np.full_like(x, np.nan)})
    unread = argument == "k" and "the keys contain is never read" in FUNCTIONS[name].__doc__
    assert found is None or any(np.isnan(y).any() for y in found) or unread


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_one_bad_number_is_refused_or_comes_out_or_is_a_limit(name, argument, bad):
    """A limit is what a very large number comes near to, or a row that sees nothing: zeros."""
    spoiled, large = GOOD[name][argument].copy(), GOOD[name][argument].copy()
    spoiled.flat[-1], large.flat[-1] = (
        BAD[bad],
        np.nan_to_num(BAD[bad], posinf=1e9, neginf=-1e9),
    )
    found = outcome(name, GOOD[name] | {argument: spoiled})
    if found is None or any(not np.isfinite(y).all() for y in found):
        return
    if bad == "NaN":  # it was not used: the example passes over this entry
        assert found
        assert equal(found, outcome(name, GOOD[name]))
    else:
        near = outcome(name, GOOD[name] | {argument: large})
        nothing = bad == "-inf" and any((y == 0).all(axis=-1).any() for y in found)
        assert nothing or (
            near is not None
            and all(np.allclose(a, b, atol=1e-6) for a, b in zip(found, near, strict=True))
        )


TAKES_WEIGHTS = [
    (name, argument)
    for name, argument in ARRAYS
    if argument == "weights" or (argument == "p" and ".softmax." in name)
]


@pytest.mark.parametrize(("name", "argument"), TAKES_WEIGHTS)
def test_weights_that_do_not_sum_to_one_are_refused_or_documented(name, argument):
    given = GOOD[name]
    found = outcome(name, given | {argument: given[argument] * 0.9})
    assert found is None or "need not sum to 1" in FUNCTIONS[name].__doc__


@pytest.mark.parametrize(("name", "argument"), TAKES_WEIGHTS)
def test_rounded_weights_and_rows_of_nothing_pass(name, argument):
    given = GOOD[name]
    for passes in (given[argument].astype(np.float16), given[argument] * 0):
        assert outcome(name, given | {argument: passes}) is not None


@pytest.mark.gate("NaN is never hidden", "a choice is made from weights that are NaN")
def test_a_hidden_nan_is_noticed(monkeypatch):
    name = next(name for name in FUNCTIONS if name.endswith(".choose"))
    monkeypatch.setitem(FUNCTIONS, name, inspect.unwrap(FUNCTIONS[name]))
    with pytest.raises(AssertionError):
        test_nan_is_refused_or_comes_out(name, "weights")
    with pytest.raises(AssertionError):
        test_weights_that_do_not_sum_to_one_are_refused_or_documented(name, "weights")
