"""What the chapter on the Vision Transformer says of glimpses was measured by its script."""

import glimpses as script
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models.experiments.glimpses import GLIMPSERS, load_glimpser

QUICK = script.SETTING | {"judged": 50}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("glimpses")
    assert source["settings"] == script.SETTING
    assert sorted((run["way"], run["seed"]) for run in result) == sorted(script.RUNS)


@pytest.mark.parametrize("way", GLIMPSERS)
def test_the_first_steps_reproduce(way):
    again = script.run(way, 1, QUICK | {"steps": 3})[0]["first_losses"]
    assert_same_steps(again, the_run("glimpses", way=way, seed=1)["first_losses"])


@pytest.mark.parametrize("way", GLIMPSERS)
def test_another_seed_would_not_pass_for_the_recorded_one(way):
    runs = [run for run in recorded("glimpses")[0] if run["way"] == way]
    assert_told_apart([run["first_losses"] for run in runs])


def test_the_stored_parameters_do_what_the_record_says():
    stored = the_run("glimpses", way="chosen", seed=0)
    found = script.judge(load_glimpser()[0], script.SETTING["judged"])
    assert found["right"] == pytest.approx(stored["right"], abs=0.01)
    assert found["in any look"] == pytest.approx(stored["in any look"], abs=0.01)
