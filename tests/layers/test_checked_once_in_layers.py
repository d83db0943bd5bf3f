"""In the layers too, each argument is checked once, in the name of what was called."""

import inspect

import pytest
import torch
from test_devices import CASES, FOUND

from attention_course.layers import attention, scores
from attention_course.layers.transformer.multi_head import MultiHeadAttention

CHECKS = ("check_pair", "check_mask", "check_values", "check_width", "check_same_width")
# Parts of a layer whose own methods are public doors: their arguments are made on the way.
ASK_PARTS = ("TransformerBlock",)
LAYERS = [
    case
    for case in CASES
    if case[0] in FOUND and ".layers." in FOUND[case[0]].__module__ and case[0] not in ASK_PARTS
]


@pytest.fixture
def seen(monkeypatch) -> list[tuple[str, str, int, torch.Tensor]]:
    """Write down which check looked at which tensor, and in whose name."""
    found = []

    def count(name, real):
        def check(function, *given):
            tensors = [x for x in given if isinstance(x, torch.Tensor)]
            found.extend((name, function, id(x), x) for x in tensors)
            return real(function, *given)

        return check

    modules = {inspect.getmodule(layer) for layer in FOUND.values()} | {attention, scores}
    for name in CHECKS:
        counting = count(name, getattr(attention, name, None) or getattr(scores, name))
        for module in modules:
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counting)
    return found


@pytest.mark.parametrize(
    ("name", "choice", "build", "give"), LAYERS, ids=[" ".join(case[:2]) for case in LAYERS]
)
def test_no_argument_is_checked_twice(name, choice, build, give, seen):
    build()(*give())
    looks = [(check, place) for check, _, place, _ in seen]
    assert len(set(looks)) == len(looks)
    within = {"BlockAttention", *(["MultiHeadAttention"] if name == "PlainBlock" else [])}
    assert {function for _, function, _, _ in seen} <= {name, *within}


def test_enough_is_looked_at(seen):
    for *_, build, give in LAYERS:
        build()(*give())
    assert len(seen) >= 78


@pytest.mark.gate("arguments are checked once", "a layer calls a public module inside")
def test_a_second_check_is_noticed(seen, monkeypatch):
    monkeypatch.setattr(attention.Attention, "mix", attention.Attention.forward)
    case = next(case for case in LAYERS if case[0] == MultiHeadAttention.__name__)
    with pytest.raises(AssertionError):
        test_no_argument_is_checked_twice(*case, seen)
