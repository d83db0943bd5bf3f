"""The translators were trained by the script, whose first steps reproduce."""

import json

import numpy as np
import pytest
import translation as script

from attention_course.data.parallel import translation_task
from attention_course.measure import recorded

NAMES = ["attention", "fixed", "transformer"]
PLAIN = {"rate": 1.0, "dropout": 0.0, "smoothing": 0.0}


@pytest.fixture(scope="module")
def task():
    return translation_task(np.random.RandomState(0))


def entry(name):
    return recorded("translation")[0]["models"][name]


def test_the_setting_of_each_model_is_the_one_that_its_search_found_best():
    result, _ = recorded("translation")
    for name, found in result["search"].items():
        assert [{k: t[k] for k in PLAIN} for t in found["trials"]] == list(script.SETTINGS)
        best = max(found["trials"], key=lambda trial: trial["bleu"])
        assert entry(name)["setting"] == {k: best[k] for k in PLAIN}
    if not result["search"]:
        assert all(entry(name)["setting"] == PLAIN for name in NAMES)


def test_the_translators_had_the_same_budget_and_size():
    budget = recorded("translation")[1]["cpu_seconds_each"]
    for name in NAMES:
        assert all(budget <= run["cpu_seconds"] < 1.1 * budget for run in entry(name)["runs"])
    sizes = [entry(name)["weights"] for name in NAMES]
    assert max(sizes) / min(sizes) < 1.001


def test_turns_end_where_one_training_would_have_ended(task, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "CHUNK", 2)
    monkeypatch.setattr(script, "SIZE", 8)
    some = task.train[:200]
    few = [task.source(v) for v in some], [task.target(v) for v in some]
    monkeypatch.setattr(script, "NUMBERS", {False: few})
    monkeypatch.setattr(script, "TURN", 0.001)  # one chunk a turn
    setting = {"rate": 2.0, "dropout": 0.1, "smoothing": 0.1}
    for name in ("fixed", "transformer"):
        run = script.Training(tmp_path / name, name, 0, setting, search=False)
        for _ in range(3):  # what the second leaves undone shows in the third
            run.turn(task)
            (run.folder / "part.pt").write_text("half")  # as a turn that is killed leaves it
        log = run.log()
        assert log["steps"] > 5
        whole = run.fit(*run.start(task), log["steps"]).losses
        np.testing.assert_allclose(log["losses"], whole, atol=1e-6)
        assert not [*run.folder.glob("*.safetensors")]
        with monkeypatch.context() as soon:
            soon.setattr(script, "MARKS", 0.001)
            run.turn(task)
        (kept,) = run.folder.glob("*.safetensors")
        assert run.at(task, float(kept.stem))[1] == run.log() != log


def test_turns_go_to_the_run_that_had_the_least(tmp_path):
    def took(training, cpu):
        training.folder.mkdir(parents=True, exist_ok=True)
        (training.folder / "log.json").write_text(json.dumps({"steps": 9, "cpu": cpu}))

    every = [trial for name in NAMES for trial in script.trials(tmp_path, name)]
    for number, trial in enumerate(every):
        took(trial, 50.0 - number % 5)
    assert script.next_turn(tmp_path).folder == every[4].folder
    for trial in script.trials(tmp_path, "fixed"):
        took(trial, script.SEARCH)
    assert script.next_turn(tmp_path) == "fixed"
    for name in NAMES:
        (tmp_path / f"chosen_{name}.json").write_text('{"best": 2, "trials": []}')
    run = script.next_turn(tmp_path)
    assert (run.budget, run.setting) == (script.SECONDS, script.SETTINGS[2])
    for run in script.runs(tmp_path):
        took(run, script.SECONDS)
    assert script.next_turn(tmp_path) is None


@pytest.mark.slow
def test_the_judges_of_the_search_are_not_learned_from_and_not_tested_on(task):
    judges = [task.train[i] for i in script.judges(task)]
    assert len(judges) == script.DEV
    learned = len(script.encoded(task, True)[0])
    assert len(task.train) - 2 * script.DEV < learned <= len(task.train) - script.DEV
    assert not {v.french for v in task.test} & {v.french for v in judges}
