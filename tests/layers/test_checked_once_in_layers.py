"""In the layers too, each argument is checked once, in the name of what was called."""

import inspect

import pytest
import torch
from module_cases import CASES, FOUND, OF

from attention_course.layers import attention, scores

CHECKS = ("check_pair", "check_mask", "check_values", "check_width", "check_same_width")
# Parts of a layer whose own methods are public doors: their arguments are made on the way.
ASK_PARTS = ("TransformerBlock",)
LAYERS = [
    row
    for row in CASES
    if row.name in FOUND and ".layers." in FOUND[row.name].__module__
    if row.name not in ASK_PARTS
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


@pytest.mark.parametrize("row", LAYERS, ids=lambda row: row.id)
def test_no_argument_is_checked_twice(row, seen):
    row.build()(*row.give())
    looks = [(check, place) for check, _, place, _ in seen]
    assert len(set(looks)) == len(looks)
    within = {"BlockAttention", *(["MultiHeadAttention"] if row.name == "PlainBlock" else [])}
    assert {function for _, function, _, _ in seen} <= {row.name, *within}


def test_enough_is_looked_at(seen):
    for row in LAYERS:
        row.build()(*row.give())
    assert len(seen) >= 78


@pytest.mark.gate("arguments are checked once", "a layer calls a public module inside")
def test_a_second_check_is_noticed(seen, monkeypatch):
    monkeypatch.setattr(attention.Attention, "mix", attention.Attention.forward)
    with pytest.raises(AssertionError):
        test_no_argument_is_checked_twice(OF["MultiHeadAttention"], seen)
