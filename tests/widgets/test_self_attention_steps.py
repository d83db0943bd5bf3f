"""The step-through in Python: what it shows at each step, and what it refuses."""

from itertools import pairwise

import numpy as np
import pytest

from attention_course.reference import self_attention_by_loops
from attention_course.widgets import SelfAttentionSteps
from attention_course.widgets.self_attention.widget import STEPS, flat_readouts


def test_the_last_step_shows_the_context_of_the_loops():
    steps = SelfAttentionSteps(step=8, d_k=3, d_v=5, positions=True)
    s = steps.stages()
    context, weights = self_attention_by_loops(s["x"], s["W_q"], s["W_k"], s["W_v"])
    shown = steps.readouts()
    np.testing.assert_allclose(shown["c"], context[2], atol=1e-12)
    np.testing.assert_allclose(shown["weight"], weights[2], atol=1e-12)
    np.testing.assert_allclose(shown["cell"], context, atol=1e-12)


def test_each_step_shows_what_was_computed_so_far_and_nothing_later():
    names = [set(SelfAttentionSteps(step=i).readouts()) for i in range(len(STEPS))]
    assert names[0] == {"x", "cell"}
    assert all(a <= b for a, b in pairwise(names))
    assert names[-1] == {"x", "cell", "q", "k", "score", "weight", "v", "c"}


def test_the_shares_add_up_to_the_context():
    shown = SelfAttentionSteps(step=8).readouts()
    np.testing.assert_allclose(shown["v"].sum(axis=0), shown["c"], atol=1e-12)


def test_a_shorter_sentence_lets_its_last_word_ask():
    short = SelfAttentionSteps(text="two words", token=7, step=6)
    np.testing.assert_array_equal(short.readouts()["weight"], short.stages()["weights"][1])


def test_it_opens_on_the_first_seed_and_says_that_the_layer_is_untrained():
    steps = SelfAttentionSteps()
    assert steps.seed == 0  # not one that was chosen for its picture
    assert "An untrained layer, drawn from seed 0." in steps.fallback
    s = steps.stages()
    assert abs(s["scores"][2, 1] - s["scores"][1, 2]) > 0.1  # a score has a direction


def test_the_fallback_says_what_the_reference_says():
    steps = SelfAttentionSteps()
    row = steps.stages()["weights"][2]
    assert f"largest weight, {row.max():.2f}, to word 1, “the”" in steps.fallback
    assert steps.fallback.count("<tr>") == 1 + len(row)
    assert "<b>" not in SelfAttentionSteps(text="<b>bold</b>").fallback


def test_numbers_get_names():
    flat = flat_readouts({"cell": np.array([[1.0, 2.0]]), "score": np.array([-np.inf])})
    assert flat == {"cell-0-0": 1.0, "cell-0-1": 2.0, "score-0": -np.inf}


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("text", "", "text with at least one word"),
        ("text", 7, "text with at least one word"),
        ("text", "a" * 201, "at most 200 characters"),
        ("token", 8, "a whole number from 0 to 7"),
        ("other", -1, "a whole number from 0 to 7"),
        ("step", 9, "a whole number from 0 to 8"),
        ("d_k", 0, "a whole number from 1 to 8"),
        ("d_v", 9, "a whole number from 1 to 8"),
        ("seed", -1, "a whole number from 0"),
        ("mask", "half", "one of 'none', 'causal', 'others'"),
        ("positions", 1, "True or False"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"SelfAttentionSteps: {trait} must be .*{expected}"):
        SelfAttentionSteps(**{trait: bad})
