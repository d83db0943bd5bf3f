"""What the page trains was recorded by the script, whose first steps reproduce."""

import live_training as script
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.widgets.live_training.widget import STEPS, TASKS


def test_the_record_is_of_the_scripts_settings():
    runs, source = recorded("live_training")
    assert source["settings"] == script.SETTING
    assert max(script.setting_of(task)["steps"] for task in TASKS) == STEPS
    seen = sorted((run["task"], run["model"], run["seed"]) for run in runs)
    models = ("attention", "fixed")
    assert seen == [(t, m, s) for t in sorted(TASKS) for m in models for s in script.SEEDS]
    assert [*TASKS] == [*script.TASKS]


@pytest.mark.parametrize("task", TASKS)
def test_both_models_have_about_the_same_size(task):
    runs, _ = recorded("live_training")
    sizes = {run["weights"] for run in runs if run["task"] == task}
    assert max(sizes) / min(sizes) < 1.012


@pytest.mark.parametrize("task", TASKS)
def test_the_first_steps_reproduce(task):
    setting = script.setting_of(task) | {"steps": 3}
    for name in script.SETTING["models"]:
        again = script.run(name, setting, 0, measure=False, task=task)["first_losses"]
        run = the_run("live_training", task=task, model=name, seed=0)
        assert_same_steps(again, run["first_losses"])


def test_another_seed_or_task_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("live_training")[0] if r["model"] == "attention"]
    assert_told_apart([run["first_losses"] for run in runs])


def test_attention_learns_to_reverse_and_the_fixed_context_does_not_in_time():
    runs = [r for r in recorded("live_training")[0] if r["task"] == "reversal"]
    last = {
        m: [r["exact"][-1] for r in runs if r["model"] == m] for m in ("attention", "fixed")
    }
    assert min(last["attention"]) > 0.9
    assert max(last["fixed"]) < 0.3


def test_attention_translates_most_sentences_and_the_fixed_context_fewer():
    runs = [r for r in recorded("live_training")[0] if r["task"] == "sentences"]
    last = {
        m: [r["exact"][-1] for r in runs if r["model"] == m] for m in ("attention", "fixed")
    }
    assert min(last["attention"]) >= 0.8
    assert max(last["fixed"]) < min(last["attention"]) - 0.1
