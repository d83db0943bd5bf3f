"""What the chapter on the Vision Transformer draws was measured by its script."""

import pytest
import vision_transformer as script
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded
from attention_course.models import load_vision_transformer

QUICK = script.SETTING | {"steps": 20, "fine_steps": 20}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("vision_transformer")
    assert source["settings"] == script.SETTING
    seen = sorted((run["model"], run["size"], run["seed"]) for run in result)
    assert seen == sorted([*script.FINE_RUNS, *script.RUNS])


@pytest.fixture(scope="module")
def kept():
    return script.kept_right(load_vision_transformer()[0])


@pytest.mark.parametrize("name", script.MODELS)
def test_the_first_steps_of_every_model_reproduce(name, monkeypatch):
    size = script.SIZES[-1]
    for measured_below in ("kept_right", "covered_changes", "silent_right"):
        monkeypatch.setattr(script, measured_below, lambda *_: None)
    again = script.run(name, size, 0, QUICK)[0]["first_losses"]
    stored = the_run("vision_transformer", model=name, size=size, seed=0)
    assert_same_steps(again, stored["first_losses"])


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("vision_transformer")[0] if run["model"] == "learned"]
    at = [run["first_losses"] for run in runs if run["size"] == script.SIZES[-1]]
    assert_told_apart(at)


def test_the_stored_parameters_are_cut_as_the_record_says(kept):
    stored = the_run("vision_transformer", model="fine", size=script.SIZES[-1], seed=0)
    model = load_vision_transformer()[0]
    covered = script.covered_changes(model, script.COVERED)
    for name, shares in kept.items():
        assert shares == pytest.approx(stored["kept"][name], abs=0.01)
    for name, found in covered.items():
        assert found == pytest.approx(stored["covered"][name], abs=0.02)
    assert script.silent_right(model)[0] == pytest.approx(stored["silent"][0], abs=0.01)


def test_tokens_that_are_kept_are_those_that_were_ranked(kept):
    """Nothing is dropped with all 49, and with none the ways are one."""
    assert len({shares[0] for shares in kept.values()}) == 1
    assert len({shares[-1] for shares in kept.values()}) == 1
    assert len({tuple(shares) for shares in kept.values()}) == 3
