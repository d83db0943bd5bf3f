"""The command that records devices: its parts, what it refuses, how it goes on."""

import json
import subprocess
import sys

import gpu
import pytest
import torch
from notebook_rules import ROOT

from attention_course import benchmarks
from attention_course.benchmarks.base import Benchmark, Goal, Unavailable, Variant
from attention_course.benchmarks.results import Results
from attention_course.measure import Device, Timings, records, this_device

CPU = this_device("cpu")
T4 = Device("cuda", "Tesla T4", (7, 5), 15 * 2**30)
H200 = Device("cuda", "NVIDIA H200", (9, 0), 141 * 2**30)
NAMES = benchmarks.names()


class Doubled(Benchmark):
    """Twice a vector, in a right way, a wrong one, and one that no device can."""

    name, question, baseline = "doubled", "How fast is twice?", "times"
    measures = ("time", "memory")
    sizes = {"cpu": [{"n": 300}], "cuda": [{"n": 300}], "tiny": [{"n": 8}]}  # noqa: RUF012
    goals = (Goal("G98", "plus / times", lambda r: r.ratio("plus", "times", n=8).value, 0.01),)

    def inputs(self, size, device, dtype, seed=0):
        return (torch.linspace(1, 2, size["n"], dtype=dtype)[:, None],)

    def variants(self, device):
        def breaks(size):
            raise RuntimeError("no kernel image is available")

        def lacks(size):
            raise Unavailable("it needs capability 9.0")

        return {
            "times": Variant(lambda size: lambda x: 2 * x),
            "plus": Variant(lambda size: lambda x: x + x),
            "wrong": Variant(lambda size: lambda x: 2.01 * x),
            "broken": Variant(breaks),
            "lacking": Variant(lacks),
            "fused": Variant(lambda size: lambda x: 2 * x, needs=("cudnn",)),
            "slow": Variant(lambda size: lambda x: 2 * x, largest=4),
        }

    def operations(self, size, variant):
        return size["n"]


@pytest.fixture
def doubled(monkeypatch):
    """Only one small benchmark is known."""
    monkeypatch.setattr("attention_course.benchmarks.runner._all", lambda: {"doubled": Doubled})


@pytest.fixture
def runs(monkeypatch):
    """How often something was measured."""
    count, run = [], benchmarks.run

    def counted(name, **how):
        count.append(name)
        return run(name, **how | {"sizes": "tiny", "seconds": 0.1})

    monkeypatch.setattr(gpu.benchmarks, "run", counted, raising=False)
    return count


@pytest.mark.parametrize("name", NAMES)
def test_every_part_runs_tiny_and_all_that_ran_is_equal(name):
    found = benchmarks.run(name, device=CPU, sizes="tiny", seconds=0.2)
    assert [v for v in found.equivalence if not v.get("holds")] == []
    assert [r for r in found.rows if r.get("why_not", "").startswith("failed")] == []
    ran = [row for row in found.rows if "why_not" not in row]
    assert {row["variant"] for row in ran} >= {found.baseline}
    for row in ran:
        assert row.get("kernels", ["aten::"])[0].startswith("aten::")
    assert str(found)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("device", [T4, H200], ids=["T4", "H200"])
def test_on_a_gpu_each_variant_runs_or_says_why_not(name, device):
    bench = benchmarks.benchmark(name)
    for size in [*bench.sizes["cuda"], *bench.sizes.get("live cuda", [])]:
        for variant in bench.variants(device).values():
            said = bench._why_not(device, variant, size, live=True)
            assert said is None or len(said.split()) >= 4
        assert bench.operations(size, bench.baseline) >= 0


def test_a_t4_runs_without_triton_flash_and_compiling():
    bench = benchmarks.benchmark("forward")
    can = {
        name
        for name, variant in bench.variants(T4).items()
        if bench._why_not(T4, variant._replace(largest=None, only=()), {}, live=True) is None
    }
    assert can == {"eager", "chunked", "tiled", "sdpa", "sdpa efficient", "sdpa math"}


def test_what_is_not_equal_or_breaks_is_not_timed_and_ends_in_an_error(doubled, capsys):
    assert gpu.main(["--device", "cpu", "--quick"]) == 1
    said = capsys.readouterr().out
    assert "doubled, wrong is not equal at {'n': 8}" in said
    assert "RuntimeError: no kernel image is available" in said
    assert "plus / times" in said
    rows = {
        row["variant"]: row for row in Doubled().measure(CPU, [{"n": 8}], seconds=0.1)["rows"]
    }
    assert rows["wrong"]["why_not"] == "failed: it is not equal"
    assert rows["lacking"]["why_not"] == "it needs capability 9.0"
    assert "lacking" not in said
    assert rows["fused"]["why_not"] == "cuDNN runs on NVIDIA's GPUs only"
    assert rows["slow"]["why_not"].startswith("measured up to n = 4 only")
    assert {name for name, row in rows.items() if "seconds" in row} == {"times", "plus"}
    assert rows["plus"]["extra_bytes"] == 32


def test_a_record_is_written_read_back_and_gone_on_with(doubled, runs, tmp_path, monkeypatch):
    folder = tmp_path / "data/recorded/devices"
    arguments = ["--device", "cpu", "--folder", str(folder)]
    gpu.main(arguments)
    gpu.main(arguments)
    assert runs == ["doubled"]
    gpu.main([*arguments, "--again"])
    assert len(runs) == 2
    monkeypatch.setattr(gpu, "digest", lambda: "other code")
    gpu.main(arguments)
    assert len(runs) == 3
    monkeypatch.setattr(records.resources, "files", lambda package: tmp_path)
    ((result, about),) = records.recorded_devices("doubled")
    assert about["code"] == "other code"
    assert about["script"] == "benchmarks/gpu.py --device cpu"
    assert Results(result, about, live=False).time("plus", n=8) > 0
    assert records.recorded_devices("none") == []


def test_a_run_that_is_ended_keeps_the_parts_that_were_measured(doubled, runs, tmp_path):
    path = tmp_path / f"{gpu.file_name(CPU)}.json"
    gpu.main(["--device", "cpu", "--folder", str(tmp_path)])
    kept = gpu.stored(path)
    kept["earlier"] = kept["doubled"]
    gpu.write(path, kept, CPU)
    gpu.main(["--device", "cpu", "--folder", str(tmp_path), "--again"])
    assert set(gpu.stored(path)) == {"doubled", "earlier"}
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


@pytest.mark.gate("recording: impossible figures", "70 TFLOP/s on a T4, which has 65")
def test_an_impossible_rate_is_no_row(monkeypatch):
    class Fast(Doubled):
        def operations(self, size, variant):
            return int(70e12 * 1e-3)

    row = Fast()._counted("times", {"n": 300})
    rows = [row]
    timings = Timings({"times": [1e-3] * 5}, T4)
    monkeypatch.setattr("attention_course.benchmarks.base.compare", lambda *a, **k: timings)
    Fast()._time(T4, rows, {"times": lambda: None}, {"n": 300}, 1.0, 5)
    assert "expected at most 65 TFLOP/s by its data sheet, got 70" in row["why_not"]
    assert "seconds" not in row


def test_what_does_not_fit_side_by_side_is_said_and_raises_nothing(monkeypatch):
    def full(*arguments, **how):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr("attention_course.benchmarks.base.compare", full)
    rows = Doubled().measure(CPU, [{"n": 8}], seconds=0.1)["rows"]
    said = {row["variant"]: row["why_not"] for row in rows}
    assert said["times"] == said["plus"] == "it does not fit into this device's memory"


def test_every_size_gets_the_same_share_of_the_seconds(doubled):
    assert gpu.timed_sizes("doubled", CPU) == len(Doubled.sizes["cpu"])


def test_goals_say_what_was_reached(doubled):
    results = benchmarks.run("doubled", device=CPU, sizes="tiny", seconds=0.1)
    words = "a / b"
    line = gpu.goal_line(Goal("G1", words, lambda r: 0.6, 0.5, 0.75), results)
    assert line.split() == ["G1", "a", "/", "b", "0.60", "0.50", "0.75"]
    assert "0.40<" in gpu.goal_line(Goal("G1", words, lambda r: 0.4, 0.5), results)
    assert "2.20>" in gpu.goal_line(Goal("G9", words, lambda r: 2.2, 1.9, None, 2.1), results)
    missing = Goal("G2", words, lambda r: r.ratio("none", "times", n=8).value, 0.5)
    assert gpu.goal_line(missing, results).split()[4] == "-"


def test_the_goals_of_the_course_have_different_names():
    names = [goal.name for name in NAMES for goal in benchmarks.benchmark(name).goals]
    assert len(names) == len(set(names)) >= 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--parts", "none"], "expected parts among .* got none"),
        (["--device", "cuda"], "expected a GPU that torch can use, got none; --device cpu"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments, said, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit):
        gpu.main(arguments)
    import re

    assert re.search(said, capsys.readouterr().err)


def test_it_needs_torch_and_numpy_and_nothing_else_of_the_course():
    missing = ["plotly", "ipywidgets", "anywidget", "tqdm", "jaxtyping", "IPython", "traitlets"]
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); sys.path.insert(0, "
    code += "'benchmarks'); import gpu; sys.exit(gpu.main("
    code += "['--device', 'cpu', '--quick', '--parts', 'memory']))"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "G9 fused" in run.stdout


def test_every_recorded_device_is_of_the_command_and_can_be_read():
    for path in gpu.DEVICES.glob("*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem == gpu.file_name(
            Device(**{k: content["result"]["device"][k] for k in ("kind", "name")})
        )
        for name, part in content["result"]["parts"].items():
            found = Results(part["result"], part["provenance"], live=False)
            assert {"commit", "code", "device", "driver"} <= found.about.keys()
            assert found.name == name
            assert all(verdict["holds"] for verdict in found.equivalence)
            assert str(found)


COMPILED = """
import torch
from attention_course import benchmarks, measure
cpu, bench = measure.this_device("cpu"), benchmarks.benchmark("forward")
size = {"n": 40, "d": 16, "heads": 1, "batch": 1, "causal": True}
inputs, variants = bench.inputs(size, cpu, torch.float32), bench.variants(cpu)
with torch.no_grad():
    forms = [variants[name].prepare(size)(*inputs) for name in ("compiled", "eager")]
torch.testing.assert_close(*forms)
"""


@pytest.mark.slow
def test_the_compiled_form_is_equal_to_the_eager_one_on_a_cpu():
    assert CPU.why_not("compile") is None, "run make system: it installs the compiler"
    command = [sys.executable, "-c", COMPILED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
