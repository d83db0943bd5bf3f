"""What the chapter on asking an image draws was measured by its script."""

import asking_an_image as script
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models.experiments.asking import load_asker
from attention_course.models.experiments.detection import load_detector

QUICK = script.SETTING | {"steps": 3, "box_steps": 3, "names": 1000, "judged": 200}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("asking_an_image")
    assert source["settings"] == script.SETTING
    seen = sorted((run["way"], run["seed"]) for run in result)
    assert seen == sorted((way, seed) for way in script.WAYS for seed in script.SEEDS)


@pytest.mark.parametrize("way", script.WAYS)
def test_the_first_steps_of_every_way_reproduce(way):
    stored = the_run("asking_an_image", way=way, seed=0)
    again = script.run(way, 0, QUICK)[0]
    assert_same_steps(again["naming_losses"], stored["naming_losses"])
    np.testing.assert_allclose(again["first_losses"], stored["first_losses"], rtol=0.02)


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("asking_an_image")[0] if run["way"] == "even"]
    assert_told_apart([run["naming_losses"] for run in runs])


def test_the_stored_parameters_do_what_the_record_says():
    stored = the_run("asking_an_image", way="two looks", seed=0)
    found = script.judge(load_asker()[0], script.SETTING["judged"])
    assert found["right"] == pytest.approx(stored["right"], abs=0.01)
    assert found["shares"]["look 2"] == pytest.approx(stored["shares"]["look 2"], abs=0.01)


def test_the_stored_detector_finds_what_the_record_says():
    stored = the_run("asking_an_image", way="detector", seed=0)
    found = script.judge_boxes(load_detector()[0], script.SETTING["judged"])
    assert found["named"] == pytest.approx(stored["named"], abs=0.01)
    assert found["pixels"] == pytest.approx(stored["pixels"], abs=0.05)
