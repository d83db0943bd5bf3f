"""What the chapter on a captioner draws was measured by its script."""

import captioning
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.data.scenes import draw_scenes
from attention_course.measure import recorded
from attention_course.models.experiments.captioning import load_captioner, tensors_of

QUICK = captioning.SETTING | {"steps": 3, "scenes": 20, "draws": 2}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("captioning")
    assert source["settings"] == captioning.SETTING
    seen = sorted((run["way"], run["seed"]) for run in result)
    wanted = sorted((way, seed) for way in captioning.MEASURED for seed in captioning.SEEDS)
    assert seen == wanted
    assert len({run["weights"] for run in result}) == 1


@pytest.mark.parametrize("way", captioning.MEASURED)
def test_the_first_steps_of_every_way_reproduce(way):
    again = captioning.run(way, 0, QUICK)[0]["first_losses"]
    assert_same_steps(again, the_run("captioning", way=way, seed=0)["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("captioning")[0] if run["way"] == "soft"]
    assert_told_apart([run["first_losses"] for run in runs])


@pytest.mark.parametrize("way", captioning.KEPT)
def test_the_stored_weights_write_as_the_record_says(way):
    scenes = draw_scenes(np.random.RandomState(20_000), captioning.SETTING["scenes"])
    pictures, captions = tensors_of(scenes)
    written = load_captioner(way)[0](pictures).logs.argmax(-1)
    right = (written == captions).all(1).double().mean()
    stored = the_run("captioning", way=way, seed=0)["known"]["captions"]
    assert float(right) == pytest.approx(stored, abs=0.01)
