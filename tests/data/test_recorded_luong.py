"""What the Luong chapter draws was measured by the script, whose first steps reproduce."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from attention_course.measure import recorded

ROOT = Path(__file__).parents[2]
TASKS = pytest.mark.parametrize("task", ["reverse"])


@pytest.fixture(scope="module")
def script():
    path = ROOT / "benchmarks" / "luong_choices.py"
    spec = importlib.util.spec_from_file_location("luong_choices", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def alone(task):
    return [run for run in recorded(f"luong_{task}")[0] if run["choice"] != "eight together"]


@TASKS
def test_the_record_is_of_the_scripts_settings(script, task):
    _, source = recorded(f"luong_{task}")
    assert source["settings"] == script.SETTINGS[task]
    assert source["script"] == f"benchmarks/luong_choices.py {task}"
    seen = {(run["choice"], run["seed"]) for run in alone(task)}
    choices = script.SETTINGS[task]["choices"]
    assert seen == {(choice, seed) for choice in choices for seed in script.SEEDS}
    assert len(seen) == len(alone(task))


@TASKS
def test_all_models_have_the_same_size(task):
    sizes = {run["weights"] for run in alone(task)}
    assert max(sizes) / min(sizes) < 1.04


def test_eight_models_write_together_and_all_are_the_papers(script):
    assert len(script.TOGETHER) == 8
    assert not {"query: step before", "Bahdanau"} & set(script.TOGETHER)
    found = [r for r in recorded("luong_reverse")[0] if r["choice"] == "eight together"]
    for run in found:
        members = [
            r["weights"]
            for r in alone("reverse")
            if r["seed"] == run["seed"] and r["choice"] in script.TOGETHER
        ]
        assert run["weights"] == sum(members)
    assert [run["seed"] for run in found] == list(script.SEEDS)


@pytest.mark.parametrize(
    ("task", "choice"),
    [("reverse", "as in the paper"), ("reverse", "local-p")],
)
def test_the_first_steps_reproduce(script, task, choice):
    setting = script.SETTINGS[task] | {"steps": 3}
    again = script.run(task, setting, 0, measure=False, only=choice)[0]["first_losses"]
    wanted = next(r for r in alone(task) if (r["choice"], r["seed"]) == (choice, 0))
    np.testing.assert_allclose(again, wanted["first_losses"], rtol=1e-3)


def test_another_seed_or_choice_would_not_pass_for_the_recorded_one():
    first, second, other = (
        next(r for r in alone("reverse") if (r["choice"], r["seed"]) == key)["first_losses"]
        for key in (("as in the paper", 0), ("as in the paper", 1), ("local-p", 0))
    )
    assert not np.allclose(first, second, rtol=1e-3)
    assert not np.allclose(first, other, rtol=1e-3)


@TASKS
def test_no_tested_text_was_trained_on(script, task):
    _, _, train, tests = script.data(task, script.SETTINGS[task], 0)
    known = {text for text, _ in train}
    for pairs in tests.values():
        assert not known & {text for text, _ in pairs}


def test_the_longer_strings_are_longer_than_all_in_training(script):
    _, _, train, tests = script.data("reverse", script.SETTINGS["reverse"], 0)
    assert max(len(text) for text, _ in train) < min(len(text) for text, _ in tests["longer"])
