"""The translators were trained by the script, whose first steps reproduce."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import translation as script
from records import assert_same_steps, assert_told_apart

from attention_course.data.parallel import translation_task
from attention_course.data.tensors import load_checkpoint
from attention_course.measure import recorded
from attention_course.models import translate
from attention_course.models.translators.trained import load_translator
from attention_course.reference.metrics.translation import bleu

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "src/attention_course/data/checkpoints"
NAMES = ["attention", "fixed"]


@pytest.fixture(scope="module")
def task():
    return translation_task(np.random.RandomState(0))


def entry(name):
    return recorded("translation")[0]["models"][name]


def log_of(name):
    return json.loads((CHECKPOINTS / f"translation_{name}.log.json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_the_first_steps_of_the_translators_reproduce(name):
    again = script.first_losses(name, 0, 3)
    assert_same_steps(again, log_of(name)["losses"][:3])
    assert_same_steps(again, entry(name)["runs"][0]["first_losses"][:3])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = entry("attention")["runs"]
    assert_told_apart([run["first_losses"] for run in runs])


def test_the_translators_had_the_same_budget_and_size():
    budget = recorded("translation")[1]["cpu_seconds_each"]
    for name in NAMES:
        assert [run["seed"] for run in entry(name)["runs"]] == list(script.SEEDS)
        assert all(budget <= run["cpu_seconds"] < 1.1 * budget for run in entry(name)["runs"])
    sizes = [entry(name)["weights"] for name in NAMES]
    assert max(sizes) / min(sizes) < 1.001


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_weights_are_those_that_were_scored(name):
    content = (CHECKPOINTS / f"translation_{name}.safetensors").read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry(name)["sha256"]
    assert len(content) == entry(name)["bytes"] <= 4_000_000
    arrays, about = load_checkpoint(f"translation_{name}")
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float16)}
    assert sum(array.size for array in arrays.values()) == entry(name)["weights"]
    budget = recorded("translation")[1]["cpu_seconds_each"]
    assert about["script"] == f"benchmarks/translation.py train {name} 0 --seconds {budget:.0f}"
    assert abs(entry(name)["half_precision_bleu"][0] - entry(name)["runs"][0]["all"][0]) < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_the_log_is_that_of_the_shipped_weights(name):
    log, run = log_of(name), entry(name)["runs"][0]
    _, about = load_checkpoint(f"translation_{name}")
    assert int(about["steps"]) == len(log["losses"]) == run["steps"]
    assert about["seed"] == log["seed"] == str(run["seed"]) == "0"
    assert sum(log["cpu"]) == pytest.approx(run["cpu_seconds"], abs=0.1)
    assert float(about["cpu_seconds"]) == pytest.approx(run["cpu_seconds"], abs=1)
    means = np.reshape(log["losses"], (len(log["cpu"]), -1)).mean(axis=1)
    np.testing.assert_allclose(means, run["losses"], atol=1e-4)


@pytest.mark.slow
def test_the_shipped_weights_translate_as_well_as_is_recorded(task):
    some, score = task.test[:: script.EVERY], {}
    for name in NAMES:
        model, _ = load_translator(name, task)
        written = translate(model, [task.source(v) for v in some], task.english, script.LONGEST)
        score[name] = bleu(written, [v.english for v in some])
        # another processor adds in another order, and a close choice may fall differently
        assert abs(score[name] - entry(name)["subset_bleu"]) <= 0.5
    assert abs(score["fixed"] - entry("attention")["subset_bleu"]) > 0.5


def test_weights_that_do_not_fit_the_task_are_refused():
    other = translation_task(np.random.RandomState(0), english=2000)
    with pytest.raises(ValueError, match="load_translator: task must be the one of seed 0"):
        load_translator("attention", other)
