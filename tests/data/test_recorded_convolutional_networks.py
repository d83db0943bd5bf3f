"""What the chapter on convolutional networks draws was measured by its script."""

import convolutional_networks as script
import pytest
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.measure import recorded

QUICK = script.SETTING | {"steps": 20, "covered": 5}


def test_the_record_is_of_the_scripts_settings_and_complete():
    result, source = recorded("convolutional_networks")
    assert source["settings"] == script.SETTING
    assert [(run["kind"], run["seed"]) for run in result] == script.RUNS


@pytest.mark.parametrize("kind", script.LAST)
def test_the_first_steps_of_every_kind_reproduce(kind):
    again = script.run(kind, 0, QUICK)[0]
    stored = the_run("convolutional_networks", kind=kind, seed=0)
    assert_same_steps(again["first_losses"], stored["first_losses"])
    assert again["weights"] == stored["weights"]


def test_another_seed_would_not_pass_for_the_recorded_one():
    runs = [run for run in recorded("convolutional_networks")[0] if run["kind"] == "none"]
    assert_told_apart([run["first_losses"] for run in runs])


def test_a_cut_never_counts_another_whole():
    for run in recorded("convolutional_networks")[0]:
        assert run.get("cut", {"whole": run["test"]})["whole"] == run["test"]


def test_a_run_that_is_in_the_folder_is_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "RUNS", [("none", 0), ("channel", 0)])
    monkeypatch.setattr(script, "SETTING", QUICK | {"steps": 2})
    script.work(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert sorted(made) == [
        f"{kind} 0.{end}" for kind in ("channel", "none") for end in ("json", "safetensors")
    ]
    monkeypatch.setattr(script, "run", None)
    script.work(tmp_path)
    assert made == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
