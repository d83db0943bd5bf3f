"""A claim that holds leaves a fold; one that does not stops a test and never a reader."""

import math
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_course.page import HoldFailed, hold
from attention_course.page.hold import RAISES

# The package hands on the function under the module's name.
MODULE = sys.modules[hold.__module__]


@pytest.fixture
def strict(monkeypatch):
    monkeypatch.setenv(RAISES, "1")


def said(capsys, *arguments, **bound):
    hold(*arguments, **bound)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("value", "bound", "line"),
    [
        (0.58123, {"at_least": 0.1}, "at least 0.1: 0.581 (0.48 to spare)"),
        (0.58123, {"above": 0.1}, "above 0.1: 0.581 (0.48 to spare)"),
        (492, {"at_least": 480}, "at least 480: 492 (12 to spare)"),
        (2.9e-20, {"below": 1e-3}, "below 0.001: 2.9e-20 (0.001 to spare)"),
        (0.3, {"within": (0, 1)}, "from 0 to 1: 0.3 (0.3 to spare)"),
        (0.3, {"at_least": 0, "at_most": 1}, "from 0 to 1: 0.3 (0.3 to spare)"),
        (0.503, {"near": (0.5, 0.01)}, "within 0.01 of 0.5: 0.503 (0.007 to spare)"),
        (1 - 1e-16, {"near": (1, 1e-12)}, "within 1e-12 of 1"),
        (0.1 + 0.2, {"at_least": 0.3}, "at least 0.3: 0.3 (0 to spare)"),
        (3e-6, {"below": 2e-5}, "below 2e-5"),
        (3e-16, {"at_most": 1e-12}, "at most 1e-12"),
        (np.full(5, -3e-16), {"near": (0, 1e-12)}, "within 1e-12 of 0: all 5"),
        ([0.2, 0.9, 0.4], {"above": 0.1}, "the smallest of 3 is 0.2 (0.1 to spare)"),
        ([[0.2, 0.9]], {"at_most": 1}, "the largest of 2 is 0.9 (0.1 to spare)"),
        (torch.tensor([0.5, 0.25]), {"below": 1}, "the largest of 2 is 0.5"),
        (torch.ones(2, dtype=torch.bfloat16), {"at_most": 1}, "is 1 (0 to spare)"),
        (torch.ones(1, requires_grad=True), {"at_least": 0}, "at least 0: 1 (1 to spare)"),
        ({"a": 0.5, "b": 0.25}, {"below": 1}, "a 0.5 (0.5 to spare); b 0.25 (0.75 to"),
    ],
)  # fmt: skip
def test_what_holds_says_rule_numbers_and_what_is_to_spare(capsys, strict, value, bound, line):
    text = said(capsys, "it is so", value, **bound)
    first, second = text.splitlines()
    assert first == "Holds: it is so"
    assert line in second
    assert "less than" not in second


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (0.05, {"at_least": 0.1}, "expected at least 0.1, got 0.05 (0.05 off)"),
        (0.1, {"above": 0.1}, "expected above 0.1, got 0.1 (0 off)"),
        (math.nan, {"at_least": 0}, "expected at least 0, got nan"),
        ([1, math.nan], {"below": 2}, "got the largest of 2 is nan"),
        (math.inf, {"at_most": 2}, "expected at most 2, got inf"),
        ({"a": 1, "b": 3, "c": 4}, {"at_most": 2}, "got b 3 (1 off); c 4 (2 off)"),
        ([5, 1, 7], {"below": 2}, "the largest of 3 is 7 (5 off), and 2 of them do not hold"),
        (0.1 + 0.2, {"near": (0.3, 1e-17)}, "expected within 1e-17 of 0.3, got 0.3"),
        (torch.tensor(float("nan")), {"near": (0, 1)}, "got nan"),
    ],
)
def test_what_does_not_hold_raises_in_tests_and_names_everything(strict, value, bound, words):
    with pytest.raises(HoldFailed) as failed:
        hold("it is so", value, **bound)
    assert str(failed.value).startswith("it is so: expected ")
    assert words in str(failed.value)


def test_a_reader_is_told_in_one_line_and_goes_on(capsys, monkeypatch):
    monkeypatch.delenv(RAISES, raising=False)
    text = said(capsys, "it is so", 0.05, at_least=0.1)
    assert text.startswith("Does not hold here (another version or device may differ): it is")
    assert len(text.splitlines()) == 1


def test_a_fold_is_closed_escaped_and_says_what_the_text_says(monkeypatch):
    shown = []
    monkeypatch.setattr(MODULE, "display", shown.append)
    hold("a < b & c", 0.5, above=0)
    markup = shown[0]._repr_html_()
    assert markup == (
        '<details class="ac-hold"><summary>✓ a &lt; b &amp; c</summary>'
        "<p>above 0: 0.5 (0.5 to spare)</p></details>"
    )


@pytest.mark.parametrize(
    ("value", "bound", "words"),
    [
        (1, {}, "hold: bound must be one of at_least, .*, got none"),
        (1, {"above": 0, "near": (1, 1)}, "got above, near"),
        (1, {"above": 0, "at_most": 1}, "got at_most, above"),
        (1, {"above": "x"}, "above must be a finite number, got 'x'"),
        (1, {"below": math.inf}, "below must be a finite number, got inf"),
        (1, {"near": 1}, r"near must be \(expected, tolerance\), got 1"),
        (1, {"near": (1, 0)}, "near must have a tolerance above 0, got 0"),
        (1, {"within": (2, 1)}, "within must be .low, high., got"),
        ("one", {"above": 0}, "value must be a number, .*, got 'one'"),
        (None, {"above": 0}, "value must be .*, got None"),
        ([], {"above": 0}, r"value must be .*, got \[\]"),
        ({}, {"above": 0}, "value must hold at least one number"),
        ({"a": "b"}, {"above": 0}, r"value\['a'\] must be"),
        (1j, {"above": 0}, "value must be"),
        ([[1], [1, 2]], {"above": 0}, "value must be"),
        (True, {"above": 0}, "got True: give what was measured, not the verdict"),
    ],
)
def test_bad_input_is_named_with_what_is_expected(value, bound, words):
    with pytest.raises(ValueError, match=words):
        hold("it is so", value, **bound)


@pytest.mark.parametrize("claim", ["", "  ", 3, None])
def test_a_claim_is_a_sentence(claim):
    with pytest.raises(ValueError, match="claim must be an English sentence"):
        hold(claim, 1, above=0)


@given(st.floats(allow_nan=False), st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_the_rules_are_pythons_own_comparisons(x, low, width):
    rules = {"at_least": x >= low, "at_most": x <= low, "above": x > low, "below": x < low}
    rules["within"] = low <= x <= low + width
    rules["near"] = abs(x - low) <= width
    bounds = dict.fromkeys(rules, low) | {"within": (low, low + width), "near": (low, width)}
    for name, holds in rules.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(RAISES, "1")
            patch.setattr(MODULE, "display", lambda said: None)
            try:
                hold("it is so", x, **{name: bounds[name]})
            except HoldFailed:
                assert not holds
            else:
                assert holds
