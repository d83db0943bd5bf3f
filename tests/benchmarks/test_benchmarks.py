"""Every benchmark has its command line, and what they share stores what it says."""

import importlib
import json
import sys

import numpy as np
import pytest
import shared
import torch

BENCHMARKS = shared.ROOT / "benchmarks"
# What a script imports that stands in an environment of its own.
NEEDS = {"compiled_kernels": "triton"}
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("*.py") if path.stem != "shared")


def run(name, *arguments):
    """Call a script's main; it fails if it would record something."""
    script = importlib.import_module(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [name, *arguments])
        for module in (script, shared):
            for writes in ("record", "store", "write_tensors"):
                patch.setattr(module, writes, refuse, raising=False)
        script.main()


def refuse(*arguments, **described):
    raise AssertionError(f"this run must record nothing, got {arguments[:1]}")


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_benchmark_says_what_it_does(name, capsys):
    if name in NEEDS:
        pytest.importorskip(
            NEEDS[name], reason=f"{NEEDS[name]} is in make kernels' environment"
        )
    with pytest.raises(SystemExit) as end:
        run(name, "--help")
    assert end.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    assert importlib.import_module(name).__doc__.splitlines()[0] in said


def test_a_quick_run_prints_rows_and_records_nothing(capsys):
    run("small_scenes", "questions", "--quick")
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_a_quick_run_that_records_is_noticed(monkeypatch):
    monkeypatch.setattr(importlib.import_module("longer_positions"), "SEEDS", ())
    with pytest.raises(AssertionError, match="must record nothing"):
        run("longer_positions")


def test_a_result_lies_under_the_names_of_script_and_task(tmp_path, monkeypatch):
    monkeypatch.setattr(shared, "DATA", tmp_path)
    script = BENCHMARKS / "gnmt.py"
    path = shared.store(str(script), [1], "depth", seeds=[0])
    assert path == tmp_path / "recorded/gnmt_depth.json"
    source = json.loads(path.read_text())["provenance"]
    assert (source["script"], source["seeds"]) == ("benchmarks/gnmt.py depth", [0])
    assert shared.store(str(script), [1]).name == "gnmt.json"
    assert shared.store(str(script), [1], "depth", name="other").name == "other.json"


def test_every_record_of_the_course_comes_from_a_benchmark_and_every_benchmark_has_one():
    paths = [*(shared.DATA / "recorded").rglob("*.json"), *BENCHMARKS.glob("results/*.json")]
    scripts = {json.loads(p.read_text())["provenance"]["script"].split()[0] for p in paths}
    assert scripts == {f"benchmarks/{name}.py" for name in SCRIPTS}


def test_a_training_says_what_it_took():
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    rng = np.random.RandomState(0)

    def draw(rng):
        return torch.from_numpy(rng.randn(8, 2)).float()

    history, taken = shared.learn(
        model,
        draw,
        lambda model, x: model(x).square().mean(),
        rng,
        {"steps": 5, "lr": 1e-2},
        validate=lambda model: 0.123456,
        every=2,
    )
    assert taken["weights"] == 3
    assert taken["first_losses"] == [round(loss, 6) for loss in history.losses[:3]]
    assert shared.curve(history)[0][1] == 0.1235
    assert shared.means([1.0, 2.0, 4.0], 2) == [1.5, 4.0]
    assert shared.means([1.0, 2.0], 0) == [1.0, 2.0]


def test_a_benchmark_runs_on_one_thread():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        options = shared.command_line("Say.\n\nMore.", ["a", "b"]).parse_args(["b", "--quick"])
        assert torch.get_num_threads() == 1
        assert (options.task, options.quick) == ("b", True)
    finally:
        torch.set_num_threads(before)
