"""What the chapter on masks draws was measured by its script, whose first steps reproduce."""

import leaking_mask as script
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded

RUNS, SOURCE = recorded("leaking_mask")


def test_the_record_is_of_the_scripts_settings():
    assert SOURCE["settings"] == script.SETTING
    assert SOURCE["seeds"] == list(script.SEEDS)
    seen = sorted((run["mask"], run["seed"]) for run in RUNS)
    assert seen == sorted((m, s) for m in script.MASKS for s in script.SEEDS)
    assert all(np.shape(run["curve"]) == (8, 3) for run in RUNS)


@pytest.mark.parametrize("mask", ["causal", "one too many", "none"])
def test_the_first_steps_reproduce(mask):
    again = script.run(mask, 0, script.SETTING | {"steps": 3}, measure=False)
    stored = the_run("leaking_mask", mask=mask, seed=0)
    assert_same_steps(again["first_losses"], stored["first_losses"])


def test_another_seed_or_mask_would_not_pass_for_the_recorded_one():
    assert_told_apart([run["first_losses"] for run in RUNS])


def test_the_record_says_what_the_chapter_says():
    last = {
        mask: np.array([run["curve"][-1] for run in RUNS if run["mask"] == mask])
        for mask in ("causal", "one too many", "none")
    }
    # A target right in every symbol when fed is exactly what greedy decoding writes.
    assert np.array_equal(last["causal"][:, 1], last["causal"][:, 2])
    for mask in ("one too many", "none"):
        assert last[mask][:, 1].min() >= 0.95
        assert last[mask][:, 2].max() <= 0.2
        assert last[mask][:, 0].max() < last["causal"][:, 0].min() / 10
