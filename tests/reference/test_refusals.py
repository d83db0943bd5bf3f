"""Bad input to the functions of single chapters: each says its name and what came."""

import re

import numpy as np
import pytest

from attention_course import reference as r

pytestmark = pytest.mark.usefixtures("untyped")

ONE, LONG = np.ones(2), np.ones(3)
UNIT = r.GatedUnit(np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6))
LAYER = np.zeros((8, 1)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)
ALIGN = np.ones((2, 1)), np.ones((5, 1)), np.zeros((5, 1)), np.ones(5)
WEIGHTS = r.BahdanauWeights(
    **dict.fromkeys(r.BahdanauWeights._fields, np.ones((2, 1)))
    | {"forward": UNIT, "backward": UNIT}
)
FIRST = np.array([0])
SUM = "weights must be weights that sum to 1 in each row"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: r.align_by_loops([1.0], *ALIGN), "align_by_loops: s must be a NumPy array"),
        (lambda: r.alignment_error_rate({}, {}, {}), "alignment_error_rate: sure must be"),
        (
            lambda: r.annotate_by_loops([], np.ones((1, 1)), UNIT, UNIT),
            "annotate_by_loops: tokens must be one or more numbers below 1, got []",
        ),
        (
            lambda: r.attention_only_by_loops([], [1], None),
            "attention_only_by_loops: source and target_in must hold a symbol",
        ),
        (
            lambda: r.bahdanau_by_loops([1], [9], WEIGHTS),
            "bahdanau_by_loops: target_in must be one or more numbers below 2, got [9]",
        ),
        (
            lambda: r.decoder_step(ONE, [1.0], ONE[None], WEIGHTS),
            "decoder_step: y must be a NumPy array",
        ),
        (lambda: r.entropy_gradient(ONE), "entropy_gradient: " + SUM),
        (
            lambda: r.expected_reward_gradient(ONE, LONG),
            "expected_reward_gradient: rewards must be of the shape of scores, (2,)",
        ),
        (
            lambda: r.guess_covered(FIRST[None], FIRST, {}, 1),
            "guess_covered: p must be arrays named",
        ),
        (lambda: r.gumbel_noise((2,), 0), "gumbel_noise: rng must be a numpy RandomState"),
        (
            lambda: r.luong_encode_by_loops([], np.ones((1, 1)), [LAYER]),
            "luong_encode_by_loops: tokens must be one or more numbers below 1, got []",
        ),
        (lambda: r.moving_baselines(ONE, 2.0), "moving_baselines: decay must be a number from"),
        (lambda: r.reinforce_gradients(ONE, FIRST, ONE[:1]), "reinforce_gradients: " + SUM),
        (lambda: r.reinforce_variance(ONE, ONE), "reinforce_variance: " + SUM),
        (
            lambda: r.relaxed_choice(ONE, ONE, 0.0),
            "relaxed_choice: temperature must be positive",
        ),
        (
            lambda: r.stochastic_gradient_by_loops(ONE, LONG, FIRST, 1.0, 1.0, 0.0),
            "stochastic_gradient_by_loops: rewards must be of the shape of scores",
        ),
        (
            lambda: r.straight_through_gradient(ONE, ONE, 0.0, ONE),
            "straight_through_gradient: temperature must be positive, got 0.0",
        ),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
