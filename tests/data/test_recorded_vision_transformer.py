"""What the chapter on the Vision Transformer draws was measured by its script."""

import pytest
import vision_transformer as script
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded

QUICK = script.SETTING | {"steps": 20, "fine_steps": 20}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("vision_transformer")
    assert source["settings"] == script.SETTING
    seen = sorted((run["model"], run["size"], run["seed"]) for run in result)
    assert seen == sorted([*script.FINE_RUNS, *script.RUNS])


@pytest.mark.parametrize("name", script.MODELS)
def test_the_first_steps_of_every_model_reproduce(name):
    size = script.SIZES[-1]
    again = script.run(name, size, 0, QUICK)[0]["first_losses"]
    stored = the_run("vision_transformer", model=name, size=size, seed=0)
    assert_same_steps(again, stored["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("vision_transformer")[0] if run["model"] == "learned"]
    at = [run["first_losses"] for run in runs if run["size"] == script.SIZES[-1]]
    assert_told_apart(at)
