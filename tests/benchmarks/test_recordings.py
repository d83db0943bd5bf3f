"""The day a GPU's recording is there, pages show it; until then they say that it is not.

The H200 of these tests does not exist: its times are made up, and stand nowhere else.
"""

import ast
import copy
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
import torch

import attention_course as ac
from attention_course import measure
from attention_course.benchmarks import Results, benchmark, gpus, on_record
from attention_course.kernels import triton_variants
from attention_course.measure import Device, records
from attention_course.measure.device import FEATURES

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGES = ("gpu-attention", "triton-kernel", "decoding", "numerics", "vision-transformer")
PAGES += ("complexity",)
ABOUT = {"date": "2031-02-03", "packages": {"torch": "2.11.0", "triton": "3.6.0"}}
DESCRIBED = {"kind": "cuda", "name": "NVIDIA H200", "dtype": "bfloat16"}
STEPS = [step.name for step in triton_variants.LADDER]
# In TFLOP/s, of heads of width 128 without a mask; the others are half as fast.
RATES = {"eager": 140, "chunked": 90, "tiled": 20, "compiled": 210, "sdpa math": 130}
RATES |= {"sdpa": 601, "sdpa cudnn": 602, "sdpa flash": 370, "triton": 420, "flex": 390}
RATES |= dict(zip(STEPS, (200, 240, 300, 330, 310, 430), strict=True))


@cache
def counted(name, variant, **size):
    """Return a row without times."""
    bench = benchmark(name)
    bench.number_bytes = 2
    return bench._counted(variant, size)


@cache
def made_up(name, kind="cuda", failed=()):
    """Return what a run of a benchmark would record, with times that nobody measured."""
    bench = benchmark(name)
    device = Device(kind, "NVIDIA H200" if kind == "cuda" else "a CPU", (9, 0), 141 * 10**9)
    rows = []
    for size in bench.sizes[kind]:
        for variant, how in bench.variants(device).items():
            row = dict(counted(name, variant, **size))
            rows.append(row)
            if variant in failed or any(f in FEATURES and kind == "cpu" for f in how.needs):
                row["why_not"] = "failed: an illegal instruction"
                continue
            if "memory" in bench.measures:
                scores = 12 * size.get("heads", 1) * size["n"] ** 2
                row["extra_bytes"] = scores if variant == "eager" else 1000 * size["n"]
            if "time" in bench.measures:
                plain = size.get("d") == 128 and not size.get("causal")
                rate = RATES.get(variant, 100) / (1 if plain else 2)
                seconds = row["operations"] / rate / 1e12 if kind == "cuda" else 1e-3
                if name == "decode":
                    seconds = row["bytes"] / (2e12 if "split" in variant else 1e11)
                row["seconds"] = dict.fromkeys(("value", "low", "high"), seconds)
                row["samples"] = [seconds] * 5
                row["kernels"] = [f"{variant.replace(' ', '_')}_kernel_sm90"]
    pair = {"error": 1e-3, "at_most": 4e-3}
    proofs = [
        {"variant": variant, "size": {"n": 197, "causal": causal}}
        | (
            {"failed": "an illegal instruction"}
            if variant in failed
            else {"holds": True, "output": pair, "gradient": pair, "causal": True}
        )
        for variant in {row["variant"]: None for row in rows}
        for causal in (False, True)
    ]
    return {
        "name": name,
        "question": bench.question,
        "baseline": bench.baseline,
        "device": DESCRIBED if kind == "cuda" else {"kind": "cpu", "name": "a CPU"},
        "ceilings": {"matmul": 8e14, "copy": 4e12},
        "rows": rows,
        "equivalence": proofs,
    }


def record(monkeypatch, *, gpu=True, failed=()):
    """Let the course ship with a recording of a CPU and, or not, of a GPU."""
    kinds = ("cuda", "cpu") if gpu else ("cpu",)
    monkeypatch.setattr(
        records,
        "recorded_devices",
        lambda name: [(made_up(name, kind, failed), ABOUT) for kind in kinds],
    )


# Of which benchmark each table is that a page may name.
QUESTIONS = {"rates": "forward", "gradients": "backward", "steps": "ladder", "memory": "memory"}
QUESTIONS |= {"reading": "decode", "parts": "decode", "kernels": "forward"}
QUESTIONS |= {"errors": "forward", "layers": "layers", "pictures": "pictures"}
NOT_YET = "Not yet recorded on a GPU. There, in the course's folder, this records it:\n"
NOT_YET += "  python benchmarks/gpu.py"


@pytest.mark.parametrize(("what", "name"), QUESTIONS.items())
def test_without_a_recording_it_says_how_to_record_and_with_one_it_names_the_device(
    what, name, monkeypatch
):
    record(monkeypatch, gpu=False)
    assert gpus(name) == []
    assert on_record(what) == on_record(what, "goals") == NOT_YET
    record(monkeypatch)
    said = on_record(what)
    assert said.splitlines()[0].startswith("Recorded on NVIDIA H200 (torch 2.11.0, ")
    assert "yet recorded" not in said
    assert max(map(len, said.splitlines())) <= 76


def test_the_tables_hold_what_was_recorded(monkeypatch):
    record(monkeypatch)
    rows = {line[:21].strip(): line[21:].split() for line in on_record("steps").split("\n")}
    assert rows["exp2"][:2] == ["240", "1.20"]
    assert rows["warp specialisation"][:2] == ["310", "0.94"]  # it does not help, and is there
    assert rows["tuned blocks"][:2] == ["430", "1.30"]  # over the descriptors, not the last
    assert "602   602" in on_record("rates")
    assert "x 4.00" in on_record("memory")
    assert "x 2.00" in on_record("memory")
    assert "0.134  0.50" in on_record("reading")
    assert "grouped 20.0;" in on_record("parts")
    assert "sdpa_cudnn_kernel_sm90" in on_record("kernels")
    with pytest.raises(ValueError, match=r"on_record: expected one of .*, got 'speed'"):
        on_record("rates", "speed")


def test_a_table_can_be_cut_to_some_sizes():
    whole = Results(made_up("backward", "cpu"), ABOUT, live=False)
    cut = whole.only(n=512, causal=True)
    assert {(row["size"]["n"], row["size"]["causal"]) for row in cut.rows} == {(512, True)}
    assert cut.variants == whole.variants
    assert "512" in str(cut)
    assert "n 256" not in str(cut)
    assert cut.ratio("eager", "sdpa", n=512) == whole.ratio("eager", "sdpa", n=512, causal=True)
    with pytest.raises(ValueError, match=r"one of its sizes, n 256, d 64, .*; got {'n': 300}"):
        whole.only(n=300)


def test_the_goals_stand_beside_what_was_reached(monkeypatch):
    record(monkeypatch, failed=("tiled", "triton"))
    lines = on_record("goals").split("\n")
    assert lines[0].startswith("Recorded on NVIDIA H200 (torch 2.11.0, ")
    assert lines[1].split() == ["reached", "floor", "stretch"]
    rows = {
        line.split()[0]: line.split() for line in reversed(lines[2:])
    }  # the first of a name
    assert rows["G1"][-3] == "-"  # Triton failed
    assert rows["G6"][-3:] == ["4.30", "4.00", "-"]
    assert rows["G9"][-3:] == ["4.00", "3.8-4.2", "-"]
    assert max(map(len, lines)) <= 76


def test_what_failed_is_told_and_breaks_no_table(monkeypatch):
    record(monkeypatch, failed=("triton", "split", "sdpa cudnn"))
    for what in QUESTIONS:
        said = on_record(what)
        assert ("failed: an illegal instruction" in said) == (
            what not in ("parts", "pictures", "layers")
        )
    found = gpus("forward")[0]
    assert "triton" not in found.errors
    assert found.errors["sdpa"] == (0.25, 0.25)


def test_a_recording_without_ceilings_breaks_no_table(monkeypatch):
    without = {name: made_up(name) | {"ceilings": {}} for name in QUESTIONS.values()}
    recorded = {name: [(content, ABOUT)] for name, content in without.items()}
    monkeypatch.setattr(records, "recorded_devices", lambda name: recorded.get(name, []))
    for what in QUESTIONS:
        assert "Recorded on NVIDIA H200" in on_record(what)
    assert "0.134  ?" in " ".join(on_record("reading").split(" "))
    assert " ms, ? of a copy's rate" in on_record("parts")
    rows = {line.split()[0]: line.split() for line in on_record("goals").split("\n")[2:]}
    assert (rows["G5"][-3], rows["G11"][-3], rows["G1"][-3]) == ("-", "-", "0.70")


def test_an_error_without_a_number_is_infinitely_far_off():
    content = copy.deepcopy(made_up("forward"))
    content["equivalence"][0]["output"] = {"error": None, "at_most": 1e-3}
    content["equivalence"][1]["causal"] = False
    found = Results(content, ABOUT, live=False)
    assert found.errors["eager"] == (float("inf"), 0.25)
    assert found.looks_ahead == ["eager"]


def names(node, context):
    """Return the names that are read, or bound, anywhere in a cell."""
    found = {
        x.id for x in ast.walk(node) if isinstance(x, ast.Name) and isinstance(x.ctx, context)
    }
    if context is ast.Store:
        found |= {x.name for x in ast.walk(node) if isinstance(x, ast.FunctionDef)}
        for x in ast.walk(node):
            if isinstance(x, ast.Import | ast.ImportFrom):
                found |= {(a.asname or a.name).split(".")[0] for a in x.names}
    return found


def shown(slug, wanted):
    """Run the cells of a page in which a pattern is found, and the cells that they build on.

    Return what their last lines are worth.
    """
    (path,) = BOOK.glob(f"*/{slug}.ipynb")
    notebook = nbformat.read(path, as_version=4)
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    sources = [c.source for c in cells if "setup" not in c.metadata.get("tags", [])]
    trees = [ast.parse(source) for source in sources]
    due = [i for i, source in enumerate(sources) if re.search(wanted, source)]
    run = set()
    while due:
        i = due.pop()
        run.add(i)
        for name in names(trees[i], ast.Load) - names(trees[i], ast.Store):
            before = [j for j in range(i) if name in names(trees[j], ast.Store)]
            due += [j for j in before[-1:] if j not in run]
    space, values = {"ac": ac}, []
    for i in sorted(run):
        *lines, last = trees[i].body
        value = isinstance(last, ast.Expr)
        exec(compile(ast.Module(lines if value else [*lines, last], []), slug, "exec"), space)
        if value:
            values.append(eval(compile(ast.Expression(last.value), slug, "eval"), space))
    torch.set_grad_enabled(True)  # a page may switch it off
    return values


@pytest.fixture
def live(monkeypatch):
    """Let a page's own run be made up, too."""

    def run(name, **how):
        failed = ("tiled", "split 16", "windowed")
        return Results(made_up(name, "cpu", failed), ABOUT, live=True)

    monkeypatch.setattr("attention_course.benchmarks.runner.run", run)


SAYS = r"\b(live|ladder)\b|\bbenchmarks\."
IN_PICTURES = {
    "gpu-attention": {"sdpa, H200", "triton, H200"},
    "triton-kernel": {"plain, H200", "tuned blocks, H200"},
    "decoding": {"grouped, H200", "sdpa, H200"},
    "numerics": set(),
    "vision-transformer": set(),
    "complexity": {"table, H200"},
}


@pytest.mark.parametrize("slug", PAGES)
def test_a_page_shows_a_recording_the_day_that_it_is_there(slug, live, monkeypatch, capsys):
    record(monkeypatch)
    values = shown(slug, SAYS)
    said = capsys.readouterr().out
    assert "Recorded on NVIDIA H200 (torch 2.11.0, triton 3.6.0, 2031-02-03)." in said
    assert "yet recorded" not in said
    lines = {trace.name for value in values for trace in getattr(value, "data", [])}
    assert lines >= IN_PICTURES[slug]
    if slug == "gpu-attention":
        (roofline,) = (value for value in values if hasattr(value, "points"))
        there = {
            (p["name"], p["variant"]) for p in roofline.points if p["device"] == "H200 SXM"
        }
        assert there >= {("triton", "tiled"), ("eager", "naive"), ("sdpa math", "naive")}


@pytest.mark.parametrize("slug", PAGES)
def test_until_then_code_says_that_it_is_not(slug, live, monkeypatch, capsys):
    record(monkeypatch, gpu=False)
    values = shown(slug, SAYS)
    assert capsys.readouterr().out.count("ot yet recorded on a GPU") == 1
    lines = [trace.name for value in values for trace in getattr(value, "data", [])]
    assert not [name for name in lines if "H200" in name]


def test_a_chapter_says_it_once_at_its_end():
    for path in BOOK.rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        assert not [c for c in cells if "yet recorded" in c.source.lower()], path.name
        asks = [i for i, c in enumerate(cells) if "on_record(" in c.source]
        speaks = [i for i, c in enumerate(cells) if "yet recorded" in str(c.get("outputs"))]
        assert speaks in ([], asks), path.name
        assert len(asks) == (path.stem in PAGES), path.name
        for i in asks:
            assert "## Exercises" in cells[i + 1].source, path.name


def test_a_layer_that_failed_breaks_no_page(live, monkeypatch, capsys):
    record(monkeypatch, failed=("windowed",))
    shown("complexity", r"\.errors\.items\(\)")


def test_a_kernel_that_cannot_be_forced_is_a_line_on_the_page(monkeypatch, capsys):
    record(monkeypatch)
    able = Device("cpu", "a device that promises everything")
    monkeypatch.setattr(Device, "why_not", lambda self, feature: None)
    monkeypatch.setattr(measure, "this_device", lambda: able)
    shown("triton-kernel", r"kernel_of\(backend\)\n    except")
    said = capsys.readouterr().out
    assert "cudnn      torch has no such kernel for these inputs" in said


def test_memory_is_counted_on_the_device_that_the_tensors_are_on():
    """A page's tensors are the CPU's; of a GPU the count would be zero, and divide by it."""
    counted = 0
    for path in BOOK.rglob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type != "code" or "peak_extra_bytes(" not in cell.source:
                continue
            for node in ast.walk(ast.parse(cell.source)):
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "attr", "") == "peak_extra_bytes"
                ):
                    counted += 1
                    assert len(node.args) + len(node.keywords) == 2, path.name
    assert counted
