"""The command that records devices: what it measures, what it refuses, how it goes on."""

import json
import subprocess
import sys
import time
from pathlib import Path

import gpu
import pytest
import torch

from attention_course import benchmarks
from attention_course.benchmarks import Question, Way, attention, results, runner
from attention_course.measure import Device, this_device

CPU = this_device("cpu")
H200 = Device("cuda", "NVIDIA H200", (9, 0), 141 * 2**30)


def doubled(**more):
    """Twice a vector: right, wrong, and in ways that no device can."""

    def fails(words):
        def prepare(size):
            raise RuntimeError(words)

        return Way(prepare)

    ways = {
        "times": Way(lambda size: lambda x: 2 * x),
        "plus": Way(lambda size: lambda x: x + x),
        "wrong": Way(lambda size: lambda x: 2.01 * x),
        "nowhere": Way(lambda size: lambda x: x * float("nan")),
        "broken": fails("no kernel image is available"),
        "full": fails("CUDA out of memory. Tried to allocate 9 GiB"),
        "fused": Way(lambda size: lambda x: 2 * x, needs=("cudnn",)),
        "slow": Way(lambda size: lambda x: 2 * x, largest=4),
    }
    return Question(
        "doubled",
        "times",
        lambda device: {name: way for name, way in ways.items() if name not in more["less"]},
        lambda size, device, dtype: (torch.linspace(1, 2, size["n"], dtype=dtype)[:, None],),
        {kind: [{"n": 8, "batch": 1}] for kind in ("cpu", "tiny")},
        lambda size, way: size["n"],
        memory=True,
    )


@pytest.fixture
def asked(monkeypatch):
    """Only one small question is known; return what changes it, and how often it was run."""
    count, run = [], benchmarks.run

    def counted(name, **how):
        count.append(name)
        return run(name, **how | {"seconds": 0.1})

    def only(*less):
        monkeypatch.setitem(attention.ASKED, "doubled", doubled(less=less))
        return count

    monkeypatch.setattr(runner, "QUESTIONS", {"doubled": "attention"})
    monkeypatch.setattr(runner, "_ceilings", lambda device, seconds: {})
    monkeypatch.setattr(gpu.benchmarks, "run", counted, raising=False)
    only()
    return only


@pytest.mark.gate("equivalence before timing", "a way is not what it should be")
def test_what_is_not_equal_or_does_not_fit_is_never_timed(asked):
    found = benchmarks.run("doubled", device=CPU, live=False)
    why = {row["variant"]: row.get("why_not") for row in found.rows}
    assert why == {
        "times": None,
        "plus": None,
        "wrong": "failed: it is not equal",
        "nowhere": "failed: it is not equal",
        "broken": "failed: RuntimeError: no kernel image is available",
        "full": runner.NO_ROOM,
        "fused": "cuDNN runs on NVIDIA's GPUs only",
        "slow": "measured up to n = 4 only: it takes too long beyond",
    }
    for row in found.rows:
        measured = {"seconds", "extra_bytes", "kernels"} & row.keys()
        assert bool(measured) == (row["variant"] in ("times", "plus"))
    assert found.row("plus")["extra_bytes"] == 32
    assert found.errors["nowhere"] == (float("inf"), float("inf"))
    json.dumps(found.content, allow_nan=False)


def test_what_does_not_fit_side_by_side_is_measured_without_the_largest(asked, monkeypatch):
    tried, compare = [], runner.compare

    def full(calls, **how):
        tried.append([*calls])
        if len(tried) == 1:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")
        return compare(calls, **how)

    monkeypatch.setattr(runner, "compare", full)
    found = benchmarks.run("doubled", device=CPU)
    assert tried == [["times", "plus"], ["times"]]
    assert found.row("plus")["why_not"] == runner.NO_ROOM
    assert found.time("times") > 0
    with pytest.raises(ValueError, match="no time of 'plus': out of memory"):
        found.time("plus")


@pytest.mark.gate("recording: impossible figures", "70 TFLOP/s on a T4, which has 65")
def test_an_impossible_rate_is_no_row(monkeypatch):
    class Timings:
        def median(self, name):
            return 1e-3

    monkeypatch.setattr(runner, "compare", lambda *a, **k: Timings())
    rows = {"eager": {"operations": int(70e12 * 1e-3)}}
    device = Device("cuda", "Tesla T4", (7, 5))
    run = runner._Run(benchmarks.question("forward"), device)
    run.time(rows, {"eager": lambda: None}, 1.0)
    assert "expected at most 65 TFLOP/s by its data sheet, got 70" in rows["eager"]["why_not"]
    assert "seconds" not in rows["eager"]


def test_rows_are_kept_where_the_ceilings_fail(monkeypatch):
    def failing(device, seconds):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr(runner, "ceilings", failing)
    with pytest.warns(UserWarning, match="the ceilings were not measured, out of memory"):
        assert runner._ceilings(CPU, 0.1) == {}


def test_a_record_is_written_read_back_and_gone_on_with(asked, tmp_path, monkeypatch, capsys):
    arguments = ["--device", "cpu", "--folder", str(tmp_path)]
    assert gpu.main(arguments) == gpu.main(arguments) == gpu.FAILED
    said = capsys.readouterr().out  # what failed is said each time, and not measured again
    assert [line[:17] for line in said.splitlines()].count("doubled: wrong at") == 2
    runs = asked("wrong", "nowhere", "broken")
    assert runs == ["doubled"]
    assert gpu.main([*arguments, "--again"]) == gpu.main(arguments) == 0
    assert len(runs) == 2
    monkeypatch.setattr(gpu, "digest", lambda: "other code")
    assert gpu.main([*arguments, "--minutes", "0"]) == 0  # it was recorded, from other code
    assert len(runs) == 2
    gpu.main(arguments)
    assert len(runs) == 3
    monkeypatch.setattr(results, "_FOLDER", tmp_path)
    (found,) = benchmarks.recorded("doubled")
    assert found.time("plus", n=8) > 0
    assert {"commit", "device", "driver", "packages"} <= found.about.keys()
    assert (found.about["code"], found.live) == ("other code", False)
    assert [file.name for file in tmp_path.iterdir()] == [f"{gpu.file_name(CPU)}.json"]


def test_a_record_that_cannot_be_read_is_refused_and_measured_on_demand(
    asked, tmp_path, capsys
):
    arguments = ["--device", "cpu", "--folder", str(tmp_path)]
    (tmp_path / f"{gpu.file_name(CPU)}.json").write_text('{"result": {"sch')
    with pytest.raises(SystemExit):
        gpu.main(arguments)
    assert (
        "expected a whole record, got one cut off: record it again" in capsys.readouterr().err
    )
    asked("wrong", "nowhere", "broken")
    assert gpu.main([*arguments, "--again"]) == 0


def test_the_minutes_are_those_of_the_process(asked, tmp_path, monkeypatch):
    arguments = ["--device", "cpu", "--folder", str(tmp_path), "--minutes", "2"]
    monkeypatch.setattr(gpu, "STARTED", time.monotonic() - 119)
    assert gpu.main(arguments) == gpu.FAILED  # its three seconds are not there
    assert asked() == []
    source = Path(gpu.__file__).read_text(encoding="utf-8")
    assert source.index("\nSTARTED =") < source.index("\nimport torch")


SCRIPTED = """
import json, os, pathlib, sys, time
at, log = map(pathlib.Path, sys.argv[1:3])
without = json.loads(sys.argv[-1])
with log.open("a") as file: file.write(json.dumps(without) + "\\n")
for way in ("fine", "hangs", "dies"):
    at.write_text(json.dumps(["bad", way]))
    if way in without.get("bad", {}): continue
    if way == "hangs": time.sleep(60)
    if way == "dies": os.abort()
sys.exit(3)
"""


def test_what_hangs_or_ends_its_process_is_named_and_left_out(tmp_path, monkeypatch, capsys):
    script, at, log = (tmp_path / name for name in ("fake.py", "it.at", "log"))
    script.write_text(SCRIPTED)
    monkeypatch.setattr(gpu, "SILENCE", 1.5)
    command = [sys.executable, str(script), str(at), str(log)]
    assert gpu.supervised(command, at, float("inf")) == gpu.FAILED
    *_, last = map(json.loads, log.read_text().splitlines())
    died = "stopped: it ended the process (-6)"
    assert last == {"bad": {"hangs": "stopped: no answer", "dies": died}}
    assert f"bad, dies: {died}" in capsys.readouterr().out
    assert not at.exists()
    assert gpu.supervised(command, at, 0.0) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--parts", "none"], "invalid choice: 'none'"),
        (["--device", "cuda"], "expected a GPU that torch can use, got none; --device cpu"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, said, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        gpu.main(arguments)
    assert said in capsys.readouterr().err


def test_it_needs_torch_and_numpy_and_nothing_else_of_the_course():
    missing = ["plotly", "ipywidgets", "anywidget", "tqdm", "jaxtyping", "IPython", "traitlets"]
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); sys.path.insert(0, "
    code += "'benchmarks'); import gpu; sys.exit(gpu.main("
    code += "['--device', 'cpu', '--quick', '--parts', 'recurrence']))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=gpu.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_what_only_displays_leaves_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "ROOT", tmp_path)
    folder = tmp_path / "src/attention_course/benchmarks"
    folder.mkdir(parents=True)
    seen = []
    for changed in (*gpu.DISPLAY, "runner.py"):
        (folder / changed).write_text("1")
        before = gpu.digest.__wrapped__()
        (folder / changed).write_text("2")
        seen.append(gpu.digest.__wrapped__() == before)
    assert seen == [True, True, False]
