"""What the Bahdanau chapter draws was measured by the scripts, whose first steps reproduce."""

import looking_back as small
import pytest
from records import assert_same_steps, assert_told_apart

from attention_course.measure import recorded

TASKS = ("dates", "few", "row", "spelling")


@pytest.mark.parametrize("task", TASKS)
def test_the_record_is_of_the_scripts_settings(task):
    runs, source = recorded(f"looking_back_{task}")
    assert source["settings"] == small.SETTINGS[task]
    assert source["script"] == f"benchmarks/looking_back.py {task}"
    seen = sorted((run["model"], run["seed"]) for run in runs)
    assert seen == [(m, s) for m in ("attention", "fixed") for s in small.SEEDS]


@pytest.mark.parametrize("task", TASKS)
def test_both_models_have_the_same_size(task):
    sizes = {run["weights"] for run in recorded(f"looking_back_{task}")[0]}
    assert max(sizes) / min(sizes) < 1.01


@pytest.mark.parametrize("task", ["dates", "spelling"])
def test_the_first_steps_of_the_small_runs_reproduce(task):
    setting = small.SETTINGS[task] | {"steps": 3}
    run = small.run_spelling if task == "spelling" else small.run_dates
    again = {r["model"]: r["first_losses"] for r in run(setting, 0, measure=False)}
    for run in recorded(f"looking_back_{task}")[0]:
        if run["seed"] == 0:
            assert_same_steps(again[run["model"]], run["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("looking_back_dates")[0] if r["model"] == "attention"]
    assert_told_apart([run["first_losses"] for run in runs])
