"""What the page trains was recorded by the script, whose first steps reproduce."""

import live_training as script
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.widgets.live_training.widget import SHOWN, STEPS


def test_the_record_is_of_the_scripts_settings():
    runs, source = recorded("live_training")
    assert source["settings"] == script.SETTING
    assert script.SETTING["steps"] == STEPS == SHOWN[-1]
    seen = sorted((run["model"], run["seed"]) for run in runs)
    assert seen == [(m, s) for m in ("attention", "fixed") for s in script.SEEDS]


def test_both_models_have_about_the_same_size():
    sizes = {run["weights"] for run in recorded("live_training")[0]}
    assert max(sizes) / min(sizes) < 1.011


def test_the_first_steps_reproduce():
    setting = script.SETTING | {"steps": 3}
    for name in script.SETTING["models"]:
        again = script.run(name, setting, 0, measure=False)["first_losses"]
        assert_same_steps(again, the_run("live_training", model=name, seed=0)["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("live_training")[0] if r["model"] == "attention"]
    assert_told_apart([run["first_losses"] for run in runs])
