"""The mask painter in Python: what it shows, and what it refuses."""

import numpy as np
import pytest

from attention_course.reference import masked_attention_by_loops, padding_mask
from attention_course.reference.transformer.mask_errors import RULES
from attention_course.widgets import MaskPainter
from attention_course.widgets.mask_painter.widget import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_the_weights_are_those_of_the_loops(name):
    painter = MaskPainter(mask=name)
    x, W_q, W_k, W_v = painter.layer()
    mask = np.array(painter.mask, dtype=bool)

    _, weights = masked_attention_by_loops(x @ W_q, x @ W_k, x @ W_v, mask)
    np.testing.assert_allclose(painter.readouts()["weights"], weights, rtol=0, atol=1e-12)


def test_causal_with_padding_in_front_leaves_two_queries_without_a_key():
    mask = np.array(PRESETS["front"], dtype=bool)
    assert mask.any(axis=1).tolist() == [False, False, True, True, True, True]
    assert not mask[:, padding_mask(np.array(2), 6)].any()


def test_each_wrong_rule_differs_from_the_right_one_under_some_preset():
    for rule in set(RULES) - {"right"}:
        different = [
            not np.array_equal(
                MaskPainter(mask=name, rule=rule).readouts()["weights"],
                MaskPainter(mask=name).readouts()["weights"],
            )
            for name in PRESETS
        ]
        assert any(different), rule


def test_under_the_right_causal_mask_the_fallback_names_the_later_outputs_only():
    assert "Changing token 5 moves output 5, 6." in MaskPainter().fallback
    assert MaskPainter().fallback.count("<td>–</td>") == 15


def test_under_a_leaking_rule_the_fallback_names_earlier_outputs():
    assert "moves output 1, 2, 3, 4, 5, 6." in MaskPainter(rule="after").fallback


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("mask", "all", "6 rows of 6 numbers 0 or 1"),
        ("mask", [[1]], "6 rows of 6"),
        ("mask", [[2] * 6] * 6, "6 rows of 6"),
        ("mask", None, "6 rows of 6"),
        ("rule", "guess", "one of 'right', 'after'"),
        ("token", 0, "a whole number from 1 to 6"),
        ("output", 7, "a whole number from 1 to 6"),
        ("seed", -1, "a whole number from 0 to 99"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"MaskPainter: {trait} must be {expected}"):
        MaskPainter(**{trait: bad})
