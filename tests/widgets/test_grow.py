"""The growing model in Python: its stages are those that were trained, and its numbers."""

import numpy as np
import pytest

from attention_course.widgets import Grow
from attention_course.widgets.grow.widget import STAGES, beside

LOSSES = [[5 - i / 4, 5.2 - i / 4, 4.9 - i / 4] for i in range(11)] + [[2.28]]
SAMPLES = [f"text {i} <b>" for i in range(12)]


def grown(**state):
    return Grow(losses=LOSSES, samples=SAMPLES, prompt="the king", **state)


def test_the_stages_are_those_that_the_models_have():
    models = pytest.importorskip("attention_course.models.experiments.growing").STAGES
    assert [stage["name"] for stage in STAGES] == list(models)
    for stage in STAGES:
        trained = vars(models[stage["name"]])
        drawn = {key: value for key, value in stage.items() if key not in ("name", "act")}
        assert drawn == trained | {"positions": trained["positions"] == "learned"}


def test_each_is_compared_with_the_one_before_and_the_last_three_with_the_largest():
    assert [beside(i) for i in range(1, 12)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    numbers = grown(stage=11).readouts()
    assert numbers["change-1"] == pytest.approx(-0.25)
    assert numbers["change-11"] == pytest.approx(2.28 - np.mean(LOSSES[8]))


def test_read_outs_are_those_of_the_models_so_far():
    numbers = grown(stage=3).readouts()
    assert len(numbers) == 4 + 3
    for i in range(4):
        assert numbers[f"mean-{i}"] == pytest.approx(np.mean(LOSSES[i]))


def test_the_fallback_has_every_run_of_every_model_and_no_markup_of_a_text():
    fallback = grown().fallback
    assert fallback.count("<tr>") == 13
    assert "5.00 5.20 4.90" in fallback
    assert "the king text 11 &lt;b&gt;" in fallback


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("stage", 12, "a whole number from 0 to 11"),
        ("guess", 21, "a number from 0 to 20"),
        ("guesses", [1] * 12, "at most 11 numbers from 0 to 20"),
        ("losses", LOSSES[1:], "one or more for each of 12 models"),
        ("losses", [[4.0]] * 11 + [[]], "one or more for each of 12 models"),
        ("samples", SAMPLES[1:], "12 texts"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"Grow: {trait} must be {expected}"):
        Grow(**{trait: bad})
