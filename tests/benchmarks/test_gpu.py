"""The command that records devices: its parts, what it refuses, how it goes on."""

import json
import subprocess
import sys
import time
from pathlib import Path

import gpu
import pytest
import torch
from rules.notebooks import ROOT

from attention_course import benchmarks
from attention_course.benchmarks.base import NO_ROOM, Benchmark, Unavailable, Variant
from attention_course.benchmarks.goals import Reached
from attention_course.benchmarks.results import Results
from attention_course.measure import Ceilings, Device, Timings, records, this_device

CPU = this_device("cpu")
T4 = Device("cuda", "Tesla T4", (7, 5), 15 * 2**30)
H200 = Device("cuda", "NVIDIA H200", (9, 0), 141 * 2**30)
NAMES = benchmarks.names()


class Doubled(Benchmark):
    """Twice a vector, in a right way, a wrong one, and one that no device can."""

    name, question, baseline = "doubled", "How fast is twice?", "times"
    measures = ("time", "memory")
    sizes = {"cpu": [{"n": 300}], "cuda": [{"n": 300}], "tiny": [{"n": 8}]}  # noqa: RUF012
    without = ()

    def inputs(self, size, device, dtype):
        return (torch.linspace(1, 2, size["n"], dtype=dtype)[:, None],)

    def variants(self, device):
        def breaks(size):
            raise RuntimeError("no kernel image is available")

        def lacks(size):
            raise Unavailable("it needs capability 9.0")

        ways = {
            "times": Variant(lambda size: lambda x: 2 * x),
            "plus": Variant(lambda size: lambda x: x + x),
            "wrong": Variant(lambda size: lambda x: 2.01 * x),
            "broken": Variant(breaks),
            "lacking": Variant(lacks),
            "fused": Variant(lambda size: lambda x: 2 * x, needs=("cudnn",)),
            "slow": Variant(lambda size: lambda x: 2 * x, largest=4),
            "nowhere": Variant(lambda size: lambda x: x * float("nan")),
        }
        return {name: way for name, way in ways.items() if name not in self.without}

    def operations(self, size, variant):
        return size["n"]


@pytest.fixture
def doubled(monkeypatch, tmp_path):
    """Only one small benchmark is known, nothing is recorded, and what takes long is known."""
    runner = "attention_course.benchmarks.runner"
    monkeypatch.setattr(f"{runner}._all", lambda: {"doubled": Doubled})
    monkeypatch.setattr(f"{runner}.ceilings", lambda device, seconds: Ceilings(1e9, 1e9))
    monkeypatch.setattr("attention_course.benchmarks.base.kernel_names", lambda call: ["mul"])
    monkeypatch.setattr(gpu, "DEVICES", tmp_path / "none")


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
        if bench._why_not(T4, variant, {}, live=True) is None
    }
    assert can == {"eager", "chunked", "tiled", "sdpa", "sdpa efficient", "sdpa math"}


def test_a_page_compiles_nothing_on_a_gpu_either(monkeypatch):
    monkeypatch.setattr(H200.__class__, "why_not", lambda self, feature: None)
    bench = benchmarks.benchmark("forward")
    size, compiled = {"n": 8192, "d": 128}, {"flex", "compiled"}
    for live in (True, False):
        can = {
            name
            for name, variant in bench.variants(H200).items()
            if bench._why_not(H200, variant, size, live=live) is None
        }
        assert can & compiled == (set() if live else compiled)


def test_a_page_does_not_run_the_step_that_may_hang(monkeypatch):
    monkeypatch.setattr(H200.__class__, "why_not", lambda self, feature: None)
    bench = benchmarks.benchmark("ladder")
    (size,) = (s for s in bench.sizes["live cuda"] if s["causal"])
    variants, cannot = bench.variants(H200), {}
    for live in (True, False):
        said = {n: bench._why_not(H200, v, size, live) for n, v in variants.items()}
        cannot[live] = {name for name, reason in said.items() if reason}
    assert cannot == {True: {"warp specialisation"}, False: set()}


def test_what_is_not_equal_or_breaks_is_not_timed_and_ends_in_an_error(doubled, capsys):
    assert gpu.main(["--device", "cpu", "--quick"]) == 1
    said = capsys.readouterr().out
    assert "doubled: wrong is not equal at {'n': 8}" in said
    why = "RuntimeError: no kernel image is available"
    assert f"doubled: broken could not be compared at {{'n': 8}}: {why}" in said
    assert "broken is not equal" not in said
    found = Doubled().measure(CPU, [{"n": 8}], seconds=0.1)
    rows = {row["variant"]: row for row in found["rows"]}
    assert rows["wrong"]["why_not"] == "failed: it is not equal"
    assert rows["lacking"]["why_not"] == "it needs capability 9.0"
    assert "lacking" not in said
    assert rows["fused"]["why_not"] == "cuDNN runs on NVIDIA's GPUs only"
    assert rows["slow"]["why_not"].startswith("measured up to n = 4 only")
    assert {name for name, row in rows.items() if "seconds" in row} == {"times", "plus"}
    assert rows["plus"]["extra_bytes"] == 32
    assert "slow" not in {verdict["variant"] for verdict in found["equivalence"]}
    # An error that is no number is none: JSON would not hold it.
    (nowhere,) = (v for v in found["equivalence"] if v["variant"] == "nowhere")
    assert (nowhere["holds"], nowhere["output"]["error"]) == (False, None)
    json.dumps(found, allow_nan=False)


def test_a_record_is_written_read_back_and_gone_on_with(
    doubled, runs, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "data/recorded/devices"
    arguments = ["--device", "cpu", "--folder", str(folder), "--commit", "abc"]
    bad = {"wrong", "broken", "nowhere"}
    assert gpu.main(arguments) == gpu.main(arguments) == 1
    assert runs == ["doubled"]  # what failed is said each time, and not measured again
    again = "doubled: --parts doubled --again tries again what failed"
    assert capsys.readouterr().out.count(again) == 1
    monkeypatch.setattr(Doubled, "without", bad)
    assert gpu.main([*arguments, "--again"]) == gpu.main(arguments) == 0
    assert len(runs) == 2
    assert again not in capsys.readouterr().out
    # A folder that is empty begins with what the course has recorded.
    monkeypatch.setattr(gpu, "DEVICES", folder)
    gpu.main([*arguments[:2], "--folder", str(tmp_path / "new")])
    assert len(runs) == 2
    assert gpu.main([*arguments, "--again", "--minutes", "0"]) == 1
    assert len(runs) == 2
    monkeypatch.setattr(gpu, "digest", lambda name: "other code")
    gpu.main(arguments)
    assert len(runs) == 3
    monkeypatch.setattr(records.resources, "files", lambda package: tmp_path)
    ((result, about),) = records.recorded_devices("doubled")
    assert (about["code"], about["commit"]) == ("other code", "abc")
    assert about["script"] == "benchmarks/gpu.py --device cpu"
    assert Results(result, about, live=False).time("plus", n=8) > 0
    assert records.recorded_devices("none") == []


def test_the_minutes_are_those_of_the_process(doubled, runs, tmp_path, monkeypatch):
    arguments = ["--device", "cpu", "--folder", str(tmp_path), "--minutes", "2"]
    monkeypatch.setattr(gpu, "STARTED", time.monotonic() - 119)
    assert gpu.main([*arguments, "--seconds", "30"]) == 1  # for which there is no time
    assert runs == []
    monkeypatch.setattr(gpu, "STARTED", time.monotonic() - 60)
    gpu.main([*arguments, "--seconds", "30"])
    assert runs == ["doubled"]
    source = Path(gpu.__file__).read_text(encoding="utf-8")
    assert source.index("\nSTARTED =") < source.index("\nimport torch")


def test_what_only_displays_leaves_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(gpu, "ROOT", tmp_path)
    folder = tmp_path / "src/attention_course/benchmarks"
    folder.mkdir(parents=True)
    display = ("results.py", "recordings.py", "goals.py", "points.py")
    for name in (*display, "base.py"):
        assert (Path(benchmarks.__file__).parent / name).is_file()
        (folder / name).write_text("1")
    before = gpu.digest.__wrapped__("forward")
    for name in display:
        (folder / name).write_text("2")
    assert gpu.digest.__wrapped__("forward") == before
    (folder / "base.py").write_text("2")
    assert gpu.digest.__wrapped__("forward") != before


def test_rows_are_kept_where_the_ceilings_fail(doubled, monkeypatch):
    def failing(device, seconds):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr("attention_course.benchmarks.runner.ceilings", failing)
    with pytest.warns(UserWarning, match="the ceilings were not measured, it does not fit"):
        found = benchmarks.run("doubled", device=CPU, sizes="tiny", seconds=0.1)
    assert found.ceilings == {}
    assert found.time("plus", n=8) > 0
    assert str(found)
    assert json.loads(found.json())["result"]["ceilings"] == {}


def test_a_run_that_is_ended_keeps_the_parts_that_were_measured(doubled, runs, tmp_path):
    path = tmp_path / f"{gpu.file_name(CPU)}.json"
    gpu.main(["--device", "cpu", "--folder", str(tmp_path)])
    kept = gpu.stored(path)
    kept["earlier"] = kept["doubled"]
    gpu.write(path, kept, CPU, "abc")
    gpu.main(["--device", "cpu", "--folder", str(tmp_path), "--again"])
    assert set(gpu.stored(path)) == {"doubled", "earlier"}
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


@pytest.mark.gate("recording: impossible figures", "70 TFLOP/s on a T4, which has 65")
def test_an_impossible_rate_is_no_row(monkeypatch):
    class Fast(Doubled):
        def operations(self, size, variant):
            return int(70e12 * 1e-3)

    row = Fast()._counted("times", {"n": 300})
    timings = Timings({"times": [1e-3] * 5}, T4)
    monkeypatch.setattr("attention_course.benchmarks.base.compare", lambda *a, **k: timings)
    Fast()._time(T4, {"times": row}, {"times": lambda: None}, 1.0)
    assert "expected at most 65 TFLOP/s by its data sheet, got 70" in row["why_not"]
    assert "seconds" not in row


def test_what_does_not_fit_side_by_side_is_measured_without_the_largest(monkeypatch):
    tried, compare = [], benchmarks.base.compare

    def full(calls, **how):
        tried.append([*calls])
        if len(tried) == 1:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")
        return compare(calls, **how)

    monkeypatch.setattr("attention_course.benchmarks.base.compare", full)
    rows = Doubled().measure(CPU, [{"n": 8}], seconds=0.1)["rows"]
    assert tried == [["times", "plus"], ["times"]]
    said = {row["variant"]: row.get("why_not") for row in rows}
    assert (said["times"], said["plus"]) == (None, NO_ROOM)


class Scripted:
    """Stands for the other process, and for the connection to it."""

    def __init__(self, jobs, device, until):
        self.said = []
        for job in jobs:
            bad = {"bad": ("fine", "hangs", "dies"), "hopeless": ("",)}.get(job.name, ())
            for variant in (v for v in bad if v not in job.without):
                end = {"hangs": None, "dies": EOFError, "": EOFError}.get(variant, "")
                self.said += [variant, end]
            self.said.append((job.name, None if job.name == "long" else dict(job.without)))

    def poll(self, seconds):
        return self.said[0] is not None and seconds > 0

    def recv(self):
        said = self.said.pop(0)
        if said is EOFError:
            raise EOFError
        return said

    def kill(self):
        self.said = [None]

    def join(self, seconds):
        assert self.said == [None]


def test_what_hangs_or_ends_its_process_is_named_and_left_out(capsys):
    def apart(until):
        jobs = [
            gpu.Job(n, 1.0, False, "abc") for n in ("good", "bad", "hopeless", "long", "last")
        ]
        return dict(gpu.apart(jobs, H200, until, lambda *x: (found := Scripted(*x), found)))

    assert apart(float("inf")) == {
        "good": {},
        "bad": {
            "hangs": "stopped: no answer within 150 s",
            "dies": "stopped: it ended the process",
        },
        "last": {},
    }
    said = capsys.readouterr().out
    assert "bad, hangs: stopped: no answer within 150 s" in said
    assert "hopeless: given up" in said
    assert apart(0.0) == {}


def test_what_there_is_no_time_for_is_not_begun():
    class Pipe(list):
        send = list.append

    pipe = Pipe()
    gpu.one_by_one(pipe, [gpu.Job("forward", 60.0, False, "abc")], H200, time.monotonic() + 50)
    assert pipe == [("forward", None)]


def test_the_parts_stand_in_the_order_of_their_worth():
    order = sorted(NAMES, key=gpu.turn)
    assert (order[:2], order[-1]) == (["forward", "decode"], "ladder")


def test_a_recording_gives_its_time_to_what_is_long(monkeypatch):
    shares = []

    class Long(Doubled):
        def _time(self, device, rows, calls, seconds):
            shares.append(seconds)

    for live in (True, False):
        Long().measure(CPU, [{"n": 8}, {"n": 800}], seconds=11.0, live=live)
    assert shares[:2] == [5.5, 5.5]
    assert shares[2:] == pytest.approx([1.0, 11.0], abs=0.2)


def test_goals_say_what_was_reached():
    line = gpu.goal_line(Reached("G1", "a / b", 0.6, 0.5, 0.75, None))
    assert line.split() == ["G1", "a", "/", "b", "0.60", "0.50", "0.75"]
    assert "0.40<" in gpu.goal_line(Reached("G1", "a / b", 0.4, 0.5, None, None))
    assert "2.20>" in gpu.goal_line(Reached("G9", "a / b", 2.2, 1.9, None, 2.1))
    assert gpu.goal_line(Reached("G2", "a / b", None, 0.5, None, None)).split()[4] == "-"


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
    assert "extra memory, n doubled: fused" in run.stdout


def unproven(found, bench):
    """Return what was measured although it was not equal at the size of its proof.

    A baseline alone, as of training, is compared with nothing.
    """

    def stands(row):
        proof = dict(bench.proof(row["size"]))
        said = [
            v.get("holds", False)
            for v in found["equivalence"]
            if (v["variant"], v["size"]) == (row["variant"], proof)
        ]
        return all(said) if said else row["variant"] == found["baseline"]

    measured = (row for row in found["rows"] if row.keys() & {"seconds", "extra_bytes"})
    return [(row["variant"], row["size"]) for row in measured if not stands(row)]


def test_a_record_with_a_broken_variant_can_be_kept_unless_it_was_measured():
    found = Doubled().measure(CPU, [{"n": 8}], seconds=0.1) | {"baseline": "times"}
    assert {v["variant"] for v in found["equivalence"] if not v.get("holds")} >= {
        "wrong",
        "broken",
    }
    assert unproven(found, Doubled()) == []
    for row in found["rows"]:
        if row["variant"] in ("wrong", "broken"):
            row["seconds"] = {"value": 1.0}
    assert [name for name, _ in unproven(found, Doubled())] == ["wrong", "broken"]


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
            assert unproven(part["result"], benchmarks.benchmark(name)) == []
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


@pytest.mark.thorough
def test_the_compiled_form_is_equal_to_the_eager_one_on_a_cpu():
    assert CPU.why_not("compile") is None, "run make system: it installs the compiler"
    command = [sys.executable, "-c", COMPILED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
