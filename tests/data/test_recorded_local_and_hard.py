"""What the chapter on local and hard attention draws was measured by its two scripts."""

import hard_attention as hard
import local_windows as windows
import numpy as np
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models.experiments.copying import KINDS
from attention_course.models.experiments.hard_lookup import METHODS, HardLookup
from attention_course.reference import softmax
from attention_course.reference.recurrent.hard import (
    expected_reward_gradient,
    reinforce_variance,
)


def test_the_records_are_of_the_scripts_settings():
    for module in (hard, windows):
        source = recorded(module.__name__)[1]
        assert source["settings"] == module.SETTING
        assert source["seeds"] == list(module.SEEDS)


def test_every_method_and_every_window_has_all_its_seeds():
    seen = sorted((r["method"], r["seed"]) for r in recorded("hard_attention")[0])
    assert seen == sorted((m, s) for m in METHODS for s in hard.SEEDS)
    seen = sorted(
        (r["task"], r["kind"], r["D"], r["seed"]) for r in recorded("local_windows")[0]
    )
    wanted = [(t, k, 2, s) for t in ("copy", "reverse") for k in KINDS for s in windows.SEEDS]
    wanted += [("reverse", "local-p", D, s) for D in windows.OTHER_D for s in windows.SEEDS]
    assert seen == sorted(wanted)


def test_all_methods_have_the_same_size():
    assert len({r["weights"] for r in recorded("hard_attention")[0]}) == 1


@pytest.mark.parametrize("method", METHODS)
def test_the_first_steps_of_every_method_reproduce(method):
    setting = hard.SETTING | {"steps": 3, "rows": 5, "draws": 2}
    again = hard.run(method, 0, setting)["first_losses"]
    assert_same_steps(again, the_run("hard_attention", method=method, seed=0)["first_losses"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_steps_of_every_window_reproduce(kind):
    again = windows.run("reverse", kind, 2, 0, windows.SETTING | {"steps": 3})
    stored = the_run("local_windows", task="reverse", kind=kind, D=2, seed=0)
    assert_same_steps(again["first_losses"], stored["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [r for r in recorded("hard_attention")[0] if r["method"] == "soft"]
    assert_told_apart([run["first_losses"] for run in runs])


def test_the_noise_before_training_is_measured_again_from_the_reference():
    rng = np.random.RandomState(0)
    model = HardLookup("baseline", hard.SETTING["d_k"], rng)
    again = hard.gradient_noise(model, hard.SETTING)
    stored = next(
        r for r in recorded("hard_attention")[0] if (r["method"], r["seed"]) == ("baseline", 0)
    )
    for name, value in stored["noise"][0].items():
        assert again[name] == pytest.approx(value, rel=1e-2), name
    # And the exact parts once more, on one row by plain formulas.
    batch = hard.lookup_tensors(np.random.RandomState(777), hard.SETTING["rows"])
    weights, rewards = (x.detach().numpy().astype(float) for x in model.every_choice(batch))
    weights /= weights.sum(1, keepdims=True)
    signal = [
        (expected_reward_gradient(np.log(w), r) ** 2).sum()
        for w, r in zip(weights, rewards, strict=True)
    ]
    assert again["signal"] == pytest.approx(np.mean(signal), rel=1e-3)
    plain = [
        reinforce_variance(softmax(np.log(w)), r) for w, r in zip(weights, rewards, strict=True)
    ]
    assert again["plain"] == pytest.approx(np.mean(plain), rel=1e-3)
