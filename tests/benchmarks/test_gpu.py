"""The command that records devices: what it measures, what it refuses, how it goes on."""

import json
import subprocess
import sys

import gpu
import pytest
import torch

from attention_course import benchmarks
from attention_course.benchmarks import Question, Way, results, runner
from attention_course.measure import Device, this_device

CPU = this_device("cpu")


def fails(words):
    def prepare(size):
        raise RuntimeError(words)

    return Way(prepare)


WAYS = {
    "times": Way(lambda size: lambda x: 2 * x),
    "plus": Way(lambda size: lambda x: x + x),
    "wrong": Way(lambda size: lambda x: 2.01 * x),
    "nowhere": Way(lambda size: lambda x: x * float("nan")),
    "broken": fails("no kernel image is available"),
    "full": fails("CUDA out of memory. Tried to allocate 9 GiB"),
    "fused": Way(lambda size: lambda x: 2 * x, needs=("cudnn",)),
    "slow": Way(lambda size: lambda x: 2 * x, largest=4),
}


def ask(patch, folder, *ways):
    """Let the command know one small question, twice a vector, and record it in a folder."""
    question = Question(
        "times",
        lambda device: {name: WAYS[name] for name in ways},
        lambda size, device, dtype: (
            torch.linspace(1, 2, size["n"], dtype=dtype, device=device.torch)[:, None],
        ),
        {kind: [{"n": 8, "batch": 1}] for kind in ("cpu", "cuda")},
        lambda size, way: size["n"],
        memory=True,
    )
    patch.setattr(runner, "QUESTIONS", {"doubled": question})
    patch.setattr(runner, "_ceilings", lambda device, seconds: {})
    patch.setattr(gpu, "SECONDS", 0.1)
    patch.setattr(gpu, "DEVICES", folder)
    patch.setattr(results, "_FOLDER", folder)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    return lambda *ways: ask(monkeypatch, tmp_path, *ways)


@pytest.mark.gate("equivalence before timing", "a way is not what it should be")
def test_what_is_not_equal_or_does_not_fit_is_never_timed(asked):
    asked(*WAYS)
    found = benchmarks.run("doubled", device=CPU, live=False, seconds=0.1)
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
        measured = {"seconds", "extra_bytes"} & row.keys()
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

    asked("times", "plus")
    monkeypatch.setattr(runner, "compare", full)
    found = benchmarks.run("doubled", device=CPU, seconds=0.1)
    assert tried == [["times", "plus"], ["times"]]
    assert found.time("times") > 0
    with pytest.raises(ValueError, match="no time of 'plus': out of memory"):
        found.time("plus")


def test_a_record_is_written_read_back_and_gone_on_with(asked, tmp_path, monkeypatch, capsys):
    cpu = ["--device", "cpu"]
    asked("times", "wrong")
    assert gpu.main(cpu) == gpu.main(cpu) == 1
    said = capsys.readouterr().out  # what failed is said each time, and not measured again
    assert (said.count("doubled: wrong at"), said.count("doubled: 2 rows")) == (2, 1)
    asked("times", "plus")
    monkeypatch.setattr(gpu, "digest", lambda: "other code")
    assert gpu.main(cpu) == gpu.main(cpu) == 0
    assert capsys.readouterr().out.count("doubled: 2 rows") == 1
    (found,) = benchmarks.recorded("doubled")
    assert found.time("plus", n=8) > 0
    assert (found.about["code"], found.live) == ("other code", False)
    assert [file.name for file in tmp_path.iterdir()] == [f"{gpu.file_name(CPU)}.json"]


def test_without_a_gpu_it_says_how_the_cpu_is_measured(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        gpu.main(["--device", "cuda"])
    said = "expected a GPU that torch can use, got none; --device cpu"
    assert said in capsys.readouterr().err


def test_it_needs_torch_and_numpy_and_nothing_else_of_the_course():
    missing = ["plotly", "ipywidgets", "anywidget", "tqdm", "jaxtyping", "IPython", "traitlets"]
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); sys.path.insert(0, "
    command = [sys.executable, "-c", code + "'benchmarks'); import gpu"]
    run = subprocess.run(command, cwd=gpu.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
