"""What the chapter on asking an image draws was measured by its script."""

import asking_an_image as script
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models.experiments.asking import load_asker

QUICK = script.SETTING | {"steps": 3, "names": 1000, "judged": 200}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("asking_an_image")
    assert source["settings"] == script.SETTING
    assert sorted((run["way"], run["seed"]) for run in result) == sorted(script.RUNS)
    moved = [(run["way"], run["seed"]) for run in result if "moved" in run]
    assert moved == [(way, seed) for way, seed in script.RUNS if way == script.SHIPS[0]]


@pytest.mark.parametrize(
    ("way", "seed"), [("two looks", 0), ("two looks", 1), ("one look", 2), ("even", 0)]
)
def test_the_first_steps_reproduce(way, seed):
    stored = the_run("asking_an_image", way=way, seed=seed)
    again = script.run(way, seed, QUICK)[0]
    assert_same_steps(again["naming_losses"], stored["naming_losses"])
    np.testing.assert_allclose(again["first_losses"], stored["first_losses"], rtol=0.02)


def test_another_seed_would_not_pass_for_the_recorded_one():
    for way in script.LOOKERS:
        runs = [run for run in recorded("asking_an_image")[0] if run["way"] == way]
        assert_told_apart([run["naming_losses"] for run in runs])


def test_another_way_of_looking_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("asking_an_image")[0] if run["seed"] == 0]
    assert_told_apart([run["first_losses"] for run in runs])


def test_the_stored_parameters_do_what_the_record_says():
    stored = the_run("asking_an_image", way="two looks", seed=0)
    found = script.judge(load_asker()[0], script.SETTING["judged"])
    assert found["right"] == pytest.approx(stored["right"], abs=0.01)
    assert found["shares"]["look 2"] == pytest.approx(stored["shares"]["look 2"], abs=0.01)
