"""The runs that told and asked about pictures of two garments, each of its script."""

import json

import pytest
import small_scenes as script
from records import assert_same_steps, assert_told_apart

from attention_course.measure import recorded
from attention_course.models.experiments.two_garments import load_scene_model

FILES = sorted(
    path
    for task in script.WAYS
    for path in (script.DATA / "recorded/small_world").glob(f"{task}-*.json")
)
SHIPPED = [(task, way) for task, ways in script.KEPT.items() for way in ways]
every_run = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@every_run
def test_a_run_is_of_the_scripts_settings_and_lies_under_its_name(path):
    run, source = recorded(f"small_world/{path.stem}")
    task, way, seed = path.stem.split("-")
    assert source["script"] == f"benchmarks/small_scenes.py {task}"
    assert source["settings"] == json.loads(json.dumps(script.SETTING))
    assert source["seeds"] == [run["seed"]] == [int(seed)]
    assert run["way"] == way.replace("_", " ")
    assert run["way"] in script.WAYS[task]


@every_run
def test_its_first_steps_come_again_and_no_other_seeds(path):
    run = recorded(f"small_world/{path.stem}")[0]
    less = script.SETTING | {"steps": {"names": 3}, "tested": 4}
    own, another = (
        script.encoder_of(seed, less, None)[1]["naming_losses"]
        for seed in (run["seed"], run["seed"] + 1)
    )
    assert_same_steps(own, run["naming_losses"])
    assert_told_apart([own, another])


@pytest.mark.parametrize(("task", "way"), SHIPPED)
def test_the_weights_of_the_page_do_what_the_record_says(task, way):
    model, about = load_scene_model(task, way)
    assert about["script"] == f"benchmarks/small_scenes.py {task}"
    seen = script.tested(script.SETTING["tested"])
    stored = recorded(f"small_world/{script.stem_of(task, way)}-0")[0]
    if task == "captions":
        again = script.judge_captions(model, way, seen, 20)
        found, wanted = again["words"], stored["words"]
    else:
        again = script.judge_questions(model, seen)
        found, wanted = again["right"], stored["right"]
    for name, (right, count) in wanted.items():
        assert found[name] == [pytest.approx(right, abs=0.03), count]
    for name, share in stored["looks"].items():
        assert again["looks"][name] == pytest.approx(share, abs=0.02)
