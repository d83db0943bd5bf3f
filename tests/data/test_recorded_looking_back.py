"""What the Bahdanau chapter draws was measured by the scripts, whose first steps reproduce."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from attention_course.measure import recorded

ROOT = Path(__file__).parents[2]
TASKS = ("dates", "few", "row", "spelling")


@pytest.fixture(scope="module")
def small():
    path = ROOT / "benchmarks" / "looking_back.py"
    spec = importlib.util.spec_from_file_location("looking_back", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("task", TASKS)
def test_the_record_is_of_the_scripts_settings(small, task):
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
def test_the_first_steps_of_the_small_runs_reproduce(small, task):
    setting = small.SETTINGS[task] | {"steps": 3}
    run = small.run_spelling if task == "spelling" else small.run_dates
    again = {r["model"]: r["first_losses"] for r in run(setting, 0, measure=False)}
    for run in recorded(f"looking_back_{task}")[0]:
        if run["seed"] == 0:
            np.testing.assert_allclose(again[run["model"]], run["first_losses"], rtol=1e-3)


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("looking_back_dates")[0] if r["model"] == "attention"]
    assert not np.allclose(runs[0]["first_losses"], runs[1]["first_losses"], rtol=1e-3)
